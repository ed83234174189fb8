"""Writes docs/explanation/what-it-costs.md and its plot from the stored results.

``python -m experiments.cost.page``
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, StrictUndefined

from experiments.cost.train import FIRST, RESULTS, STRENGTHS
from experiments.cost.ways import SETS, Loading

__all__ = ["PAGE", "PLOT", "main", "page"]

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "explanation"
PAGE, PLOT = FOLDER / "what-it-costs.md", FOLDER / "what-it-costs.svg"
TEMPLATE = Path(__file__).parent / "page.md.jinja"
NAMES = {
    "none": "no augmentation",
    "alike": "a generator seeded by the index",
    "stored": "a generator in the dataset",
    "worker": "`seed + worker_id`",
    "epoch": "a generator seeded by the epoch",
    "keras": "Keras, `use_multiprocessing`",
    "torch": "NumPy's, seeded by torch",
    "keyed": "seedsafe",
}
BEST = "keyed"


class Row(NamedTuple):
    """Errors of a way in percent, each with its standard error."""

    way: str
    name: str
    counts: list[float] | None
    test: str
    moved: str
    more: str
    """How many points more errors than with keys, on the moved test set, by pairs of equal seeds."""
    clear: bool
    """Whether that is more than twice its standard error."""


class Table(NamedTuple):
    """The rows of one way to load, and one strength."""

    how: Loading
    strength: str
    rows: list[Row]

    def row(self, way: str) -> Row:
        """Return the row of a way."""
        return next(row for row in self.rows if row.way == way)


def tables(rows: list[dict[str, Any]]) -> list[Table]:
    """Return the tables of all settings whose ways are all measured."""
    groups: dict[tuple[Loading, str], dict[str, dict[str, Any]]] = {}
    for row in rows:
        case = row["case"]
        groups.setdefault((_how(row), case["strength"]), {})[case["way"]] = row
    return [
        Table(how, strength, [_row(way, group[way], group[BEST]) for way in NAMES if way in group])
        for (how, strength), group in groups.items()
        if BEST in group
    ]


def _row(way: str, row: dict[str, Any], best: dict[str, Any]) -> Row:
    more = np.subtract(row["moved"], best["moved"])
    mean, error = _mean(more)
    text = "–" if way == BEST else f"{mean:+.1f} ± {error:.1f}".replace("-", "−")
    return Row(
        way, NAMES[way], row["counts"], _text(row["test"]), _text(row["moved"]), text, mean > 2 * error
    )


def _mean(values: Any) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def _text(values: Any) -> str:
    mean, error = _mean(values)
    return f"{mean:.1f} ± {error:.1f}"


def page(results: dict[str, Any]) -> str:
    """Return the page's text."""
    found = tables(results["rows"])
    by = {(table.how.size, table.how.shuffle, table.strength): table for table in found}
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        tables=found,
        at=lambda size, strength, shuffle=True: by[size, shuffle, strength],
        has=lambda size, strength, shuffle=True: (size, shuffle, strength) in by,
        different=lambda counts: "–" if counts is None else f"{counts[0]:g}, {counts[1]:g}, {counts[2]:g}",
        scale=lambda power: f"{2**-power:.2f} to {2**power:.2f}",
        about=results["about"],
        strengths=STRENGTHS,
        seeds=SETS,
        minutes=_minutes(results["rows"]),
        first_minutes=_minutes(
            [row for row in results["rows"] if _how(row) in FIRST and row["case"]["way"] != "keras"]
        ),
    )


def _how(row: dict[str, Any]) -> Loading:
    return Loading(**{name: row["case"][name] for name in Loading._fields})


def _minutes(rows: list[dict[str, Any]]) -> int:
    """Return the minutes of processor time. The strengths of a way are trained together, and each row has the time of all."""
    return round(sum(row["seconds"] for row in rows) / len(STRENGTHS) / 60)


def plot(results: dict[str, Any], path: Path) -> None:
    """Draw the errors of each way, a colour for each way to load."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "what it costs"
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(STRENGTHS), figsize=(9, 3.2), layout="constrained", sharey=True)
    names = [name.replace("`", "") for name in NAMES.values()]
    loads = list(dict.fromkeys(table.how for table in tables(results["rows"])))
    for axis, strength in zip(axes, STRENGTHS, strict=True):
        for load, marker in zip(loads, "osD^v<>", strict=False):
            found = {
                row["case"]["way"]: _mean(row["moved"])
                for row in results["rows"]
                if _how(row) == load and row["case"]["strength"] == strength
            }
            axis.errorbar(
                [mean for mean, _ in found.values()],
                [list(NAMES).index(way) for way in found],
                xerr=[error for _, error in found.values()],
                fmt=marker,
                markersize=5,
                label=f"{load.size} images" + ("" if load.shuffle else ", not shuffled"),
            )
        axis.set(title=f"{strength} moves", xlabel="errors on moved test images, %", xlim=(0, None))
        axis.grid(axis="x", linewidth=0.4)
        axis.set_yticks(range(len(names)), names)
    axes[0].invert_yaxis()
    axes[-1].legend(fontsize=7)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def main() -> None:
    """Write the page and the plot."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    PAGE.write_text(page(results), encoding="utf-8")
    plot(results, PLOT)


if __name__ == "__main__":
    main()
