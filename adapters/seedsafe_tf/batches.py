"""augment: the batches of a source with positions, as a tf.data.Dataset that begins at any (epoch, step)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, SupportsIndex

import numpy as np
import tensorflow as tf

from seedsafe import SampleIndex, SampleKey, epoch_order, ring
from seedsafe.reading import (
    Augment,
    Faults,
    KeyedReader,
    Targets,
    checked_int,
    collate,
    flag,
    read_batch,
    stack,
)
from seedsafe_tf.handing import as_parallel, as_spec, handed

__all__ = ["augment"]


@tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]  # else rewritten where tf.data traces the caller
def augment(
    source: Any,
    pipeline: Augment | None = None,
    *,
    seed: SupportsIndex,
    batch_size: SupportsIndex,
    epochs: SupportsIndex | None = None,
    start: tuple[SupportsIndex, SupportsIndex] = (0, 0),
    epoch: SupportsIndex | None = None,
    shuffle: bool = True,
    drop_remainder: bool = False,
    targets: Targets = None,
    ids: Any = None,
    on_error: Literal["raise", "replace"] = "raise",
    check_finite: bool = False,
    num_parallel_calls: int | None = None,
) -> tf.data.Dataset:
    """Return a tf.data.Dataset of the augmented batches of some epochs, each a function of (seed, epoch, step).

    Batches have the bytes that ``seedsafe_torch`` and ``seedsafe_keras`` give for the same source, seed and order, for any
    `num_parallel_calls`, under ``prefetch`` and under ``interleave``, and in each pass over the dataset again. A checkpoint is a
    pair of numbers: a run that goes on passes the epoch and the number of steps of it that were done as `start`.

    Args:
        source: anything with ``len()`` and ``[index]`` that returns samples: an array, a tuple (image or audio first) or a dict of
            targets. With `num_parallel_calls` several threads read it.
        pipeline: a Compose or a Transform, whose results have one shape; None for none.
        seed: of the run, 0 ≤ seed < 2**128.
        batch_size: the number of samples in a batch; the last batch of an epoch may be smaller.
        epochs: the epoch after the last one, the number of epochs of the whole run. ``len(dataset)`` counts the batches from
            `start` on.
        start: the epoch and the step of it to begin with.
        epoch: instead of `epochs`, one fixed epoch, for instance ``VALIDATION_EPOCH``.
        shuffle: take the samples in the order ``epoch_order(seed, epoch, len(source))``, else as they stand.
        drop_remainder: leave the smaller last batch of each epoch out; the size of a batch is then part of its shape.
        targets: names the parts of a sample, ``("image", "mask", None)`` for a tuple, ``{"photo": "image"}`` for a dict; by
            default a tuple's first element is augmented, and of a dict the entries named after targets.
        ids: one integer below 2**64 for each sample, to key the augmentation on instead of the position.
        on_error: "raise" raises an error that names what cannot be read or augmented; "replace" takes another sample, chosen by the
            key, with this one's augmentation, and warns of them after each epoch.
        check_finite: NaN or infinity in a float, read or augmented, is an error as well.
        num_parallel_calls: at most so many batches at once, or ``tf.data.AUTOTUNE``; None for one after another.

    Returns:
        A dataset with the structure of a sample: lists become tuples. Shapes and dtypes are those of the first sample, which is
        read here; each part has the batch as its first axis.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range, or two cannot be used together.
        SampleError: the first sample could not be read or augmented. Later samples raise TensorFlow's errors with its text.

    Example:
        >>> import seedsafe as ss
        >>> source = [(np.full((4, 4), i, np.uint8), i) for i in range(5)]
        >>> data = augment(source, ss.RandomCrop(2), seed=42, batch_size=3, epochs=10, start=(9, 1))
        >>> [(images.shape, labels.numpy().tolist()) for images, labels in data]
        [(TensorShape([2, 2, 2]), [2, 3])]
    """
    length = _length(source)
    size = checked_int("batch_size", batch_size, 1, 2**48, "pass the number of samples in a batch")
    steps = length // size if flag("drop_remainder", drop_remainder) else -(-length // size)
    if not steps:
        raise ValueError(
            f"drop_remainder=True leaves no batch: batch_size is {size}, and the source has {length} samples"
        )
    first_epoch, first_step, end = _bounds(epochs, start, epoch, steps)
    faults = Faults(on_error, check_finite)
    reader = KeyedReader(source, pipeline, seed=seed, targets=targets, ids=ids, faults=faults)
    batches = _Batches(reader, length, size, steps, (first_epoch, first_step), flag("shuffle", shuffle))
    sample = reader.sample(batches.indices(0)[0], counts=False, listed=False)
    spec = tf.nest.map_structure(
        lambda one: tf.TensorSpec((size if drop_remainder else None, *one.shape[1:]), one.dtype),
        as_spec(collate([sample])),
    )
    numbers = tf.data.Dataset.range((end - first_epoch) * steps - first_step)
    way_out = "let all samples have the structure, shapes and dtypes of the first one, for instance with RandomCrop(size)"
    return handed(numbers, batches, spec, as_parallel(num_parallel_calls), way_out)


class _Batches:
    """Makes batches by their number from `start` on."""

    def __init__(
        self, reader: KeyedReader, length: int, size: int, steps: int, start: tuple[int, int], shuffle: bool
    ) -> None:
        self._reader, self._length, self._size, self._steps = reader, length, size, steps
        self._start = start
        self._shuffle = shuffle
        self._spare = ring.Spare()
        self._order = lru_cache(2)(lambda epoch: epoch_order(reader.seed, epoch, length))

    def _place(self, number: int) -> tuple[int, int]:
        passed, step = divmod(self._start[1] + number, self._steps)
        return self._start[0] + passed, step

    def indices(self, number: int) -> list[SampleIndex]:
        """Return the samples of a batch."""
        epoch, step = self._place(number)
        places = range(step * self._size, min((step + 1) * self._size, self._length))
        if not self._shuffle:
            return [SampleIndex(place, epoch) for place in places]
        return [SampleIndex(int(one), epoch) for one in self._order(epoch)[places.start : places.stop]]

    def __call__(self, number: Any) -> Any:
        """Return a batch, in memory that is used again when TensorFlow and everybody else has dropped it."""
        result = read_batch(
            self._reader, self.indices(int(number)), rows=ring.Rows(self._size), stack=_stacked
        )
        if self._place(int(number))[1] + 1 == self._steps:
            self._reader.report_failures()
        return result


def _stacked(parts: Sequence[Any]) -> Any:
    """Return the batch whose rows the parts are, else a new one."""
    whole = ring.batch_at(parts)
    return stack(parts) if whole is None else whole


def _length(source: Any) -> int:
    """Return the number of samples in a source."""
    if isinstance(source, tf.data.Dataset):
        raise TypeError(
            "source must have len() and [index], got a tf.data.Dataset, whose elements have no positions: use "
            "seedsafe_tf.keyed(dataset, ...) and an id in each element"
        )
    if isinstance(source, dict) or (
        isinstance(source, tuple)
        and source
        and all(isinstance(part, np.ndarray | tf.Tensor) for part in source)
    ):
        raise TypeError(
            f"source must be one sample for each index, got a {type(source).__name__} of whole columns: pass "
            "list(zip(images, labels))"
        )
    if not (hasattr(source, "__len__") and hasattr(source, "__getitem__")):
        raise TypeError(
            f"source must have len() and [index], got {type(source).__name__}: pass a list of samples"
        )
    if not len(source):
        raise ValueError("source must have at least one sample, got none")
    return len(source)


def _bounds(epochs: Any, start: Any, epoch: Any, steps: int) -> tuple[int, int, int]:
    """Return the epoch and the step to begin with, and the epoch after the last one."""
    if (epochs is None) == (epoch is None):
        raise ValueError(
            f"pass one of epochs and epoch, got epochs={epochs!r} and epoch={epoch!r}: epochs=10 for a run, "
            "epoch=VALIDATION_EPOCH for validation"
        )
    if epoch is not None:
        fixed = SampleKey(0, epoch, 0).epoch
        if start != (0, 0):
            raise ValueError(f"start={start!r} is for epochs=, and epoch={fixed} is fixed: leave it out")
        return fixed, 0, fixed + 1
    end = checked_int("epochs", epochs, 1, 2**32, "pass the number of epochs of the whole run")
    if not (isinstance(start, tuple | list) and len(start) == 2):
        raise TypeError(f"start must be a pair (epoch, step), got {start!r}: pass (0, 0) to begin a run")
    first = checked_int("start's epoch", start[0], 0, end + 1, f"there are epochs={end}")
    step = checked_int(
        "start's step",
        start[1],
        0,
        steps + 1,
        f"an epoch has {steps} batches; after it comes ({first + 1}, 0)",
    )
    if first == end and step:
        raise ValueError(f"start={tuple(start)} lies behind epochs={end}: pass more epochs")
    return first, step, end
