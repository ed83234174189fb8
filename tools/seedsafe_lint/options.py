"""The options of ``seedsafe lint``.

This file imports little, so that the help appears at once.
"""

from __future__ import annotations

import argparse

from seedsafe_lint.findings import SEVERITIES

__all__ = ["FORMATS", "parser"]

FORMATS = ("github", "json", "sarif", "text")
"""The keys of ``seedsafe_lint.output.FORMATS``."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    result = argparse.ArgumentParser(
        prog="seedsafe lint",
        description="Find random numbers that repeat, or depend on the workers, in data loading code.",
    )
    result.add_argument(
        "paths", nargs="*", default=["."], metavar="PATH", help="files and folders (default: .)"
    )
    result.add_argument(
        "--select", action="append", metavar="CODES", help="rules to check: codes, prefixes, or ALL"
    )
    result.add_argument("--extend-select", action="append", metavar="CODES", help="more rules to check")
    result.add_argument("--ignore", action="append", metavar="CODES", help="rules to leave out")
    result.add_argument("--exclude", action="append", metavar="GLOBS", help="paths to leave out")
    result.add_argument("--format", "--output-format", choices=FORMATS, default="text", help="default: text")
    result.add_argument("--json", dest="format", action="store_const", const="json", help="--format json")
    result.add_argument("--output", "-o", metavar="FILE", help="write the report into a file")
    result.add_argument("--sarif", metavar="FILE", help="write the report as SARIF into a file as well")
    result.add_argument("--statistics", action="store_true", help="count findings by rule")
    result.add_argument("--explain", metavar="CODE", help="print the page of a rule, or of ALL")
    result.add_argument("--all", action="store_true", help="list every finding, also those with one cause")
    result.add_argument(
        "--min-severity",
        choices=SEVERITIES,
        metavar="LEVEL",
        help="the mildest findings to report: error, warning, note",
    )
    result.add_argument("--strict", action="store_true", help="exit with 1 on warnings and notes too")
    result.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are errors")
    result.add_argument("--baseline", metavar="FILE", help="leave out the findings in this file")
    result.add_argument(
        "--write-baseline", metavar="FILE", help="write the findings to a file for --baseline"
    )
    result.add_argument(
        "--add-noqa", action="store_true", help="write a noqa comment on the line of each finding"
    )
    result.add_argument("--torch-version", metavar="X.Y", help="check for this version of torch")
    result.add_argument("--config", metavar="FILE", help="read settings from this pyproject.toml")
    result.add_argument("--isolated", action="store_true", help="read no pyproject.toml")
    result.add_argument(
        "--jobs", "-j", type=_positive, metavar="N", help="processes (default: one per core for many files)"
    )
    return result


def _positive(value: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {value}")
    return int(value)
