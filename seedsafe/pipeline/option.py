"""Options of transforms: types, defaults, checks, sentences."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, field, fields
from inspect import cleandoc
from textwrap import fill
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, get_type_hints

from seedsafe.ground.checks import choice, flag

__all__ = ["Option", "Pair", "Range", "annotate", "describe", "option", "store"]

Argument = TypeVar("Argument")
Value = TypeVar("Value")

if TYPE_CHECKING:

    class Option(Generic[Argument, Value]):
        """The type of an option whose argument and attribute have different types.

        To a type checker it is a descriptor: the constructor takes the argument of ``__set__``, and the attribute is
        the result of ``__get__``. At run time it is the first type alone, and the option is a plain slot.
        """

        def __get__(self, transform: Any, kind: Any = None, /) -> Value: ...
        def __set__(self, transform: Any, value: Argument, /) -> None: ...

else:

    class Option:
        """See above."""

        def __class_getitem__(cls, types: tuple[Any, Any]) -> Any:
            return types[0]


Range = Option[float | tuple[float, float], tuple[float, float]]
Pair = Option[int | tuple[int, int], tuple[int, int]]

_SHARED: Final = {
    "name": "the name of the transform's stream, instead of its class; see Transform.",
    "p": "the probability that the transform fires, in [0, 1].",
    "mode": "how pixels outside the image are filled: {words}, as in ``numpy.pad``.",
    "fill": 'the value outside the image in the mode "constant", one number or one for each channel.',
    "mask_fill": "the same for masks.",
    "interpolation": '{words}; masks are always "nearest".',
    "antialias": "smooth before an image shrinks, like Pillow: uint8 gets the bytes of torchvision on PIL images, on every machine. "
    'Needs Pillow; no effect on "nearest"; see ``seedsafe.functional.resize``.',
}
"""The sentences for options that many transforms have; ``{words}`` stands for the allowed words."""

_ERRORS: Final = {
    "TypeError": "an argument has the wrong type.",
    "ValueError": "an argument is out of its range.",
}
"""The sentences for errors of all transforms."""

_INDENTED: Final[dict[str, Any]] = {
    "subsequent_indent": " " * 8,
    "break_long_words": False,
    "break_on_hyphens": False,
}
"""How the lines of an entry are filled."""


def option(
    check: Callable[..., Any] | None = None,
    /,
    *bounds: Any,
    default: Any = MISSING,
    kw_only: bool = False,
    doc: str | None = None,
    **how: Any,
) -> Any:
    """Return a dataclass field whose value is checked, and replaced by the result of the check.

    Args:
        check: called with the option's name, its value, `bounds` and `how`. It returns the value in one form, or raises
            an error. None passes unchecked if it is the default. Without a check, that of the base class holds.
            A `flag` is checked before all others, and only in the library's own classes.
        bounds: passed to the check.
        default: the option's default.
        kw_only: whether the option is keyword-only.
        doc: the option's sentence in the docstring of the class, unless the docstring has its own.
        how: passed to the check.
    """
    about: dict[str, Any] = {} if doc is None else {"doc": doc}
    if check is not None:
        default_value: Any = MISSING  # the default in its final form, once computed

        def check_value(name: str, value: Any) -> Any:
            nonlocal default_value
            if value is not default:
                return check(name, value, *bounds, **how)
            if default_value is MISSING:
                default_value = None if default is None else check(name, default, *bounds, **how)
            return default_value

        about |= {"check": check_value, "ours": check is flag, "words": bounds[0] if check is choice else ()}
    return field(default=default, kw_only=kw_only, metadata=about)


_IMPORTS: Final = {
    "np.": "    >>> import numpy as np\n",
    "SampleKey(": "    >>> from seedsafe import SampleKey\n",
}
"""The imports that an example needs, by the text that needs them."""


def store(transform: Any, **values: Any) -> None:
    """Write options into a new frozen transform."""
    for name, value in values.items():
        object.__setattr__(transform, name, value)


def annotate(kind: Any) -> None:
    """Write the argument types of a class's options into its annotations, for its signature."""
    texts = {
        name: text
        for name, text in vars(kind).get("__annotations__", {}).items()
        if isinstance(vars(kind).get(name), Field) and text.lstrip("_")[0].isupper() and text != "Any"
    }
    # Only these, since the others may name what is imported for type checkers alone.
    holder = SimpleNamespace(__annotations__=texts)
    kind.__annotations__.update(get_type_hints(holder, vars(sys.modules[kind.__module__])))


def describe(kind: Any) -> str:
    """Return the docstring of a dataclass, completed with shared sentences and with the imports of its example.

    An option or error that the docstring does not mention gets its shared sentence, or that of a base class. A sentence on
    an error "when applied" follows the shared one.
    """
    text = cleandoc(kind.__doc__)
    options = [argument.name for argument in fields(kind) if argument.init]
    if not options:
        return text
    sentences: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        for name, about in vars(base).get("__dataclass_fields__", {}).items():
            words = " or ".join(
                ", ".join(f'"{word}"' for word in about.metadata.get("words", ())).rsplit(", ", 1)
            )
            sentence = about.metadata.get("doc") or _SHARED.get(name, "").replace("{words}", words)
            sentences[name] = sentence or sentences.get(name, "")
    own = _entries(text, "Args")
    last = {"p": 1, "name": 2}
    more = sorted((name for name in options if name not in own), key=lambda name: last.get(name, 0))
    text = _with_entries(text, "Args", own | {name: sentences[name] for name in more if sentences[name]})
    errors = _ERRORS | _entries(kind.__mro__[1].__doc__ or "", "Raises")
    for name, sentence in _entries(text, "Raises").items():
        applied = sentence.startswith("when applied")
        errors[name] = f"{_ERRORS[name][:-1]}; {sentence}" if applied else sentence
    text = _with_entries(text, "Raises", errors)
    needed = "".join(line for word, line in _IMPORTS.items() if word in text and line not in text)
    return text.replace("\n\nExample:\n", "\n\nExample:\n" + needed)


def _entries(text: str, title: str) -> dict[str, str]:
    """Return the entries of a section of a docstring, each on one line."""
    section = text.partition(f"\n\n{title}:\n")[2].partition("\n\n")[0]
    found = re.findall(r"^    (\w+): (.*(?:\n     .*)*)", section, re.MULTILINE)
    return {name: " ".join(entry.split()) for name, entry in found}


def _with_entries(text: str, title: str, entries: dict[str, str]) -> str:
    """Return a docstring with these entries in a section; a new section comes before the example."""
    before, found, after = text.partition(f"\n\n{title}:\n")
    if found:
        _, blank, after = after.partition("\n\n")
    else:
        before, blank, after = text.partition("\n\nExample:")
    lines = [fill(f"    {name}: {entry}", 110, **_INDENTED) for name, entry in entries.items()]
    return "\n".join([f"{before}\n\n{title}:", *lines]) + blank + after
