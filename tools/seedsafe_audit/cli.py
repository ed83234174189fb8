"""The command line of the audit."""

from __future__ import annotations

import argparse
import signal
import sys
from contextlib import ExitStack
from typing import NoReturn

from seedsafe_audit import terminal
from seedsafe_audit.api import audit
from seedsafe_audit.options import QUICK, SLOW, USUAL, parser
from seedsafe_audit.questions import QUESTIONS
from seedsafe_audit.subject import load

__all__ = ["main"]


def main(argv: list[str]) -> int:
    """Run the audit.

    Args:
        argv: Arguments after ``seedsafe audit``.

    Returns:
        0 if there is no fault, 1 if there is one (with ``--strict`` also for a warning), 2 if the audit cannot run (an
        unknown option, an object that cannot be imported or is not a dataset), 130 if interrupted.

    Example:
        >>> main(["--questions"])  # doctest: +ELLIPSIS
        ends          Does every run come to its end?
        duplicates    Do workers repeat each other?
        ...
        0
    """
    try:
        options = parser().parse_args(argv)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 2
    if options.questions:
        width = max(map(len, QUESTIONS)) + 1
        print("\n".join(f"{name:{width}} {question.title}" for name, question in QUESTIONS.items()))
        return 0
    if options.target is None:
        print("seedsafe audit: pass the dataset as MODULE:OBJECT, such as data.py:dataset", file=sys.stderr)
        return 2
    before = signal.signal(signal.SIGTERM, _interrupt)  # so that the audit ends its processes first
    try:
        return _audit(options)
    except KeyboardInterrupt:
        print("seedsafe audit: interrupted", file=sys.stderr)
        return 130
    except (ValueError, TypeError, RuntimeError, ImportError, OSError) as error:
        print(f"seedsafe audit: {error}", file=sys.stderr)
        return 2
    finally:
        signal.signal(signal.SIGTERM, before)


def _audit(options: argparse.Namespace) -> int:
    dataset = load(options.target)
    usual = QUICK if options.quick else USUAL
    given = {name: value for name in usual if (value := getattr(options, name)) is not None}
    names = options.select or [name for name in QUESTIONS if not (options.quick and name in SLOW)]
    try:
        report = audit(
            dataset,
            **{**usual, **given},
            epochs=options.epochs,
            timeout=options.timeout,
            questions=names,
            loader=options.loader,
            memory_seconds=options.memory_seconds,
            progress=_show,
        )
    finally:
        _show(0, 0, "")
    with ExitStack() as stack:
        output = options.output and stack.enter_context(open(options.output, "w", encoding="utf-8"))
        file = output or sys.stdout
        if options.format == "json":
            print(report.to_json(), file=file)
        else:
            terminal.write(report, file)
    return report.exit_code(strict=options.strict)


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _show(done: int, total: int, run: str) -> None:
    """Show progress in a line of the error stream, which the report's first line replaces."""
    if sys.stderr.isatty():
        print(
            f"\r\x1b[K{f'auditing {done}/{total} {run}' if run else ''}", end="", file=sys.stderr, flush=True
        )
