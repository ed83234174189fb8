"""The options of ``seedsafe audit``.

This file imports little, so that the help appears at once.
"""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["QUICK", "SLOW", "USUAL", "parser"]

USUAL: dict[str, Any] = {"samples": 256, "workers": (0, 2, 4), "start_methods": ("fork", "spawn")}
"""Arguments of `audit` that an option may change."""

QUICK: dict[str, Any] = {"samples": 64, "workers": (0, 2), "start_methods": ("fork",)}
"""The same for a quick audit."""

SLOW = ("memory", "hash-order")
"""The questions that a quick audit leaves out."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    result = argparse.ArgumentParser(
        prog="seedsafe audit",
        description="Read a dataset in real loaders and report its faults, with evidence.",
    )
    result.add_argument(
        "target",
        nargs="?",
        metavar="MODULE:OBJECT",
        help="a dataset, DataLoader or Sequence, or a function or class that returns one. MODULE may be a file",
    )
    result.add_argument("--samples", type=int, metavar="N", help="samples to read (default: 256)")
    result.add_argument("--workers", type=_numbers, metavar="N,N", help="default: 0,2,4")
    result.add_argument("--start-methods", type=_names, metavar="NAMES", help="default: fork,spawn")
    result.add_argument("--epochs", type=int, default=2, metavar="N", help="default: 2")
    result.add_argument(
        "--timeout", type=float, default=60.0, metavar="S", help="seconds for one sample (default: 60)"
    )
    result.add_argument(
        "--memory-seconds",
        type=float,
        default=20.0,
        metavar="S",
        help="seconds to measure memory (default: 20)",
    )
    result.add_argument(
        "--select", action="extend", type=_names, metavar="NAMES", help="questions to ask (default: all)"
    )
    result.add_argument(
        "--quick",
        action="store_true",
        help="a few seconds: 64 samples, 2 forked workers, no measurement of memory",
    )
    result.add_argument("--questions", action="store_true", help="list the questions")
    result.add_argument(
        "--loader", choices=("auto", "torch", "keras", "processes"), default="auto", help="default: auto"
    )
    result.add_argument(
        "--format", choices=("terminal", "json", "html"), default="terminal", help="default: terminal"
    )
    result.add_argument("--json", dest="format", action="store_const", const="json", help="--format json")
    result.add_argument("--output", "-o", metavar="FILE", help="write the report into a file")
    result.add_argument("--strict", action="store_true", help="exit with 1 on warnings too")
    return result


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers such as 0,2,4, got {text!r}") from None


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
