"""Writes docs/reference/speed.md from the measurements.

``python -m benchmarks --page "a note on the machine"`` measures and writes the page. ``python -m benchmarks.page NOTE FILE…`` writes it from
files of benchmarks.run_env.
"""

from __future__ import annotations

import json
import math
import platform
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["PAGE", "kept", "main", "model", "page"]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "speed.md"
HEAD = """# Speed

One random call of a transform, with its key, its draws and its result, compared with the same transform of other
libraries, each called through its own Compose if it has one. A figure in a library's column is its time divided by
seedsafe's, both measured in turn in one process with one thread, the minimum over short blocks: 2 means that seedsafe takes
half the time, and less than 1 that it is behind. Images are random uint8 RGB of a size, audio is 4 s at 16 kHz; kornia, which
takes no uint8, is compared on float32. Every result is contiguous and owns its memory. The shared arguments are in
`benchmarks/peers`; `make bench` reruns the measurements.

The libraries do not all do the same work under one name: defaults differ where no argument is shared. Where a size is drawn,
a block has enough calls to mix cheap and expensive draws. Differences of a tenth are within the noise.

"""


BARE = "albumentations, bare"
"""Its transforms without its Compose, which are not on this page: seedsafe is measured with Compose."""

BEHIND = 0.9
"""A case below this ratio has to have its reason on the page."""

FIXED = "most of its time here does not depend on the size"
DRAWN = "the key, its words and the checks take some µs more than numbers from a global generator do"
WAVERS = "its figure changes from run to run, from slower to faster"
REASONS = {
    "ElasticTransform": f"{FIXED}: the steps that make the field, exact on every machine",
    "ShotNoise": f"{FIXED}: the tables of counts for 256 values, exact on every machine",
    "Downscale": DRAWN,
    "ChannelShuffle": DRAWN,
    "Gamma": DRAWN,
    "OpticalDistortion": DRAWN,
    "ImageCompression": DRAWN,
    "Gain": DRAWN,
    "Amplitude": DRAWN,
    "RandomSegment": DRAWN,
    "PolarityInversion": DRAWN,
    "ISONoise": WAVERS,
    "RandomResizedCrop": WAVERS,
    "RandomRotate90": WAVERS,
    "PadIfNeeded": WAVERS,
    "RandomCropFromBorders": WAVERS,
    "AdvancedBlur": WAVERS,
    "Equalize, OpenCV's": WAVERS,
}
"""Why a case is behind."""


def main() -> None:
    """Write the page. Exit with an error if a case is behind without a reason."""
    note, *paths = sys.argv[1:]
    text, unexplained = page(note, paths)
    PAGE.write_text(text + kept(PAGE.read_text()))
    if unexplained:
        sys.exit(f"behind without a reason in benchmarks/page.py: {', '.join(unexplained)}")


def page(note: str, paths: Sequence[str | Path]) -> tuple[str, list[str]]:
    """Return the page's text, and the cases that are behind without a reason.

    Args:
        note: on the machine.
        paths: files of benchmarks.run_env.
    """
    versions: dict[str, str] = {}
    times: dict[int, dict[str, dict[str, Any]]] = defaultdict(dict)
    for path in paths:
        measured = json.loads(Path(path).read_text())
        versions |= measured["versions"]
        for row in measured["rows"]:
            one = times[row["size"]].setdefault(row["case"], {"ours": [], "copy": [], "peers": {}})
            found = dict(row["microseconds"])
            ours, copy = found.pop("seedsafe"), found.pop("copy")
            if not row["converted"]:
                one["ours"].append(ours)
                one["copy"].append(copy)
            one["peers"] |= {name: time / ours for name, time in found.items() if name != BARE}
    text = HEAD + f"{model()}, {platform.system()}; {note}\n\n"
    text += ", ".join(f"{name} {version}" for name, version in sorted(versions.items())) + ".\n\n"
    text += _goals(times)
    if 256 in times:
        text += "## At a glance\n\n" + _plot(times[256])
    for size in sorted(times, key=lambda size: size or 10**6):
        text += _table(f"{size} × {size}" if size else "Audio", times[size])
    return text, sorted({case for cases in times.values() for case, _, _ in _behind(cases)} - REASONS.keys())


