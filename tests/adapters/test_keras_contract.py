"""Keras passes the contract that every adapter passes, and its bytes are PyTorch's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from contract import SUBSET, Config, check, compare, expected_of_partners, full_matrix
from keras_driver import SCENARIOS, KerasDriver
from torch_driver import TorchDriver

pytestmark = pytest.mark.timeout(300)

DRIVERS = {
    "keras on tensorflow": KerasDriver(),
    "keras on torch": KerasDriver(backend="torch"),
    "tf-keras": KerasDriver("tf_keras"),
    "ready batches": KerasDriver(ready=True),
    "mixed samples": KerasDriver(mixes=True),
}


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    for driver in DRIVERS.values():
        driver.close()


def _keras(configs: list[Config]) -> list[Config]:
    """Return the configurations without what Keras has not: workers that persist."""
    return list(dict.fromkeys(replace(config, persistent=False) for config in configs))


FORKED = [config for config in _keras(SUBSET) if config.method in ("fork", "threads")]


@pytest.mark.parametrize("config", FORKED, ids=str)
def test_content_and_order_on_tensorflow(config: Config) -> None:
    check(DRIVERS["keras on tensorflow"], config)


@pytest.mark.parametrize("config", [Config(0), Config(4, batch_size=3), Config(4, "threads")], ids=str)
def test_content_and_order_on_torch(config: Config) -> None:
    check(DRIVERS["keras on torch"], config)


@pytest.mark.parametrize("config", [Config(0), Config(1, "threads", batch_size=8)], ids=str)
def test_content_and_order_in_tf_keras(config: Config) -> None:
    check(DRIVERS["tf-keras"], config, states=1)


@pytest.mark.parametrize(
    "config", [Config(0, shuffle=False), Config(2, batch_size=3, shuffle=False)], ids=str
)
def test_content_and_order_of_ready_batches(config: Config) -> None:
    check(DRIVERS["ready batches"], config)


@pytest.mark.parametrize("config", [Config(0), Config(2, "threads"), Config(2)], ids=str)
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", ["keras on tensorflow", "keras on torch"])
def test_scenario(name: str, scenario: str, config: Config) -> None:
    compare(DRIVERS[name].scenarios()[scenario](config), config.shuffle)


@pytest.mark.parametrize("config", [Config(0), Config(2, batch_size=3), Config(4, "threads")], ids=str)
def test_content_and_order_of_mixed_samples(config: Config) -> None:
    check(DRIVERS["mixed samples"], config, states=1, expected=expected_of_partners)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario_of_mixed_samples(scenario: str) -> None:
    passes = DRIVERS["mixed samples"].scenarios()[scenario](Config(2, batch_size=3))
    compare(passes, shuffle=True, expected=expected_of_partners)


@pytest.mark.parametrize("name", ["keras on tensorflow", "keras on torch", "tf-keras"])
def test_bytes_are_those_of_torch(name: str) -> None:
    assert DRIVERS[name].run(Config(0), 2) == TorchDriver().run(Config(0), 2)


@pytest.mark.matrix
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("config", _keras(list(full_matrix())), ids=str)
@pytest.mark.parametrize("name", ["keras on tensorflow", "keras on torch", "tf-keras"])
def test_content_and_order_everywhere(name: str, config: Config) -> None:
    check(DRIVERS[name], config, states=1)
