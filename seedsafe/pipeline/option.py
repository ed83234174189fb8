"""Options of the library's transforms: each is declared once, with its type, its default, its check and its sentence."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, field, fields
from inspect import cleandoc
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from seedsafe.ground.checks import choice, flag

__all__ = ["Option", "Pair", "Range", "annotate", "describe", "option", "store"]

Given = TypeVar("Given")
Kept = TypeVar("Kept")

if TYPE_CHECKING:

    class Option(Generic[Given, Kept]):
        """The type of an option that is kept in another form than it may be given in.

        A type checker takes it for a descriptor: the constructor takes what ``__set__`` takes, and the attribute is
        what ``__get__`` returns. When the program runs it is the first type alone, and the option a plain slot.
        """

        def __get__(self, transform: Any, kind: Any = None, /) -> Kept: ...
        def __set__(self, transform: Any, value: Given, /) -> None: ...

else:

    class Option:
        """The type of an option that is kept in another form than it may be given in: see above."""

        def __class_getitem__(cls, types: tuple[Any, Any]) -> Any:
            return types[0]


Range = Option[float | tuple[float, float], tuple[float, float]]
Pair = Option[int | tuple[int, int], tuple[int, int]]

_SHARED: Final = {
    "name": "names the transform's stream instead of its class; see Transform.",
    "p": "the probability that the transform fires, in [0, 1].",
    "mode": "how pixels outside the image are filled: {words}, as in ``numpy.pad``.",
    "fill": 'the value outside in the mode "constant", one number or one for each channel.',
    "mask_fill": "the same for masks.",
    "interpolation": '{words}; masks are always "nearest".',
    "antialias": "smooth before an image shrinks, as Pillow does: uint8 gets the bytes of torchvision on PIL images, on every machine. "
    'Needs Pillow; no effect on "nearest"; see ``seedsafe.functional.resize``.',
}
"""What is said of options that many transforms have; ``words`` are those that the option may be."""

_ERRORS: Final = {
    "TypeError": "an argument is of another type.",
    "ValueError": "an argument is out of its range.",
}
"""What is said of errors of all transforms."""


def option(
    check: Callable[..., Any] | None = None,
    /,
    *bounds: Any,
    default: Any = MISSING,
    kw_only: bool = False,
    doc: str | None = None,
    **how: Any,
) -> Any:
    """Return a dataclass field whose value is checked, and kept as its check returns it.

    Args:
        check: called with the option's name, its value and what else is given here; it returns the value in one form,
            or raises an error. None passes unchecked where it is the default. Without a check, the base class's stands.
            A `flag` comes before all others, and is checked in the library's own classes alone.
        bounds: for the check.
        default: what the option is if it is not given.
        kw_only: whether it is given by name alone.
        doc: the sentence that stands for the option in the class's docstring, unless that has its own.
        how: for the check.
    """
    about: dict[str, Any] = {} if doc is None else {"doc": doc}
    if check is not None:
        kept: Any = MISSING  # what is kept of the default, once it has been asked for

        def checked(name: str, value: Any) -> Any:
            nonlocal kept
            if value is not default:
                return check(name, value, *bounds, **how)
            if kept is MISSING:
                kept = None if default is None else check(name, default, *bounds, **how)
            return kept

        about |= {"check": checked, "ours": check is flag, "words": bounds[0] if check is choice else ()}
    return field(default=default, kw_only=kw_only, metadata=about)


_IMPORTS: Final = {
    "np.": "    >>> import numpy as np\n",
    "SampleKey(": "    >>> from seedsafe import SampleKey\n",
}
"""What examples import, if they mention it."""


def store(transform: Any, **values: Any) -> None:
    """Write options into a frozen transform that is being constructed."""
    for name, value in values.items():
        object.__setattr__(transform, name, value)


def annotate(kind: Any) -> None:
    """Write into the annotations of a class what its options may be given as, for its signature."""
    for name, text in vars(kind).get("__annotations__", {}).items():
        if isinstance(vars(kind).get(name), Field) and text.lstrip("_")[0].isupper() and text != "Any":
            kind.__annotations__[name] = eval(text, vars(sys.modules[kind.__module__]))


def describe(kind: Any) -> str:
    """Return the docstring of a dataclass with the sentences of options and errors that it shares with others.

    An option that it does not mention has its own sentence, and an example the imports that it needs. An error that it does not mention is what a base class says of
    it, and what it says of "when applied" follows upon what is said of all.
    """
    text = cleandoc(kind.__doc__)
    named = [one.name for one in fields(kind) if one.init]
    if not named:
        return text
    told: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        for one in vars(base).get("__dataclass_fields__", {}).values():
            words = " or ".join(
                ", ".join(f'"{word}"' for word in one.metadata.get("words", ())).rsplit(", ", 1)
            )
            sentence = one.metadata.get("doc") or _SHARED.get(one.name, "").replace("{words}", words)
            told[one.name] = sentence or told.get(one.name, "")
    own = _entries(text, "Args")
    last = {"p": 1, "name": 2}
    more = sorted((name for name in named if name not in own), key=lambda name: last.get(name, 0))
    text = _with_entries(text, "Args", own | {name: told[name] for name in more if told[name]})
    errors = _ERRORS | _entries(kind.__mro__[1].__doc__ or "", "Raises")
    for name, sentence in _entries(text, "Raises").items():
        applied = sentence.startswith("when applied")
        errors[name] = f"{_ERRORS[name][:-1]}; {sentence}" if applied else sentence
    text = _with_entries(text, "Raises", errors)
    needed = "".join(line for word, line in _IMPORTS.items() if word in text and line not in text)
    return text.replace("\n\nExample:\n", "\n\nExample:\n" + needed)


def _entries(text: str, title: str) -> dict[str, str]:
    """Return the entries of a docstring's section, each on one line."""
    section = text.partition(f"\n\n{title}:\n")[2].partition("\n\n")[0]
    found = re.findall(r"^    (\w+): (.*(?:\n     .*)*)", section, re.MULTILINE)
    return {name: " ".join(entry.split()) for name, entry in found}


def _with_entries(text: str, title: str, entries: dict[str, str]) -> str:
    """Return a docstring with these entries in a section, which is put before the example if it is missing."""
    before, found, after = text.partition(f"\n\n{title}:\n")
    if found:
        _, blank, after = after.partition("\n\n")
    else:
        before, blank, after = text.partition("\n\nExample:")
    lines = [
        fill(
            f"    {name}: {entry}",
            110,
            subsequent_indent=" " * 8,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for name, entry in entries.items()
    ]
    return "\n".join([f"{before}\n\n{title}:", *lines]) + blank + after
