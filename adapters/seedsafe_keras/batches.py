"""Batches of a Keras sequence: read and mixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from seedsafe import BatchMix, SampleIndex, SampleKey, ring
from seedsafe.reading import KeyedReader, read_batch, stack, stack_rows

__all__ = ["batch_of", "check_mix", "mix_batch", "ready_batch"]


def ready_batch(reader: KeyedReader, at: SampleIndex, size: int, rows: ring.Rows | None) -> Any:
    """Return an augmented ready batch of the base, in rows if there are any."""
    return reader.batch(at, size, rows=rows, stack=stack if rows is None else stack_rows)


def batch_of(
    reader: KeyedReader,
    positions: Sequence[int],
    epoch: int,
    rows: ring.Rows | None,
    *,
    listed: bool,
) -> Any:
    """Return the batch of the augmented samples at some positions, in rows if there are any."""
    ats = [SampleIndex(position, epoch) for position in positions]
    return read_batch(reader, ats, rows=rows, stack=stack if rows is None else stack_rows, listed=listed)


def check_mix(mix: BatchMix | None) -> BatchMix | None:
    """Return the argument `mix`, or raise a TypeError."""
    if mix is not None and not isinstance(mix, BatchMix):
        raise TypeError(f"mix must be a BatchMix, got {mix!r}: pass seedsafe.BatchMix(classes)")
    return mix


def mix_batch(mix: BatchMix, batch: Any, key: SampleKey) -> Any:
    """Mix the samples of a batch with each other, at the key of the first one."""
    if not (isinstance(batch, tuple) and len(batch) > 1):
        raise TypeError(
            f"mix needs a batch that is a tuple of images and labels, got {type(batch).__qualname__}: leave mix out, or return "
            "the base's samples as (image, label)"
        )
    images, labels = (np.asarray(part) for part in batch[:2])
    return *mix(images, labels, key=key), *batch[2:]
