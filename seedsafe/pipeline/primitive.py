"""Which transforms are the library's own: declared, class by class, and never inherited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

__all__ = ["Marks", "marks_of", "primitive"]

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


_UNKNOWN: Final = Marks()
_declared: Final[dict[type, Marks]] = {}


def primitive(
    *, fresh: bool = True, random: bool = True, blind: bool = False, fills: bool = False
) -> Callable[[Kind], Kind]:
    """Declare a class to be one of the library's own. Subclasses are not, unless they are declared as well.

    Args:
        fresh: see Marks.
        random: see Marks.
        blind: see Marks.
        fills: see Marks.

    Example:
        >>> from seedsafe import CenterCrop
        >>> class Mine(CenterCrop):
        ...     __slots__ = ()
        >>> marks_of(CenterCrop).own, marks_of(Mine).own
        (True, False)
    """

    def declare(kind: Kind) -> Kind:
        _declared[kind] = Marks(True, fresh, random, blind, fills)
        return kind

    return declare


def marks_of(kind: type) -> Marks:
    """Return what is declared of this very class."""
    return _declared.get(kind, _UNKNOWN)
