"""Which transforms are the library's own: declared, class by class, and never inherited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar, dataclass_transform

from seedsafe.pipeline.option import annotate, describe, option

__all__ = ["Marks", "check_options", "declared", "marks_of", "primitive"]

Kind = TypeVar("Kind", bound=type)


class Marks(NamedTuple):
    """What is known of a class's methods. The defaults are for users' classes, of which nothing is known."""

    own: bool = False
    """``draw`` keeps nothing of its generator, and ``apply_<target>`` changes nothing that it is given."""

    fresh: bool = False
    """``apply_<target>`` returns a new array, or a view of what it was given, and keeps neither."""

    random: bool = True
    """``draw`` takes a word; without, a transform that always fires need not go to its stream."""

    blind: bool = False
    """``apply`` of the primary target looks at no parameter; so an array alone needs no draw."""

    fills: bool = False
    """``apply`` of the primary target takes a third argument: memory that it fills and returns if the result fits."""

    opencv: bool = False
    """It may need OpenCV, for some keys and images."""


_UNKNOWN: Final = Marks()
_declared: Final[dict[type, Marks]] = {}


@dataclass_transform(frozen_default=True, field_specifiers=(option, field))
def primitive(
    *,
    fresh: bool = True,
    random: bool = True,
    blind: bool = False,
    fills: bool = False,
    opencv: bool = True,
) -> Callable[[Kind], Kind]:
    """Declare a class to be one of the library's own: a frozen dataclass whose options check themselves.

    Subclasses are not the library's own, unless they are declared as well. The docstring is given the sentences of the
    options that it does not mention.

    Args:
        fresh: see Marks.
        random: see Marks.
        blind: see Marks.
        fills: see Marks.
        opencv: see Marks.

    Example:
        >>> from seedsafe import CenterCrop
        >>> class Mine(CenterCrop):
        ...     __slots__ = ()
        >>> marks_of(CenterCrop).own, marks_of(Mine).own
        (True, False)
    """

    def declare(kind: Any) -> Any:
        annotate(kind)
        has_text = kind.__doc__ is not None  # not under -OO
        result = dataclass(frozen=True, slots=True, repr=kind.__repr__ is object.__repr__)(kind)
        if has_text:
            result.__doc__ = describe(result)
        _declared[result] = Marks(True, fresh, random, blind, fills, opencv)
        return result

    return declare


def declared(kind: Kind) -> Kind:
    """Declare a class that is no dataclass to be one of the library's own."""
    _declared[kind] = Marks(own=True, fresh=True)
    return kind


def marks_of(kind: type) -> Marks:
    """Return what is declared of this very class."""
    return _declared.get(kind, _UNKNOWN)


def check_options(self: Any) -> None:
    """Check the options of a transform that is being constructed, and keep each as its check returns it."""
    kind: Any = type(self)
    for name, check in _checks(kind):
        given = getattr(self, name)
        kept = check(name, given)
        if kept is not given:
            object.__setattr__(self, name, kept)


@cache
def _checks(kind: type) -> tuple[tuple[str, Callable[[str, Any], Any]], ...]:
    """Return the checks of a class's options, its base classes' too; a field without one leaves a base class's in force."""
    first: dict[str, Any] = {}
    then: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        for one in vars(base).get("__dataclass_fields__", {}).values():
            if "check" in one.metadata:
                (first if one.metadata["ours"] else then)[one.name] = one.metadata["check"]
    return tuple((first | then if marks_of(kind).own else then).items())
