"""The declaration of the library's own transforms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar, dataclass_transform

from seedsafe.ground.checks import explain_arguments
from seedsafe.ground.exactness import Exactness, with_sentence
from seedsafe.pipeline.option import annotate, describe, option

__all__ = ["Marks", "check_options", "clips", "declared", "marks_of", "primitive"]

Kind = TypeVar("Kind", bound=type)


class Marks(NamedTuple):
    """Promises about the methods of a class. The defaults are for users' classes, about which nothing is known."""

    own: bool = False
    """``draw`` keeps nothing of its generator, and ``apply_<target>`` changes none of its arguments."""

    fresh: bool = False
    """``apply_<target>`` returns a new array or a view of its argument, and keeps neither."""

    random: bool = True
    """``draw`` takes a word. Otherwise a transform that always fires needs no stream."""

    ignores_params: bool = False
    """``apply`` of the primary target ignores its parameters, so ``draw`` is not called for an array by itself: a flip draws
    the size of the image for keypoints and boxes alone."""

    fills: bool = False
    """``apply`` of the primary target takes a third argument: memory, which it fills and returns if the result fits."""

    clips: bool = False
    """``apply`` of a float image works on [0, 1], and cuts off or bends the rest."""

    opencv: bool = False
    """Some keys and images need OpenCV."""

    exact: Exactness | None = None
    """On which machines results are the same bits; None for base classes, and for containers, which are as their members."""


_UNKNOWN: Final = Marks()
_declared: Final[dict[type, Marks]] = {}


@dataclass_transform(frozen_default=True, field_specifiers=(option, field))
def primitive(
    *,
    fresh: bool = True,
    random: bool = True,
    ignores_params: bool = False,
    fills: bool = False,
    clips: bool = False,
    opencv: bool = True,
    exact: Exactness | None = None,
) -> Callable[[Kind], Kind]:
    """Declare a class of the library: a frozen dataclass that checks its options.

    Subclasses are not the library's own unless they are declared as well. The docstring gets the sentences of the
    options that it does not mention, and that of `exact`.

    Args:
        fresh: see Marks.
        random: see Marks.
        ignores_params: see Marks.
        fills: see Marks.
        clips: see Marks.
        opencv: see Marks.
        exact: see Marks.

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
            result.__doc__ = describe(result) if exact is None else with_sentence(describe(result), exact)
        _declared[result] = Marks(True, fresh, random, ignores_params, fills, clips, opencv, exact)
        return explain_arguments(result)

    return declare


def declared(kind: Kind, *, random: bool = True) -> Kind:
    """Declare a class of the library whose options are not checked as those of its transforms are.

    Args:
        kind: the class.
        random: see Marks.
    """
    _declared[kind] = Marks(own=True, fresh=True, random=random)
    return explain_arguments(kind) if "__init__" in vars(kind) else kind


def marks_of(kind: type) -> Marks:
    """Return the marks of this class, not of its bases."""
    return _declared.get(kind, _UNKNOWN)


def clips(kind: type) -> bool:
    """Return whether ``apply`` of a class works on floats in [0, 1] alone.
    A class without a declaration inherits the marks of the class whose ``apply`` methods it uses, or has none if it defines its own.
    """
    for base in kind.__mro__:
        if base in _declared:
            return _declared[base].clips
        if any(name.startswith("apply") for name in vars(base)):
            return False
    return False


def check_options(self: Any) -> None:
    """Check the options of a new transform, and replace each by the result of its check."""
    kind: Any = type(self)
    for name, check in _checks(kind):
        argument = getattr(self, name)
        value = check(name, argument)
        if value is not argument:
            object.__setattr__(self, name, value)


@cache
def _checks(kind: type) -> tuple[tuple[str, Callable[[str, Any], Any]], ...]:
    """Return the checks of the options of a class and its bases; a field without a check keeps that of the base."""
    first: dict[str, Any] = {}
    then: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        for name, about in vars(base).get("__dataclass_fields__", {}).items():
            if "check" in about.metadata:
                (first if about.metadata["ours"] else then)[name] = about.metadata["check"]
    return tuple((first | then if marks_of(kind).own else then).items())
