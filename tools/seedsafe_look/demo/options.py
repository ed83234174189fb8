"""The options of ``seedsafe demo``, importing little."""

from __future__ import annotations

import argparse

from seedsafe_look.arguments import count

__all__ = ["parser"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    result = argparse.ArgumentParser(
        prog="seedsafe demo",
        description="Show on this machine that worker processes repeat each other's crops, and that keyed ones do not.",
    )
    result.add_argument("--workers", type=count(2, 16), default=4, metavar="N", help="processes (default: 4)")
    result.add_argument("--json", action="store_true", help="print JSON")
    return result
