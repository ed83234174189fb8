"""Ready batches, augmented sample by sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from seedsafe.ground.info import TARGETS
from seedsafe.keys.key import SampleKey
from seedsafe.reading.arrays import is_foreign
from seedsafe.reading.collate import stack
from seedsafe.reading.forms import Augment, augment_parts, labels_of
from seedsafe.reading.targets import Targets, take_apart

__all__ = ["augment_batch", "count"]


class Rows(Protocol):
    """Where the samples of a batch in place are to be, one after another: `seedsafe.ring.Rows`."""

    def offer(self) -> Any:
        """Return the memory of the next sample's first array, or None."""

    def place(self, sample: Any) -> Any:
        """Return an equal sample in the next row."""


def augment_batch(
    augment: Augment,
    batch: Any,
    first: SampleKey,
    targets: Targets = None,
    *,
    limit: int,
    rows: Rows | None = None,
    stack: Callable[[Sequence[Any]], npt.NDArray[Any]] = stack,
) -> Any:
    """Return a ready batch with every sample augmented under its own key.

    Args:
        augment: a Compose or a Transform.
        batch: an array of shape (n, ...), a tuple whose first element is one, or a dict of such arrays.
        first: the key of the batch's first sample; the indices of the others follow.
        targets: of the parts; see Targets.
        limit: the number of samples that the batch may have.
        rows: of the batch, where it is made in place.
        stack: makes one array of the samples' arrays.

    Returns:
        A batch of the same form; other parts are the very same objects.

    Raises:
        TypeError: the batch is None, or an augmentable part is not an array.
        ValueError: the targets do not fit, the batch is empty or too large, or the samples' shapes differ after
            augmentation.
    """
    parts, join = take_apart(batch, targets)
    columns = _columns(parts, labels_of(augment))
    number = _count(columns)
    if not 1 <= number <= limit:
        raise ValueError(
            f"a batch of the base must have from 1 to {limit} samples, got {number}: give the base a batch_size "
            "attribute with the size of its largest batch, from which the samples' indices follow"
        )
    keys = [
        SampleKey(first.seed, first.epoch, first.index + row, occurrence=first.occurrence, view=first.view)
        for row in range(number)
    ]
    if not isinstance(parts, dict):
        return join(
            stack([_made(augment, sample, key, rows) for sample, key in zip(parts, keys, strict=True)])
        )
    made = [
        _made(augment, dict(zip(columns, sample, strict=True)), key, rows)
        for *sample, key in zip(*columns.values(), keys, strict=True)
    ]
    stacked = {name: stack([sample[name] for sample in made]) for name in columns if name != "masks"}
    if "masks" in columns:
        stacked["masks"] = _stacked_masks(parts["masks"], [sample["masks"] for sample in made])
    return join(parts | stacked)


def _stacked_masks(given: Any, made: list[Any]) -> Any:
    """Return the masks of a batch in the form that they had: a stack, or a list of masks of the whole batch."""
    return (
        stack(made)
        if isinstance(given, np.ndarray)
        else [stack(list(masks)) for masks in zip(*made, strict=True)]
    )


def _made(augment: Augment, sample: Any, key: SampleKey, rows: Rows | None) -> Any:
    """Return a sample, augmented, in its row if there are rows."""
    if rows is None:
        return augment_parts(augment, sample, key)
    return rows.place(augment_parts(augment, sample, key, rows.offer()))


def count(batch: Any, targets: Targets = None) -> int:
    """Return the number of samples in a ready batch."""
    return _count(_columns(take_apart(batch, targets)[0]))


def _columns(parts: Any, labels: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the arrays whose rows are augmented together."""
    columns = (
        {name: parts[name] for name in (*TARGETS, *labels) if name in parts}
        if isinstance(parts, dict)
        else {"batch": parts}
    )
    if isinstance(columns.get("masks"), list | tuple):  # each of the whole batch: a row has one of each
        columns["masks"] = [list(row) for row in zip(*columns["masks"], strict=True)]
    for name, column in columns.items():
        if is_foreign(column):
            raise TypeError(
                f"the {name} of a ready batch must be a NumPy array, got {type(column).__module__}."
                f"{type(column).__qualname__}: convert it, tensors of images to (N, H, W, C)"
            )
    return columns


def _count(columns: dict[str, Any]) -> int:
    lengths = {
        name: len(column) if isinstance(column, list) or np.ndim(column) else 0
        for name, column in columns.items()
    }
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"the parts of a batch must have the same number of samples, got {lengths}: check the base"
        )
    return next(iter(lengths.values()))
