"""The golden decisions, and a test that they notice every change of the contract. NumPy alone is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import known
import pytest

import seedsafe as ss
from seedsafe.keys import draws, key
from seedsafe.keys.draws import Draws


def test_decisions() -> None:
    assert known.decisions() == known.stored("decisions.json")


@pytest.mark.parametrize(("name", "family"), known.families().items(), ids=known.families())
def test_decisions_of_a_family(name: str, family: known.Family) -> None:
    assert known.family_decisions(family) == known.stored(f"{name}.json")["decisions"]


def _changed_address(change: Callable[[ss.SampleKey, int], tuple[ss.SampleKey, int]]) -> Any:
    original = key.address

    def changed(sample: ss.SampleKey, op: int = 0) -> key.Address:
        return original(*change(sample, op))

    return changed


def _with(sample: ss.SampleKey, **fields: int) -> ss.SampleKey:
    of = {name: getattr(sample, name) for name in ("seed", "epoch", "index", "occurrence", "view")} | fields
    return ss.SampleKey(**of)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda s, op: (_with(s, seed=s.seed % 2**64), op), id="seed's upper half"),
        pytest.param(lambda s, op: (_with(s, epoch=0), op), id="epoch"),
        pytest.param(lambda s, op: (_with(s, index=s.index % 2**32), op), id="index's upper half"),
        pytest.param(lambda s, op: (_with(s, occurrence=0), op), id="occurrence"),
        pytest.param(lambda s, op: (_with(s, view=0), op), id="view"),
        pytest.param(lambda s, op: (s, op + 1), id="op"),
    ],
)
def test_a_field_left_out_is_noticed(change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = _changed_address(change)
    monkeypatch.setattr(key, "address", changed)
    monkeypatch.setattr(draws, "address", changed)
    assert known.decisions() != known.stored("decisions.json")


def test_another_order_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key, "op_of", lambda name: 5)
    assert known.decisions()["order"] != known.stored("decisions.json")["order"]


def test_another_noise_offset_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Draws.noise
    monkeypatch.setattr(Draws, "noise", lambda self: (*original(self)[:2], 0, *original(self)[3:]))
    assert known.decisions() != known.stored("decisions.json")


def test_other_names_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from seedsafe.pipeline import naming

    monkeypatch.setattr(naming, "stream_name", lambda name, times: f"{name}+{times}" if times else name)
    repeated = ss.Compose([ss.SomeOf([ss.GaussianNoise(std=(0, 3)), ss.HorizontalFlip()], n=3, replace=True)])
    monkeypatch.setitem(known.PIPELINES, "SomeOf, replace", (repeated, known.IMAGE))
    assert known.decisions() != known.stored("decisions.json")
