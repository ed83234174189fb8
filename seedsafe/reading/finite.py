"""Samples with NaN or infinity."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from seedsafe.ground.tree import leaves, written
from seedsafe.pipeline.blame import code_name
from seedsafe.pipeline.compose import Compose

__all__ = ["NotFiniteError", "require_finite", "require_finite_after"]


class NotFiniteError(ValueError):
    """A sample has NaN or infinity. `transform` is the name of its origin, or None if the sample was read like that."""

    transform: str | None = None


def require_finite(sample: Any) -> None:
    """Raise NotFiniteError if a float of a sample, in an array, a tensor or a number at any depth, is NaN or infinite.

    Example:
        >>> require_finite({"image": np.array([1.0, np.nan]), "label": 3})
        Traceback (most recent call last):
        seedsafe.reading.finite.NotFiniteError: the sample has 1 value of 2 in ['image'] that is not finite, the first at (1,): nan
    """
    for fault in _not_finite(sample):
        raise NotFiniteError(f"the sample has {fault}")


def require_finite_after(augment: Any, result: Any, augmented_by: Callable[[Any], Any]) -> None:
    """Raise NotFiniteError if an augmented sample is not finite. The error names the transform of a Compose at fault.

    Args:
        augment: the augmentation.
        result: the augmented sample.
        augmented_by: returns the sample augmented with another augmentation.
    """
    for fault in _not_finite(result):
        error = NotFiniteError(f"the augmented sample has {fault}")
        error.transform = _culprit(augment, augmented_by)
        raise error


def _culprit(augment: Any, augmented_by: Callable[[Any], Any]) -> str:
    pipeline = augment if isinstance(augment, Compose) else Compose([])
    for number, transform in enumerate(pipeline.transforms, 1):
        # The first transforms alone have the same names, and so the same draws, as in the whole pipeline.
        if any(_not_finite(augmented_by(Compose(pipeline.transforms[:number], **pipeline.options())))):
            return getattr(transform, "name", None) or type(transform).__name__
    return code_name(augment)


def _not_finite(sample: Any) -> Iterator[str]:
    for path, part in leaves(sample):
        name = written(path)
        if isinstance(part, np.ndarray):
            if part.dtype.kind in "fc" and not np.isfinite(part).all():
                yield _describe(part, np.isfinite(part), name)
        elif isinstance(part, float | np.floating):
            if not math.isfinite(part):
                yield f"{part} in {name or 'itself'}"
        elif callable(getattr(part, "isfinite", None)) and not bool(part.isfinite().all()):  # a torch tensor
            yield _describe(part, np.asarray(part.isfinite()), name)


def _describe(part: Any, finite: Any, name: str) -> str:
    indices = np.argwhere(~finite)
    first = tuple(map(int, indices[0]))
    count = len(indices)
    inside = f" in {name}" if name else ""
    verb = "value" if count == 1 else "values"
    return (
        f"{count} {verb} of {finite.size}{inside} that {'is' if count == 1 else 'are'} not finite, "
        f"the first at {first}: {part[first].item()}"
    )
