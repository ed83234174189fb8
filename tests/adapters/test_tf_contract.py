"""tf.data passes the contract that every adapter passes, and its bytes are PyTorch's."""

from __future__ import annotations

from dataclasses import replace

import pytest
from contract import SUBSET, Config, check, compare, full_matrix, untouched_globals
from tf_driver import TfDriver
from torch_driver import TorchDriver

pytestmark = pytest.mark.timeout(300)

DRIVER = TfDriver()


def _threads(configs: list[Config]) -> list[Config]:
    """Return the configurations as tf.data has them: its workers are threads."""
    return list(dict.fromkeys(replace(one, method="threads", persistent=False) for one in configs))


@pytest.mark.parametrize("config", _threads(SUBSET), ids=str)
def test_content_and_order(config: Config) -> None:
    check(DRIVER, config)


@pytest.mark.parametrize("config", [Config(0), Config(4, "threads", batch_size=3)], ids=str)
@pytest.mark.parametrize("name", list(DRIVER.scenarios()))
def test_scenario(name: str, config: Config) -> None:
    compare(DRIVER.scenarios()[name](config), config.shuffle)


@pytest.mark.parametrize("name", ["prefetch", "interleave", "keyed"])
def test_no_scenario_draws_from_a_global_generator(name: str) -> None:
    with untouched_globals(11, DRIVER.generators):
        DRIVER.scenarios()[name](Config(2, "threads"))


def test_bytes_are_those_of_torch() -> None:
    assert DRIVER.run(Config(2, "threads"), 2) == TorchDriver().run(Config(0), 2)


@pytest.mark.matrix
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("config", _threads(list(full_matrix())), ids=str)
def test_content_and_order_everywhere(config: Config) -> None:
    check(DRIVER, config, states=1)
    for name, scenario in DRIVER.scenarios().items():
        if name != "keras":
            compare(scenario(config), config.shuffle)
