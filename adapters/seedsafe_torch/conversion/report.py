"""Report of convert: one line for each transform."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Line", "Report"]


@dataclass(frozen=True)
class Line:
    """The report of one transform.

    Args:
        place: its position, such as ``transforms[2].transforms[0]``.
        theirs: its class or function.
        ours: the seedsafe transform that replaces it, or empty if it is bridged.
        why: the reason why it is bridged, or empty if it is converted.
        differs: how the result differs from torchvision's on a PIL image, or empty if it does not.
    """

    place: str
    theirs: str
    ours: str = ""
    why: str = ""
    differs: str = ""


@dataclass(frozen=True)
class Report:
    """The report of `convert`. Its str is a table to read.

    Args:
        lines: the lines of the transforms, in order.

    Example:
        >>> print(Report((Line("transforms[0]", "Invert", "Invert()"), Line("transforms[1]", "Lambda", why="is your own"))))
        1 of 2 transforms converted, 1 bridged: keyed, and called as before
          transforms[0]  Invert → Invert()
          transforms[1]  Lambda: bridged, since it is your own
    """

    lines: tuple[Line, ...]

    @property
    def converted(self) -> tuple[Line, ...]:
        """The lines of transforms that are now seedsafe's."""
        return tuple(line for line in self.lines if not line.why)

    @property
    def bridged(self) -> tuple[Line, ...]:
        """The lines of transforms that are called as before, with their draws keyed."""
        return tuple(line for line in self.lines if line.why)

    @property
    def differing(self) -> tuple[Line, ...]:
        """The lines of transforms that do not give torchvision's bytes for the same draws."""
        return tuple(line for line in self.lines if line.differs)

    def __str__(self) -> str:
        total = len(self.lines)
        bridged = len(self.bridged)
        rest = f", {bridged} bridged: keyed, and called as before" if bridged else ""
        table = [f"{total - bridged} of {total} transform{'s' * (total != 1)} converted{rest}"]
        width = max((len(line.place) for line in self.lines), default=0)
        for line in self.lines:
            result = f": bridged, since it {line.why}" if line.why else f" → {line.ours}"
            note = f"; {line.differs}" if line.differs else ""
            table.append(f"  {line.place:{width}}  {line.theirs}{result}{note}")
        return "\n".join(table)
