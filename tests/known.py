"""The contract's known answers, and the table of keys that the golden files are made at."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np
from cases import Golden, goldens

import seedsafe as ss

GOLDEN = Path(__file__).parent / "golden"

KNOWN_ANSWERS = [
    ((0, 0, 0, 0, 0, 0), "02f4ba6408e4d89b 3dd62b0b9ca8c5b2 1c8667a55d902e79 907d7a052fd5b4dc"),
    ((42, 3, 1234, 0, 0, 0), "38e79bc5ed3937ef e5e62f017887c368 88455b82fdddc488 6dca2eb80faa377c"),
    ((42, 3, 1234, 1, 0, 0), "80bff5857baf5092 332124be753ceb8e ae1f86f27e6e1b47 9f21e628d226c90b"),
    ((42, 3, 1234, 0, 1, 0), "e105ce93ad01e7c0 8d4b9ca1808db9b8 f1e4e5dfef80916a e7ab701fb45c1705"),
    ((42, 3, 1234, 0, 0, 0xA483F57B), "16a69006d20106e7 7730e8250f94af38 7de58cbf70e5ed6b 2d0d8bd30b932431"),
    ((2**64, 0, 0, 0, 0, 0), "d037f8c3f9a1d176 c057419b4c210765 abf13115117b0065 7bae035dea6ea5c0"),
]

KEYS = [
    ss.SampleKey(0, 0, 0),
    ss.SampleKey(42, 3, 1234),
    ss.SampleKey(42, 3, 1234, occurrence=1),
    ss.SampleKey(42, 3, 1234, view=1),
    ss.SampleKey(2**64 + 7, 1, 5),
    ss.SampleKey(2**128 - 1, 2**32 - 1, 2**64 - 1, occurrence=2**16 - 1, view=2**16 - 1),
]

NO_WHEEL = ("TimeStretch", "PitchShift") if (sys.platform, platform.machine()) == ("linux", "aarch64") else ()
"""Golden pipelines that cannot be made here: python-stretch has no wheels for Linux on ARM."""

GOLDENS = {name: one for name, one in goldens().items() if name not in NO_WHEEL}
"""Each golden pipeline by its name, with its family."""


def pipelines() -> dict[str, Golden]:
    """Return the golden pipelines by name."""
    return {name: golden for name, (_, golden) in GOLDENS.items()}


def plain(value: Any) -> Any:
    """Return parameters as JSON has them, floats exactly."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value.hex()
    return [plain(one) for one in value] if isinstance(value, tuple | list) else value


def addresses() -> dict[str, Any]:
    """Return what the golden file of decisions holds besides pipelines, as computed now."""
    from seedsafe.keys.key import address
    from seedsafe.keys.words import sixteenths

    return {
        "order": [plain(ss.epoch_order(key.seed, key.epoch, 12).tolist()) for key in KEYS],
        "noise": [sixteenths(address(key, ss.op_of("GaussianNoise")), 7).tolist() for key in KEYS],
        "ops": {name: ss.op_of(name) for name in ("RandomCrop", "RandomCrop#1", "seedsafe/order", "π")},
        "records": {name: str(ss.record_index(name)) for name in ("", "a/b.jpg", "π")},
    }


def decisions(golden: Golden) -> list[Any]:
    """Return what a golden pipeline draws at each key, as computed now."""
    return [plain(golden.pipeline.params(key, golden.shape)) for key in KEYS]


def stored(name: str) -> Any:
    """Return what a golden file holds."""
    return json.loads((GOLDEN / name).read_text())


FIRST = ("decisions.json", "pixels.json")
"""Files of the first release: what is drawn, and pixels. All others have both, as "decisions" and "pixels"."""


def files() -> dict[str, Any]:
    """Return what all golden files hold, by name."""
    return {path.name: stored(path.name) for path in sorted(GOLDEN.glob("*.json"))}


def architectures() -> dict[str, dict[str, Any]]:
    """Return the stored pixels that are the same on machines of one architecture alone, by its name."""
    return {
        path.stem: json.loads(path.read_text()) for path in sorted((GOLDEN / "architectures").glob("*.json"))
    }


def parts(contents: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the stored decisions and pixels of all pipelines, whatever file they stand in."""
    found: dict[str, dict[str, Any]] = {
        "decisions": dict(contents["decisions.json"]["pipelines"]),
        "pixels": dict(contents["pixels.json"]),
    }
    for name, content in contents.items():
        if name not in FIRST:
            for part in found:
                found[part] |= content[part]
    for name in NO_WHEEL:
        del found["decisions"][name]
    return found
