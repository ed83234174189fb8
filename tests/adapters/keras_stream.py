"""Trains tiny models with model.fit and tells what they were trained on.

Run as a program it takes a list of configurations, and each Keras, backend and start method gets a process of its own.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from keras_data import DEFAULTS, SEED, Config, Stream, augmentation, digest

ROOT = Path(__file__).parents[2]


def recorder(keras: Any, seen: list[Any], *, graph: bool = False, **compile_args: Any) -> Any:
    """Return a compiled model that notes in `seen` every batch that reaches its training and test steps."""
    backend = keras.backend.backend()

    def note(step: str, x: Any, y: Any) -> None:
        if graph:
            import tensorflow as tf

            tf.numpy_function(lambda *arrays: seen.append((step, *(a.copy() for a in arrays))), [x, y], [])
        else:
            seen.append(
                (
                    step,
                    *(
                        np.array(part.cpu() if hasattr(part, "cpu") and backend == "torch" else part)
                        for part in (x, y)
                    ),
                )
            )

    class Recorder(keras.Model):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.flatten = keras.layers.Flatten()
            self.dense = keras.layers.Dense(1)

        def call(self, x: Any) -> Any:
            return self.dense(self.flatten(x))

        def train_step(self, *state_and_data: Any) -> Any:
            note("train", *state_and_data[-1][:2])
            return super().train_step(*state_and_data)

        def test_step(self, *state_and_data: Any) -> Any:
            note("test", *state_and_data[-1][:2])
            return super().test_step(*state_and_data)

    model = Recorder()
    eager = {} if backend == "torch" else {"run_eagerly": not graph}
    model.compile(optimizer=keras.optimizers.SGD(1e-9), loss="mse", metrics=["mae"], **eager, **compile_args)
    return model


def stream(config: Config) -> dict[str, Any]:
    """Train with a configuration.

    Returns:
        ``train`` and ``test``, the streams that the model got, and ``random`` and ``numpy``, whether the global
        generators are in the state in which they were.
    """
    from keras_bases import FRAMEWORK, base

    import seedsafe as ss
    from seedsafe_keras import AugmentedSequence, EpochCallback, evaluate, fit

    c = {**DEFAULTS, **config}
    keras = importlib.import_module(FRAMEWORK)
    other = "keras" if FRAMEWORK == "tf_keras" else "tf_keras"
    passed_on = ("shuffle", "workers", "use_multiprocessing", "max_queue_size", "repeat")
    options = {name: c[name] for name in passed_on if name in c}

    def make(**more: Any) -> AugmentedSequence:
        return AugmentedSequence(
            base(c["kind"], c["count"], c["batch_size"]),
            augmentation(),
            seed=SEED,
            batch_size=c["batch_size"] if c["kind"] == "samples" else None,
            framework=other if c.get("foreign") else FRAMEWORK,
            **(options | more),
        )

    seen: list[Any] = []
    compiled = {k: c[k] for k in ("steps_per_execution",) if k in c}
    sequence, model = make(), recorder(keras, seen, graph=c.get("graph", False), **compiled)
    if c.get("unpicklable"):
        sequence.base.read = lambda index: index
    if c.get("broken"):
        AugmentedSequence.begin_epoch = lambda self, epoch, first_step=0: setattr(self, "_now", (0, 0))
    if FRAMEWORK == "tf_keras":
        model.build((None, 8, 8, 3))  # draws its weights' seeds from Python's global generator
    if c.get("built"):
        model.test_on_batch(*sequence.at_epoch(0)[0])
        seen.clear()
    mark = keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: seen.append(("epoch", epoch, None))
    )
    arguments = {
        k: c[k] for k in ("epochs", "initial_epoch", "steps_per_epoch", "validation_steps") if k in c
    }
    arguments |= {"verbose": 0, "callbacks": [mark]}
    if c.get("validation"):
        arguments["validation_data"] = make(epoch=ss.VALIDATION_EPOCH) if c.get("plain") else sequence
    random.seed(c.get("scramble", 0))
    np.random.seed(c.get("scramble", 0))
    if c.get("stopped"):
        fit(model, sequence, epochs=1, verbose=0, callbacks=[after_batch(keras, 1, stop)])
        seen.clear()
    if c.get("midway"):
        arguments["callbacks"].append(
            after_batch(keras, 1, lambda model: evaluate(model, sequence, verbose=0))
        )
    before = _global_states()
    if c.get("plain"):
        if FRAMEWORK == "tf_keras":
            arguments |= {k: c[k] for k in ("workers", "use_multiprocessing") if k in c}
        arguments["callbacks"].append(EpochCallback(sequence))
        model.fit(sequence, shuffle=False, **arguments)
    else:
        fit(model, sequence, **arguments)
    untouched = [was == now for was, now in zip(before, _global_states(), strict=True)]
    return {**_sorted(seen), "random": untouched[0], "numpy": untouched[1]}


def after_batch(keras: Any, number: int, do: Any) -> Any:
    class AfterBatch(keras.callbacks.Callback):  # type: ignore[misc,name-defined]
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if batch == number:
                do(self.model)

    return AfterBatch()


def stop(model: Any) -> None:
    model.stop_training = True


def _global_states() -> tuple[Any, Any]:
    return random.getstate(), [np.asarray(part).tolist() for part in np.random.get_state()]


def _sorted(seen: list[Any]) -> dict[str, Stream]:
    epoch, streams = -1, {"train": [], "test": []}
    for step, x, y in seen:
        if step == "epoch":
            epoch = x
        else:
            samples = zip(np.ravel(y), x, strict=True)
            streams[step] += [(epoch, int(index), digest(image)) for index, image in samples]
    return streams


def streams(
    configs: list[Config], *, framework: str = "keras", backend: str = "tensorflow", start: str = "fork"
) -> list[dict[str, Any]]:
    """Return what `stream` returns for each configuration, or {"error": text}, from one fresh process."""
    paths = [
        ROOT,
        ROOT / "adapters",
        Path(__file__).parent,
        *os.environ.get("SEEDSAFE_TEST_PATH", "").split(":"),
    ]
    done = subprocess.run(
        [sys.executable, __file__, start],
        input=json.dumps(configs),
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "SEEDSAFE_TEST_FRAMEWORK": framework,
            "KERAS_BACKEND": backend,
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
        check=False,
    )
    if done.returncode:
        return [{"error": done.stderr}] * len(configs)
    return [_with_tuples(answer) for answer in json.loads(done.stdout.splitlines()[-1])]


def _with_tuples(answer: dict[str, Any]) -> dict[str, Any]:
    found = {step: [tuple(sample) for sample in answer[step]] for step in ("train", "test") if step in answer}
    return answer | found


def main() -> None:
    multiprocessing.set_start_method(sys.argv[1])
    answers = []
    for config in json.load(sys.stdin):
        try:
            if "fact" in config:
                answers.append(getattr(importlib.import_module("keras_facts"), config["fact"])())
            else:
                answers.append(stream(config))
        except Exception as error:  # noqa: BLE001  # the test shows it
            answers.append({"error": f"{type(error).__name__}: {error}"})
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
