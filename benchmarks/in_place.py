"""Whole loaders side by side.

Prints JSON. Every contender (benchmarks.loading) runs RandomCrop + HorizontalFlip + Normalize + channels first on the same photographs.
Passes take turns, and the median counts. The clock starts after the batches that were prepared in advance. Workers start once. Peak
memory, without that of images and libraries, is measured for one contender at a time, in its own process.
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
"""The number of cases, from the first, whose memory is measured."""
SECONDS = 0.8
"""The length of a pass."""


def contenders(case: Case, names: list[str]) -> dict[str, tuple[Pass, list[int]]]:
    """Start the contenders that can be imported, and return their passes and their workers' process ids."""
    started = {}
    for name in names:
        before = set(_children())
        try:
            passes = CONTENDERS[name](case, Photographs(case.size * 8 // 7, case.jpeg, 2048))
        except ImportError:
            continue
        next(iter(passes(1)))  # starts the workers
        started[name] = passes, [process for process in _children() if process not in before]
    return started


def measure(case: Case, rounds: int, names: list[str]) -> dict[str, dict[str, float]]:
    """Return the images a second, and the processor's µs and page faults for an image, by contender."""
    loaders = contenders(case, names)
    numbers = {name: _number(case, *one) for name, one in loaders.items()}
    figures: dict[str, list[dict[str, float]]] = {name: [] for name in loaders}
    for turn in range(rounds):
        for name in sorted(loaders, reverse=turn % 2 == 1):
            figures[name].append(_pass(case, *loaders[name], numbers[name]))
    return {
        name: {figure: round(median(one[figure] for one in passes), 1) for figure in passes[0]}
        for name, passes in figures.items()
    }


def _number(case: Case, passes: Pass, workers: list[int]) -> int:
    """Return the number of batches for a pass, from 6 to 64."""
    rate = _pass(case, passes, workers, 3)["images/s"]
    return min(64, max(6, round(rate * SECONDS / case.batch)))


def _pass(case: Case, passes: Pass, workers: list[int], number: int) -> dict[str, float]:
    ready = 1 + 2 * case.workers  # batches that were prepared in advance
    batches = passes(ready + number)
    for _ in range(ready):
        next(batches)
    before, start, count = _usage(workers), time.perf_counter(), 0
    for batch in batches:
        count += len(batch)
    seconds = time.perf_counter() - start
    after = _usage(workers)
    return {
        "images/s": count / seconds,
        "CPU µs": (after[0] - before[0]) / count * 1e6,
        "faults": (after[1] - before[1]) / count,
    }


def weigh(case: Case, name: str) -> float:
    """Return the peak memory of a contender and its workers, in MB."""
    base = Photographs(case.size * 8 // 7, case.jpeg, 2048)
    if name in ("tf.data", "Keras layers", "Keras sequence"):
        import keras  # noqa: F401  # the library's own memory does not count
    before, most = _memory([os.getpid()]), 0.0
    batches = CONTENDERS[name](case, base)(24)
    for _ in batches:
        most = max(most, _memory([os.getpid(), *_children()]))
    return round(most - before)


def _apart(case: int, *more: str) -> Any:
    """Run this module in its own process for one case, and return the JSON that it prints."""
    command = [sys.executable, "-m", "benchmarks.in_place", "--cases", str(case), *more]
    return json.loads(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout)


def _children() -> list[int]:
    """Return the ids of all processes below this one."""
    processes, parents = [], [os.getpid()]
    while parents:
        for task in Path(f"/proc/{parents.pop()}/task").glob("*/children"):
            below = [int(one) for one in task.read_text().split()]
            processes += below
            parents += below
    return processes


def _usage(workers: list[int]) -> tuple[float, int]:
    """Return the processor seconds and page faults of this process and its workers."""
    seconds, faults = 0.0, 0
    for process in (os.getpid(), *workers):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        faults += int(fields[7])
        seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds, faults


def _memory(processes: list[int]) -> float:
    """Return the memory of processes in MB. Shared pages count once, and files in shared memory by the pages written.

    Batches that wait in a queue are in such files. No process maps their pages, so the "proportional set size" lacks them.
    """
    own, files = 0.0, {}
    for process in processes:
        folder = Path(f"/proc/{process}")
        lines = (line.split() for line in (folder / "smaps_rollup").read_text().splitlines()[1:])
        sizes = {words[0]: int(words[1]) / 1024 for words in lines}
        own += sizes["Pss:"] - sizes["Pss_Shmem:"]
        for words in (line.split() for line in (folder / "maps").read_text().splitlines()):
            if len(words) > 5 and words[5].startswith(("/dev/shm/", "/memfd:")):
                begin, end = (int(one, 16) for one in words[0].split("-"))
                files[words[4]] = max((end - begin) / 2**20, files.get(words[4], 0.0))
        for file in (folder / "fd").iterdir():
            with suppress(OSError):
                if os.readlink(file).startswith(("/dev/shm/", "/memfd:")):
                    status = file.stat()
                    files[str(status.st_ino)] = status.st_blocks * 512 / 2**20
    return own + sum(files.values())


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cases", type=int, nargs="*", default=range(len(CASES)), help="numbers of CASES")
    parser.add_argument("--contenders", nargs="*", default=list(CONTENDERS), help="names of CONTENDERS")
    parser.add_argument("--here", action="store_true", help="measure one case in this process")
    parser.add_argument("--weigh", action="store_true", help="print the MB of one contender in one case")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    cv2.setNumThreads(0)
    torch.set_num_threads(1)
    if options.weigh:
        print(weigh(CASES[options.cases[0]], options.contenders[0]))
        return
    if options.here:
        print(json.dumps(measure(CASES[options.cases[0]], options.rounds, options.contenders)))
        return
    rows: list[dict[str, Any]] = []
    for number in options.cases:
        loaders = _apart(
            number, "--here", "--rounds", str(options.rounds), "--contenders", *options.contenders
        )
        for name in loaders if number < WEIGHED else ():
            loaders[name]["MB"] = _apart(number, "--weigh", "--contenders", name)
        rows.append({"case": CASES[number]._asdict(), "loaders": loaders})
    print(json.dumps({"load": os.getloadavg()[0], "rows": rows}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
