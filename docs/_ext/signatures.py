"""The parameters of classes as Python itself tells them: Sphinx looks at ``__new__`` first, which here takes anything.

A class's own arguments come before those that it inherits, and ``name`` comes last; its words come after its arguments and example.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

__all__ = ["ordered", "parameters", "setup"]

_WORDS = re.compile(r"\bwords? \d")


def _sorted(kind: type) -> list[inspect.Parameter]:
    """Return the parameters of a class's constructor: by position, its own, those that it inherits, and the name."""
    _, *given = inspect.signature(kind.__init__).parameters.values()  # type: ignore[misc]  # of this very class
    own = inspect.get_annotations(kind)

    def place(one: inspect.Parameter) -> tuple[bool, bool, bool]:
        by_name = one.kind is inspect.Parameter.KEYWORD_ONLY
        return by_name, by_name and one.name == "name", by_name and bool(own) and one.name not in own

    rest = [one for one in given if one.kind is inspect.Parameter.VAR_KEYWORD]
    return sorted((one for one in given if one not in rest), key=place) + rest


def parameters(kind: type) -> str:
    """Return the parameters of a class's constructor as its page shows them."""
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in _sorted(kind)]
    return str(inspect.Signature(plain))


def ordered(lines: list[str], names: list[str]) -> list[str]:
    """Return the lines of a docstring with its arguments in the order of these names, and paragraphs on words at the end."""
    start = lines.index("Args:")
    end = next((n for n in range(start + 1, len(lines)) if lines[n][:1].strip()), len(lines))
    entries: list[list[str]] = []
    for line in lines[start + 1 : end]:
        if re.match(r" {4}\w", line) or not entries:
            entries.append([])
        entries[-1].append(line)
    blank = [line for entry in entries for line in entry if not line.strip()]
    entries = [[line for line in entry if line.strip()] for entry in entries]
    place = {name: number for number, name in enumerate(names)}
    entries.sort(key=lambda entry: place.get(entry[0].strip().partition(":")[0], len(names)))
    paragraphs = re.split(r"\n\n| (?=Draws [^\n.]*\bwords? \d)", "\n".join(lines[:start]))
    words = [one for one in paragraphs[1:] if _WORDS.search(one)]
    first = "\n\n".join(one for one in paragraphs if one not in words).split("\n")
    arguments = ["Args:", *(line for entry in entries for line in entry), *blank]
    after = [line for one in words for line in ("", *one.strip("\n").split("\n"))]
    return [*first, "", *arguments, *lines[end:], *after, ""]


def _told(
    app: Any, what: str, name: str, thing: Any, options: Any, signature: str | None, result: str | None
) -> tuple[str, str | None] | None:
    if what != "class" or not re.search(r"\*args|, name=", signature or ""):
        return None
    return parameters(thing), result


def _read(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    if what == "class" and "Args:" in lines:
        lines[:] = ordered(lines, [one.name for one in _sorted(thing)])


def setup(app: Any) -> dict[str, bool]:
    """Connect the signatures to a build."""
    app.connect("autodoc-process-signature", _told)
    app.connect("autodoc-process-docstring", _read, priority=100)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}
