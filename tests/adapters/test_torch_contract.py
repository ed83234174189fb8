"""PyTorch's loaders pass the contract, and the contract notices a broken adapter."""

from __future__ import annotations

from typing import Any

import pytest
from contract import (
    AUGMENT,
    LENGTH,
    SEED,
    SUBSET,
    Config,
    Photographs,
    check,
    compare,
    expected,
    full_matrix,
    untouched_globals,
)
from torch.utils.data import get_worker_info
from torch_driver import TorchDriver, items

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, AugmentedIterable, loader

DRIVER = TorchDriver()


@pytest.mark.parametrize("config", SUBSET, ids=str)
def test_content_and_order(config: Config) -> None:
    check(DRIVER, config, states=1 if config.method in ("spawn", "forkserver") else 2)


@pytest.mark.matrix
@pytest.mark.parametrize("config", list(full_matrix()), ids=str)
def test_content_and_order_everywhere(config: Config) -> None:
    check(DRIVER, config)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("name", list(DRIVER.scenarios()))
def test_scenario(name: str, workers: int) -> None:
    with untouched_globals(3, DRIVER.generators):
        passes = DRIVER.scenarios()[name](Config(workers, batch_size=3))
    compare(passes, shuffle=True)


@pytest.mark.matrix
@pytest.mark.parametrize("config", [c for c in full_matrix() if c.method != "threads"], ids=str)
@pytest.mark.parametrize("name", list(DRIVER.scenarios()))
def test_scenario_everywhere(name: str, config: Config) -> None:
    compare(DRIVER.scenarios()[name](config), config.shuffle)


# Streams: the same samples, in an order that follows from the number of workers


class Records:
    """The photographs as records, with the positions as ids; divided among the workers, or not."""

    def __init__(self, divided: bool) -> None:
        self.divided = divided

    def __iter__(self) -> Any:
        info = get_worker_info() if self.divided else None
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(start, LENGTH, step):
            yield Photographs()[index]


def streamed(config: Config, divided: bool) -> Any:
    stream = AugmentedIterable(Records(divided), AUGMENT, seed=SEED, id=1, split=not divided)
    options: dict[str, Any] = {}
    if config.workers:
        options = {"multiprocessing_context": config.method, "persistent_workers": config.persistent}
    return loader(stream, batch_size=config.batch_size, num_workers=config.workers, **options)


def check_stream(config: Config, divided: bool) -> None:
    loading, resumed = streamed(config, divided), streamed(config, divided)
    with untouched_globals(3, DRIVER.generators):
        for epoch in range(3):
            states, batches = [loading.state_dict()], []
            for batch in loading:
                batches.append(batch)
                states.append(loading.state_dict())
            assert sorted(items(batches)) == sorted(expected(epoch, shuffle=False))
            cut = (1, 0, len(states) - 1)[epoch] + (epoch == 1)
            resumed.load_state_dict(states[cut])
            assert items(resumed) == items(batches[cut:])
    assert loading.state_dict() == resumed.state_dict() == {"epoch": 3}
    if not divided and config.workers:
        other = streamed(Config(config.workers - 1), divided)
        other.load_state_dict(states[1])
        assert sorted(items(batches[:1]) + items(other)) == sorted(expected(2, shuffle=False))


@pytest.mark.parametrize(
    ("config", "divided"),
    [(one, True) for one in SUBSET if one.method != "threads"]
    + [(one, False) for one in SUBSET if one.method in ("fork", "forkserver")],
    ids=str,
)
def test_streams(config: Config, divided: bool) -> None:
    check_stream(config, divided)


@pytest.mark.matrix
@pytest.mark.parametrize("divided", [True, False])
@pytest.mark.parametrize("config", [one for one in full_matrix() if one.method != "threads"], ids=str)
def test_streams_everywhere(config: Config, divided: bool) -> None:
    check_stream(config, divided)


class EpochAsAttribute(AugmentedDataset):
    """The usual mistake: the epoch is an attribute, which workers get a stale copy of."""

    now = -1

    def __getitem__(self, index: Any) -> Any:
        plain = int(index)
        if plain == self.first:
            self.now += 1
        return self.at(plain, epoch=max(self.now, 0))

    first = int(ss.epoch_order(SEED, 0, 23)[0])


class GlobalRandomness(AugmentedDataset):
    """Another one: something draws from a global generator."""

    def __getitem__(self, index: Any) -> Any:
        import random

        random.random()
        return super().__getitem__(index)


class BrokenDriver(TorchDriver):
    def __init__(self, kind: type[AugmentedDataset]) -> None:
        self.make_dataset = lambda: kind(Photographs(), AUGMENT, seed=SEED)  # type: ignore[method-assign]


def test_contract_notices_an_epoch_kept_as_an_attribute() -> None:
    with pytest.raises(AssertionError, match="content in epoch"):
        check(BrokenDriver(EpochAsAttribute), Config(2))


def test_contract_notices_global_randomness() -> None:
    with pytest.raises(AssertionError, match="global generators of \\['random'\\]"):
        check(BrokenDriver(GlobalRandomness), Config(0))


def test_contract_notices_an_order_of_its_own() -> None:
    passes = DRIVER.run(Config(0, shuffle=False), 1)
    with pytest.raises(AssertionError, match="order in epoch"):
        compare(passes, shuffle=True)
