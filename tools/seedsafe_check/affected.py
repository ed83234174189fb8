"""The meaning of installed versions, from the file that holds the documentation's dated table."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any

__all__ = ["Library", "facts", "installed", "table"]


@dataclass(frozen=True, slots=True)
class Library:
    """An installed library.

    Attributes:
        name: of its distribution.
        version: the installed one.
        state: ``"affected"`` if usual code repeats random numbers with it, ``"partly"``, or ``"unknown"``.
        means: what that means, in a sentence.
    """

    name: str
    version: str
    state: str
    means: str


@cache
def facts() -> dict[str, Any]:
    """Return what the file holds: ``as_of``, ``measured_with``, ``row`` and ``library``."""
    return tomllib.loads(files("seedsafe_check").joinpath("affected.toml").read_text(encoding="utf-8"))


def table() -> str:
    """Return the dated table in Markdown.

    Example:
        >>> print(table())  # doctest: +ELLIPSIS
        As of November 2026, with NumPy 2.4, torch 2.13, Keras 3.15 and tf-keras 2.21:
        <BLANKLINE>
        | source of the random numbers | torch DataLoader workers | Keras, `use_multiprocessing=True` |
        ...
    """
    known = facts()
    lines = [
        f"As of {known['as_of']}, with {known['measured_with']}:",
        "",
        "| source of the random numbers | torch DataLoader workers | Keras, `use_multiprocessing=True` |",
        "|---|---|---|",
        *(f"| {row['source']} | {row['torch']} | {row['keras']} |" for row in known["row"]),
    ]
    return "\n".join(lines)


def installed(find: Callable[[str], str] = version) -> list[Library]:
    """Return the installed libraries that the file knows.

    Args:
        find: returns the version of a distribution, or raises PackageNotFoundError.
    """
    found: dict[str, Library] = {}
    for entry in facts()["library"]:
        name = entry["name"]
        if name in found:
            continue
        try:
            here = find(name)
        except PackageNotFoundError:
            continue
        since, until = entry.get("from"), entry.get("below")
        if (since is None or _numbers(since) <= _numbers(here)) and (
            until is None or _numbers(here) < _numbers(until)
        ):
            found[name] = Library(name, here, entry["state"], entry["means"])
    return list(found.values())


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with.

    Example:
        >>> _numbers("2.13.0+cpu"), _numbers("1.9") <= _numbers("1.10.0rc1")
        ((2, 13, 0), True)
    """
    found = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
