"""The contract's pages suffice to write it again: what was written from them alone gives the known answers and the golden files."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import re
import struct
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import contract_from_the_page as contract
import known
import pipelines_from_the_page as pipelines
import pytest
import words_from_the_page as words
from cases import PUBLIC, goldens

import seedsafe as ss
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address
from seedsafe.keys.words import normal_quantiles

sys.path.append(str(Path(__file__).parents[1] / "scripts"))

import make_known_answers as maker

KEYS = [contract.Key(key.seed, key.epoch, key.index, key.occurrence, key.view) for key in known.KEYS]
STORED = known.parts(known.files())["decisions"]
MIXES = {
    "BatchMix": (1.0, 1.0, 1.0),
    "BatchMix, MixUp": (0.2, 0.0, 0.7),
    "BatchMix, CutMix": (0.0, 2.5, 1.0),
}


PAGE = (pipelines.REFERENCE / "contract.md").read_text(encoding="utf-8")
FIRST_WORDS = re.findall(r"^\|((?: [\w^/]+ \|){6}) `([0-9a-f ]{67})` \|$", PAGE, re.MULTILINE)
CONTENT = pipelines.read(pipelines.ANSWERS)


@pytest.mark.parametrize("part", ["words", "functions", "pipelines"])
def test_what_was_written_from_the_pages_gives_the_known_answers(part: str) -> None:
    assert (
        pipelines.differing(
            {"words": [], "functions": [], "pipelines": []} | {"keys": CONTENT["keys"], part: CONTENT[part]}
        )
        == []
    )


def test_the_package_gives_the_known_answers() -> None:
    now, stored = maker.asks(maker.made()), maker.asks(CONTENT)
    assert {question: stored.get(question) for question in now} == now
    assert len(stored) - len(now) == len(known.NO_WHEEL)
    asked = {one["function"] for one in CONTENT["functions"]}
    assert asked == set(pipelines.FUNCTIONS) == set(maker.of_the_package())


def test_golden_decisions_are_among_the_known_answers() -> None:
    names = [name for name in goldens() if name not in MIXES and not name.endswith(", nearest")]
    for name, one in zip(names, CONTENT["pipelines"], strict=False):
        if name not in known.NO_WHEEL:
            assert pipelines.plain(STORED[name]) == known.plain(one["gives"]), name
    nearest = [name for name in STORED if name.endswith(", nearest")]
    assert nearest
    assert all(STORED[name] == STORED[name.removesuffix(", nearest")] for name in nearest)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data[:-20], "must have the SHA-256"),
        (lambda data: data.replace(b"RandomCrop", b"RandomCrap", 1), "must have the SHA-256"),
        (lambda data: b"{}", 'must begin with {"sha256"'),
        (lambda data: b"", 'must begin with {"sha256"'),
        (lambda data: maker.text(CONTENT | {"contract": 2}).encode(), "must be of contract 1, got 2"),
    ],
    ids=["cut off", "changed", "another file", "empty", "another contract"],
)
def test_a_changed_file_of_answers_is_refused(change: Any, told: str, tmp_path: Path) -> None:
    file = tmp_path / "known-answers.json"
    damaged = change(pipelines.ANSWERS.read_bytes())
    file.write_bytes(damaged)
    with pytest.raises(ValueError, match=re.escape(told)):
        pipelines.read(file)
    with pytest.raises(ValueError, match=re.escape(told)):
        maker.main(file)
    assert file.read_bytes() == damaged


def test_an_answer_never_changes(tmp_path: Path) -> None:
    file = tmp_path / "known-answers.json"
    other = [CONTENT["words"][0] | {"gives": ["0" * 16] * 4}, *CONTENT["words"][1:]]
    file.write_text(maker.text(CONTENT | {"words": other}), encoding="utf-8")
    before = file.read_bytes()
    with pytest.raises(ValueError, match="0000000000000000"):
        maker.main(file)
    assert file.read_bytes() == before


def test_the_file_is_as_the_script_writes_it() -> None:
    assert maker.text(CONTENT) == pipelines.ANSWERS.read_text(encoding="utf-8")


@pytest.mark.parametrize(("fields", "first"), FIRST_WORDS)
def test_first_words_on_the_page(fields: str, first: str) -> None:
    *numbers, op = fields.replace("2^64", str(2**64)).replace("|", "").split()
    seed, epoch, index, occurrence, view = map(int, numbers)
    found = contract.Words(
        contract.Key(seed, epoch, index, occurrence, view), 0 if op == "0" else contract.op_of(op)
    )
    assert " ".join(f"{found.word():016x}" for _ in range(4)) == first
    key = ss.SampleKey(seed, epoch, index, occurrence=occurrence, view=view)
    drawn = Draws(address(key, 0 if op == "0" else ss.op_of(op)))
    assert " ".join(f"{drawn.word():016x}" for _ in range(4)) == first


def test_numbers_on_the_page() -> None:
    assert contract.QUANTILE in PAGE
    for number in (contract.DEGREE, contract.LN2_HIGH, contract.LN2_LOW):
        assert f"{number!r}" in PAGE


def test_the_noise_table_can_be_made_again() -> None:
    upper = struct.pack("<32768d", *(contract.noise_value(piece) for piece in range(32768, 65536)))
    assert upper == normal_quantiles()[32768:].astype("<f8").tobytes()
    assert hashlib.sha256(upper).hexdigest() in PAGE


@pytest.mark.parametrize("module", [contract, words, pipelines])
def test_nothing_of_the_package_is_read(module: ModuleType) -> None:
    read = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Import):
            read |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            read.add(str(node.module).partition(".")[0])
    assert read <= sys.stdlib_module_names | {"contract_from_the_page", "words_from_the_page"}


def test_addresses() -> None:
    stored = known.stored("decisions.json")
    del stored["pipelines"]
    assert stored == {
        "order": [contract.epoch_order(key.seed, key.epoch, 12) for key in KEYS],
        "noise": [contract.pieces(contract.Words(key, "GaussianNoise").noise(), 7) for key in KEYS],
        "ops": {name: contract.op_of(name) for name in stored["ops"]},
        "records": {name: str(contract.record_index(name)) for name in stored["records"]},
    }


@pytest.mark.parametrize("name", MIXES)
def test_mixes(name: str) -> None:
    assert [known.plain(contract.mixed(key, 7, 19, 23, *MIXES[name])) for key in KEYS] == STORED[name]


def test_every_transform_stands_on_the_page_of_words() -> None:
    text = pipelines.PAGE.read_text(encoding="utf-8")
    assert [name for name in PUBLIC if not re.search(rf"\b{name}\b", text)] == ["Bridged"]
    asked = json.dumps(CONTENT["pipelines"])
    assert [name for name in PUBLIC if f'"transform": "{name}"' not in asked] == ["Bridged"]
