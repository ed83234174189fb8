"""Mixtures: laws of their shares and records, a second implementation, behind datasets and loaders, and bad input."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import contract_from_the_page as contract
import known
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import ConcatDataset, Subset

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, DistributedKeyedSampler, loader

SOURCES = {"books": range(5), "code": range(100, 103), "web": range(200, 211)}
SHARES = {"books": 2, "code": 3, "web": 5}
GOLDEN = (
    ([2, 3, 5], [5, 3, 11]),
    ([1], [7]),
    ([1, 1, 2, 3, 5, 8, 13], [1, 2, 3, 4, 5, 6, 7]),
    ([97, 3], [2, 50]),
)


def made(shares: Any, lengths: Any, length: Any = None) -> ss.Mixture:
    sources = {str(number): range(n) for number, n in enumerate(lengths)}
    return ss.Mixture(sources, shares={str(number): s for number, s in enumerate(shares)}, length=length)


def places(mixture: ss.Mixture, steps: Any, seed: int = 42, epoch: int = 0) -> list[tuple[int, int]]:
    found = (mixture.place(ss.SampleKey(seed, epoch, step)) for step in steps)
    return [(int(name), position) for name, position in found]


MIXTURES = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 40)), min_size=1, max_size=7)
SEEDS = st.integers(0, 2**128 - 1)
EPOCHS = st.integers(0, 2**32 - 1)


def golden() -> dict[str, Any]:
    """Return the places of the first steps of some mixtures at the golden keys."""
    return {
        json.dumps(of): [
            [list(place) for place in places(made(*of, 60), range(60), key.seed, key.epoch)]
            for key in known.KEYS[:4]
        ]
        for of in GOLDEN
    }


def test_known_answers() -> None:
    assert golden() == known.stored("orders/mixture.json"), "a golden value never changes"


@settings(max_examples=60, deadline=None)
@given(MIXTURES, SEEDS, EPOCHS)
def test_every_source_is_within_one_record_of_its_share_at_every_step(
    of: list[tuple[int, int]], seed: int, epoch: int
) -> None:
    shares, lengths = zip(*of, strict=True)
    mixture = made(shares, lengths, 10**6)
    given, period = Counter[int](), sum(shares)
    for step, (source, _) in enumerate(places(mixture, range(2 * mixture.period + 3), seed, epoch), 1):
        given[source] += 1
        assert all(abs(given[one] - Fraction(share * step, period)) < 1 for one, share in enumerate(shares))


@settings(max_examples=60, deadline=None)
@given(MIXTURES, SEEDS, EPOCHS)
def test_records_come_without_replacement_and_then_in_another_order(
    of: list[tuple[int, int]], seed: int, epoch: int
) -> None:
    shares, lengths = zip(*of, strict=True)
    came: dict[int, list[int]] = {}
    for source, position in places(made(shares, lengths, 10**6), range(300), seed, epoch):
        came.setdefault(source, []).append(position)
    for source, positions in came.items():
        n = lengths[source]
        passes = [positions[start : start + n] for start in range(0, len(positions), n)]
        assert all(sorted(one) == list(range(n)) for one in passes[:-1])
        assert len(set(passes[-1])) == len(passes[-1])
        assert n < 20 or len(passes) < 3 or passes[0] != passes[1]


@settings(max_examples=40, deadline=None)
@given(MIXTURES, SEEDS, EPOCHS, st.integers(0, 400))
def test_it_is_what_the_page_says(of: list[tuple[int, int]], seed: int, epoch: int, step: int) -> None:
    shares, lengths = zip(*of, strict=True)
    mixture = made(shares, lengths, 10**6)
    whole = list(mixture.shares.values())
    assert places(mixture, [step], seed, epoch) == [contract.mixture(seed, epoch, whole, lengths, step)]


def test_epochs_begin_at_several_steps_of_the_period_and_have_orders_of_their_own() -> None:
    mixture = ss.Mixture(SOURCES, shares=SHARES, length=1000)
    epochs = [[mixture.place(ss.SampleKey(42, epoch, step)) for step in range(10)] for epoch in range(30)]
    assert len({tuple(name for name, _ in one) for one in epochs}) > 2
    firsts = [[position for name, position in one if name == "web"] for one in epochs]
    assert len(set(map(tuple, firsts))) > 25


def test_a_step_far_away_is_computed_alone() -> None:
    mixture = made([1, 2, 3], [10**12, 7, 10**9], 10**15)
    far = places(mixture, range(10**15 - 6, 10**15))
    assert Counter(source for source, _ in far) == {0: 1, 1: 2, 2: 3}


class Drawing:
    """A source that draws by the step's key."""

    def __init__(self, first: int, n: int) -> None:
        self.first, self.n = first, n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, position: int) -> Any:
        return np.array([self.first + position, int(ss.draws(name="source").integer(10**6))])


