"""augment: batches of a source as a tf.data.Dataset."""

from __future__ import annotations

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
    Unkeyed,
    checked_int,
    collate,
    description,
    explain_arguments,
    flag,
    read_batch,
    repeats_an_epoch,
    warn,
)
from seedsafe_tf.numpy_map import as_parallel, as_spec, map_numpy

__all__ = ["augment"]


@tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]  # a tf.data trace of the caller would rewrite it
@explain_arguments
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
    on_unkeyed: Literal["raise", "warn", "allow"] = "raise",
    num_parallel_calls: int | None = None,
) -> tf.data.Dataset:
    """Return a tf.data.Dataset of the augmented batches of a run, each a function of (seed, epoch, step).

    Batches have the bytes of ``seedsafe_torch`` and ``seedsafe_keras`` for the same source, seed and order, for any
    `num_parallel_calls`, under ``prefetch`` and ``interleave``, and in each pass over the dataset again. A checkpoint is a pair of
    numbers: to resume, pass the epoch and the number of its steps already done as `start`.

    Args:
        source: anything with ``len()`` and ``[index]`` that returns samples: an array, a tuple (image or audio first) or a dict of
            targets. With `num_parallel_calls`, several threads read it.
        pipeline: a Compose or a Transform, whose results have one shape, or None to augment nothing.
        seed: the seed of the run, 0 ≤ seed < 2**128.
        batch_size: the number of samples in a batch; the last batch of an epoch may be smaller.
        epochs: the number of epochs of the whole run; the last one has the number epochs - 1. ``len(dataset)`` counts the
            batches from `start` on.
        start: the epoch, and the step in it, to begin with.
        epoch: instead of `epochs`, one fixed epoch, for instance ``VALIDATION_EPOCH``.
        shuffle: whether to take the samples in the order ``epoch_order(seed, epoch, len(source))``, or by position.
        drop_remainder: leave the smaller last batch of each epoch out; the size of a batch is then part of its shape.
        targets: names the parts of a sample, ``("image", "mask", None)`` for a tuple, ``{"photo": "image"}`` for a dict; by
            default, the first element of a tuple and the entries of a dict that are named after targets are augmented.
        ids: one integer below 2**64 for each sample, which the key takes instead of the position.
        on_error: for a sample that cannot be read or augmented, "raise" raises an error that names it. "replace" takes another
            sample, chosen by the key, with this one's augmentation, and warns after each epoch.
        check_finite: whether NaN or infinity in a float, read or augmented, is an error.
        on_unkeyed: for a source that draws random numbers without the sample's key, so that its samples depend on what was read
            before, "raise" raises NotReproducible in the first reads, and warns later. "warn" warns once, "allow" does not look.
        num_parallel_calls: the largest number of batches at once, or ``tf.data.AUTOTUNE``, or None for one at a time.

    Returns:
        A dataset with the structure of a sample: lists become tuples. Shapes and dtypes are those of the first sample, which is
        read here; each part has the batch as its first axis.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range, or two cannot be used together.
        NotReproducible: the source draws without the sample's key.
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
            f"drop_remainder=True leaves no batch, with batch_size={size} and {length} samples: pass a smaller batch_size"
        )
    first_epoch, first_step, end = _bounds(epochs, start, epoch, steps)
    faults = Faults(on_error, check_finite)
    unkeyed = Unkeyed(on_unkeyed)
    reader = KeyedReader(
        source, pipeline, seed=seed, targets=targets, ids=ids, faults=faults, unkeyed=unkeyed
    )
    batches = _Batches(reader, length, size, steps, (first_epoch, first_step), flag("shuffle", shuffle))
    batches.is_first_epoch_alone = epoch is None and (first_epoch, first_step, end) == (0, 0, 1)
    like = description((), "tf", reader.seed, size, shuffle, drop_remainder, repr(pipeline))
    if batches.is_first_epoch_alone and repeats_an_epoch(
        source, like, lambda: batches.passes == 1, maker=None, loading=None, first=True
    ):
        batches.warn()
    sample = reader.sample(batches.indices(0)[0], counts=False, listed=False)
    spec = tf.nest.map_structure(
        lambda part: tf.TensorSpec((size if drop_remainder else None, *part.shape[1:]), part.dtype),
        as_spec(collate([sample])),
    )
    numbers = tf.data.Dataset.range((end - first_epoch) * steps - first_step)
    way_out = "give all samples the structure, shapes and dtypes of the first one, for instance with RandomCrop(size)"
    return map_numpy(numbers, batches, spec, as_parallel(num_parallel_calls), way_out)


class _Batches:
    """A function from a batch's number, counted from `start`, to the batch."""

    def __init__(
        self, reader: KeyedReader, length: int, size: int, steps: int, start: tuple[int, int], shuffle: bool
    ) -> None:
        self._reader, self._length, self._size, self._steps = reader, length, size, steps
        self._start = start
        self._shuffle = shuffle
        self.is_first_epoch_alone = False
        # Passes that were begun and that were read to their end: parallel calls may read the last batch before the first.
        self._begun = self.passes = 0
        # As long as this lives, the memory of a batch that nobody holds is kept for the next one.
        self._spare = ring.Spare()
        # Two, because parallel calls may read on both sides of the end of an epoch.
        self._order = lru_cache(2)(lambda epoch: epoch_order(reader.seed, epoch, length))

    def _locate(self, number: int) -> tuple[int, int]:
        """Return the epoch and the step of a batch."""
        epochs, step = divmod(self._start[1] + number, self._steps)
        return self._start[0] + epochs, step

    def indices(self, number: int) -> list[SampleIndex]:
        """Return the stamped indices of a batch's samples."""
        epoch, step = self._locate(number)
        order = self._order(epoch) if self._shuffle else range(self._length)
        return [
            SampleIndex(int(entry), epoch) for entry in order[step * self._size : (step + 1) * self._size]
        ]

    def warn(self) -> None:
        """Warn that the only epoch of a run is read again, once."""
        self.is_first_epoch_alone = False
        warn(
            "epoch 0 is served again, in the same order and with the same augmentation, because the dataset has epochs=1. Pass epochs=n, the "
            "epochs of the whole run, and read it once; or in a loop start=(epoch, 0), epochs=epoch + 1; or epoch= if one epoch is meant",
            beyond=("tensorflow", "keras"),
        )

    def __call__(self, number: Any) -> Any:
        """Return a batch, in memory that is used again when nobody holds it."""
        if not number:
            if self.passes and self._begun and self.is_first_epoch_alone:
                self.warn()
            self._begun += 1
        result = read_batch(self._reader, self.indices(int(number)), rows=ring.Rows(self._size))
        if self._locate(int(number))[1] + 1 == self._steps:
            self._reader.report_failures()
            self.passes += 1
        return result


