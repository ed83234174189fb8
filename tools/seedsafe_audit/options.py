"""The options of ``seedsafe audit``.

This file imports little, so that the help appears at once.
"""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["LOADERS", "QUICK", "SLOW", "USUAL", "parser"]

USUAL: dict[str, Any] = {"samples": 256, "workers": (0, 2, 4), "start_methods": ("fork", "spawn")}
"""Arguments of `audit` that an option may change."""

QUICK: dict[str, Any] = {"samples": 64, "workers": (0, 2), "start_methods": ("fork",)}
"""The same for a quick audit."""

SLOW = ("memory",)
"""The questions that a quick audit leaves out."""

LOADERS = ("auto", "torch", "keras", "processes")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    result = argparse.ArgumentParser(
        prog="seedsafe audit",
        description="Read a dataset in real loaders and report its faults, with evidence.",
    )
    add = result.add_argument
    add(
        "target",
        nargs="?",
        metavar="MODULE:OBJECT",
        help="a dataset, DataLoader or Sequence, or a function or class that returns one. MODULE may be a file",
    )
    add("--samples", type=int, metavar="N", help="samples to read (default: 256)")
    add("--workers", type=_numbers, metavar="N,N", help="default: 0,2,4")
    add("--start-methods", type=_names, metavar="NAMES", help="default: fork,spawn")
    add("--epochs", type=int, default=2, metavar="N", help="default: 2")
    add("--timeout", type=float, default=60.0, metavar="S", help="seconds for one sample (default: 60)")
    add("--memory-seconds", type=float, default=20.0, metavar="S", help="for memory (default: 20)")
    add("--select", action="extend", type=_names, metavar="NAMES", help="default: all")
    add("--quick", action="store_true", help="a few seconds: 64 samples, 2 workers, no memory")
    add("--questions", action="store_true", help="list the questions")
    add("--loader", choices=LOADERS, default="auto", help="default: auto")
    add("--format", choices=("terminal", "json"), default="terminal", help="default: terminal")
    add("--json", dest="format", action="store_const", const="json", help="--format json")
    add("--output", "-o", metavar="FILE", help="write the report into a file")
    add("--strict", action="store_true", help="exit with 1 on warnings too")
    return result


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers such as 0,2,4, got {text!r}") from None


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
