"""The options of ``seedsafe check``, importing little."""

from __future__ import annotations

import argparse

__all__ = ["parser"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    result = argparse.ArgumentParser(
        prog="seedsafe check",
        description="Say on one page whether a project repeats random numbers, and what to do first.",
    )
    result.add_argument(
        "what",
        nargs="*",
        metavar="PATH | MODULE:DATASET",
        help="a file or folder to read (default: .), and a dataset to run, as `seedsafe audit` takes it",
    )
    result.add_argument("--json", action="store_true", help="print the page as JSON")
    result.add_argument("--strict", action="store_true", help="exit with 1 for warnings and notes too")
    result.add_argument(
        "--jobs", "-j", type=int, metavar="N", help="processes (default: one a core for many files)"
    )
    return result
