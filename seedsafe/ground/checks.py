"""Checks of arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np

from seedsafe.keys.key import checked_int  # the contract imports nothing, so it is written there

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "checked_int",
    "choice",
    "each",
    "explain_arguments",
    "flag",
    "numbers",
    "pair",
    "probability",
    "real",
    "record_ids",
    "span",
    "with_article",
]

Callee = TypeVar("Callee", bound=Callable[..., Any])

_LISTS: Final = (tuple, list)
_FLAGS: Final = (bool, np.bool_)
_NUMBERS: Final = (int, float, np.integer, np.floating)


def with_article(thing: Any) -> str:
    """Return the name of an object's class with its article.

    Example:
        >>> with_article(1), with_article(ValueError())
        ('an int', 'a ValueError')
    """
    name = type(thing).__qualname__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def explain_arguments(callee: Callee) -> Callee:
    """Make a call with arguments that a class or function does not take an error that says what to pass instead.

    A class is changed in place and returned; for a function, a new one is returned. Errors from inside the call stay as they are.
    """
    of_class = isinstance(callee, type)
    call: Any = vars(callee)["__init__"] if of_class else callee

    @wraps(call)
    def explained(*args: Any, **named: Any) -> Any:
        try:
            return call(*args, **named)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:  # raised inside
                raise
            explanation = import_module("seedsafe.ground.advice").explanation
            raise TypeError(explanation(callee.__name__, call, args[of_class:], named)) from None

    if not of_class:
        return cast("Callee", explained)
    changed: Any = callee
    changed.__init__ = explained
    return changed  # type: ignore[no-any-return]


def real(name: str, value: Any, low: float, high: float, way_out: str) -> float:
    """Return `value` as a finite float in [low, high]."""
    if isinstance(value, _FLAGS) or not isinstance(value, _NUMBERS):
        raise TypeError(f"{name} must be a number, got {value!r} of type {type(value).__name__}: {way_out}")
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every float
        number = math.inf if value > 0 else -math.inf
    if not (math.isfinite(number) and low <= number <= high):
        raise ValueError(f"{name} must be {_bounds(low, high)}, got {number!r}: {way_out}")
    return number


def _bounds(low: float, high: float) -> str:
    if math.isfinite(high):
        return f"in [{low:g}, {high:g}]"
    return f"finite and at least {low:g}" if math.isfinite(low) else "finite"


def flag(name: str, value: Any) -> bool:
    """Return a value that must be True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return value


def probability(name: str, value: Any) -> float:
    """Return a probability as a float in [0, 1]."""
    return real(name, value, 0.0, 1.0, "pass the share of samples for which the transform fires")


def choice(name: str, value: Any, known: Collection[str]) -> str:
    """Return a word that is one of `known`."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    return value


def each(name: str, value: Any, check: Callable[..., Any], *bounds: Any) -> Any:
    """Apply a check to a value, or to each value of a list, and return its result or a tuple of results."""
    if isinstance(value, _LISTS):
        return tuple(check(name, one, *bounds) for one in value)
    return check(name, value, *bounds)


def numbers(name: str, value: Any, low: float, high: float, way_out: str) -> tuple[float, ...]:
    """Return a non-empty list of numbers as a tuple of finite floats in [low, high]."""
    if not isinstance(value, _LISTS) or not value:
        raise TypeError(f"{name} must be a list of numbers, got {value!r}: {way_out}")
    return tuple(real(name, one, low, high, way_out) for one in value)


def span(
    name: str,
    value: Any,
    low: float,
    high: float,
    way_out: str,
    *,
    about: float | None = None,
    cut: bool = False,
    whole: bool = False,
) -> tuple[Any, Any]:
    """Return a range in [low, high], both ends included, as two numbers, the lower one first.

    Args:
        name: the argument's name.
        value: (low, high), or one number.
        low: the smallest allowed end.
        high: the largest allowed end.
        way_out: the end of an error's text.
        about: the middle of the range if the value is one number, its reach. Without it, one number stands for both ends.
        cut: whether a range about a middle is cut off at `low`, instead of an error.
        whole: whether the ends are integers; otherwise they are floats.
    """
    if about is not None and not isinstance(value, _LISTS):
        reach = real(name, value, 0.0, high - about if cut else math.inf, way_out)
        first, last = max(low, about - reach) if cut else about - reach, about + reach
        if low <= first and last <= high:
            return first, last
        value = first, last
    first, last = _two(name, value, low, high, way_out, "low, high", whole=whole)
    if first > last:
        raise ValueError(f"{name} must be (low, high) with low at most high, got {value!r}: swap them")
    return first, last


def pair(name: str, value: Any, way_out: str) -> tuple[int, int]:
    """Return a (height, width) of positive integers; one integer stands for both."""
    return _two(name, value, 1, 2**31 - 1, way_out, "height, width", whole=True)


def _two(
    name: str, value: Any, low: float, high: float, way_out: str, form: str, *, whole: bool
) -> tuple[Any, Any]:
    ends = tuple(value) if isinstance(value, _LISTS) else (value, value)
    if len(ends) != 2:
        kind = "integer" if whole else "number"
        raise ValueError(f"{name} must be one {kind} or a pair ({form}), got {value!r}: {way_out}")
    check: Any = checked_int if whole else real
    bounds = (int(low), int(high) + 1) if whole else (low, high)
    first, last = (check(name, end, *bounds, way_out) for end in ends)
    return first, last


def record_ids(ids: Any, length: int | None) -> npt.NDArray[np.uint64]:
    """Return the record ids of a dataset as uint64, shape (length,)."""
    way_out = "pass ImageFolder.record_ids, or [record_index(id) for id in ...] in the order of the dataset"
    if not isinstance(ids, Iterable) or isinstance(ids, AbstractSet | Mapping):
        raise TypeError(f"ids must be a sequence of integers, got {ids!r}: {way_out}")
    if not (isinstance(ids, np.ndarray) and ids.dtype == np.uint64):
        # NumPy would convert integers on both sides of 2**63 to floats.
        ids = np.array([checked_int("an id of ids", one, 0, 2**64, way_out) for one in ids], np.uint64)
    found: npt.NDArray[np.uint64] = ids
    if found.ndim != 1 or len(found) != length:
        raise ValueError(
            f"ids must have one id for each sample, got the shape {found.shape} for a dataset of length {length}: {way_out}"
        )
    order = np.argsort(found, kind="stable")
    same = np.flatnonzero(found[order][1:] == found[order][:-1])
    if same.size:
        first, second = (int(order[same[0] + step]) for step in (0, 1))
        raise ValueError(
            f"ids must differ, got {found[first]} for the samples {first} and {second}, which would both get the same augmentation: "
            "give one of the records another id"
        )
    return found
