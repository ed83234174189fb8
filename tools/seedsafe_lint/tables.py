"""The tables of ``tables.toml``."""

import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

__all__ = ["TABLES", "patterns"]

TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))


def patterns(name: str) -> Any:
    """Return the patterns and sets of words of a file of the linter, as attributes."""
    return SimpleNamespace(**{key: _value(value) for key, value in TABLES["patterns"][name].items()})


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return tuple(value[0]) if isinstance(value[0], list) else frozenset(value)
    first, *more = value.split() if "\n" in value else [value]
    flags, some = (first, more) if first.startswith("(?") and more else ("", [first, *more])
    return re.compile(flags + "|".join(some))