def drawing(length: Any = 40) -> AugmentedDataset:
    sources = {name: Drawing(one[0], len(one)) for name, one in SOURCES.items()}
    return AugmentedDataset(ss.Mixture(sources, shares=SHARES, length=length), seed=42)


def rows(batches: Any) -> list[list[int]]:
    return [row for batch in batches for row in batch.tolist()]


def test_loaders_ranks_and_resumes_give_the_records_of_the_steps() -> None:
    mixture = ss.Mixture(SOURCES, shares=SHARES, length=40)
    plain, workers = loader(drawing(), batch_size=4), loader(drawing(), batch_size=4, num_workers=2)
    for epoch in range(2):
        found = rows(plain)
        named = [mixture.place(ss.SampleKey(42, epoch, step)) for step in range(40)]
        assert [record for record, _ in found] == [SOURCES[name][position] for name, position in named]
        assert len({number for _, number in found}) == 40  # a record that comes again has other numbers
        assert rows(workers) == found
    stopped = loader(drawing(), batch_size=4)
    batches = iter(stopped)
    first = [next(batches) for _ in range(3)]
    resumed = loader(drawing(), batch_size=7, num_workers=1)
    resumed.load_state_dict(stopped.state_dict())
    whole = rows(loader(drawing(), batch_size=40))
    assert rows(first) + rows(resumed) == whole
    ranks = [
        rows(
            loader(
                drawing(),
                sampler=DistributedKeyedSampler(40, seed=42, num_replicas=4, rank=rank, shuffle=False),
            )
        )
        for rank in range(4)
    ]
    assert [row for step in zip(*ranks, strict=True) for row in step] == whole


def test_a_source_may_have_a_reader_of_its_own() -> None:
    source = Drawing(0, 5)
    vars(source)["reader"] = object()
    assert len(ss.Mixture({"a": source}, shares={"a": 1})) == 5


def test_lengths() -> None:
    assert len(ss.Mixture(SOURCES, shares=SHARES)) == 19
    assert len(ss.Mixture(SOURCES, shares=SHARES, length=7)) == 7
    for name, source in SOURCES.items():
        mixture = ss.Mixture(SOURCES, shares=SHARES, length=name)
        for epoch in range(20):
            came = [mixture.place(ss.SampleKey(1, epoch, step)) for step in range(len(mixture))]
            assert {position for one, position in came if one == name} == set(range(len(source)))


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        ((2, 3, 5), (2, 3, 5)),
        ((20, 30, 50), (2, 3, 5)),
        ((0.2, 0.3, 0.5), (2, 3, 5)),
        ((1 / 3, 1 / 3, 1 / 3), (1, 1, 1)),
        ((2.0, np.int64(4), 6), (1, 2, 3)),
        ((0.0001, 0.4999, 0.5), (1, 4999, 5000)),
        (np.array([0.2, 0.3, 0.5], np.float32), (2, 3, 5)),
    ],
)
def test_shares_become_whole_numbers(given: Any, whole: Any) -> None:
    mixture = ss.Mixture(SOURCES, shares=dict(zip(SOURCES, given, strict=True)))
    assert tuple(mixture.shares.values()) == whole
    assert mixture.period == sum(whole)


