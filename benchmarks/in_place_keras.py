"""AugmentedSequence in a process pool, as in Keras.

Prints JSON: the milliseconds for a batch of 39 MB, in place and through the pipe.
"""

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
    """Images of the class, because the pool pickles the sequence with each task."""

    images = np.random.default_rng(0).integers(0, 256, (64, 256, 256, 3), dtype=np.uint8)

    def __len__(self) -> int:
        return BATCH * BATCHES

    def __getitem__(self, index: int) -> np.ndarray:
        return self.images[index % len(self.images)]


def measure(rounds: int = 4) -> dict[str, float]:
    """Return the median milliseconds for a batch from two busy processes."""
    chain = ss.Compose([ss.RandomCrop(224), ss.HorizontalFlip(), ss.Normalize(0.5, 0.25)])
    times: dict[str, list[float]] = {"in place": [], "through the pipe": []}
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for turn in range(rounds + 1):
            for name, milliseconds in times.items():
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
                if turn:  # the first turn creates the rings
                    milliseconds.append((time.perf_counter() - start) / BATCHES * 1e3)
    medians = {f"{name}, ms a batch": median(values) for name, values in times.items()}
    return medians | {"load": os.getloadavg()[0]}


if __name__ == "__main__":
    print(json.dumps(measure()))
