"""The table of generators: what each kind saves, sets, compares and makes anew."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

import seedsafe as ss
from seedsafe.bridging.generators import generator_of, global_generators, is_generator, stateful
from seedsafe.bridging.region import Replayed
from seedsafe.bridging.words import Words, address_of

KINDS: dict[str, tuple[Any, Any]] = {
    "Random": (lambda: random.Random(3), lambda one: one.random()),
    "Generator": (lambda: np.random.default_rng(3), lambda one: one.random()),
    "Generator of halves": (
        lambda: np.random.default_rng(3),
        lambda one: int(one.integers(2**20, dtype=np.uint32)),
    ),
    "bit generator": (lambda: np.random.MT19937(3), lambda one: int(one.random_raw())),
    "RandomState": (lambda: np.random.RandomState(3), lambda one: one.randn()),
    "RandomState of another": (lambda: np.random.RandomState(np.random.Philox(3)), lambda one: one.randn()),
    "torch": (lambda: torch.Generator().manual_seed(3), lambda one: float(torch.rand(1, generator=one))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_state_is_set_again_and_marks_differ_with_each_draw(kind: str) -> None:
    make, draw = KINDS[kind]
    thing = make()
    generator = generator_of("its name", thing)
    assert generator is not None
    assert generator.name == "its name"
    states, numbers = [], []
    for _ in range(3):
        states.append(generator.read())
        numbers.append(draw(thing))
    marks = [*(state.mark for state in states), generator.mark()]
    assert all(one != other for number, one in enumerate(marks) for other in marks[:number])
    for state, number in zip(states, numbers, strict=True):
        generator.set(state)
        assert generator.mark() == state.mark
        assert draw(thing) == number


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_sets_all_of_the_state_and_segments_differ(kind: str) -> None:
    make, draw = KINDS[kind]
    numbers = []
    for segment, moves in ((8, 0), (8, 1), (9, 0)):
        thing = make()
        for _ in range(moves):
            draw(thing)
        generator = generator_of("", thing, segment)
        assert generator is not None
        generator.key(Words(address_of(ss.SampleKey(42, 3, 1234))))
        numbers.append(draw(thing))
    assert numbers[0] == numbers[1] != numbers[2]


@pytest.mark.parametrize("kind", KINDS)
def test_fresh_ones_are_of_the_same_kind(kind: str) -> None:
    thing = KINDS[kind][0]()
    generator = generator_of("", thing)
    assert generator is not None
    assert type(generator.fresh(5)) is type(thing)
    made = [stateful("", generator.fresh(seed)) for seed in (5, 5, 6)]
    same, again, other = [None if one is None else one.mark() for one in made]
    assert same == again != other
    marks = [state.mark for state in generator.others()]
    assert len(marks) == 128
    assert all(mark != marks[0] for mark in marks[1:])


def test_the_processes_own_are_global_and_not_found_in_objects() -> None:
    own = [generator.thing for generator in global_generators()]
    assert own == [
        random.random.__self__,  # type: ignore[attr-defined]
        np.random.random.__self__,  # type: ignore[attr-defined]
        torch.default_generator,
    ]
    assert not any(map(is_generator, [*own, random.SystemRandom(), 3, None, random.Random, torch.Generator]))
    assert all(stateful("", thing) is not None for thing in own)
    assert stateful("", random.SystemRandom()) is None


def test_two_generators_of_numpy_may_share_a_holder() -> None:
    bits = np.random.PCG64(0)
    found = [generator_of("", thing) for thing in (bits, np.random.Generator(bits), np.random.PCG64(0))]
    holders = [None if one is None else one.holder for one in found]
    assert holders[0] is holders[1] is bits
    assert holders[2] is not bits


def test_generators_without_a_seed_are_one_generator() -> None:
    with Replayed(7) as generator:
        before = generator.read()
        first = np.random.default_rng().random()
        assert generator.mark() != before.mark
        generator.set(before)
        assert np.random.default_rng().random() == first
        generator.set(next(generator.others()))
        assert np.random.default_rng().random() != first
