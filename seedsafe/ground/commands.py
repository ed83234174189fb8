"""What the commands share."""

from __future__ import annotations

import argparse
import os
from typing import NoReturn

__all__ = ["add_removed", "check_output"]


def add_removed(parser: argparse.ArgumentParser, option: str, way_out: str) -> None:
    """Let a command refuse an option of earlier releases with what to do instead, and leave it out of its help.

    Example:
        >>> parser = argparse.ArgumentParser(exit_on_error=False)
        >>> add_removed(parser, "--fast", "leave it out, it is always fast")
        >>> parser.parse_args(["--fast"])
        Traceback (most recent call last):
        argparse.ArgumentError: argument --fast: is gone: leave it out, it is always fast
    """

    def refuse(text: str) -> NoReturn:
        raise argparse.ArgumentTypeError(f"is gone: {way_out}")

    # A type is applied to `const` as well, so that the option is refused with and without a value.
    parser.add_argument(option, nargs="?", const="", type=refuse, help=argparse.SUPPRESS)


def check_output(option: str, path: str) -> None:
    """Raise an error, before the work begins, if its result cannot be written to a file."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"{option} must be a file, got the folder {path!r}: add a file name")
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise FileNotFoundError(f"{option} must be a file in a folder that exists, got {path!r}: create it")
