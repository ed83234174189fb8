"""Batches: read, put together in memory of their own or in rows that are used again, and mixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seedsafe import BatchMix, SampleIndex, SampleKey, ring
from seedsafe.reading import KeyedReader, read_batch, stack

__all__ = ["batch_of", "checked_mix", "mixed", "ready_batch"]


def ready_batch(reader: KeyedReader, at: SampleIndex, size: int, rows: ring.Rows | None) -> Any:
    """Return a ready batch of the base, augmented, in the rows where there are any."""
    return reader.batch(at, size, rows=rows, stack=stack if rows is None else _stacked)


def batch_of(
    reader: KeyedReader,
    positions: Sequence[int],
    epoch: int,
    rows: ring.Rows | None,
    *,
    listed: bool,
) -> Any:
    """Return the batch of the samples at some positions, augmented, in the rows where there are any."""
    ats = [SampleIndex(position, epoch) for position in positions]
    return read_batch(reader, ats, rows=rows, stack=stack if rows is None else _stacked, listed=listed)


def checked_mix(mix: BatchMix | None) -> BatchMix | None:
    """Return the argument `mix`, or raise a TypeError that says what it has to be."""
    if mix is not None and not isinstance(mix, BatchMix):
        raise TypeError(f"mix must be a BatchMix, got {mix!r}: pass seedsafe.BatchMix(classes)")
    return mix


def mixed(mix: BatchMix, batch: Any, key: SampleKey) -> Any:
    """Return a batch whose samples are mixed with each other, at the key of the first one."""
    if not (isinstance(batch, tuple) and len(batch) > 1):
        raise TypeError(
            f"a batch to be mixed must be a tuple of images and labels, got {type(batch).__qualname__}: leave mix out, or "
            "give the base's samples as (image, label)"
        )
    images, labels = (np.asarray(part) for part in batch[:2])
    return *mix(images, labels, key=key), *batch[2:]


def _stacked(parts: Sequence[Any]) -> npt.NDArray[Any]:
    """Return the batch whose rows the parts are, else what `stack` makes of them."""
    whole = ring.batch_at(parts)
    return stack(parts) if whole is None else whole