def test_the_order_of_the_shares_does_not_matter() -> None:
    turned = ss.Mixture(SOURCES, shares=dict(reversed(SHARES.items())))
    key = ss.SampleKey(42, 0, 5)
    assert turned.place(key) == ss.Mixture(SOURCES, shares=SHARES).place(key)


class Growing(list[int]):
    """A source that grows."""


def mix(shares: Any = SHARES, sources: Any = SOURCES, **options: Any) -> ss.Mixture:
    return ss.Mixture(sources, shares=shares, **options)


def grown() -> Any:
    source = Growing([1, 2, 3])
    mixture = AugmentedDataset(ss.Mixture({"a": source}, shares={"a": 1}), seed=42)
    source.append(4)
    return mixture[0]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (
            lambda: mix({**SHARES, "web": -1}),
            "the share of 'web' must be an int, float or Fraction above 0 and below 2**53, got -1",
        ),
        (
            lambda: mix({**SHARES, "web": 0}),
            "the share of 'web' must be an int, float or Fraction above 0 and below 2**53, got 0",
        ),
        (lambda: mix({**SHARES, "web": float("nan")}), "above 0 and below 2**53, got nan"),
        (lambda: mix({**SHARES, "web": float("inf")}), "above 0 and below 2**53, got inf"),
        (lambda: mix({**SHARES, "web": 10**400}), "above 0 and below 2**53, got 1000"),
        (lambda: mix({**SHARES, "web": "5"}), "above 0 and below 2**53, got '5'"),
        (lambda: mix({**SHARES, "web": True}), "above 0 and below 2**53, got True"),
        (lambda: mix({"books": 0.2, "code": 0.3, "web": 0.4}), "fractions must sum to 1, got 0.9"),
        (lambda: mix({"books": 2, "code": 3}), "shares must have a number for each of"),
        (lambda: mix({"books": 2, "code": 3, "wed": 5}), "name the same sources"),
        (lambda: mix({**SHARES, "web": 2**16}), "whole numbers with a sum of at most 65536"),
        (lambda: mix({"books": 1e-9, "code": 0.5, "web": 0.5 - 1e-9}), "with a sum of at most 65536"),
        (lambda: mix(sources={**SOURCES, "web": []}), "the length of source 'web' must be at least 1"),
        (lambda: mix(sources=[1, 2]), "sources must be a dict of datasets by name"),
        (lambda: mix(sources={}, shares={}), "sources must be a dict of datasets by name"),
        (lambda: mix(sources={**SOURCES, "web": iter([1])}), "source 'web' must have len() and [index]"),
        (lambda: mix(sources={**SOURCES, "web": drawing()}), "source 'web' is an AugmentedDataset"),
        (lambda: mix(sources={**SOURCES, "web": Subset(drawing(), [0, 1])}), "is a Subset of keyed samples"),
        (lambda: mix(sources={**SOURCES, "web": ConcatDataset([drawing()])}), "is a ConcatDataset of keyed"),
        (lambda: mix(length=0), "length must be at least 1"),
        (lambda: mix(length=2.5), "length must be an integer"),
        (lambda: mix(length="wed"), "length must name a source, got 'wed'"),
        (lambda: mix().place(ss.SampleKey(0, 0, 19)), "step must be at least 0 and below 19, got 19"),
        (lambda: AugmentedDataset(mix(), seed=42)[19], "19"),
        (lambda: mix()[0], "a Mixture needs a seed and an epoch for its order"),
        (grown, "source 'a' had 3 records when the Mixture was made, and has 4"),
    ],
    ids=map(str, range(26)),
)
def test_bad_input(wrong: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError, IndexError, ss.SampleError)) as raised:
        wrong()
    assert text in str(raised.value)