def _length(source: Any) -> int:
    """Return the number of samples in a source."""
    if isinstance(source, tf.data.Dataset):
        raise TypeError(
            "source must have len() and [index], got a tf.data.Dataset, whose elements have no positions: use "
            "seedsafe_tf.keyed(dataset, ...) with an id in each element"
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
        raise ValueError("source must have at least one sample, got none: check the data")
    return len(source)


def _bounds(epochs: Any, start: Any, epoch: Any, steps: int) -> tuple[int, int, int]:
    """Return the epoch and the step to begin with, and the epoch after the last one."""
    if (epochs is None) == (epoch is None):
        raise ValueError(
            f"exactly one of epochs and epoch must be set, got epochs={epochs!r} and epoch={epoch!r}: pass epochs=10 for a run, "
            "or epoch=VALIDATION_EPOCH for validation"
        )
    if epoch is not None:
        fixed = SampleKey(0, epoch, 0).epoch
        if start != (0, 0):
            raise ValueError(f"start={start!r} needs epochs=, but epoch={fixed} is fixed: leave start out")
        return fixed, 0, fixed + 1
    end = checked_int("epochs", epochs, 1, 2**32, "pass the number of epochs of the whole run")
    if not (isinstance(start, tuple | list) and len(start) == 2):
        raise TypeError(f"start must be a pair (epoch, step), got {start!r}: pass (0, 0) to begin a run")
    first = checked_int("start's epoch", start[0], 0, end + 1, f"the run has epochs={end}")
    step = checked_int(
        "start's step",
        start[1],
        0,
        steps + 1,
        f"an epoch has {steps} batches; after it comes ({first + 1}, 0)",
    )
    if first == end and step:
        raise ValueError(f"start={tuple(start)} is after the end of the run, epochs={end}: pass more epochs")
    return first, step, end
