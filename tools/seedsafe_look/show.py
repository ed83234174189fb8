"""Figures of ``Compose.show`` and previews, drawn with matplotlib."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable
from typing import Any

from seedsafe.ground.checks import checked_int
from seedsafe_look.cells import columns, drawn
from seedsafe_look.picture import Cell
from seedsafe_look.subject import Subject

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(
        'show and image files of a preview need matplotlib: pip install "seedsafe[tools]"'
    ) from error

__all__ = ["Sheet", "draw", "show"]

_ACROSS, _LETTERS = 5, 44


class Sheet(Figure):
    """A figure that a notebook shows although pyplot does not know it."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png", bbox_inches="tight")
        return file.getvalue()


def show(
    augment: Any, sample: Any, *, seed: int, index: int, epochs: int | Iterable[int], views: int | None
) -> Sheet:
    """Return the figure; see `Compose.show`."""
    advice = "pass the number of epochs, or a list of epochs"
    numbers = list(
        epochs if isinstance(epochs, Iterable) else range(checked_int("epochs", epochs, 1, 1000, advice))
    )
    if not numbers:
        raise ValueError(f"epochs must be at least one, got none: {advice}")
    if views is not None:
        views = checked_int("views", views, 1, 1000, "pass the number of views")
    subject = Subject("", augment)
    pairs = [drawn(subject, sample, at, seed, title) for title, at in columns(index, numbers, views)]
    cells = [pairs[0][0], *(after for _, after in pairs)]
    return draw([cells[first : first + _ACROSS] for first in range(0, len(cells), _ACROSS)])


def draw(rows: list[list[Cell]], title: str = "", inches: float = 2.6) -> Sheet:
    """Return a figure with rows of cells, each so many inches wide."""
    across, down = max(map(len, rows)), len(rows)
    figure = Sheet(figsize=(inches * across, inches * 1.35 * down), layout="constrained")
    figure.suptitle(title, fontsize=10)
    for place, cell in (
        (row * across + column, one) for row, cells in enumerate(rows) for column, one in enumerate(cells)
    ):
        axes = figure.add_subplot(down, across, place + 1)
        if cell.image is not None:
            axes.imshow(cell.image)
        lines = (textwrap.fill(line, _LETTERS) for line in cell.lines)
        axes.set_title(cell.title, fontsize=9)
        axes.set_xlabel("\n".join(lines), fontsize=6, loc="left")
        axes.set_xticks([])
        axes.set_yticks([])
    return figure
