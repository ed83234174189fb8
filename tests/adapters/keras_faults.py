"""A training run of Keras on faulty samples, in a process of its own: prints what it gave and reported as JSON."""

from __future__ import annotations

import hashlib
import importlib
import json
import multiprocessing
import sys
import warnings
from typing import Any

import numpy as np
from contract import AUGMENT, SEED
from faulty import Faulty

import seedsafe as ss
import seedsafe_keras

BROKEN = {3: "exception", 9: "vanished", 15: "shape"}
WAYS: list[dict[str, Any]] = [
    {"workers": 0},
    {"workers": 2},
    {"workers": 2, "use_multiprocessing": True},
]


def sequence(on_error: Any, way: dict[str, Any]) -> seedsafe_keras.AugmentedSequence:
    return seedsafe_keras.AugmentedSequence(
        Faulty(broken=BROKEN), AUGMENT, seed=SEED, batch_size=4, shuffle=True, on_error=on_error, **way
    )


def trained(keras: Any, data: seedsafe_keras.AugmentedSequence, short: bool) -> dict[str, Any]:
    seen = hashlib.blake2b(digest_size=8)

    class Recorder(keras.Model):  # type: ignore[misc]
        def train_step(self, batch: Any) -> dict[str, float]:
            for part in batch:
                seen.update(np.ascontiguousarray(np.asarray(part), np.int64).tobytes())
            return {"loss": 0.0}

        def test_step(self, batch: Any) -> dict[str, float]:
            return {"loss": 0.0}

    model = Recorder()
    model.built = True
    model.compile(loss="mse", run_eagerly=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        more = (
            {"epochs": 1} if short else {"epochs": 2, "validation_data": data.at_epoch(ss.VALIDATION_EPOCH)}
        )
        seedsafe_keras.fit(model, data, verbose=0, **more)
    told = [str(one.message) for one in caught if "failed in" in str(one.message)]
    return {"digest": seen.hexdigest(), "told": told, "failures": data.failures()}


def main(framework: str, start: str) -> None:
    multiprocessing.set_start_method(start)
    keras = importlib.import_module(framework)
    found: dict[str, Any] = {"runs": []}
    short = start != "fork"  # each epoch's workers import the framework anew
    for way in WAYS if (framework, start) == ("keras", "fork") else WAYS[2:]:
        found["runs"].append(trained(keras, sequence("replace", way), short))
    try:
        data = sequence("raise", WAYS[2])
        data.shuffle = False  # Keras looks at the first batch before there is an epoch
        data.base = Faulty(broken={15: "shape"})
        trained(keras, data, short)
    except Exception as error:  # noqa: BLE001  # TensorFlow's own, with the message inside
        found["error"] = str(error)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
