"""The meaning of installed versions.

It comes from the file that also has the documentation's dated table.
"""

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
        name: the name of its distribution.
        version: the installed version.
        state: ``"affected"`` if usual code repeats random numbers with it, ``"partly"``, or ``"unknown"``.
        means: the meaning of the state, in a sentence.
    """

    name: str
    version: str
    state: str
    means: str


@cache
def facts() -> dict[str, Any]:
    """Return the contents of the file: ``as_of``, ``measured_with``, ``row`` and ``library``."""
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
    contents = facts()
    lines = [
        f"As of {contents['as_of']}, with {contents['measured_with']}:",
        "",
        "| source of the random numbers | torch DataLoader workers | Keras, `use_multiprocessing=True` |",
        "|---|---|---|",
        *(f"| {row['source']} | {row['torch']} | {row['keras']} |" for row in contents["row"]),
    ]
    return "\n".join(lines)


def imported(text: str) -> set[str]:
    """Return the modules that code imports, with those above them, and tensorflow.keras if it names ``tf.keras``.

    Example:
        >>> sorted(imported("import numpy as np, cv2\\nfrom torch.utils import data"))
        ['cv2', 'numpy', 'torch', 'torch.utils', 'torch.utils.data']
    """
    found = {"tensorflow.keras"} if "tf.keras" in text else set()
    for module, names in re.findall(r"^\s*from\s+([\w.]+)\s+import\s+(.+)", text, re.MULTILINE):
        found |= {module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))}
    for names in re.findall(r"^\s*import\s+(.+)", text, re.MULTILINE):
        found |= {one.split()[0] for one in names.split(",") if one.strip()}
    return {
        ".".join(parts[:count])
        for parts in (one.split(".") for one in found)
        for count in range(1, len(parts) + 1)
    }


def installed(find: Callable[[str], str] = version, modules: set[str] | None = None) -> list[Library]:
    """Return the installed libraries that the file knows.

    Args:
        find: returns the version of a distribution, or raises PackageNotFoundError.
        modules: the modules of the libraries to return; all by default.
    """
    libraries: dict[str, Library] = {}
    for entry in facts()["library"]:
        name = entry["name"]
        if name in libraries or not (modules is None or modules & set(entry.get("modules", [name]))):
            continue
        try:
            here = find(name)
        except PackageNotFoundError:
            continue
        since, until = entry.get("from"), entry.get("below")
        if (since is None or _numbers(since) <= _numbers(here)) and (
            until is None or _numbers(here) < _numbers(until)
        ):
            libraries[name] = Library(name, here, entry["state"], entry["means"])
    return list(libraries.values())


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with.

    Example:
        >>> _numbers("2.13.0+cpu"), _numbers("1.9") <= _numbers("1.10.0rc1")
        ((2, 13, 0), True)
    """
    match = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in match[0].split(".")) if match else ()
