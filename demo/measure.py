"""Runs of loaders: repeats, hash and speed."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import keras
import numpy as np

import seedsafe as ss
from demo.keyed import SEED

__all__ = ["Run", "keras_run", "replay", "torch_run"]


@dataclass(frozen=True)
class Run:
    """The samples that a loader delivered in some epochs.

    Attributes:
        samples: (deliveries, ...) in order.
        index: of each delivery, empty if it is not known.
        epoch: of each delivery.
        drawn: the parameters of each delivery, or None if they are not known.
        seconds: of each epoch.
        worker: of each delivery, or None if it is not known.
    """

    samples: np.ndarray
    index: np.ndarray
    epoch: np.ndarray
    drawn: np.ndarray | None
    seconds: list[float]
    worker: np.ndarray | None = None

    def digest(self) -> str:
        """Return 16 hexadecimal digits of the delivered bytes, in their order."""
        return hashlib.blake2b(np.ascontiguousarray(self.samples), digest_size=8).hexdigest()

    def repeats(self) -> tuple[int, int]:
        """Return the number of deliveries whose parameters came before, in the same epoch and in the whole run."""
        if self.drawn is None:
            raise ValueError("drawn must be known to count repeats, got None: replay the run first")
        rows = [row.tobytes() for row in np.ascontiguousarray(self.drawn)]
        inside = sum(
            int((self.epoch == e).sum()) - len({r for r, at in zip(rows, self.epoch, strict=True) if at == e})
            for e in np.unique(self.epoch)
        )
        return inside, len(rows) - len(set(rows))

    def rate(self) -> float:
        """Return the samples a second of the fastest epoch."""
        return len(self.samples) / len(self.seconds) / min(self.seconds)


def torch_run(loading: Iterable[Any], epochs: int) -> Run:
    """Run `epochs` passes of a DataLoader of (sample, index, worker[, drawn])."""
    batches, numbers, seconds = [], [], []
    for epoch in range(epochs):
        start = time.perf_counter()
        for batch in loading:
            batches.append([part.numpy() for part in batch])
            numbers.append(np.full(len(batch[1]), epoch))
        seconds.append(time.perf_counter() - start)
    columns = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
    drawn = columns[3] if len(columns) > 3 else None
    return Run(columns[0], columns[1], np.concatenate(numbers), drawn, seconds, columns[2])


def keras_run(fit: Callable[..., Any], sequence: Any, epochs: int, **options: Any) -> Run:
    """Run ``fit(model, sequence)``, and record the batches of its training step. The labels are indices or parameters."""
    batches: list[list[np.ndarray]] = []
    ends: list[int] = [0]
    stamps: list[float] = []

    class Recorder(keras.Model):
        def train_step(self, data: Any) -> dict[str, Any]:
            batches.append([np.asarray(part) for part in data])
            return {"loss": keras.ops.zeros(())}

    model = Recorder()
    model.built = True
    model.compile(loss="mse", run_eagerly=True)
    watch = keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: stamps.append(time.perf_counter()),
        on_epoch_end=lambda epoch, logs: (stamps.append(time.perf_counter()), ends.append(len(batches))),
    )
    fit(model, sequence, epochs=epochs, verbose=0, callbacks=[watch], **options)
    lengths = [sum(len(b[0]) for b in batches[a:z]) for a, z in pairwise(ends)]
    labels = np.concatenate([b[1] for b in batches])
    are_parameters = labels.ndim > 1
    return Run(
        np.concatenate([b[0] for b in batches]),
        np.empty(0, int) if are_parameters else labels,
        np.repeat(np.arange(epochs), lengths),
        labels if are_parameters else None,
        [end - start for start, end in zip(stamps[::2], stamps[1::2], strict=True)],
    )


def replay(run: Run, samples: np.ndarray, augment: ss.Compose) -> Run:
    """Compute each delivery again from its key, and return the run with the parameters of the keys.

    Raises:
        AssertionError: a delivery differs.
    """
    rows = []
    for delivery, index, epoch in zip(run.samples, run.index, run.epoch, strict=True):
        sample = samples[index]
        params = augment.params(ss.SampleKey(SEED, int(epoch), int(index)), sample)
        if not np.array_equal(augment.replay(sample, params), delivery):
            raise AssertionError(f"epoch {epoch}, index {index} differs from the sample of its key")
        numbers = [_numbers(drawn) for _, drawn in params]
        rows.append(hashlib.blake2b(repr(numbers).encode(), digest_size=16).digest())
    return replace(run, drawn=np.frombuffer(b"".join(rows), np.uint8).reshape(-1, 16))


def _numbers(drawn: Any) -> list[float]:
    """Return the drawn numbers of one transform, without the address of noise, which contains the key."""
    values = (False,) if drawn is None else (True, *drawn)
    return [float(value) for value in values if not isinstance(value, tuple)]