def kept(text: str) -> str:
    """Return the last parts of the page: what benchmarks.kernels prints, and what benchmarks.batches writes."""
    title = "## Kernels\n"
    return title + text.partition(title)[2] if title in text else ""


def _goals(times: dict[int, dict[str, Any]]) -> str:
    lines = ["## Goals, met and missed\n"]
    for size in sorted(times, key=lambda size: size or 10**6):
        least = [_fastest(one) for one in times[size].values()]
        mean = math.exp(sum(math.log(ratio) for ratio, _ in least) / len(least))
        where = f"{size} × {size}" if size else "Audio"
        goal = {32: " (goal: 4)", 256: " (goal: 2)"}.get(size, "")
        lines.append(
            f"- {where}: geometric mean over the fastest of the others {mean:.2f}{goal}, {len(least)} cases, "
            f"{sum(ratio >= 1 for ratio, _ in least)} of them as fast or faster."
        )
        for case, ratio, name in _behind(times[size]):
            lines.append(f"  - {case} {ratio:.2f} ({name}): {REASONS.get(case, '')}")
    goals = {
        "RandomResizedCrop + HorizontalFlip + ColorJitter + Normalize + ToCHW": {
            "AlbumentationsX": 3,
            "torchvision v2": 10,
        },
        "RandomCrop + HorizontalFlip + Normalize + ToCHW": {"torchvision v2": 3},
    }
    for case, peers in goals.items():
        for name, goal in peers.items():
            ratio = times.get(256, {}).get(case, {"peers": {}})["peers"].get(name)
            if ratio is not None:
                verdict = "met" if ratio >= goal else "missed"
                lines.append(f"- {case} at 256 × 256, {name}: {ratio:.2f} (goal: {goal}, {verdict}).")
    return "\n".join(lines) + "\n\n"


def _fastest(one: dict[str, Any]) -> tuple[float, str]:
    """Return the least ratio of a case, and its library."""
    return min((ratio, name) for name, ratio in one["peers"].items())


def _behind(cases: dict[str, Any]) -> list[tuple[str, float, str]]:
    """Return the cases that are behind by more than a tenth, with the ratio and the library, the slowest first."""
    least = sorted((*_fastest(one), case) for case, one in cases.items())
    return [(case, ratio, name) for ratio, name, case in least if ratio < BEHIND]


def _plot(cases: dict[str, Any]) -> str:
    """Return bars of text for the fastest of the other libraries at 256²."""
    least = sorted((_fastest(one)[0], case) for case, one in cases.items())
    lines = [
        "The fastest of the other libraries at 256 × 256, a block for each quarter of seedsafe's time.\n",
        "```text",
    ]
    for ratio, case in least:
        short = case if len(case) < 26 else case[:23] + "..."
        lines.append(f"{short:26s} {ratio:6.2f} {'█' * min(60, round(ratio * 4))}")
    return "\n".join([*lines, "```"]) + "\n\n"


def _table(title: str, cases: dict[str, Any]) -> str:
    names = sorted({name for one in cases.values() for name in one["peers"]})
    lines = [f"## {title}\n", "| transform | seedsafe, µs | copy, µs | " + " | ".join(names) + " |"]
    lines.append("|---" * (len(names) + 3) + "|")
    for case, one in cases.items():
        cells = [f"{one['peers'][name]:.2f}" if name in one["peers"] else "–" for name in names]
        lines.append(
            f"| {case} | {min(one['ours'], default=math.nan):.1f} | {min(one['copy'], default=math.nan):.1f} | "
            + " | ".join(cells)
            + " |"
        )
    return "\n".join(lines) + "\n\n"


def model() -> str:
    """Return the name of this machine's processor."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
