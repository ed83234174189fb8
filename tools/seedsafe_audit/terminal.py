"""The report for a terminal."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from seedsafe_audit.report import Answer, Matrix, Report

__all__ = ["write"]

_STYLE = {"fault": "bold red", "warning": "yellow", "ok": "green", "not measured": "dim"}
_COLOURS = ("red", "green", "blue", "magenta", "cyan", "yellow", "white")
_LINES = 12


def write(report: Report, file: TextIO) -> None:
    """Print a report: what is wrong with its evidence, then all verdicts in a table."""
    console = Console(file=file, highlight=False, soft_wrap=False, width=None if file.isatty() else 120)
    console.print(f"[bold]{escape(report.subject)}[/]")
    for answer in (*report.faults, *report.warnings):
        _details(console, answer)
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for heading in ("verdict", "question", ""):
        table.add_column(heading, overflow="fold", no_wrap=heading == "verdict")
    for answer in report.answers:
        verdict = Text(answer.verdict, style=_STYLE[answer.verdict])
        table.add_row(verdict, answer.question, escape(answer.summary))
    console.print()
    console.print(table)
    counts = [_counted(len(report.faults), "fault"), _counted(len(report.warnings), "warning")]
    seconds = sum(run["seconds"] for run in report.runs)
    console.print(f"\n{', '.join(counts)}; {_counted(len(report.runs), 'run')}, {seconds:.0f} s")


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _details(console: Console, answer: Answer) -> None:
    console.print()
    part = f" [dim](the {answer.at_fault})[/]" if answer.at_fault else ""
    console.print(
        f"[{_STYLE[answer.verdict]}]{answer.verdict}[/] [bold]{answer.question}[/]{part}: {escape(answer.summary)}"
    )
    for line in answer.evidence:
        shown = line.splitlines()
        for number, text in enumerate(shown[:_LINES]):
            console.print(f"  {'  ' if number else '- '}{escape(text)}")
    if answer.matrix is not None:
        _matrix(console, answer.matrix)


def _matrix(console: Console, matrix: Matrix) -> None:
    """Print who made what: equal letters are equal bytes."""
    console.print(f"  [dim]{escape(matrix.title)}[/]")
    for name, row in zip(matrix.rows, matrix.cells, strict=True):
        line = Text(f"    {name}  ")
        for cell in row[:26]:
            line.append(f"{cell % 100:>3}", style=_COLOURS[cell % len(_COLOURS)])
        console.print(line)
