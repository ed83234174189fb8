"""AugmentedSequence in a process pool, as Keras reads it: a batch of 39 MB in place, and through the pipe. Prints JSON."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from statistics import median

import numpy as np

import seedsafe as ss
from seedsafe_keras import AugmentedSequence

__all__ = ["measure"]

BATCH, BATCHES = 64, 8


class Photographs:
    """Images that are made once in each process: the pool pickles the sequence with each task."""

    images = np.random.default_rng(0).integers(0, 256, (64, 256, 256, 3), dtype=np.uint8)

    def __len__(self) -> int:
        return BATCH * BATCHES

    def __getitem__(self, index: int) -> np.ndarray:
        return self.images[index % len(self.images)]


def measure(rounds: int = 4) -> dict[str, float]:
    """Return the median milliseconds of a batch, from two processes that prepare batches all the time."""
    chain = ss.Compose([ss.RandomCrop(224), ss.HorizontalFlip(), ss.Normalize(0.5, 0.25)])
    times: dict[str, list[float]] = {"in place": [], "through the pipe": []}
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for turn in range(rounds + 1):
            for name, taken in times.items():
                sequence = AugmentedSequence(
                    Photographs(),
                    chain,
                    seed=42,
                    epoch=0,
                    batch_size=BATCH,
                    in_place=name == "in place",
                )
                start = time.perf_counter()
                for _ in pool.imap(sequence.__getitem__, range(BATCHES)):
                    pass
                if turn:  # in the first the rings are made
                    taken.append((time.perf_counter() - start) / BATCHES * 1e3)
    found = {f"{name}, ms a batch": median(all_of) for name, all_of in times.items()}
    return found | {"load": os.getloadavg()[0]}


if __name__ == "__main__":
    print(json.dumps(measure()))
