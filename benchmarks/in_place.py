"""Loaders side by side, ours in place and not, torchvision v2, albumentations, and the limit. Prints JSON.

Every contender does RandomCrop + HorizontalFlip + Normalize + channels first on the same photographs in a DataLoader of
torch's with persistent workers. Epochs alternate; the median of the rounds counts.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

__all__ = ["Case", "measure"]

IMAGES = 256
"""Different images, read again and again."""
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Case(NamedTuple):
    """What is loaded, and how."""

    size: int
    dtype: str
    batch: int
    workers: int
    jpeg: bool = False


CASES = (
    *(Case(224, "float32", 64, workers) for workers in (0, 2)),
    *(Case(224, "uint8", 64, workers) for workers in (0, 2)),
    *(Case(224, "float32", 64, workers, jpeg=True) for workers in (0, 2)),
    *(Case(224, "float32", 256, workers) for workers in (0, 2)),
    *(Case(32, "float32", 256, workers) for workers in (0, 2)),
)


class Photographs:
    """Noise that decodes like a photograph, in memory or as JPEG."""

    def __init__(self, size: int, jpeg: bool, length: int) -> None:
        rng = np.random.default_rng(0)
        small = rng.integers(0, 256, (IMAGES, size // 4, size // 4, 3), dtype=np.uint8)
        images = [cv2.resize(one, (size, size), interpolation=cv2.INTER_CUBIC) for one in small]
        self.images = [cv2.imencode(".jpg", one)[1] for one in images] if jpeg else images
        self.jpeg, self.length = jpeg, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> np.ndarray:
        image = self.images[index % IMAGES]
        return cv2.cvtColor(cv2.imdecode(image, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB) if self.jpeg else image


class Transformed:
    """A peer's dataset: a transform of each image."""

    def __init__(self, base: Photographs, transform: Callable[[np.ndarray], torch.Tensor]) -> None:
        self.base, self.transform = base, transform

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.transform(self.base[index])


class Ready:
    """The limit: ready batches, copied out of one array."""

    def __init__(self, case: Case, length: int) -> None:
        dtype = getattr(torch, case.dtype)
        self.batch = torch.zeros(case.batch, 3, case.size, case.size, dtype=dtype)
        self.length = length // case.batch

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.batch.clone()


def contenders(case: Case, length: int) -> dict[str, Any]:
    """Return the loaders of a case by name."""
    base = Photographs(case.size * 8 // 7, case.jpeg, length)
    tail = [ss.Normalize(MEAN, STD)] if case.dtype == "float32" else []
    chain = ss.Compose([ss.RandomCrop(case.size), ss.HorizontalFlip(), *tail, ss.ToCHW()])
    workers = {"num_workers": case.workers, "persistent_workers": case.workers > 0}
    given = {"batch_size": case.batch, "shuffle": True} | workers
    found = {
        "in place": loader(AugmentedDataset(base, chain, seed=42), **given),
        "plain": loader(AugmentedDataset(base, chain, seed=42), in_place=False, **given),
        "limit": DataLoader(Ready(case, length), batch_size=None, **workers),
    }
    for name in ("torchvision", "albumentations"):
        try:
            transform = globals()[f"_{name}"](case)
        except ImportError:
            continue
        found[name] = DataLoader(Transformed(base, transform), **given)
    return found


def _torchvision(case: Case) -> Callable[[np.ndarray], torch.Tensor]:
    v2 = import_module("benchmarks.peers.torchvision").v2
    tail = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)] if case.dtype == "float32" else []
    chain = v2.Compose([v2.RandomCrop(case.size), v2.RandomHorizontalFlip(), *tail])
    return lambda image: chain(torch.from_numpy(image).permute(2, 0, 1))


def _albumentations(case: Case) -> Callable[[np.ndarray], torch.Tensor]:
    library, tensors = import_module("albumentations"), import_module("albumentations.pytorch")
    tail = [library.Normalize(MEAN, STD)] if case.dtype == "float32" else []
    crop = library.RandomCrop(case.size, case.size)
    chain = library.Compose([crop, library.HorizontalFlip(), *tail, tensors.ToTensorV2()])
    return lambda image: chain(image=image)["image"]


def measure(case: Case, rounds: int, length: int) -> dict[str, dict[str, float]]:
    """Return images a second, processor µs and page faults an image, and MB of memory, by contender."""
    loaders = contenders(case, length)
    for loading in loaders.values():
        _pass(loading, length)  # it starts the workers
    found: dict[str, list[dict[str, float]]] = {name: [] for name in loaders}
    for turn in range(rounds):
        for name in sorted(loaders, reverse=turn % 2 == 1):
            found[name].append(_pass(loaders[name], length))
    return {
        name: {figure: round(median(one[figure] for one in passes), 1) for figure in passes[0]}
        for name, passes in found.items()
    }


def _pass(loading: Any, length: int) -> dict[str, float]:
    batches = iter(loading)
    first = next(batches)
    number = len(first)
    workers = [worker.pid for worker in getattr(batches, "_workers", ())]
    before, start, memory = _used(workers), time.perf_counter(), 0.0
    for step, batch in enumerate(batches):
        number += len(batch)
        if step == 8:
            memory = sum(_memory(process) for process in (os.getpid(), *workers))
    seconds = time.perf_counter() - start
    after = _used(workers)
    counted = number - len(first)
    return {
        "images/s": counted / seconds,
        "CPU µs": (after[0] - before[0]) / counted * 1e6,
        "faults": (after[1] - before[1]) / counted,
        "MB": memory,
    }


def _used(workers: list[int]) -> tuple[float, int]:
    """Return the processor seconds and page faults of this process and its workers."""
    seconds, faults = 0.0, 0
    for process in (os.getpid(), *workers):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        faults += int(fields[7])
        seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds, faults


def _memory(process: int) -> float:
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--images", type=int, default=2048, help="of an epoch")
    parser.add_argument("--cases", type=int, nargs="*", default=range(len(CASES)), help="numbers of CASES")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    cv2.setNumThreads(0)
    torch.set_num_threads(1)
    rows = [
        {"case": CASES[number]._asdict(), "loaders": measure(CASES[number], asked.rounds, asked.images)}
        for number in asked.cases
    ]
    print(json.dumps({"load": os.getloadavg()[0], "rows": rows}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
