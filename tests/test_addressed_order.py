"""The addressed order: known answers, laws, and how random it is. NumPy alone is needed."""

from __future__ import annotations

import os
from math import sqrt
from typing import Any

import contract_from_the_page as contract
import known
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seedsafe as ss
from seedsafe.keys import order as module

SIZES = [1, 2, 3, 12, 255, 256, 257, 1000, 10**6, 10**9, 10**12, 2**40 + 1, 2**63 - 1, 2**63]
WHOLE = bool(os.environ.get("SEEDSAFE_WHOLE_ORDER"))
"""Set by `make test-order`: ten times as many keys, and more sizes."""
KEYS = 10_000 if WHOLE else 1_000


def addressed(seed: int, epoch: int, n: int) -> module.AddressedOrder:
    return ss.epoch_order(seed, epoch, n, order="addressed")


def golden() -> dict[str, list[list[int]]]:
    """Return the samples at four positions of the orders of the golden keys, by the number of samples."""
    places = {n: np.array([0, n // 3, n // 2, n - 1]) for n in SIZES}
    return {
        str(n): [addressed(key.seed, key.epoch, n)[at].tolist() for key in known.KEYS]
        for n, at in places.items()
    }


def test_known_answers() -> None:
    assert golden() == known.stored("orders/addressed.json"), "a golden value never changes"


def test_known_answers_are_those_of_the_page() -> None:
    for n, of_keys in known.stored("orders/addressed.json").items():
        for key, found in zip(known.KEYS, of_keys, strict=True):
            at = (0, int(n) // 3, int(n) // 2, int(n) - 1)
            assert [contract.addressed(key.seed, key.epoch, int(n), one) for one in at] == found


@pytest.mark.parametrize("seed", [0, 42, 2**128 - 1])
def test_it_is_a_permutation_of_every_number_of_samples(seed: int) -> None:
    for n in range(1, 301):
        order = addressed(seed, n % 7, n)
        assert sorted(order[:].tolist()) == list(range(n)), n
        assert (order.position(order[:]) == np.arange(n)).all(), n


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**32 - 1), st.integers(1, 2**63), st.data())
def test_the_position_of_the_sample_at_a_position_is_that_position(
    seed: int, epoch: int, n: int, data: Any
) -> None:
    order = addressed(seed, epoch, n)
    places = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=5))
    found = order[np.array(places)]
    assert order.position(found).tolist() == places
    assert [order[place] for place in places] == found.tolist()
    assert [order.position(sample) for sample in found.tolist()] == places
    assert len(set(found.tolist())) == len(set(places))


def test_arrays_slices_and_lists_are_the_samples_one_by_one() -> None:
    order = addressed(42, 3, 10_001)
    every = list(order)
    assert order[:].tolist() == every
    assert order[9_990:].tolist() == every[9_990:]
    assert order[10:0:-3].tolist() == every[10:0:-3]
    assert order[np.arange(12).reshape(3, 4)].tolist() == np.reshape(every[:12], (3, 4)).tolist()
    assert order[np.zeros(0, np.int64)].shape == (0,)
    assert (order[:].dtype, order[np.uint64(3)], len(order)) == (np.int64, every[3], 10_001)


def test_seeds_epochs_and_the_stored_order_differ() -> None:
    orders = [addressed(seed, epoch, 50)[:].tolist() for seed in (1, 2, 2**64 + 1) for epoch in (0, 1, 2)]
    orders.append(ss.epoch_order(1, 0, 50).tolist())
    assert len(set(map(tuple, orders))) == 10


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        (lambda: addressed(0, 0, 0), ValueError, "n must be at least 1"),
        (lambda: addressed(0, 0, 2**63 + 1), ValueError, "n must be at least 1"),
        (lambda: addressed(0, 0, 2.0), TypeError, "n must be an integer, got 2.0"),  # type: ignore[arg-type]
        (lambda: addressed(-1, 0, 2), ValueError, "seed must be at least 0"),
        (
            lambda: ss.epoch_order(0, 0, 2, order="random"),  # type: ignore[call-overload]
            ValueError,
            'order must be "stored" or "addressed", got \'random\'',
        ),
        (lambda: addressed(0, 0, 5)[5], IndexError, "position must be at least 0 and below 5, got 5"),
        (lambda: addressed(0, 0, 5)[-1], IndexError, "position must be at least 0 and below 5, got -1"),
        (lambda: addressed(0, 0, 5)[np.array([0, 9])], IndexError, "below 5, got 9"),
        (lambda: addressed(0, 0, 5)[np.array([0.5])], TypeError, "position must be an integer, got"),
        (lambda: addressed(0, 0, 5).position(7), IndexError, "index must be at least 0 and below 5, got 7"),
        (lambda: addressed(0, 0, 5).position("1"), TypeError, "index must be an integer, got '1'"),
    ],
    ids=list("abcdefghijk"),
)
def test_bad_input(wrong: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        wrong()
    assert text in str(raised.value)


def deviation(counts: Any, expected: float) -> float:
    """Return how many standard deviations the chi-square of counts is above its mean."""
    free = np.size(counts) - 1
    return float((((np.asarray(counts) - expected) ** 2 / expected).sum() - free) / sqrt(2 * free))


def unevenness(n: int, keys: int) -> dict[str, float]:
    """Return how uneven three counts over many keys are: samples at a position, steps to its neighbour, and pairs of both.

    The positions are some from the beginning, the middle and the end. Above 16 samples, those are counted in 16 equal parts.
    """
    parts = min(n, 16)
    firsts = sorted({0, 1, n // 2 - 1, n - 2})
    at = [place for first in firsts for place in (first, first + 1)]
    orders = (addressed(42, epoch, n) for epoch in range(keys))
    found = np.array([[order[place] for place in at] for order in orders])
    uneven = {}
    for first, one, next_one in zip(firsts, found.T[::2], found.T[1::2], strict=True):
        samples, others, steps = (values * parts // n for values in (one, next_one, (next_one - one) % n))
        pairs = np.bincount(samples * parts + others, minlength=parts**2)
        counts = {"samples": np.bincount(samples, minlength=parts), "pairs": pairs}
        if n == parts:  # no sample is its own neighbour
            counts["pairs"] = pairs[~np.eye(n, dtype=np.bool_).ravel()]
            counts["steps"] = np.bincount(steps, minlength=parts)[1:]
        else:
            counts["steps"] = np.bincount(steps, minlength=parts)
        uneven |= {f"{what} at {first}": deviation(of, keys / len(of)) for what, of in counts.items()}
    return uneven


@pytest.mark.parametrize(
    "n", [3, 4, 5, 7, 8, 11, 16, 4096, 10**6, *([6, 9, 13, 1024, 2**16] if WHOLE else [])]
)
def test_samples_and_neighbours_are_as_often_as_in_random_orders(n: int) -> None:
    assert {what: one for what, one in unevenness(n, KEYS).items() if one > 5} == {}


def test_fewer_rounds_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROUNDS", 2)
    assert min(max(unevenness(n, 1000).values()) for n in (3, 5, 8, 16)) > 50
