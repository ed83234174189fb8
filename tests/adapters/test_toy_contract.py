"""What it takes to write an adapter: sixty lines pass the contract, without a framework."""

from __future__ import annotations

from pathlib import Path

import pytest
import toy_driver
from contract import SUBSET, Config, check, compare
from programs import python
from toy_driver import ToyDriver

import seedsafe as ss
from seedsafe.reading import KeyedReader

DRIVER = ToyDriver()
HERE = Path(__file__).parent


@pytest.mark.parametrize("config", SUBSET, ids=str)
def test_content_and_order(config: Config) -> None:
    check(DRIVER, config, states=1)


@pytest.mark.parametrize("name", list(DRIVER.scenarios()))
def test_scenario(name: str) -> None:
    compare(DRIVER.scenarios()[name](Config(2, batch_size=3)), shuffle=True)


def test_contract_notices_an_epoch_that_does_not_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stuck(KeyedReader):
        def sample(self, at: ss.SampleIndex, **options: bool) -> object:
            return super().sample(ss.SampleIndex(int(at), epoch=0))

    reader = toy_driver.READER
    monkeypatch.setattr(toy_driver, "READER", Stuck(reader.base, reader.augment, seed=reader.seed))
    with pytest.raises(AssertionError, match="content in epoch 1"):
        check(DRIVER, Config(0))


def test_it_is_small_and_neither_it_nor_the_contract_needs_a_framework() -> None:
    assert len((HERE / "toy_driver.py").read_text().splitlines()) <= 60
    code = (
        "import sys, toy_driver, contract; contract.check(toy_driver.ToyDriver(), contract.Config(0));"
        "print(*{'torch', 'keras', 'tensorflow'} & set(sys.modules))"
    )
    done = python("-c", code, cwd=HERE)
    assert done.stdout.split() == []
