"""Findings, and files that could not be read."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

from seedsafe_lint.source import position

__all__ = [
    "SEVERITIES",
    "Covered",
    "Entry",
    "Finding",
    "Owners",
    "Place",
    "Severity",
    "Skipped",
    "entries",
    "keep",
    "place",
]

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a file.

    Args:
        path: The file, as passed to the linter.
        line: Line, from 1. In a notebook, the line of the cell.
        column: Column, from 1, in characters.
        cell: The cell of a notebook, from 1, or 0 in other files.
    """

    path: str
    line: int
    column: int
    cell: int = 0

    def __str__(self) -> str:
        cell = f"cell {self.cell}:" if self.cell else ""
        return f"{self.path}:{cell}{self.line}:{self.column}"


Owners: TypeAlias = frozenset[tuple[Place, str]] | None


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
        near: Whether the method that the message names has this line itself, and not only calls it.
        key: The message, as in ``tables.toml``.
        what: What draws or seeds, as the message has it.
        needs: The option of a bridge without which it does not reach the generator, or an empty string.
        owners: The places and names of the classes and functions that workers call there, or None if no bridge reaches its generator.
        loaders: Other files that may pass them to a loader.

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
    near: bool = False
    key: str = field(default="", compare=False)
    what: str = field(default="", compare=False)
    needs: str = field(default="", compare=False)
    owners: Owners = field(default=None, compare=False)
    loaders: tuple[str, ...] = field(default=(), compare=False)

    @property
    def rank(self) -> tuple[object, ...]:
        """The order of findings of one place and rule: the first is reported."""
        return SEVERITIES.index(self.severity), not self.near

    @property
    def group(self) -> tuple[object, ...]:
        """A label that the findings of one entry share."""
        return self.code, self.severity, self.related or (self.place.path, self.cause)


class Entry(NamedTuple):
    """Findings of one generator or one seeding function: the first of them, and the places of the others."""

    finding: Finding
    more: tuple[Place, ...] = ()


class Covered(NamedTuple):
    """A finding that a bridge covers, and the call of the bridge."""

    finding: Finding
    by: Place


def entries(findings: Iterable[Finding], *, each: bool = False) -> list[Entry]:
    """Return the findings grouped by cause, or one by one if `each` is True."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding if each else finding.group, []).append(finding)
    return [Entry(first, tuple(f.place for f in more)) for first, *more in groups.values()]


@dataclass(frozen=True, slots=True, order=True)
class Skipped:
    """A file that was not analysed, why in one line, the line at fault, and whether a newer Python can read it."""

    path: str
    reason: str
    line: int = 1
    newer: bool = False


def place(path: str, node: ast.AST) -> Place:
    """Return the place of a node of a file."""
    cell, line = position(path, getattr(node, "lineno", 1))
    return Place(path, line, getattr(node, "col_offset", 0) + 1, cell)


def keep(found: dict[tuple[Place, str], Finding], finding: Finding) -> None:
    """Add a finding to others. Of several for one place and rule, keep the first by rank, with the owners of all."""
    before = found.setdefault((finding.place, finding.code), finding)
    first, other = (finding, before) if finding.rank < before.rank else (before, finding)
    owners = None if first.owners is None or other.owners is None else first.owners | other.owners
    found[finding.place, finding.code] = replace(first, owners=owners)
