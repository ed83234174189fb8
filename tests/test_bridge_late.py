"""Generators that a later read makes, with the same seed in each process."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
import torch

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

RARE = 60
KINDS: dict[str, Callable[[int], Any]] = {
    "default_rng": np.random.default_rng,
    "RandomState": np.random.RandomState,
    "Random": random.Random,
    "torch": lambda seed: torch.Generator().manual_seed(seed),
}


class Late:
    """Makes one of three generators when it first reads a rare sample, before one that it always has."""

    def __init__(self, make: Callable[[int], Any], place: str) -> None:
        self.make, self.place = make, place
        self.a0: Any = None
        self.a1: Any = None
        self.a2: Any = None
        self.rngs: dict[str, Any] = {}
        self.z = make(9)

    def __len__(self) -> int:
        return 84

    def __getitem__(self, index: int) -> Any:
        return np.array([index, draw(self.z), draw(self.choose(index % 3)) if index >= RARE else 0])

    def choose(self, number: int) -> Any:
        name = f"{'a' if self.place == 'none' else 'new'}{number}"
        held = self.rngs if self.place == "rngs" else vars(self)
        if held.get(name) is None:
            held[name] = self.make(number)
        return held[name]


class First(Late):
    """Its first read makes one of them already, another one in each process."""

    def __getitem__(self, index: int) -> Any:
        return np.array([index, draw(self.z), draw(self.choose(index % 3))])


def draw(rng: Any) -> int:
    if isinstance(rng, torch.Generator):
        return int(torch.randint(1000, (1,), generator=rng))
    return int(rng.random() * 1000)


def numbers_of(dataset: AugmentedDataset, order: Iterable[int]) -> dict[int, Any]:
    return {index: dataset.at(index, epoch=0).tolist() for index in order}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize(("kind", "place"), [(Late, "none"), (Late, "new"), (Late, "rngs"), (First, "rngs")])
def test_those_of_later_reads_have_the_same_numbers_in_any_order(
    kind: Any, make: Callable[[int], Any], place: str
) -> None:
    def made() -> AugmentedDataset:
        return AugmentedDataset(kind(make, place), seed=42, bridge=True)

    without = AugmentedDataset(Late(make, place), seed=42, bridge=True)
    forward = numbers_of(made(), range(84))
    assert (
        numbers_of(made(), reversed(range(84)) if kind is First else [*range(50), *range(83, 49, -1)])
        == forward
    )
    assert len({tuple(row) for row in forward.values()}) == 84
    for index, row in numbers_of(without, range(50)).items():
        assert row[:2] == forward[index][:2]  # those behind them keep theirs
    if place == "rngs":
        batches = loader(made(), batch_size=7, num_workers=2)
        assert [row for batch in batches for row in batch.tolist()] == list(forward.values())


def test_a_process_that_gets_what_another_has_made_goes_on_with_it() -> None:
    dataset = AugmentedDataset(First(np.random.default_rng, "rngs"), seed=42, bridge=True)
    forward = numbers_of(dataset, range(12))
    other = pickle.loads(pickle.dumps(dataset))
    assert numbers_of(other, range(11, -1, -1)) == forward


def test_one_that_a_read_replaces_keeps_its_place() -> None:
    class Replacing(Late):
        def __getitem__(self, index: int) -> Any:
            if index == RARE:
                self.z = self.make(index)
            return np.array([index, draw(self.z)])

    base = AugmentedDataset(Late(np.random.default_rng, "none"), seed=42, bridge=True)
    dataset = AugmentedDataset(Replacing(np.random.default_rng, "none"), seed=42, bridge=True)
    expected, found = (list(numbers_of(one, range(84)).values()) for one in (base, dataset))
    assert found[RARE + 1 :] == [row[:2] for row in expected[RARE + 1 :]]


class Base:
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        return index


class Inside:
    __slots__ = ("rng",)


class InASlot(Base):
    def __init__(self) -> None:
        self.inside = Inside()

    def __getitem__(self, index: int) -> Any:
        if not hasattr(self.inside, "rng"):
            self.inside.rng = random.Random(3)
        return self.inside.rng.random()


class InAClosure(Base):
    def __init__(self) -> None:
        rng: Any = None

        def draw() -> float:
            nonlocal rng
            rng = rng or random.Random(3)
            return float(rng.random())

        self.draw = draw

    def __getitem__(self, index: int) -> Any:
        return self.draw()


@pytest.mark.parametrize("base", [InASlot, InAClosure])
def test_one_that_comes_into_a_slot_or_a_closure_is_keyed(base: Any) -> None:
    one, other = (AugmentedDataset(base(), seed=1, bridge=True) for _ in range(2))
    first = [one.at(index, epoch=0) for index in range(8)]
    assert [other.at(index, epoch=0) for index in reversed(range(8))] == first[::-1]
    assert one.reader.report() == "keyed: 1 stored generator"


class Locked(random.Random):
    """It takes its first seed alone."""

    def __init__(self) -> None:
        super().__init__(1)
        self.is_locked = True

    def seed(self, *seed: Any) -> None:
        if hasattr(self, "is_locked"):
            raise RuntimeError("locked")
        super().seed(*seed)


class Unset(Locked):
    """It cannot be set back."""

    def seed(self, *seed: Any) -> None:
        random.Random.seed(self, *seed)

    def setstate(self, state: Any) -> None:
        raise RuntimeError("locked")


@pytest.mark.parametrize("kind", [Locked, Unset])
def test_a_generator_that_cannot_be_set_is_named_and_no_sample_replaces_it(kind: Any) -> None:
    base = Base()
    base.rng = kind()  # type: ignore[attr-defined]
    dataset = AugmentedDataset(base, seed=1, bridge=True, on_error="replace")
    with pytest.raises(
        ss.NotReproducible, match=r"generator \.rng \(a \w+\) cannot be read or set: .*locked.*register_hook"
    ):
        dataset.at(0, epoch=0)
