"""The report as text for a terminal."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Callable
from typing import TextIO

from seedsafe_audit.report import Answer, Report

__all__ = ["write"]

_STYLES = {"fault": "1;31", "warning": "33", "ok": "32", "not measured": "2", "bold": "1"}
_LINES = 12
_TABLE = ("verdict", "question")

_Paint = Callable[[str, str], str]
"""A function that adds a style to a text, or returns it unchanged."""


def write(report: Report, file: TextIO) -> None:
    """Print a report: the faults and warnings with their evidence, then a table of all verdicts."""
    tty = file.isatty()
    width = shutil.get_terminal_size().columns if tty else 120
    coloured = tty and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def paint(text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if coloured else text

    lines = [paint(_printable(report.subject), "bold")]
    for answer in (*report.faults, *report.warnings):
        lines += _details(answer, width, paint)
        if parts := report.parts_of(answer.question):
            lines += textwrap.wrap(
                f"  - the same cause shows in: {', '.join(parts)}", width, subsequent_indent="    "
            )
    widths = [
        2 + max(len(word), *(len(getattr(answer, word)) for answer in report.answers)) for word in _TABLE
    ]
    indent = " " * sum(widths)
    lines += ["", paint("".join(f"{word:{room}}" for word, room in zip(_TABLE, widths, strict=True)), "bold")]
    for answer in report.answers:
        first, *rest = textwrap.wrap(_printable(answer.summary), max(width - len(indent), 20)) or [""]
        verdict = paint(f"{answer.verdict:{widths[0]}}", answer.verdict)
        lines += [f"{verdict}{answer.question:{widths[1]}}{first}", *(indent + line for line in rest)]
    counts = [_count(len(report.faults), "fault"), _count(len(report.warnings), "warning")]
    seconds = sum(run["seconds"] for run in report.runs)
    lines += ["", f"{', '.join(counts)}; {_count(len(report.runs), 'run')}, {seconds:.0f} s"]
    print("\n".join(lines), file=file)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _printable(text: str) -> str:
    """Return a text without the control characters that a terminal would obey."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def _details(answer: Answer, width: int, paint: _Paint) -> list[str]:
    part = f" (the {answer.at_fault})" if answer.at_fault else ""
    head = f"{answer.verdict} {answer.question}{part}: "
    first, *rest = textwrap.wrap(head + _printable(answer.summary), width)
    lines = ["", paint(first[: len(head) - 2], answer.verdict) + first[len(head) - 2 :], *rest]
    for text in answer.evidence:
        for number, line in enumerate(text.splitlines()[:_LINES]):  # a stack has several lines with indents
            lines += textwrap.wrap(
                ("    " if number else "  - ") + _printable(line), width, subsequent_indent="    "
            )
    return lines
