"""The pictures of the demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

from demo.measure import Run

mpl.use("Agg")
from matplotlib import pyplot as plt

__all__ = ["draw", "draw_strip"]

_FRESH, _REPEATED = "#2a9d4a", "#d62728"
_GAP = 0.45  # of a cell, between epochs


def draw(panels: dict[str, Run], columns: int, path: Path) -> None:
    """Write a grid: a row for each worker and epoch, a column for each photograph.

    Args:
        panels: runs by title, with the worker and parameters of each delivery.
        columns: the number of photographs, which each row has in their order.
        path: of the PNG file.
    """
    rows = max(len(run.samples) for run in panels.values()) // columns
    figure, axes = plt.subplots(1, len(panels), figsize=(2 + 1.45 * columns * len(panels), 1.45 * rows + 1.9))
    for axis, (title, run) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        repeated = _panel(axis, run, columns)
        axis.set_title(
            f"{title}\n{repeated} of {len(run.samples)} augmentations repeat an earlier one", fontsize=12
        )
    figure.suptitle(
        "Four photographs, once for each of 4 workers, in 2 epochs.   "
        "Red frame: crop, flip and noise level were used before.",
        fontsize=13,
    )
    figure.tight_layout(rect=(0, 0, 1, 0.965))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=85)
    plt.close(figure)


def draw_strip(panels: dict[str, Run], path: Path) -> None:
    """Write one photograph as each worker delivers it, a row for each epoch, for the README.

    Args:
        panels: runs by title. In each epoch each worker delivers the photograph once.
        path: of the JPEG file.
    """
    figure, axes = plt.subplots(1, len(panels), figsize=(14, 4.15))
    for axis, (title, run) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        size, workers = run.samples.shape[1], len(np.unique(run.worker))  # type: ignore[arg-type]  # torch tells it
        step, repeated, row = size * 1.06, 0, 0
        order = np.lexsort((run.worker, run.epoch))
        for row, column, left, top, _, again in _cells(axis, run, order, workers, step, 5):
            repeated += again
            if row == 0:
                axis.text(left + size / 2, -0.06 * size, f"worker {column}", ha="center", fontsize=16)
            if column == 0:
                middle = top + size / 2
                axis.text(
                    -0.06 * size, middle, f"epoch {row}", rotation=90, va="center", ha="right", fontsize=16
                )
        axis.set_xlim(-0.2 * size, workers * step)
        axis.set_ylim(row * step + size * 1.03, -0.2 * size)
        colour = _REPEATED if repeated else _FRESH
        axis.set_title(
            f"{title}: {repeated} of {len(run.samples)} repeat", fontsize=22, weight="bold", color=colour
        )
    figure.tight_layout(pad=0.3, w_pad=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100, bbox_inches="tight", pad_inches=0.05, pil_kwargs={"quality": 82})
    plt.close(figure)


def _panel(axis: Any, run: Run, columns: int) -> int:
    size, repeated, top = run.samples.shape[1], 0, 0.0
    step = size * 1.08
    order = np.lexsort((run.index, run.worker, run.epoch))
    rows = len(order) // columns // len(np.unique(run.epoch))  # of an epoch
    for row, column, _, top, one, again in _cells(axis, run, order, columns, step, 3, _GAP * size):
        repeated += again
        if column == 0:
            middle = top + size / 2
            axis.text(-0.06 * size, middle, f"worker {run.worker[one]}", rotation=90, va="center", ha="right")
            if row % rows == 0:
                axis.text(0, top - 0.06 * size, f"epoch {run.epoch[one]}", weight="bold", va="bottom")
    axis.set_xlim(-0.35 * size, columns * step)
    axis.set_ylim(top + 1.06 * size, -0.3 * size)
    return repeated


def _cells(axis: Any, run: Run, order: Any, columns: int, step: float, line: float, gap: float = 0.0) -> Any:
    """Draw the deliveries in this order, framed, and yield each one's row, column, corner, number and whether it repeats."""
    size, seen = run.samples.shape[1], set()
    axis.set_axis_off()
    for position, one in enumerate(order):
        row, column = divmod(position, columns)
        left, top = column * step, row * step + int(run.epoch[one]) * gap
        drawn = run.drawn[one].tobytes()  # type: ignore[index]
        again = drawn in seen
        seen.add(drawn)
        axis.imshow(run.samples[one], extent=(left, left + size, top + size, top))
        colour = _REPEATED if again else _FRESH
        axis.add_patch(plt.Rectangle((left, top), size, size, fill=False, linewidth=line, edgecolor=colour))
        yield row, column, left, top, one, again
