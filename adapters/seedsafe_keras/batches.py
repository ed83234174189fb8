"""Batches: augmented sample by sample where they come ready, and put together where samples come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seedsafe.info import TARGETS
from seedsafe.key import SampleKey
from seedsafe.sample import Augment, Targets, augment_sample

__all__ = ["augment_batch", "collate", "count", "stack"]


def augment_batch(augment: Augment, batch: Any, first: SampleKey, limit: int, targets: Targets = None) -> Any:
    """Return a ready batch with every sample augmented under its own key.

    Args:
        augment: a Compose or a Transform.
        batch: an array of shape (n, ...), a tuple whose first element is one, or a dict of such arrays.
        first: the key of the batch's first sample; the indices of the others follow.
        limit: the number of samples that the batch may have.
        targets: of the parts; see ``seedsafe.sample.Targets``.

    Returns:
        A batch of the same form; what is no target is the very same object.

    Raises:
        TypeError: the batch is None, or an augmentable part is no array.
        ValueError: the targets do not fit, the batch is empty or too large, or the samples' shapes differ after
            augmentation.
    """

    def rows(parts: Any, *, key: SampleKey) -> Any:
        columns = _columns(parts)
        number = _count(columns)
        if not 1 <= number <= limit:
            raise ValueError(
                f"a batch of the base must have from 1 to {limit} samples, got {number}: give the base a batch_size "
                "attribute with the size of its largest batch, from which the samples' indices follow"
            )
        keys = [SampleKey(key.seed, key.epoch, key.index + position) for position in range(number)]
        if not isinstance(parts, dict):
            return stack([augment(row, key=key) for row, key in zip(parts, keys, strict=True)])
        made = [
            augment(dict(zip(columns, row, strict=True)), key=key)
            for *row, key in zip(*columns.values(), keys, strict=True)
        ]
        return parts | {name: stack([sample[name] for sample in made]) for name in columns}

    return augment_sample(rows, batch, first, targets)


def count(batch: Any, targets: Targets = None) -> int:
    """Return the number of samples in a ready batch."""
    found = 0

    def look(parts: Any, *, key: SampleKey) -> Any:
        nonlocal found
        found = _count(_columns(parts))
        return parts

    augment_sample(look, batch, SampleKey(0, 0, 0), targets)
    return found


def _columns(parts: Any) -> dict[str, Any]:
    """Return the arrays whose rows are augmented together."""
    if isinstance(parts, dict):
        return {name: parts[name] for name in TARGETS if name in parts}
    return {"batch": parts}


def _count(columns: dict[str, Any]) -> int:
    lengths = {name: len(column) if np.ndim(column) else 0 for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the parts of a batch must have equal numbers of samples, got {lengths}")
    return next(iter(lengths.values()))


def collate(samples: Sequence[Any]) -> Any:
    """Return samples as one batch of NumPy arrays, shape (n, ...); tuples and dicts keep their structure.

    Raises:
        TypeError: a part of a sample is None, or the parts' dtypes differ.
        ValueError: the parts' shapes differ.

    Example:
        >>> collate([(np.zeros(2), 3), (np.ones(2), 4)])
        (array([[0., 0.],
               [1., 1.]]), array([3, 4]))
    """
    first = samples[0]
    if isinstance(first, Mapping):
        return {name: collate([sample[name] for sample in samples]) for name in first}
    if isinstance(first, tuple):
        return tuple(collate(part) for part in zip(*samples, strict=True))
    return stack(samples)


def stack(parts: Sequence[Any]) -> npt.NDArray[Any]:
    """Return arrays or numbers of one shape and dtype as one array, shape (n, ...)."""
    if any(part is None for part in parts):
        raise TypeError(
            "a sample of the batch has None where an array or a number belongs: leave the entry out"
        )
    arrays = [np.asarray(part) for part in parts]
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        raise ValueError(
            f"the samples of one batch must have one shape, got {sorted(shapes)}: "
            "let the augmentation end in one size, for instance with RandomCrop(size, pad_if_needed=True)"
        )
    dtypes = {str(part.dtype) for part in parts if isinstance(part, np.ndarray)}
    if len(dtypes) > 1:
        raise TypeError(f"the samples of one batch must have one dtype, got {sorted(dtypes)}: convert them")
    return np.stack(arrays)
