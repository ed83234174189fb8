"""PyTorch's loaders pass the contract, and the contract notices a broken adapter."""

from __future__ import annotations

from typing import Any

import pytest
from contract import (
    AUGMENT,
    SEED,
    SUBSET,
    Config,
    Photographs,
    check,
    compare,
    full_matrix,
    untouched_globals,
)
from torch_driver import TorchDriver

import seedsafe as ss
from seedsafe_torch import AugmentedDataset

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
