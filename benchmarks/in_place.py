"""Loaders side by side, ours in place and not, those of others, and the limit. Prints JSON.

Every contender (benchmarks.loading) does RandomCrop + HorizontalFlip + Normalize + channels first on the same photographs. Passes
take turns, and the median counts. The clock starts when what was prepared before is used up; workers start once. Peak
memory, beyond that of the images and the libraries, is measured of one contender at a time, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import torch

from benchmarks.loading import CONTENDERS, Case, Pass
from benchmarks.photographs import Photographs

__all__ = ["measure"]

CASES = (
    *(Case(224, "float32", 64, workers) for workers in (0, 2)),
    *(Case(224, "float32", 64, workers, jpeg=True) for workers in (0, 2)),
    *(Case(32, "float32", 256, workers) for workers in (0, 2)),
    *(Case(224, "uint8", 64, workers) for workers in (0, 2)),
    *(Case(224, "float32", 256, workers) for workers in (0, 2)),
)
WEIGHED = 2
"""Of so many cases, the first, memory is measured."""
SECONDS = 0.8
"""That a pass should take."""


def contenders(case: Case, names: list[str]) -> dict[str, tuple[Pass, list[int]]]:
    """Return those that can be imported, begun: their passes, and their workers' process ids."""
    found = {}
    for name in names:
        before = set(_children())
        try:
            passes = CONTENDERS[name](case, Photographs(case.size * 8 // 7, case.jpeg, 2048))
        except ImportError:
            continue
        next(iter(passes(1)))  # it starts the workers
        found[name] = passes, [process for process in _children() if process not in before]
    return found


def measure(case: Case, rounds: int, names: list[str]) -> dict[str, dict[str, float]]:
    """Return images a second, and processor µs and page faults an image, by contender."""
    begun = contenders(case, names)
    numbers = {name: _number(case, *one) for name, one in begun.items()}
    found: dict[str, list[dict[str, float]]] = {name: [] for name in begun}
    for turn in range(rounds):
        for name in sorted(begun, reverse=turn % 2 == 1):
            found[name].append(_pass(case, *begun[name], numbers[name]))
    return {
        name: {figure: round(median(one[figure] for one in passes), 1) for figure in passes[0]}
        for name, passes in found.items()
    }


def _number(case: Case, passes: Pass, workers: list[int]) -> int:
    """Return how many batches a pass is to have, at least 6 and at most 64."""
    rate = _pass(case, passes, workers, 3)["images/s"]
    return min(64, max(6, round(rate * SECONDS / case.batch)))


def _pass(case: Case, passes: Pass, workers: list[int], number: int) -> dict[str, float]:
    ready = 1 + 2 * case.workers  # batches that were prepared before they were asked for
    batches = passes(ready + number)
    for _ in range(ready):
        next(batches)
    before, start, counted = _used(workers), time.perf_counter(), 0
    for batch in batches:
        counted += len(batch)
    seconds = time.perf_counter() - start
    after = _used(workers)
    return {
        "images/s": counted / seconds,
        "CPU µs": (after[0] - before[0]) / counted * 1e6,
        "faults": (after[1] - before[1]) / counted,
    }


def weigh(case: Case, name: str) -> float:
    """Return the most MB that a contender and its workers have while it is read."""
    base = Photographs(case.size * 8 // 7, case.jpeg, 2048)
    if name in ("tf.data", "Keras layers", "Keras sequence"):
        import keras  # noqa: F401  # the library's own memory does not count
    before, most = _memory([os.getpid()]), 0.0
    batches = CONTENDERS[name](case, base)(24)
    for _ in batches:
        most = max(most, _memory([os.getpid(), *_children()]))
    return round(most - before)


def _apart(case: int, *more: str) -> Any:
    """Return what this module prints of a case in a process of its own."""
    asked = [sys.executable, "-m", "benchmarks.in_place", "--cases", str(case), *more]
    return json.loads(subprocess.run(asked, check=True, text=True, stdout=subprocess.PIPE).stdout)


def _children() -> list[int]:
    """Return the processes below this one."""
    found, left = [], [os.getpid()]
    while left:
        for task in Path(f"/proc/{left.pop()}/task").glob("*/children"):
            below = [int(one) for one in task.read_text().split()]
            found += below
            left += below
    return found


def _used(workers: list[int]) -> tuple[float, int]:
    """Return the processor seconds and page faults of this process and its workers."""
    seconds, faults = 0.0, 0
    for process in (os.getpid(), *workers):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        faults += int(fields[7])
        seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds, faults


def _memory(processes: list[int]) -> float:
    """Return the MB of processes, what they share counted once, and files of shared memory by what is written in them.

    Batches that wait in a queue lie in such files, and no process has their pages: "proportional set size" lacks them.
    """
    used, files = 0.0, {}
    for process in processes:
        folder = Path(f"/proc/{process}")
        lines = (line.split() for line in (folder / "smaps_rollup").read_text().splitlines()[1:])
        sizes = {words[0]: int(words[1]) / 1024 for words in lines}
        used += sizes["Pss:"] - sizes["Pss_Shmem:"]
        for words in (line.split() for line in (folder / "maps").read_text().splitlines()):
            if len(words) > 5 and words[5].startswith(("/dev/shm/", "/memfd:")):
                begin, end = (int(one, 16) for one in words[0].split("-"))
                files[words[4]] = max((end - begin) / 2**20, files.get(words[4], 0.0))
        for file in (folder / "fd").iterdir():
            with suppress(OSError):
                if os.readlink(file).startswith(("/dev/shm/", "/memfd:")):
                    state = file.stat()
                    files[str(state.st_ino)] = state.st_blocks * 512 / 2**20
    return used + sum(files.values())


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cases", type=int, nargs="*", default=range(len(CASES)), help="numbers of CASES")
    parser.add_argument("--contenders", nargs="*", default=list(CONTENDERS), help="names of CONTENDERS")
    parser.add_argument("--here", action="store_true", help="measure one case in this process")
    parser.add_argument("--weigh", action="store_true", help="print the MB of one contender in one case")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    cv2.setNumThreads(0)
    torch.set_num_threads(1)
    if asked.weigh:
        print(weigh(CASES[asked.cases[0]], asked.contenders[0]))
        return
    if asked.here:
        print(json.dumps(measure(CASES[asked.cases[0]], asked.rounds, asked.contenders)))
        return
    rows: list[dict[str, Any]] = []
    for number in asked.cases:
        found = _apart(number, "--here", "--rounds", str(asked.rounds), "--contenders", *asked.contenders)
        for name in found if number < WEIGHED else ():
            found[name]["MB"] = _apart(number, "--weigh", "--contenders", name)
        rows.append({"case": CASES[number]._asdict(), "loaders": found})
    print(json.dumps({"load": os.getloadavg()[0], "rows": rows}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
