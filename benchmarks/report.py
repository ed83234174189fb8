"""Tables of the measurements.

Every ratio is of two figures from one process.
"""

from __future__ import annotations

import json
import platform
import sys
from collections import defaultdict
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.page import model

__all__ = ["main"]

CHAIN = "RandomCrop + HorizontalFlip + Normalize + ToCHW"
TIE = 1.6
"""Two contenders within this multiple of a copy of the output bytes are both bound by memory."""


class Figure(NamedTuple):
    """A contender's time, and that divided by seedsafe's in the same process."""

    microseconds: float
    ratio: float
    memory_bound: bool


class Line(NamedTuple):
    """One case at one size."""

    case: str
    ours: float
    copy: float
    peers: dict[str, Figure]

    @property
    def fastest(self) -> str:
        """The fastest peer."""
        return min(self.peers, key=lambda name: self.peers[name].ratio)

    @property
    def ahead(self) -> bool:
        """Whether no peer is faster, apart from ties bound by memory."""
        return all(peer.ratio >= (0.95 if peer.memory_bound else 1.0) for peer in self.peers.values())


def main() -> None:
    """Print the tables, the goals and the losses."""
    folder = Path(sys.argv[1])
    console = Console(width=max(Console().width, 150), highlight=False)
    versions: dict[str, str] = {}
    lines: dict[int, dict[str, Line]] = defaultdict(dict)
    for path in sorted(folder.glob("bench-*.json")):
        measured = json.loads(path.read_text())
        versions |= measured["versions"]
        for row in measured["rows"]:
            _add(lines[row["size"]], row)
    machine = f"{model()}, {platform.system()}, Python {platform.python_version()}"
    console.print(f"\n{machine}\n{', '.join(f'{k} {v}' for k, v in sorted(versions.items()))}")
    console.print(
        "µs a call, minima of interleaved rounds, one thread; in brackets: how many times slower than seedsafe in "
        "the same process.\nEvery result is contiguous and owns its memory (* a copy is added for that). † works on "
        "float32 and is compared with seedsafe on float32."
    )
    for size in sorted(lines, key=lambda size: size or 10**6):
        console.print(_table(size, list(lines[size].values())))
    if (folder / "keys.json").exists():
        _goals(console, folder, lines)
    for path in sorted(folder.glob("in_place-*.json")):
        console.print(_loaders(path))
    _losses(console, lines)


def _loaders(path: Path) -> Table:
    """Return the table of the loaders measured in one environment, named by its peer."""
    measured = json.loads(path.read_text())
    peer = path.stem.removeprefix("in_place-")
    title = f"\nloaders beside {peer}: images a second (processor µs, page faults an image; MB); load {measured['load']:.1f}"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_style="bold")
    names = list(dict.fromkeys(name for row in measured["rows"] for name in row["loaders"]))
    for column in ("case", *names):
        table.add_column(column, justify="right")
    for row in measured["rows"]:
        case, loaders = row["case"], row["loaders"]
        kind = "JPEG" if case["jpeg"] else "memory"
        table.add_row(
            f"{case['size']}² {case['dtype']}, {kind}, {case['batch']} a batch, {case['workers']} workers",
            *(_loader(loaders[name], loaders["in place"]) if name in loaders else "–" for name in names),
        )
    return table


def _loader(one: dict[str, float], ours: dict[str, float]) -> str:
    times = ours["images/s"] / one["images/s"]
    memory = f"; {one['MB']:.0f}" if "MB" in one else ""
    rest = f"{one['CPU µs']:.0f}, {one['faults']:.0f}{memory}"
    return f"{one['images/s']:.0f} [dim]({rest})[/dim] {times:.1f}×"


def _add(lines: dict[str, Line], row: dict[str, Any]) -> None:
    times = dict(row["microseconds"])
    ours, copy = times.pop("seedsafe"), times.pop("copy")
    line = lines.setdefault(row["case"], Line(row["case"], ours, copy, {}))
    for name, time in times.items():
        marks = ("*" if name in row["copied"] else "") + ("†" if row["converted"] else "")
        line.peers[name + marks] = Figure(time, time / ours, max(time, ours) <= TIE * copy)


def _table(size: int, lines: list[Line]) -> Table:
    peers = list(dict.fromkeys(_bare(name) for line in lines for name in line.peers))
    title = f"{size}×{size}×3, uint8 unless named" if size else "audio, 64,000 float32 samples"
    table = Table(title=f"\n{title}", box=box.SIMPLE_HEAD, title_style="bold")
    table.add_column("transform")
    for column in ("copy", "seedsafe", *peers, "fastest peer"):
        table.add_column(column, justify="right")
    for line in lines:
        cells = {_bare(name): (name, figure) for name, figure in line.peers.items()}
        table.add_row(
            line.case,
            f"{line.copy:.1f}",
            f"{line.ours:.1f}",
            *(_cell(*cells[peer]) if peer in cells else "–" for peer in peers),
            _ratio(line.peers[line.fastest].ratio, line.ahead),
        )
    mean = prod(line.peers[line.fastest].ratio for line in lines) ** (1 / len(lines))
    table.add_section()
    table.add_row("geometric mean", "", "", *("" for _ in peers), _ratio(mean, mean >= 1))
    return table


