"""Stored after any batch and resumed: the rest of the run is what it would have been."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from contract import AUGMENT, IMAGES, SEED, digest
from torch.utils.data import BatchSampler, RandomSampler, WeightedRandomSampler
from torchdata.stateful_dataloader import StatefulDataLoader

from seedsafe_torch import AugmentedDataset, EpochOrder, KeyedSampler, loader

COUNT, BATCH, EPOCHS = 11, 3, 3
"""Four batches an epoch, the last one of two; with drop_last three."""

Items = list[tuple[int, bytes]]


class Photographs:
    """(image, index) for a few of the contract's photographs."""

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return IMAGES[index], index


def dataset() -> AugmentedDataset:
    return AugmentedDataset(Photographs(), AUGMENT, seed=SEED)


@dataclass(frozen=True)
class Way:
    """One way to load that can be stored."""

    kind: str
    workers: int
    drop_last: bool = False
    persistent: bool = False

    def __str__(self) -> str:
        kept = ", persistent" if self.persistent else ""
        return f"{self.kind}, {self.workers} workers{kept}{', drop_last' if self.drop_last else ''}"

    def make(self, workers: int | None = None) -> Any:
        options: dict[str, Any] = {"num_workers": self.workers if workers is None else workers}
        if options["num_workers"]:
            options["persistent_workers"] = self.persistent
        if self.kind == "plain":
            return loader(dataset(), batch_size=BATCH, shuffle=True, drop_last=self.drop_last, **options)
        if self.kind == "sampler":
            sampler = WeightedRandomSampler([1.0] * COUNT, COUNT)
            return loader(dataset(), batch_size=BATCH, sampler=sampler, drop_last=self.drop_last, **options)
        if self.kind == "batch sampler":
            batches = BatchSampler(RandomSampler(range(COUNT)), BATCH, self.drop_last)
            return loader(dataset(), batch_sampler=batches, **options)
        if self.kind == "no batches":
            return loader(dataset(), batch_size=None, shuffle=True, **options)
        if self.kind == "stateful":
            keyed = KeyedSampler(EpochOrder(COUNT, seed=SEED), seed=SEED)
            options |= {"batch_size": BATCH, "sampler": keyed, "drop_last": self.drop_last}
        else:
            batches = BatchSampler(RandomSampler(range(COUNT)), BATCH, self.drop_last)
            options["batch_sampler"] = KeyedSampler(batches, seed=SEED)
        return StatefulDataLoader(dataset(), generator=torch.Generator(), **options)


def items(batch: Any) -> Items:
    images, labels = batch
    if labels.ndim == 0 if isinstance(labels, torch.Tensor) else isinstance(labels, int):
        images, labels = [images], [labels]
    return [(int(label), digest(np.asarray(image))) for image, label in zip(images, labels, strict=True)]


def run(loading: Any) -> Iterator[tuple[list[Items], Any]]:
    """Yield, at every place where a run can be stored, the passes that were handed out so far, and the state."""
    passes: list[list[Items]] = []
    for _ in range(EPOCHS):
        passes.append([])
        for batch in loading:
            passes[-1].append(items(batch))
            yield copy.deepcopy(passes), stored(loading)
        yield copy.deepcopy([*passes, []]), stored(loading)


def stored(loading: Any) -> Any:
    state = loading.state_dict()
    return (
        pickle.loads(pickle.dumps(state))
        if isinstance(loading, StatefulDataLoader)
        else json.loads(json.dumps(state))
    )


def rest(loading: Any, passes: int) -> list[list[Items]]:
    return [[items(batch) for batch in loading] for _ in range(passes)]


def check(way: Way, workers: int | None = None, passes: tuple[int, ...] = tuple(range(EPOCHS))) -> None:
    """Assert that a run cut anywhere in some of its passes goes on as the uncut one."""
    cuts = list(run(way.make()))
    whole = cuts[-1][0][:EPOCHS]
    assert whole[0] != whole[1]
    for before, state in cuts:
        if len(before) - 1 not in passes:
            continue
        resumed = way.make(workers)
        resumed.load_state_dict(state)
        done = len(before[-1])
        wanted = [whole[len(before) - 1][done:], *whole[len(before) :]]
        assert rest(resumed, len(wanted)) == wanted, f"cut in pass {len(before) - 1} after batch {done}"


PLAIN = ("plain", "sampler", "batch sampler", "no batches")
STATEFUL = ("stateful", "stateful with a batch sampler")


@pytest.mark.parametrize(
    "way",
    [
        *(Way("plain", workers, drop_last) for workers in (0, 1, 2) for drop_last in (False, True)),
        Way("plain", 3, persistent=True),
        *(Way(kind, workers) for kind in PLAIN[1:] for workers in (0, 2)),
        *(Way("stateful", workers, drop_last) for workers in (0, 1, 2) for drop_last in (False, True)),
        Way("stateful", 2, persistent=True),
        Way(STATEFUL[1], 2),
    ],
    ids=str,
)
def test_every_cut(way: Way) -> None:
    check(way, passes=(1,) if way.workers else (0, 1, 2))


@pytest.mark.matrix
@pytest.mark.parametrize(
    "way",
    [
        Way(kind, workers, drop_last, persistent)
        for kind, workers, drop_last, persistent in itertools.product(
            PLAIN + STATEFUL, range(4), (False, True), (False, True)
        )
        if workers or not persistent
    ],
    ids=str,
)
def test_every_cut_everywhere(way: Way) -> None:
    check(way)
    if way.kind in PLAIN:
        for workers in range(4):
            check(way, workers, passes=(1,))


@pytest.mark.parametrize(("workers", "other"), [(0, 2), (2, 0), (3, 1)])
def test_another_number_of_workers_goes_on(workers: int, other: int) -> None:
    check(Way("plain", workers), other, passes=(1,))


def test_another_batch_size_goes_on() -> None:
    loading = Way("plain", 2).make()
    batches = iter(loading)
    seen = items(next(batches)) + items(next(batches))
    resumed = loader(dataset(), batch_size=5, shuffle=True, num_workers=1)
    resumed.load_state_dict(loading.state_dict())
    seen += [item for batch in resumed for item in items(batch)]
    assert seen == [item for batch in Way("plain", 0).make() for item in items(batch)]


def test_an_epoch_before_the_one_of_the_state_warns() -> None:
    """A trainer that counts from 0 in each process would serve the first epoch again."""
    keyed = KeyedSampler(EpochOrder(COUNT, seed=SEED), seed=SEED)
    keyed.load_state_dict({"epoch": 2, "yielded": 0})
    keyed.set_epoch(2)
    keyed.set_epoch(3)
    keyed.load_state_dict({"epoch": 2, "yielded": 0})
    with pytest.warns(UserWarning, match="of epoch 2 after 0 entries, and begins epoch 0"):
        keyed.set_epoch(0)
    assert next(iter(keyed)).epoch == 0
