"""The golden values that the key in JavaScript (docs/_static/key.js) must make, wherever it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import known

import seedsafe as ss

__all__ = ["SCRIPT", "wrong"]

SCRIPT = known.GOLDEN.parents[1] / "docs" / "_static" / "key.js"

FIELDS = ("seed", "epoch", "index", "occurrence", "view")
CODE = f"""(() => {{
  const {{ words, unit, uniform, integer }} = globalThis.seedsafe;
  const key = {{ KEY }}, own = words(key), crop = words(key, {ss.op_of("RandomCrop")});
  const places = words({{ seed: key.seed, epoch: key.epoch, index: 0 }}, {ss.op_of("seedsafe/order")}, 12);
  return {{
    words: own.map(String),
    unit: unit(own[0]),
    uniform: uniform(own[0], -1, 3),
    crop: [integer(crop[1], 37 - 20 + 1), integer(crop[2], 53 - 30 + 1)],
    noise: words(key, {ss.op_of("GaussianNoise")}, 2).flatMap((w) => [0n, 16n, 32n, 48n].map((by) => Number((w >> by) & 0xffffn))),
    order: [...places.keys()].sort((a, b) => (places[a] < places[b] ? -1 : places[a] > places[b] ? 1 : a - b)),
  }};
}})()"""


def wrong(run: Callable[[str], Any]) -> list[str]:
    """Return what JavaScript, run by a function, makes of the golden keys and is not what is stored."""
    stored = known.stored("decisions.json")
    found = []
    for place, key in enumerate(known.KEYS):
        made = run(CODE.replace("KEY", ", ".join(f"{name}: {getattr(key, name)}n" for name in FIELDS)))
        raw = [int(one) for one in ss.generator(key).bit_generator.random_raw(4)]
        expected = {
            "words": [str(one) for one in raw],
            "unit": (raw[0] >> 11) * 2**-53,
            "uniform": -1 + 4 * ((raw[0] >> 11) * 2**-53),
            "crop": stored["pipelines"]["RandomCrop"][place][0][1],
            "noise": stored["noise"][place],
            "order": stored["order"][place],
        }
        made["noise"] = made["noise"][: len(expected["noise"])]
        found += [f"{name} at {key}: {made[name]}" for name, one in expected.items() if made[name] != one]
    return found
