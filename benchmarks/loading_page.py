"""Writes docs/reference/loading.md from the measurements.

``python -m benchmarks.loading_page "a note on the machine"`` reads out/benchmarks/in_place*.json.
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any

from benchmarks.page import model

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "loading.md"
HEAD = """# Loading

Images a second of whole loaders: RandomCrop, HorizontalFlip, Normalize (not for uint8) and channels first on 256 real photographs, which
are in memory or decoded from JPEG at each read. *In place* is `seedsafe_torch.loader` by default, *plain* the same loader with
`in_place=False`, *stream* the loader over an iterable source of the same images, and the *limit* a DataLoader that only copies ready
batches from one array. The others are used as in their manuals: torchvision v2 and albumentations in a DataLoader, tf.data with tf.image,
Keras's layers on batches (one window for a whole batch), and Grain with the same transforms written in NumPy. Loaders with threads instead
of workers have as many threads.

Passes take turns in one process, and the median counts. Workers start once, and batches prepared in advance are not counted. *Times* is the
images a second of in place divided by those of the row, both in one process. CPU µs are the processor time for an image, of the process and
its workers; faults are pages touched for the first time, for an image; MB is the peak memory of a loader and its workers together, without
libraries and images, in which pages that processes share count once. `make bench-loaders` reruns the measurements. How it works: [batches in
place](../how-to/batches-in-place.md).

"""
NAMES = {"albumentationsx": "AlbumentationsX", "albumentations": "albumentations 2.0.8"}
GOALS = (  # contender, whether from JPEG, how many times, at 224², float32, 64 a batch
    ("plain", False, 4.0),
    ("torchvision v2", False, 8.0),
    ("AlbumentationsX", False, 4.0),
    ("torchvision v2", True, 5.0),
    ("AlbumentationsX", True, 3.0),
)
Row = dict[str, float]


def main() -> None:
    """Write the page."""
    folder = ROOT / "out" / "benchmarks"
    tables: dict[str, dict[str, Row]] = {}
    cases: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("in_place-*.json"), key=lambda path: "albumentationsx" not in path.name):
        peer = NAMES.get(path.stem.removeprefix("in_place-"), "albumentations")
        for row in json.loads(path.read_text())["rows"]:
            title = _title(row["case"])
            table, cases[title] = tables.setdefault(title, {}), row["case"]
            for name, one in row["loaders"].items():
                times = row["loaders"]["in place"]["images/s"] / one["images/s"]
                table.setdefault(peer if name == "albumentations" else name, one | {"times": times})
    text = HEAD + f"{model()}, {platform.system()}; {sys.argv[1]}\n\n## Goals, met and missed\n\n"
    text += "\n".join(_goals(tables, cases, folder / "in_place_keras.json")) + "\n\n"
    PAGE.write_text(text + "\n".join(map(_table, tables, tables.values())))


def _title(case: dict[str, Any]) -> str:
    source = "JPEG" if case["jpeg"] else "memory"
    workers = f"{case['workers']} workers" if case["workers"] else "no workers"
    return (
        f"{case['size']} × {case['size']} {case['dtype']} from {source}, {case['batch']} a batch, {workers}"
    )


def _goals(tables: dict[str, dict[str, Row]], cases: dict[str, dict[str, Any]], keras: Path) -> list[str]:
    lines = []
    for title, table in tables.items():
        case = cases[title]
        usual = (case["size"], case["dtype"], case["batch"]) == (224, "float32", 64)
        for name, jpeg, goal in GOALS:
            if usual and jpeg == case["jpeg"] and name in table:
                lines.append(_line(f"{title}: {name}", table[name]["times"], goal))
        if case["size"] == 32 and "plain" in table:
            lines.append(_line(f"{title}: plain", table["plain"]["times"], 1.0))
        if usual and "MB" in table["in place"] and "MB" in table.get("plain", {}) and case["workers"]:
            batch = case["batch"] * 3 * case["size"] ** 2 * 4 / 2**20 * case["workers"]
            more = (table["in place"]["MB"] - table["plain"]["MB"]) / batch
            verdict = "met" if more <= 2 else "missed"
            lines.append(
                f"- {title}: {more:.1f} batches a worker more memory than plain (goal: at most 2, {verdict})."
            )
    if keras.exists():
        found = json.loads(keras.read_text())
        times = found["through the pipe, ms a batch"] / found["in place, ms a batch"]
        lines.append(_line("Keras's process pool, a batch of 39 MB: through the pipe", times, 20.0))
    return lines


def _line(what: str, times: float, goal: float) -> str:
    return f"- {what} {times:.1f} times (goal: {goal:g}, {'met' if times >= goal else 'missed'})."


def _table(title: str, table: dict[str, Row]) -> str:
    lines = [f"## {title}\n", "| loader | images/s | times | CPU µs | faults | MB |", "|---" * 6 + "|"]
    for name, one in sorted(table.items(), key=lambda item: -item[1]["images/s"]):
        memory = f"{one['MB']:.0f}" if "MB" in one else "–"
        lines.append(
            f"| {name} | {one['images/s']:.0f} | {one['times']:.1f} | {one['CPU µs']:.0f} | {one['faults']:.1f} | {memory} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
