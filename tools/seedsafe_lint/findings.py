"""Findings, and files that could not be read."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

__all__ = ["SEVERITIES", "Entry", "Finding", "Findings", "Place", "Severity", "Skipped", "entries", "place"]

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a file.

    Args:
        path: The file, as passed to the linter.
        line: Line, from 1.
        column: Column, from 1, in characters.
    """

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One violation of one rule.

    Args:
        place: Its place: for a draw, the call that draws.
        code: The rule, ``SSF001`` and so on.
        message: Two sentences: the fault, and the way out.
        severity: ``error`` if samples repeat, ``warning`` if they depend on workers, otherwise ``note``.
        end_line: Last line of the call, from 1.
        related: For a stored generator, the place where it is made.
        cause: The common cause of several findings: a method, or the process-wide generator.

    Example:
        >>> finding = Finding(Place("data.py", 3, 5), "SSF001", "np.random.rand in a worker", "warning", 3)
        >>> str(finding.place)
        'data.py:3:5'
    """

    place: Place
    code: str
    message: str
    severity: Severity
    end_line: int
    related: Place | None = None
    cause: str = ""

    @property
    def group(self) -> tuple[object, ...]:
        """A label that the findings of one entry share."""
        return self.code, self.severity, self.related or (self.place.path, self.cause)


class Entry(NamedTuple):
    """Findings of one generator or one seeding function: the first of them, and the places of the others."""

    finding: Finding
    more: tuple[Place, ...] = ()


def entries(findings: Iterable[Finding], *, each: bool = False) -> list[Entry]:
    """Return the findings grouped by cause, or one by one if `each` is True."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding if each else finding.group, []).append(finding)
    return [Entry(first, tuple(f.place for f in more)) for first, *more in groups.values()]


@dataclass(frozen=True, slots=True, order=True)
class Skipped:
    """A file that was not analysed.

    Args:
        path: The file.
        reason: Why it was skipped, in one line.
    """

    path: str
    reason: str


def place(path: str, node: ast.AST) -> Place:
    """Return the place of a node of a file."""
    return Place(path, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)


class Findings:
    """The findings so far, one for each place and rule."""

    def __init__(self) -> None:
        self.by_place: dict[tuple[Place, str], Finding] = {}

    def report(
        self, code: str, node: ast.AST, path: str, message: str, severity: Severity, *details: Any
    ) -> None:
        """Add a finding. Of several for one place and rule, keep the most severe."""
        where = place(path, node)
        end = getattr(node, "end_lineno", None) or where.line
        finding = Finding(where, code, message, severity, end, *details)
        before = self.by_place.get((where, code), finding)
        if before is finding or SEVERITIES.index(severity) < SEVERITIES.index(before.severity):
            self.by_place[where, code] = finding
