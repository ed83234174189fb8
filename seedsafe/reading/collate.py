"""Collation: samples put together to batches of NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["collate", "stack"]


def stack(parts: Sequence[Any]) -> npt.NDArray[Any]:
    """Return arrays, numbers or strings of one shape and type as one array, shape (n, ...)."""
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
    # Strings of several lengths have one type, and no other two do: NumPy by itself makes strings of numbers.
    types = {array.dtype.kind if array.dtype.kind in "US" else str(array.dtype) for array in arrays}
    if len(types) > 1:
        raise TypeError(
            f"the samples of one batch must have one dtype, got {sorted({str(array.dtype) for array in arrays})}: convert them"
        )
    if arrays[0].dtype == object:
        raise TypeError(
            f"a sample of the batch has a {type(parts[0]).__name__} where an array or a number belongs: convert it"
        )
    return np.stack(arrays)


def collate(samples: Sequence[Any], stack: Callable[[Sequence[Any]], npt.NDArray[Any]] = stack) -> Any:
    """Return samples as one batch of NumPy arrays, shape (n, ...); tuples and dicts keep their structure.

    Args:
        samples: of the batch.
        stack: makes one array of the samples' arrays, numbers or strings.

    Raises:
        TypeError: a part of a sample is None, or the parts' types differ.
        ValueError: the samples differ in structure, or the parts' shapes differ.

    Example:
        >>> collate([(np.zeros(2), 3), (np.ones(2), 4)])
        (array([[0., 0.],
               [1., 1.]]), array([3, 4]))
    """
    first = samples[0]
    if isinstance(first, Mapping):
        for sample in samples:
            if not isinstance(sample, Mapping) or sample.keys() != first.keys():
                raise ValueError(
                    f"the samples of one batch must have the same keys, got {_structure(first)} and {_structure(sample)}: give "
                    "each sample all of them"
                )
        return {name: collate([sample[name] for sample in samples], stack) for name in first}
    if isinstance(first, tuple | list):
        for sample in samples:
            if not isinstance(sample, tuple | list) or len(sample) != len(first):
                raise ValueError(
                    f"the samples of one batch must have the same number of parts, got {_structure(first)} and "
                    f"{_structure(sample)}: give each sample all of them"
                )
        return tuple(collate(part, stack) for part in zip(*samples, strict=True))
    return stack(samples)


def _structure(sample: Any) -> str:
    if isinstance(sample, Mapping):
        return f"the keys {list(sample)}"
    return f"{len(sample)} parts" if isinstance(sample, tuple | list) else f"a {type(sample).__name__}"