def _bare(name: str) -> str:
    return name.rstrip("*†")


def _cell(name: str, figure: Figure) -> str:
    return f"{figure.microseconds:.1f}{name[len(_bare(name)) :]} [dim]({figure.ratio:.2f}×)[/dim]"


def _ratio(ratio: float, good: bool) -> str:
    return f"[{'green' if good else 'bold red'}]{ratio:.2f}×[/]"


def _goals(console: Console, folder: Path, lines: dict[int, dict[str, Line]]) -> None:
    keys, imports, loaders, checks, bridges, converted = (
        json.loads((folder / f"{name}.json").read_text())
        for name in ("keys", "import_time", "loader_overhead", "sample_checks", "bridge_cost", "converted")
    )
    generator = keys["ss.generator(key)"]
    ours, needed, pipeline = imports.values()
    goals = [
        ("ss.generator(key), µs", generator, "≤", 4.0),
        (
            "default_rng((42, 3, i)) / ss.generator(key)",
            keys["default_rng((42, 3, i))"] / generator,
            "≥",
            2.5,
        ),
        ("pooled re-key + 3 units, µs", keys["pooled re-key + 3 units"], "≤", 2.0),
        *((name + ", µs", time, "≤", 2.0) for name, time in keys.items() if name.startswith("Compose")),
        *((name + ", µs", time, "≤", 8.0) for name, time in keys.items() if name.startswith("RandomCrop")),
        ("import seedsafe / its own imports", ours / needed, "≤", 1.10),
        ("DataLoader with keys / without, 224² float32, 2 workers", loaders["ratio"], "≤", 1.03),
        ("checks of a sample in AugmentedDataset, µs", checks["checks"], "≤", 1.0),
        ("a bridge with restoring, µs", bridges["ss.keyed"], "≤", 25.0),
        ("a bridge in a worker, µs", bridges["ss.keyed in a worker"], "≤", 10.0),
        (
            "torchvision / convert=True, crop, flip, ColorJitter",
            min(converted["crop, flip, ColorJitter"]),
            "≥",
            1.8,
        ),
    ]
    if CHAIN in lines.get(256, {}):
        chain = lines[256][CHAIN].peers
        goals += [(f"torchvision v2 / seedsafe, {CHAIN} at 256²", chain["torchvision v2"].ratio, "≥", 3.0)]
    table = Table(title="\nGoals", box=box.SIMPLE_HEAD, title_style="bold")
    for column in ("what", "measured", "goal", ""):
        table.add_column(column, justify="left" if column in ("what", "") else "right")
    for name, value, relation, goal in goals:
        met = value <= goal if relation == "≤" else value >= goal
        table.add_row(
            name, f"{value:.2f}", f"{relation} {goal:g}", "[green]met[/]" if met else "[bold red]missed[/]"
        )
    console.print(table)
    naive = bridges["save, seed and restore naively"]
    console.print("A bridge, µs a sample, and the naive way's multiple of it:")
    for name, time in bridges.items():
        console.print(f"  {name}: {time:.1f} ({naive / time:.1f}×)")
    for title, file in (
        ("Clips of 16 frames, µs:", "clips"),
        ("Samples mixed with others, 224², µs:", "partners"),
    ):
        console.print(title)
        for name, times in json.loads((folder / f"{file}.json").read_text()).items():
            console.print(f"  {name}: " + ", ".join(f"{whose} {time:.0f}" for whose, time in times.items()))
    console.print(
        f"For orientation: ss.generator(SampleKey(42, 3, i)) {keys['ss.generator(SampleKey(42, 3, i))']:.1f} µs, "
        f"SampleKey(42, 3, i) {keys['SampleKey(42, 3, i)']:.1f} µs, default_rng((42, 3, i)) "
        f"{keys['default_rng((42, 3, i))']:.1f} µs; import seedsafe {ours:.0f} ms, and a first "
        f"pipeline with it {pipeline:.0f} ms, {pipeline / needed:.2f} times its own imports."
    )


def _losses(console: Console, lines: dict[int, dict[str, Line]]) -> None:
    console.print("\n[bold]Where a peer is faster[/bold]")
    lost = [
        (size, line) for size in lines for line in lines[size].values() if line.peers[line.fastest].ratio < 1
    ]
    for size, line in lost:
        peer = line.peers[line.fastest]
        note = "; both at memory's speed, a tie" if line.ahead else ""
        where = f"{size}²" if size else "audio"
        console.print(
            f"  {line.case}, {where}: {line.fastest} {peer.microseconds:.1f} µs, seedsafe "
            f"{peer.microseconds / peer.ratio:.1f} µs ({peer.ratio:.2f}×{note})"
        )
    if not lost:
        console.print("  nowhere in these tables")


if __name__ == "__main__":
    main()
