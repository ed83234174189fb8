"""Keras's model.fit under the contract.

Keras is bound to one backend and one start method for the life of a process, so the driver asks a process of its own
for each. Run as a program this file is that process: it answers one JSON line with another.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from contract import (
    AUGMENT,
    IMAGES,
    LENGTH,
    PARTNERS,
    SEED,
    Config,
    Global,
    Photographs,
    Seen,
    digest,
    of_numpy,
    of_python,
    untouched_globals,
)

import seedsafe as ss


def _torch() -> Any:
    import torch  # takes each spawned worker two seconds, and none of Keras on TensorFlow needs it

    return torch


of_torch = Global(
    "torch",
    lambda seed: _torch().manual_seed(seed),
    lambda: _torch().get_rng_state().numpy().tobytes(),
)
GENERATORS = (of_python, of_numpy, of_torch)
ROOT = Path(__file__).parents[2]
SCENARIOS = ("early break", "two live iterators", "validation in mid-epoch", "resume")


class KerasDriver:
    """Asks the processes of one Keras and backend.

    Args:
        framework: "keras" or "tf_keras".
        backend: of Keras 3.
        ready: wrap a Sequence of ready batches instead of samples; its order is that of the batches.
        mixes: augment with a pipeline that mixes samples.
    """

    generators = GENERATORS

    def __init__(
        self,
        framework: str = "keras",
        backend: str = "tensorflow",
        *,
        ready: bool = False,
        mixes: bool = False,
    ) -> None:
        self.framework = framework
        self.mixes = mixes
        self.backend = backend
        self.ready = ready
        self._processes: dict[str, subprocess.Popen[str]] = {}

    def run(self, config: Config, epochs: int) -> list[Seen]:
        return self._ask(config, "run", epochs=epochs)

    def scenarios(self) -> dict[str, Any]:
        return {name: partial(self._ask, name=name) for name in SCENARIOS}

    def close(self) -> None:
        for process in self._processes.values():
            process.communicate(timeout=60)
        self._processes.clear()

    def _ask(self, config: Config, name: str, **arguments: Any) -> list[Seen]:
        process = self._process("fork" if config.method == "threads" else config.method)
        assert process.stdin is not None
        assert process.stdout is not None
        state = int(np.random.get_state()[1][0])  # type: ignore[index]  # the global state that the contract has set
        how = {"ready": self.ready, "mixes": self.mixes, "state": state}
        request = {"config": vars(config), "name": name, "how": how, **arguments}
        print(json.dumps(request), file=process.stdin, flush=True)
        answer = json.loads(process.stdout.readline())
        if isinstance(answer, str):
            raise AssertionError(answer)
        return [
            Seen(
                epoch,
                [(index, bytes.fromhex(content)) for index, content in items],
                whole=name != "early break" or epoch > 0,
            )
            for epoch, items in answer
        ]

    def _process(self, start: str) -> subprocess.Popen[str]:
        if start not in self._processes:
            self._processes[start] = subprocess.Popen(
                [sys.executable, __file__, start],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(map(str, [ROOT, ROOT / "adapters", Path(__file__).parent])),
                    "SEEDSAFE_TEST_FRAMEWORK": self.framework,
                    "KERAS_BACKEND": self.backend,
                    "TF_CPP_MIN_LOG_LEVEL": "3",
                },
            )
        return self._processes[start]


class Runner:
    """One way to load, in the process of a backend and start method."""

    def __init__(self, config: Config, *, ready: bool, mixes: bool, state: int) -> None:
        from keras_bases import FRAMEWORK

        from seedsafe_keras import AugmentedSequence

        self.config = config
        self.state = state
        self.keras = importlib.import_module(FRAMEWORK)
        self.sequence = AugmentedSequence(
            _ready_batches(config.batch_size) if ready else Photographs(),
            PARTNERS if mixes else AUGMENT,
            seed=SEED,
            batch_size=None if ready else config.batch_size,
            shuffle=config.shuffle,
            workers=config.workers,
            use_multiprocessing=config.method != "threads" and config.workers > 0,
            framework=FRAMEWORK,
        )

    def run(self, epochs: int) -> list[Seen]:
        return self._fit(epochs=epochs)

    def early_break(self) -> list[Seen]:
        from keras_stream import after_batch, stop

        broken = self._fit(epochs=1, callbacks=[after_batch(self.keras, 1, stop)])
        return broken + self._fit(initial_epoch=1, epochs=3)

    def two_live_iterators(self) -> list[Seen]:
        made: list[Seen] = []
        views = [self.sequence.at_epoch(epoch) for epoch in range(2)]
        for batches, epoch in zip(zip(*(zip(*views, strict=True)), strict=True), range(2), strict=True):
            made.append(Seen(epoch, [item for batch in batches for item in _items(*batch)]))
        return made

    def validation_in_mid_epoch(self) -> list[Seen]:
        from keras_stream import after_batch

        from seedsafe_keras import evaluate

        held_out = self.sequence.at_epoch(ss.VALIDATION_EPOCH)
        held_out.shuffle = False
        check = after_batch(self.keras, 1, lambda model: evaluate(model, held_out, verbose=0))
        return self._fit(epochs=2, callbacks=[check])

    def resume(self) -> list[Seen]:
        return self._fit(epochs=2) + self._fit(initial_epoch=2, epochs=4)

    def _fit(self, *, callbacks: Any = (), **arguments: Any) -> list[Seen]:
        from keras_stream import recorder

        from seedsafe_keras import fit

        seen: list[Any] = []
        model = recorder(self.keras, seen)
        if self.keras.__name__ == "tf_keras":
            model.build((None, 32, 32, 3))
        mark = self.keras.callbacks.LambdaCallback(
            on_epoch_begin=lambda epoch, logs: seen.append(("epoch", epoch, None))
        )
        with untouched_globals(self.state, GENERATORS), _draws_of_keras(self.keras.backend.backend()):
            fit(model, self.sequence, verbose=0, callbacks=[mark, *callbacks], **arguments)
        return _passes(seen)


@contextlib.contextmanager
def _draws_of_keras(backend: str) -> Iterator[None]:
    """Take back what Keras itself draws: on the torch backend it makes a DataLoader for each epoch, and that a seed."""
    before = _torch().get_rng_state()
    yield
    if backend == "torch":
        _torch().set_rng_state(before)


def _passes(seen: list[Any]) -> list[Seen]:
    """Return the epochs that the model was trained on, and the validations that came between their batches."""
    passes: list[Seen] = []
    checks: list[Seen] = []
    previous = ""
    for step, x, y in seen:
        if step == "epoch":
            passes.append(Seen(x, []))
        elif step == "train":
            passes[-1].items.extend(_items(x, y))
        else:
            if previous != "test":
                checks.append(Seen(ss.VALIDATION_EPOCH, []))
            checks[-1].items.extend(_items(x, y))
        previous = step
    return passes + checks


def _items(images: Any, labels: Any) -> list[tuple[int, bytes]]:
    exact = np.asarray(images).astype(np.uint8)
    assert (exact == images).all()
    return [(int(label), digest(image)) for image, label in zip(exact, np.ravel(labels), strict=True)]


def _ready_batches(batch_size: int) -> Any:
    from keras_bases import utils

    class ReadyBatches(utils.Sequence):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.batch_size = batch_size

        def __len__(self) -> int:
            return -(-LENGTH // self.batch_size) or 1

        def __getitem__(self, batch: int) -> Any:
            rows = slice(batch * self.batch_size, (batch + 1) * self.batch_size)
            return IMAGES[rows], np.arange(LENGTH)[rows]

    return ReadyBatches()


def main() -> None:
    multiprocessing.set_start_method(sys.argv[1])
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        runner = Runner(Config(**request["config"]), **request["how"])
        arguments = {"epochs": request["epochs"]} if "epochs" in request else {}
        try:
            passes = getattr(runner, request["name"].replace(" ", "_").replace("-", "_"))(**arguments)
            answer: Any = [(seen.epoch, [(i, d.hex()) for i, d in seen.items]) for seen in passes]
        except Exception as error:  # noqa: BLE001  # the test shows it
            answer = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
