"""PyTorch's loaders under the contract."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np
import torch
from contract import AUGMENT, LENGTH, SEED, Config, Global, Photographs, Seen, digest, of_numpy, of_python
from torch.utils.data import DataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, EpochOrder, KeyedSampler, loader

# What takes a worker most of its start; this library each imports itself.
multiprocessing.set_forkserver_preload(["torch"])


def dataset() -> AugmentedDataset:
    return AugmentedDataset(Photographs(), AUGMENT, seed=SEED)


def items(batches: Any) -> list[tuple[int, bytes]]:
    return [
        (int(label), digest(np.asarray(image)))
        for images, labels in batches
        for image, label in zip(images, labels, strict=True)
    ]


of_torch = Global("torch", torch.manual_seed, lambda: torch.get_rng_state().numpy().tobytes())


class TorchDriver:
    generators: tuple[Global, ...] = (of_python, of_numpy, of_torch)
    make_dataset = staticmethod(dataset)

    def loading(self, config: Config) -> DataLoader[Any]:
        return loader(
            self.make_dataset(), batch_size=config.batch_size, shuffle=config.shuffle, **self._workers(config)
        )

    def run(self, config: Config, epochs: int) -> list[Seen]:
        if config.method == "threads":
            return self._threads(config, epochs)
        loading = self.loading(config)
        return [Seen(epoch, items(loading)) for epoch in range(epochs)]

    def _threads(self, config: Config, epochs: int) -> list[Seen]:
        augmented = self.make_dataset()
        order = EpochOrder(LENGTH, seed=SEED) if config.shuffle else range(LENGTH)
        sampler = KeyedSampler(order, seed=SEED)
        with ThreadPoolExecutor(max(config.workers, 1)) as pool:
            return [
                Seen(
                    epoch,
                    [(label, digest(image)) for image, label in pool.map(augmented.__getitem__, sampler)],
                )
                for epoch in range(epochs)
            ]

    def scenarios(self) -> dict[str, Any]:
        return {
            "early break": self.early_break,
            "two live iterators": self.two_live_iterators,
            "validation in mid-epoch": self.validation,
            "resume": self.resume,
            "resume by set_epoch": self.resume_by_epoch,
        }

    def early_break(self, config: Config) -> list[Seen]:
        loading = self.loading(config)
        first = items(islice(loading, 2))
        return [Seen(0, first, whole=False), Seen(1, items(loading)), Seen(2, items(loading))]

    def two_live_iterators(self, config: Config) -> list[Seen]:
        augmented = self.make_dataset()
        first = iter(
            loader(augmented, batch_size=config.batch_size, shuffle=config.shuffle, **self._workers(config))
        )
        second_loading = loader(
            augmented, batch_size=config.batch_size, shuffle=config.shuffle, **self._workers(config)
        )
        list(second_loading)
        second = iter(second_loading)  # the other loader's second epoch, beside the first one's first
        mixed: tuple[list[Any], list[Any]] = ([], [])
        for one, other in zip(first, second, strict=True):
            mixed[0].append(one)
            mixed[1].append(other)
        return [Seen(0, items(mixed[0])), Seen(1, items(mixed[1]))]

    def validation(self, config: Config) -> list[Seen]:
        augmented = self.make_dataset()
        training = loader(
            augmented, batch_size=config.batch_size, shuffle=config.shuffle, **self._workers(config)
        )
        checking = loader(
            augmented, batch_size=config.batch_size, epoch=ss.VALIDATION_EPOCH, **self._workers(config)
        )
        seen = []
        for epoch in range(2):
            batches = iter(training)
            begun = [next(batches), next(batches)]
            seen.append(Seen(ss.VALIDATION_EPOCH, items(checking)))
            seen.append(Seen(epoch, items([*begun, *batches])))
        return seen

    def resume(self, config: Config) -> list[Seen]:
        done = 2 * config.batch_size
        before = self.loading(config)
        list(before)
        first = items(islice(before, 2))
        after = self.loading(config)
        sampler: Any = after.sampler
        sampler.load_state_dict({"epoch": 1, "yielded": done})
        rest = items(after)
        return [Seen(1, first, whole=False), Seen(1, rest, start=done), Seen(2, items(after))]

    def resume_by_epoch(self, config: Config) -> list[Seen]:
        loading = self.loading(config)
        sampler: Any = loading.sampler
        sampler.set_epoch(7)
        return [Seen(7, items(loading)), Seen(8, items(loading))]

    def _workers(self, config: Config) -> dict[str, Any]:
        if not config.workers:
            return {}
        return {
            "num_workers": config.workers,
            "multiprocessing_context": config.method,
            "persistent_workers": config.persistent,
        }
