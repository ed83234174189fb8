"""The report as one HTML file."""

from __future__ import annotations

from importlib.resources import files
from typing import TextIO

from jinja2 import Environment, StrictUndefined

from seedsafe_audit.report import Matrix, Report

__all__ = ["write"]

_CELL = 18


def write(report: Report, file: TextIO) -> None:
    """Write the page, with all text from the dataset escaped."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["colour"] = _colour
    template = environment.from_string(
        files("seedsafe_audit").joinpath("page.html").read_text(encoding="utf-8")
    )
    file.write(template.render(report=report, cell=_CELL, repeated=_repeated))


def _colour(number: int) -> str:
    """Return a different colour for each number, by the golden angle."""
    return f"hsl({number * 137.508 % 360:.0f} 65% {45 + number % 3 * 12}%)"


def _repeated(matrix: Matrix) -> set[int]:
    """Return the numbers in more than one row."""
    rows = [set(row) for row in matrix.cells]
    return {number for row in rows for number in row if sum(number in other for other in rows) > 1}
