"""Batches: augmented sample by sample where they come ready, and put together where samples come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seedsafe.info import TARGETS
from seedsafe.key import SampleKey

__all__ = ["Augment", "Targets", "augment_batch", "collate"]

Augment = Callable[..., Any]
"""A ``Compose`` or anything else that is called with a sample and ``key=``."""

Targets = Sequence[str | None]
"""For each element of a tuple its target, or None where it passes through."""

KeyAt = Callable[[int], SampleKey]
"""Gives the key of the sample at a position of the batch."""


def augment_batch(augment: Augment, batch: Any, key_at: KeyAt, targets: Targets | None = None) -> Any:
    """Return a ready batch with every sample augmented under its own key.

    Args:
        augment: called with each sample, an array or a dict of targets, and ``key=``.
        batch: an array of shape (n, ...), a dict of such arrays, or a tuple whose first element is one of both.
        key_at: the key of the sample at a position.
        targets: of a tuple's elements; by default the first is augmented and the rest passes through.

    Returns:
        A batch of the same structure. What is not augmented is the same object as before.

    Raises:
        TypeError: the batch is of another type.
        ValueError: the targets do not fit the batch, or the samples' shapes differ after augmentation.
    """
    if isinstance(batch, Mapping):
        return {**batch, **_augment_targets(augment, _known(batch), key_at)}
    if isinstance(batch, tuple | list):
        if targets is None:
            return (augment_batch(augment, _first(batch), key_at), *batch[1:])
        if len(targets) != len(batch):
            raise ValueError(f"targets must name the batch's {len(batch)} elements, got {targets!r}")
        named = {name: part for name, part in zip(targets, batch, strict=True) if name is not None}
        done = _augment_targets(augment, named, key_at)
        return tuple(part if name is None else done[name] for name, part in zip(targets, batch, strict=True))
    samples = _samples(batch)
    return collate([augment(sample, key=key_at(position)) for position, sample in enumerate(samples)])


def _first(batch: tuple[Any, ...] | list[Any]) -> Any:
    if not batch:
        raise ValueError("a batch must not be an empty tuple: return (inputs, labels)")
    if isinstance(batch[0], tuple | list):
        raise TypeError(
            "the inputs of a batch must be an array or a dict of arrays, "
            f"got a {type(batch[0]).__name__}: name several inputs in a dict, or stack them into an array"
        )
    return batch[0]


def _known(batch: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: batch[name] for name in TARGETS if name in batch}
    if not known:
        raise ValueError(
            f"a dict of inputs must have one of {', '.join(TARGETS)}, got {', '.join(map(str, batch))}: "
            "rename its entries"
        )
    return known


def _augment_targets(augment: Augment, columns: Mapping[str, Any], key_at: KeyAt) -> dict[str, Any]:
    parts = {name: _samples(column) for name, column in columns.items()}
    lengths = {name: len(part) for name, part in parts.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the parts of a batch must have equal numbers of samples, got {lengths}")
    number = next(iter(lengths.values()))
    done = [
        augment({name: part[position] for name, part in parts.items()}, key=key_at(position))
        for position in range(number)
    ]
    return {name: _stack([sample[name] for sample in done]) for name in columns}


def _samples(column: Any) -> Any:
    if not isinstance(column, np.ndarray | list):
        if not hasattr(column, "__array__"):
            raise TypeError(
                f"a batch must be an array, a dict of arrays or a tuple of them, got {type(column).__name__}: "
                "return (inputs, labels) from the base's __getitem__"
            )
        column = np.asarray(column)
    if not len(column):
        raise ValueError(
            "a batch must have at least one sample, got none: let len() of the base end before it"
        )
    return column


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
    return _stack(samples)


def _stack(parts: Sequence[Any]) -> npt.NDArray[Any]:
    arrays = [np.asarray(part) for part in parts]
    if any(part is None for part in parts):
        raise TypeError(
            "a sample of the batch has None where an array or a number belongs: leave the entry out"
        )
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
