"""The overhead of keys in a DataLoader.

Prints JSON: passes over float images of 224 pixels with 2 workers, with keys and an empty pipeline, and without.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from statistics import median

import torch
from torch.utils.data import DataLoader, Dataset

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

__all__ = ["measure"]

SAMPLES, BATCH, WORKERS = 1024, 64, 2


class Images(Dataset[torch.Tensor]):
    """Float images in memory."""

    def __init__(self) -> None:
        self.images = torch.rand(32, 3, 224, 224)

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.images[index % len(self.images)]


def measure(rounds: int = 25) -> dict[str, float]:
    """Return the median milliseconds of a pass, and the median ratio of neighbouring passes.

    The passes alternate. Both loaders shuffle and keep their workers.
    """
    torch.set_num_threads(1)
    images = Images()
    options = {"batch_size": BATCH, "num_workers": WORKERS, "shuffle": True, "persistent_workers": True}
    loaders: dict[str, Iterable[torch.Tensor]] = {
        "plain DataLoader": DataLoader(images, **options),
        "seedsafe_torch.loader, empty pipeline": loader(
            AugmentedDataset(images, ss.Compose([]), seed=42), in_place=False, **options
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in loaders}
    for turn in range(rounds + 1):
        for name in sorted(loaders, reverse=turn % 2 == 1):
            milliseconds = _milliseconds(loaders[name])
            if turn:  # the first pass starts the workers
                times[name].append(milliseconds)
    medians = {name: median(passes) for name, passes in times.items()}
    plain, ours = times.values()
    medians["ratio"] = median(b / a for a, b in zip(plain, ours, strict=True))
    return medians


def _milliseconds(batches: Iterable[torch.Tensor]) -> float:
    start = time.perf_counter()
    for _ in batches:
        pass
    return (time.perf_counter() - start) * 1e3


if __name__ == "__main__":
    print(json.dumps(measure()))
