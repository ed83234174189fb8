"""Arguments that several commands share, importing little."""

from __future__ import annotations

import argparse
from collections.abc import Callable

__all__ = ["add_pipeline", "count", "numbers", "sides"]


class _WrongError(argparse.ArgumentTypeError, ValueError):
    """A ValueError whose text argparse shows."""


def add_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the argument PIPELINE, and the option ``--class``, which may come several times."""
    words = "a .json or .yaml file, or MODULE:NAME of a pipeline or a dataset"
    parser.add_argument("pipeline", metavar="PIPELINE", help=words)
    words = "a transform of your own that a file names"
    parser.add_argument(
        "--class", dest="classes", action="append", default=[], metavar="MODULE:NAME", help=words
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of the run (default: a dataset's own, else 0)")


def count(low: int, high: int) -> Callable[[str], int]:
    """Return a function for ``type=`` that takes a whole number in [low, high]."""

    def convert(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise _WrongError(f"must be from {low} to {high}, got {text!r}")
        return int(text)

    return convert


def numbers(text: str, most: int = 2**32) -> list[int]:
    """Return the integers that a text lists, such as ``0-3`` or ``0,5,9-12``.

    Raises:
        ValueError: the text has the wrong form, or lists none.

    Example:
        >>> numbers("0-2,7")
        [0, 1, 2, 7]
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            low, high = int(first), int(last) if dash else int(first)
        except ValueError:
            raise _WrongError(f"must be numbers such as 0-3 or 0,5,9-12, got {text!r}") from None
        if not low <= high < most or high - low > 10_000:
            raise _WrongError(f"must be ascending, below {most} and at most 10,001 numbers, got {part!r}")
        found += range(low, high + 1)
    return found


def sides(text: str) -> tuple[int, ...]:
    """Return the shape in a text: ``480x640``, ``480x640x3``, ``60x480x640x3`` for a video, or ``16000`` for audio.

    Raises:
        ValueError: the text has the wrong form.

    Example:
        >>> sides("480x640"), sides("16000")
        ((480, 640), (16000,))
    """
    parts = text.lower().replace("×", "x").split("x")
    shape = tuple(int(part) if part.strip().isdecimal() else 0 for part in parts)
    if not 1 <= len(shape) <= 4 or min(shape) < 1:
        raise _WrongError(f"must be HEIGHTxWIDTH in pixels, such as 480x640, got {text!r}")
    return shape
