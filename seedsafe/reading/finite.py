"""NaN and infinity in samples, and the transform that made them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from seedsafe.pipeline.compose import Compose
from seedsafe.reading.forms import Augment

__all__ = ["NotFiniteError", "require_finite", "require_finite_after"]


class NotFiniteError(ValueError):
    """A sample has NaN or infinity; `transform` is what made it, None if it was read like that."""

    transform: str | None = None


def require_finite(sample: Any) -> None:
    """Raise NotFiniteError if a float of a sample is NaN or infinite: in an array or tensor, or a number, at any depth.

    Example:
        >>> require_finite({"image": np.array([1.0, np.nan]), "label": 3})
        Traceback (most recent call last):
        seedsafe.reading.finite.NotFiniteError: the sample has 1 value of 2 in ['image'] that is not finite, the first at (1,): nan
    """
    for found in _not_finite(sample, ""):
        raise NotFiniteError(f"the sample has {found}")


def require_finite_after(augment: Augment, made: Any, again: Callable[[Augment], Any]) -> None:
    """Raise NotFiniteError if an augmented sample is not finite, with the member of a Compose that made it so.

    Args:
        augment: what it was augmented with.
        made: the augmented sample.
        again: returns the sample augmented with something else.
    """
    for found in _not_finite(made, ""):
        error = NotFiniteError(f"the augmented sample has {found}")
        error.transform = _culprit(augment, again)
        raise error


def _culprit(augment: Augment, again: Callable[[Augment], Any]) -> str:
    members = augment.transforms if isinstance(augment, Compose) else ()
    for number, member in enumerate(members, 1):
        # Members at the beginning have the names, and so the draws, that they have in the whole.
        if any(_not_finite(again(Compose(members[:number])), "")):
            return getattr(member, "name", None) or type(member).__name__
    return str(getattr(augment, "__qualname__", type(augment).__qualname__))


def _not_finite(part: Any, name: str) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _not_finite(value, f"{name}[{key!r}]")
    elif isinstance(part, tuple | list):
        for place, value in enumerate(part):
            yield from _not_finite(value, f"{name}[{place}]")
    elif isinstance(part, np.ndarray):
        if part.dtype.kind in "fc" and not np.isfinite(part).all():
            yield _described(part, np.isfinite(part), name)
    elif isinstance(part, float | np.floating):
        if not math.isfinite(part):
            yield f"{part} in {name or 'itself'}"
    elif callable(getattr(part, "isfinite", None)) and not bool(part.isfinite().all()):  # a tensor of torch's
        yield _described(part, np.asarray(part.isfinite()), name)


def _described(part: Any, finite: Any, name: str) -> str:
    places = np.argwhere(~finite)
    first = tuple(int(place) for place in places[0])
    count = len(places)
    inside = f" in {name}" if name else ""
    verb = "value" if count == 1 else "values"
    return (
        f"{count} {verb} of {finite.size}{inside} that {'is' if count == 1 else 'are'} not finite, "
        f"the first at {first}: {part[first].item()}"
    )
