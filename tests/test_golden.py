"""The golden decisions, and a test that they notice every change of the contract. NumPy alone is needed."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterable
from typing import Any

import known
import pytest

import seedsafe as ss
from seedsafe.keys import draws, key, order
from seedsafe.keys.draws import Draws

STORED = known.parts(known.files())["decisions"]


def test_addresses() -> None:
    stored = known.stored("decisions.json")
    del stored["pipelines"]
    assert known.addresses() == stored


@pytest.mark.parametrize("name", known.pipelines())
def test_decisions(name: str) -> None:
    assert known.decisions(known.pipelines()[name]) == STORED[name], "a golden value never changes"


def test_decisions_do_not_depend_on_how_pythons_sum_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Since 3.12 it adds floats with a compensation for what was rounded away."""

    def compensated(values: Iterable[Any], /, start: Any = 0) -> Any:
        numbers = [start, *values]
        return math.fsum(numbers) if any(isinstance(one, float) for one in numbers) else usual(numbers)

    usual = sum
    monkeypatch.setattr(builtins, "sum", compensated)
    made = {name: known.decisions(golden) for name, golden in known.pipelines().items()}
    monkeypatch.undo()
    assert [name for name, one in made.items() if one != STORED[name]] == []


def test_nothing_stored_is_left_out() -> None:
    assert set(known.pipelines()) == set(STORED)


def changed() -> set[str]:
    """Return the names of the first release's pipelines that draw something else than is stored."""
    first = known.stored("decisions.json")["pipelines"]
    return {name for name in first if known.decisions(known.pipelines()[name]) != first[name]}


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
    changed_address = _changed_address(change)
    monkeypatch.setattr(key, "address", changed_address)
    monkeypatch.setattr(draws, "address", changed_address)
    assert changed()


def test_another_order_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "op_of", lambda name: 5)
    assert known.addresses()["order"] != known.stored("decisions.json")["order"]


def test_another_noise_offset_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Draws.noise
    monkeypatch.setattr(Draws, "noise", lambda self: (*original(self)[:2], 0, *original(self)[3:]))
    assert changed() == {"GaussianNoise", "SomeOf", "SomeOf, replace"}


def test_other_names_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from seedsafe.pipeline import naming

    monkeypatch.setattr(naming, "stream_name", lambda name, times: f"{name}+{times}" if times else name)
    assert changed() == {"SomeOf, replace"}
