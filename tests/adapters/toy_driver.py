"""The least adapter: a pool of processes or threads that maps a KeyedReader over an order of positions."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

from contract import AUGMENT, LENGTH, SEED, Config, Global, Photographs, Seen, digest, of_numpy, of_python

import seedsafe as ss
from seedsafe.reading import KeyedReader, collate

READER = KeyedReader(Photographs(), AUGMENT, seed=SEED)


def batches(config: Config, epoch: int) -> Iterator[Any]:
    """Yield the batches of an epoch."""
    shuffled = config.shuffle and epoch != ss.VALIDATION_EPOCH
    order = ss.epoch_order(SEED, epoch, LENGTH).tolist() if shuffled else range(LENGTH)
    with pool(config) as workers:
        indices = [ss.SampleIndex(position, epoch) for position in order]
        samples = list((workers.map if workers else map)(READER.sample, indices))
    for start in range(0, LENGTH, config.batch_size):
        yield collate(samples[start : start + config.batch_size])


def pool(config: Config) -> Any:
    """Return the workers, None for none."""
    if not config.workers:
        return nullcontext()
    if config.method == "threads":
        return ThreadPoolExecutor(config.workers)
    return ProcessPoolExecutor(config.workers, multiprocessing.get_context(config.method))


def seen(config: Config, epoch: int) -> Seen:
    pairs = [pair for images, labels in batches(config, epoch) for pair in zip(labels, images, strict=True)]
    return Seen(epoch, [(int(label), digest(image)) for label, image in pairs])


class ToyDriver:
    generators: tuple[Global, ...] = (of_python, of_numpy)

    def run(self, config: Config, epochs: int) -> list[Seen]:
        return [seen(config, epoch) for epoch in range(epochs)]

    def scenarios(self) -> dict[str, Any]:
        return {"validation": lambda config: [seen(config, epoch) for epoch in (0, ss.VALIDATION_EPOCH, 1)]}
