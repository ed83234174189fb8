"""On which machines results are the same bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import cleandoc
from textwrap import fill
from typing import Any, Final, NamedTuple, TypeVar

__all__ = [
    "ARCHITECTURE",
    "AT_LEAST_UINT8",
    "BUILD",
    "EVERYWHERE",
    "MACHINES",
    "NEAREST",
    "NUMPY",
    "OPENCV",
    "OPENCV_AND_NUMPY",
    "RESIZED",
    "SCIPY",
    "STRETCH",
    "Exactness",
    "When",
    "exact",
    "with_sentence",
]

Function = TypeVar("Function", bound=Callable[..., Any])

MACHINES, ARCHITECTURE, BUILD = "every machine", "one architecture", "one build"
"""Where results are the same bits, from far to near."""


class When(NamedTuple):
    """A condition: its words, and a function of a transform and its input's dtype that returns whether they fulfil it."""

    words: str
    holds: Callable[[Any, str], bool]


@dataclass(frozen=True)
class Exactness:
    """Which machines compute the same bits: docstrings and golden files read it.

    Args:
        machines: the conditions under which all machines do; () is never.
        architecture: the conditions under which all machines of one architecture do.
        build: the libraries on whose build the bits depend under all other conditions; "" if there are none.
    """

    machines: tuple[When, ...] = ()
    architecture: tuple[When, ...] = ()
    build: str = ""

    def of(self, transform: Any, dtype: str) -> str:
        """Return MACHINES, ARCHITECTURE or BUILD for a transform and the dtype of its input."""
        if any(when.holds(transform, dtype) for when in self.machines):
            return MACHINES
        return ARCHITECTURE if any(when.holds(transform, dtype) for when in self.architecture) else BUILD

    def also(self, *conditions: When) -> Exactness:
        """Return this with more conditions, named first, under which results are the same on every machine."""
        return replace(self, machines=(*conditions, *self.machines))

    @property
    def sentence(self) -> str:
        """The sentence in docstrings."""
        parts = []
        if self.machines:
            parts.append(f"on every machine{_listed(self.machines)}")
        if self.architecture:
            parts.append(f"on one architecture{_listed(self.architecture)}")
        if self.build:
            parts.append(f"{'else ' if parts else ''}with the same build of {self.build}")
        return f"Exact {'; '.join(parts) if self.architecture else ', '.join(parts)}."


def _listed(conditions: tuple[When, ...]) -> str:
    words = [when.words for when in conditions if when.words]
    return f" {', '.join(words[:-1])}{' and ' * (len(words) > 1)}{words[-1]}" if words else ""


def with_sentence(text: str, one: Exactness) -> str:
    """Return a docstring with the sentence as a paragraph of its own, before the arguments."""
    head, section, rest = text.partition("\n\nArgs:\n")
    for title in ("Returns", "Raises", "Example"):
        if not section:
            head, section, rest = text.partition(f"\n\n{title}:\n")
    return f"{head}\n\n{fill(one.sentence, 120)}{section}{rest}"


def exact(one: Exactness) -> Callable[[Function], Function]:
    """Declare which machines compute the same bits with a function, and add the sentence to its docstring.

    Example:
        >>> @exact(EVERYWHERE)
        ... def same(image):
        ...     "Return the image."
        ...     return image
        >>> print(same.__doc__)
        Return the image.
        <BLANKLINE>
        Exact on every machine.
    """

    def declare(function: Function) -> Function:
        if function.__doc__ is not None:  # not under -OO
            function.__doc__ = with_sentence(cleandoc(function.__doc__), one)
        return function

    return declare


def _ways(transform: Any) -> set[str]:
    """Return the interpolations of a transform."""
    return {getattr(transform, name) for name in ("interpolation", "down", "up") if hasattr(transform, name)}


def _is_fixed_point(transform: Any, dtype: str) -> bool:
    is_exact = getattr(transform, "antialias", False) or _ways(transform) <= {"nearest", "bilinear exact"}
    return dtype == "uint8" and is_exact


def _is_linear(transform: Any, dtype: str) -> bool:
    return dtype == "uint8" and _ways(transform) <= {"nearest", "bilinear", "bilinear exact", "area"}


EVERYWHERE: Final = Exactness((When("", lambda _, __: True),))
AT_LEAST_UINT8: Final = Exactness((When("for uint8", lambda _, dtype: dtype == "uint8"),), build="OpenCV")
_NEAREST: Final = When('with "nearest"', lambda transform, _: _ways(transform) <= {"nearest"})
NEAREST: Final = Exactness((_NEAREST,), build="OpenCV")
RESIZED: Final = Exactness(
    (_NEAREST, When('for uint8 with "bilinear exact" or antialias', _is_fixed_point)),
    (When('for uint8 with "bilinear" or "area"', _is_linear),),
    "OpenCV, or of Pillow",
)
OPENCV: Final = Exactness(build="OpenCV")
NUMPY: Final = Exactness(build="NumPy")
OPENCV_AND_NUMPY: Final = Exactness(build="OpenCV and NumPy")
SCIPY: Final = Exactness(build="SciPy")
STRETCH: Final = Exactness(build="python-stretch")
