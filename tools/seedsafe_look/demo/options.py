"""The options of ``seedsafe demo``, importing little."""

from __future__ import annotations

import argparse

__all__ = ["parser"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    result = argparse.ArgumentParser(
        prog="seedsafe demo",
        description="Show on this machine that worker processes repeat each other's crops, and that keyed ones do not.",
    )
    result.add_argument("--workers", type=_workers, default=4, metavar="N", help="processes (default: 4)")
    result.add_argument("--json", action="store_true", help="print JSON")
    return result


def _workers(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 2 <= number <= 16:
        raise argparse.ArgumentTypeError(f"must be from 2 to 16, got {text!r}")
    return number
