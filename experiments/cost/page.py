"""Writes docs/explanation/what-it-costs.md and its plot from the stored results.

``python -m experiments.cost.page``
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, StrictUndefined

from experiments.cost.train import FIRST, OTHERS, RESULTS, SIZES, SIZES_MNIST, STRENGTHS
from experiments.cost.ways import SETS, Loading

__all__ = ["PAGE", "PLOT", "SMALL", "main", "page"]

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "explanation"
PAGE, PLOT = FOLDER / "what-it-costs.md", FOLDER / "what-it-costs.svg"
SMALL = FOLDER / "what-it-costs-small.svg"
"""The plot of the README: strong moves, and few ways."""
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
    """The rows of a data set, one way to load, and one strength."""

    data: str
    how: Loading
    strength: str
    rows: list[Row]

    def row(self, way: str) -> Row:
        """Return the row of a way."""
        return next(row for row in self.rows if row.way == way)


def tables(rows: list[dict[str, Any]]) -> list[Table]:
    """Return the tables of all settings whose ways are all measured."""
    groups: dict[tuple[str, Loading, str], dict[str, dict[str, Any]]] = {}
    for row in rows:
        case = row["case"]
        groups.setdefault((case["data"], _how(row), case["strength"]), {})[case["way"]] = row
    return [
        Table(data, how, strength, [_row(way, group[way], group[BEST]) for way in NAMES if way in group])
        for (data, how, strength), group in groups.items()
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
    by = {(table.how, table.strength): table for table in found if table.data == "digits"}
    mnist = {(table.how, table.strength): table for table in found if table.data == "MNIST"}
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        tables=[by[how, strength] for how in sorted(SIZES) for strength in STRENGTHS],
        mnist_tables=[mnist[how, strength] for how in SIZES_MNIST for strength in STRENGTHS],
        others=[(_change(how), [by[how, strength] for strength in STRENGTHS]) for how in OTHERS],
        names=NAMES,
        at={(how.size, strength): by[how, strength] for how in SIZES for strength in STRENGTHS},
        mnist={(how.size, strength): mnist[how, strength] for how in SIZES_MNIST for strength in STRENGTHS},
        fixed={strength: by[OTHERS[0], strength] for strength in STRENGTHS},
        different=lambda counts: "–" if counts is None else f"{counts[0]:g}, {counts[1]:g}, {counts[2]:g}",
        scale=lambda power: f"{2**-power:.2f} to {2**power:.2f}",
        about=results["about"],
        strengths=STRENGTHS,
        seeds=SETS,
        minutes=_minutes(results["rows"]),
        first_minutes=_minutes(
            [
                row
                for row in results["rows"]
                if _how(row) in FIRST and row["case"]["data"] == "digits" and row["case"]["way"] != "keras"
            ]
        ),
    )


def _change(how: Loading) -> str:
    """Return in words what differs from the first setting."""
    if not how.shuffle:
        return "not shuffled"
    for name, text in (("workers", "{} workers"), ("epochs", "{} epochs"), ("batch", "batches of {}")):
        if getattr(how, name) != getattr(FIRST[0], name):
            return text.format(getattr(how, name))
    raise ValueError(f"{how} is the first setting: leave it out of the others")


def _how(row: dict[str, Any]) -> Loading:
    return Loading(**{name: row["case"][name] for name in Loading._fields})


def _minutes(rows: list[dict[str, Any]]) -> int:
    """Return the minutes of processor time. The strengths of a way are trained together, and each row has the time of all."""
    return round(sum(row["seconds"] for row in rows) / len(STRENGTHS) / 60)


def plot(results: dict[str, Any], path: Path, strengths: Sequence[str], ways: Sequence[str]) -> None:
    """Draw the errors over the size of the training set, a line for each way."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "what it costs"
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    found = {
        (row["case"]["way"], _how(row), row["case"]["strength"]): _mean(row["moved"])
        for row in results["rows"]
        if row["case"]["data"] == "digits"
    }
    loads, order = sorted(SIZES), list(NAMES)
    rows = len(strengths)  # one above the other: a telephone shows them with readable letters
    figure, axes = pyplot.subplots(
        rows, 1, figsize=(4.8, 3 * rows + len(ways) / 5), layout="constrained", squeeze=False
    )
    for axis, strength in zip(axes[:, 0], strengths, strict=True):
        for way in ways:
            points = [
                (load.size, *found[way, load, strength]) for load in loads if (way, load, strength) in found
            ]
            sizes, means, errors = zip(*points, strict=True)
            number = order.index(way)
            axis.errorbar(
                sizes, means, errors, label=NAMES[way].replace("`", ""), color="black" if way == BEST else f"C{number}", marker="osD^v<>P"[number],
                markersize=4, linewidth=2 if way == BEST else 1,
            )  # fmt: skip
        axis.set(title=f"{strength} moves", xlabel="training images", xscale="log", ylim=(0, None))
        axis.set_xticks([load.size for load in loads], [f"{load.size:,}" for load in loads], minor=False)
        axis.minorticks_off()
        axis.grid(linewidth=0.4)
        axis.set_ylabel("errors on moved test images, %")
    figure.legend(*axes[-1][0].get_legend_handles_labels(), loc="outside lower center", frameon=False)
    figure.savefig(path, metadata={"Date": None, "Creator": None}, transparent=True)
    pyplot.close(figure)


def main() -> None:
    """Write the page and the plot."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    PAGE.write_text(page(results), encoding="utf-8")
    plot(results, PLOT, list(STRENGTHS), list(NAMES))
    plot(results, SMALL, ["strong"], ["none", "alike", "stored", "keyed"])


if __name__ == "__main__":
    main()
