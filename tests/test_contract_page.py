"""The contract's pages suffice to write it again: what was written from them alone gives the golden files."""

from __future__ import annotations

import ast
import inspect
import sys
from types import ModuleType

import contract_from_the_page as contract
import known
import pytest
import words_from_the_page as words

KEYS = [contract.Key(key.seed, key.epoch, key.index, key.occurrence, key.view) for key in known.KEYS]
STORED = known.parts(known.files())["decisions"]
MIXES = {
    "BatchMix": (1.0, 1.0, 1.0),
    "BatchMix, MixUp": (0.2, 0.0, 0.7),
    "BatchMix, CutMix": (0.0, 2.5, 1.0),
}


@pytest.mark.parametrize("module", [contract, words])
def test_nothing_of_the_package_is_read(module: ModuleType) -> None:
    read = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Import):
            read |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            read.add(str(node.module).partition(".")[0])
    assert read <= sys.stdlib_module_names | {"contract_from_the_page"}


def test_addresses() -> None:
    stored = known.stored("decisions.json")
    del stored["pipelines"]
    assert stored == {
        "order": [contract.epoch_order(key.seed, key.epoch, 12) for key in KEYS],
        "noise": [contract.pieces(contract.Words(key, "GaussianNoise").noise(), 7) for key in KEYS],
        "ops": {name: contract.op_of(name) for name in stored["ops"]},
        "records": {name: str(contract.record_index(name)) for name in stored["records"]},
    }


@pytest.mark.parametrize("name", [name for name in STORED if name not in MIXES])
def test_decisions(name: str) -> None:
    pipeline = words.PIPELINES[name.removesuffix(", nearest")]
    assert [known.plain(words.decisions(*pipeline, key)) for key in KEYS] == STORED[name]


@pytest.mark.parametrize("name", MIXES)
def test_mixes(name: str) -> None:
    assert [known.plain(contract.mixed(key, 7, 19, 23, *MIXES[name])) for key in KEYS] == STORED[name]


def test_no_golden_pipeline_is_left_out() -> None:
    assert {name.removesuffix(", nearest") for name in STORED} == {*words.PIPELINES, *MIXES}
