"""What convert has done: one line for each of torchvision's transforms."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Line", "Report"]


@dataclass(frozen=True)
class Line:
    """What became of one transform.

    Args:
        place: where it stands, such as ``transforms[2].transforms[0]``.
        theirs: its class or function.
        ours: the transform that does its work; empty where it is bridged.
        why: why it is bridged; empty where it is converted.
        differs: how the result differs from torchvision's on a PIL image; empty where it does not.
    """

    place: str
    theirs: str
    ours: str = ""
    why: str = ""
    differs: str = ""


@dataclass(frozen=True)
class Report:
    """What became of each transform; its str is a table to read.

    Args:
        lines: of the transforms, in order.

    Example:
        >>> print(Report((Line("transforms[0]", "Invert", "Invert()"), Line("transforms[1]", "Lambda", why="is your own"))))
        1 of 2 transforms converted, 1 bridged: keyed, and called as before
          transforms[0]  Invert → Invert()
          transforms[1]  Lambda: bridged, since it is your own
    """

    lines: tuple[Line, ...]

    @property
    def converted(self) -> tuple[Line, ...]:
        """The lines of what is now a transform of seedsafe."""
        return tuple(line for line in self.lines if not line.why)

    @property
    def bridged(self) -> tuple[Line, ...]:
        """The lines of what is called as before, with its draws keyed."""
        return tuple(line for line in self.lines if line.why)

    @property
    def differing(self) -> tuple[Line, ...]:
        """The lines of what does not give torchvision's bytes for the same draws."""
        return tuple(line for line in self.lines if line.differs)

    def __str__(self) -> str:
        total = len(self.lines)
        bridged = len(self.bridged)
        rest = f", {bridged} bridged: keyed, and called as before" if bridged else ""
        told = [f"{total - bridged} of {total} transform{'s' * (total != 1)} converted{rest}"]
        width = max((len(line.place) for line in self.lines), default=0)
        for line in self.lines:
            done = f": bridged, since it {line.why}" if line.why else f" → {line.ours}"
            note = f"; {line.differs}" if line.differs else ""
            told.append(f"  {line.place:{width}}  {line.theirs}{done}{note}")
        return "\n".join(told)
