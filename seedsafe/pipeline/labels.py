"""Labels: entries of a sample with one element for each box or keypoint, which are dropped with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from seedsafe.ground.info import TARGETS, Array

__all__ = ["label_names", "of_rows", "require_labels"]


def label_names(name: str, names: Any) -> tuple[str, ...]:
    """Return the names of labels as a tuple; one name stands for itself."""
    found = (names,) if isinstance(names, str) else tuple(names) if isinstance(names, tuple | list) else None
    if found is None or not all(isinstance(one, str) for one in found):
        raise TypeError(f'{name} must be a name or a list of names such as ["labels"], got {names!r}')
    taken = [one for one in found if one in TARGETS]
    if taken or len(set(found)) != len(found):
        raise ValueError(
            f"{name} must name entries other than {', '.join(TARGETS)}, each once, got {names!r}"
        )
    return found


def require_labels(sample: Mapping[Any, Any], names: str | tuple[str, ...], target: str, count: int) -> None:
    """Raise an error unless the sample has these labels, with one element for each row of the target."""
    for name in names:
        if name not in sample:
            raise ValueError(
                f"labels={names} of {target} name {name!r}, which the sample lacks; it has {list(sample)}: leave the name "
                "out, or name that part with targets="
            )
        if not hasattr(sample[name], "__len__") or len(sample[name]) != count:
            raise ValueError(
                f"{name!r} must have one element for each of the {count} {target}, got {sample[name]!r}"
            )


def of_rows(values: Any, keep: Array) -> Any:
    """Return the labels of the rows that are kept, of the same type; the very same object where all are.

    Example:
        >>> of_rows(["cat", "dog"], np.array([False, True]))
        ['dog']
    """
    if keep.all():
        return values
    if isinstance(values, np.ndarray):
        return values[keep]
    if isinstance(values, list | tuple):
        return type(values)([value for value, kept in zip(values, keep, strict=True) if kept])
    return values[np.flatnonzero(keep).tolist()]  # a tensor, for instance
