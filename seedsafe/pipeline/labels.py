"""Labels of boxes, of keypoints and of samples."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from seedsafe.ground.info import TARGETS, Array

__all__ = ["concatenate", "label_names", "label_vector", "require_labels", "select"]


def label_names(name: str, names: Any) -> tuple[str, ...]:
    """Return one or several names of labels as a tuple."""
    found = (names,) if isinstance(names, str) else tuple(names) if isinstance(names, tuple | list) else None
    if found is None or not all(isinstance(label, str) for label in found):
        raise TypeError(
            f'{name} must be a name or a list of names, got {names!r}: pass the names of entries, such as ["labels"]'
        )
    targets = [label for label in found if label in TARGETS]
    if targets or len(set(found)) != len(found):
        raise ValueError(
            f"{name} must name entries other than {', '.join(TARGETS)}, each once, got {names!r}: leave the others out"
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
                f"{name!r} must have one element for each of the {count} {target}, got {sample[name]!r}: correct the dataset"
            )


def select(values: Any, keep: Array) -> Any:
    """Return the labels to keep, of the same type; the same object if all are kept.

    Example:
        >>> select(["cat", "dog"], np.array([False, True]))
        ['dog']
    """
    if keep.all():
        return values
    if isinstance(values, np.ndarray):
        return values[keep]
    if isinstance(values, list | tuple):
        return type(values)([value for value, stays in zip(values, keep, strict=True) if stays])
    return values[np.flatnonzero(keep).tolist()]  # a tensor, for instance


def concatenate(values: Sequence[Any]) -> Any:
    """Return the labels of several samples one after another, of the type of the first.

    Example:
        >>> concatenate([["cat"], ["dog", "cow"]])
        ['cat', 'dog', 'cow']
        >>> concatenate([np.array([1]), [2, 3]])
        array([1, 2, 3])
    """
    first = values[0]
    if isinstance(first, list | tuple):
        return type(first)([label for labels in values for label in labels])
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(first, torch.Tensor):
        return torch.cat([torch.as_tensor(labels) for labels in values])
    return np.concatenate([np.asarray(labels) for labels in values])


def label_vector(name: str, label: Any, classes: int | None) -> Array:
    """Return a sample's label as a new float32 vector.

    Args:
        name: the entry's name.
        label: the number of a class, or a vector with one float for each class.
        classes: the number of classes, or None if labels are vectors.

    Raises:
        TypeError: the label is neither.
        ValueError: there is no class of that number, classes is missing, or a vector has the wrong length.

    Example:
        >>> label_vector("label", 2, 4).tolist()
        [0.0, 0.0, 1.0, 0.0]
    """
    array = np.asarray(label)
    if array.ndim == 1 and array.dtype.kind == "f":
        if classes not in (None, len(array)):
            raise ValueError(
                f"the label {name!r} must be a vector of classes={classes} floats, got {len(array)}: pass classes={len(array)}"
            )
        return array.astype(np.float32)
    if array.ndim or array.dtype.kind not in "iu":
        raise TypeError(
            f"the label {name!r} must be the number of a class, or a vector with one float for each class, to be mixed, got "
            f"{label!r:.80} of type {type(label).__name__}: convert it, or name the entry with label="
        )
    if classes is None:
        raise ValueError(
            f"the label {name!r} must be a vector to be mixed, got class {int(array)}: pass classes=, the number of classes"
        )
    if not 0 <= array < classes:
        raise ValueError(
            f"the label {name!r} must be at least 0 and below classes={classes}, got {int(array)}: check the labels, or pass "
            "more classes"
        )
    vector = np.zeros(classes, np.float32)
    vector[int(array)] = 1
    return vector
