from __future__ import annotations

import itertools
import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import seedsafe as ss
from seedsafe.keys import words as module
from seedsafe.keys.ambient import reading
from seedsafe.keys.draws import Draws, PooledDraws, limit_of
from seedsafe.keys.key import Address, address, philox
from seedsafe.keys.words import MAX_NORMAL, normal_quantiles, sixteenths

KEYS = st.builds(
    ss.SampleKey, st.integers(0, 2**128 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)
)
FINITE = st.floats(-1e150, 1e150)


def raw(place: Address, n: int) -> list[int]:
    return philox(place).random_raw(n).tolist()


def rounded(exact: Fraction) -> float:
    return exact.numerator / exact.denominator  # Python's division of integers is correctly rounded


@given(KEYS)
def test_unit_and_chance(key: ss.SampleKey) -> None:
    place = address(key)
    first, second, third = raw(place, 3)
    draws = Draws(place)
    assert draws.unit() == Fraction(first >> 11, 2**53)
    assert draws.chance(0.25) == (Fraction(second >> 11, 2**53) < Fraction(1, 4))
    assert draws.word() == third


@given(st.floats(0, 1) | st.integers(0, 2**53).map(lambda part: part * 2.0**-53))
def test_words_below_the_limit_are_those_of_which_chance_is_true(p: float) -> None:
    limit = limit_of(p)
    for word in {0, limit // 2, limit - 1, limit, limit + 1, limit + 2047, 2**64 - 1}:
        if 0 <= word < 2**64:
            assert (word < limit) == (Fraction(word >> 11, 2**53) < Fraction(p))


def test_units_are_unit_after_unit() -> None:
    several, single = (Draws(address(ss.SampleKey(1, 2, 3))) for _ in range(2))
    assert several.units(21).tolist() == [single.unit() for _ in range(21)]
    assert several.noise() == single.noise()
    assert several.word() == single.word()


@given(KEYS, st.lists(st.integers(0, 9), max_size=6))
def test_words_are_raw_word_after_raw_word(key: ss.SampleKey, counts: list[int]) -> None:
    place = address(key, 77)
    shared = PooledDraws()
    shared.enter(key)
    shared.to_stream(77)
    own, single = Draws(place), Draws(place)
    for count in counts:
        taken = own.words(count)
        assert taken == shared.words(count) == [single.word() for _ in range(count)]
        assert all(type(word) is int for word in taken)  # NumPy's would wrap where they are multiplied
        assert own.noise() == shared.noise() == single.noise()
    assert own.word() == shared.word() == raw(place, sum(counts) + 1)[-1]


@given(KEYS, st.integers(1, 2**32))
def test_integer_is_the_upper_half_of_the_exact_product(key: ss.SampleKey, n: int) -> None:
    place = address(key, 5)
    assert Draws(place).integer(n) == raw(place, 1)[0] * n // 2**64 < n


@given(KEYS, FINITE, FINITE)
def test_uniform_is_rounded_after_each_operation(key: ss.SampleKey, low: float, high: float) -> None:
    place = address(key)
    unit = Fraction(raw(place, 1)[0] >> 11, 2**53)
    span = rounded(Fraction(high) - Fraction(low))
    product = rounded(Fraction(span) * unit)
    assert Draws(place).uniform(low, high) == rounded(Fraction(low) + Fraction(product))


@given(KEYS, st.lists(st.sampled_from(["unit", "uniform", "integer", "chance", "word"]), max_size=9))
def test_every_draw_consumes_one_word_and_noise_starts_at_the_next_block(
    key: ss.SampleKey, names: list[str]
) -> None:
    calls = {"unit": (), "uniform": (3.0, 3.0), "integer": (1,), "chance": (0.0,), "word": ()}
    place = address(key, 77)
    shared = PooledDraws()
    shared.enter(key)
    shared.to_stream(77)
    own = Draws(place)
    for name in names:
        assert getattr(own, name)(*calls[name]) == getattr(shared, name)(*calls[name])
    noise = own.noise()
    assert shared.noise() == noise == (*place[:2], -(-len(names) // 4), *place[3:])
    assert own.word() == shared.word() == raw(place, len(names) + 1)[-1]
    assert raw(noise, 1)[0] == raw(place, 4 * -(-len(names) // 4) + 1)[-1]


def test_generator_shares_no_block_with_the_words() -> None:
    draws = Draws(address(ss.SampleKey(42, 0, 1), 9))
    kept = draws.generator
    assert draws.generator is kept
    state: Any = kept.bit_generator.state["state"]
    assert state["counter"].tolist() == [0, 0, 9 << 32 | 1, 1]
    assert draws.word() == raw(address(ss.SampleKey(42, 0, 1), 9), 1)[0]
    kept.random(100)
    assert draws.word() == raw(address(ss.SampleKey(42, 0, 1), 9), 2)[1]


def test_a_pooled_generator_stays_valid_when_the_pool_moves() -> None:
    shared = PooledDraws()
    shared.enter(ss.SampleKey(1, 2, 3))
    shared.to_stream(4)
    kept = shared.generator
    shared.to_stream(5)
    shared.word()
    assert kept.random() == Draws(address(ss.SampleKey(1, 2, 3), 4)).generator.random()
    assert shared.generator is not kept


@given(KEYS, st.integers(0, 50))
def test_sixteenths_are_the_words_in_pieces(key: ss.SampleKey, n: int) -> None:
    place = address(key)
    pieces = [word >> 16 * k & 0xFFFF for word in raw(place, -(-n // 4) or 1) for k in range(4)]
    assert sixteenths(place, n).tolist() == pieces[:n]


def test_table_is_the_normal_quantile() -> None:
    table = normal_quantiles()
    assert table.shape == (65536,)
    assert not table.flags.writeable
    np.testing.assert_array_equal(table, -table[::-1])
    assert (np.diff(table) > 0).all()
    assert table[-1] < MAX_NORMAL
    normal = NormalDist()
    for h in range(0, 65536, 17):
        assert table[h] == pytest.approx(normal.inv_cdf((h + 0.5) / 65536), rel=1e-9)
    assert float(np.std(table)) == pytest.approx(1, abs=1e-3)


def test_a_damaged_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TABLE_SHA256", "0")
    normal_quantiles.cache_clear()
    try:
        with pytest.raises(RuntimeError, match=r"is damaged .* install seedsafe again"):
            normal_quantiles()
    finally:
        monkeypatch.undo()
        normal_quantiles.cache_clear()


SHAPED = {"uniform": (-1.0, 3.0), "integer": (10,), "chance": (0.3,)}


@pytest.mark.parametrize("name", SHAPED)
@pytest.mark.parametrize("shape", [(), 0, 5, (2, 3), (2, 0)])
def test_an_array_is_number_after_number(name: str, shape: Any) -> None:
    key = ss.SampleKey(42, 3, 1234)
    shared = PooledDraws()
    shared.enter(key)
    shared.to_stream(77)
    several, single = Draws(address(key, 77)), Draws(address(key, 77))
    array = getattr(several, name)(*SHAPED[name], shape)
    assert np.array_equal(getattr(shared, name)(*SHAPED[name], shape), array)
    numbers = [getattr(single, name)(*SHAPED[name]) for _ in range(math.prod(np.shape(array)))]
    assert np.shape(array) == (shape if isinstance(shape, tuple) else (shape,))
    assert np.ravel(array).tolist() == numbers
    assert np.asarray(array).dtype == {"uniform": np.float64, "integer": np.int64, "chance": np.bool_}[name]
    assert several.word() == shared.word() == single.word()


@given(KEYS, st.integers(0, 9), st.integers(0, 40))
def test_normal_is_the_noise_and_takes_whole_blocks(key: ss.SampleKey, before: int, n: int) -> None:
    draws, place = Draws(address(key)), address(key)
    draws.words(before)
    noise = draws.noise()
    assert draws.normal(n).tolist() == normal_quantiles()[sixteenths(noise, n)].tolist()
    assert draws.word() == raw(place, 200)[4 * (-(-before // 4) + -(-n // 16))]


def several(draw: Any, count: int = 6000) -> list[Any]:
    return [draw(Draws(address(ss.SampleKey(5, 6, index)))) for index in range(count)]


def assert_shares(found: list[Any], law: dict[Any, float]) -> None:
    observed = [found.count(value) for value in law]
    assert sum(observed) == len(found)
    assert stats.chisquare(observed, [share * len(found) for share in law.values()]).pvalue > 1e-6


def test_permutations_and_choices_are_uniform() -> None:
    orders = list(itertools.permutations(range(3)))
    assert_shares(several(lambda d: tuple(d.permutation(3).tolist())), dict.fromkeys(orders, 1 / 6))
    pairs = list(itertools.permutations(range(4), 2))
    assert_shares(several(lambda d: tuple(d.choice(4, 2).tolist())), dict.fromkeys(pairs, 1 / 12))
    assert_shares(several(lambda d: d.choice(5)), dict.fromkeys(range(5), 0.2))
    again = dict.fromkeys(itertools.product(range(2), repeat=2), 0.25)
    assert_shares(several(lambda d: tuple(d.choice(2, 2, replace=True).tolist())), again)


def test_weights_are_probabilities() -> None:
    weights = [1.0, 0.0, 3.0, 4.0]
    shares = {0: 1 / 8, 2: 3 / 8, 3: 4 / 8}
    assert_shares(several(lambda d: d.choice(4, weights=weights)), shares)
    pairs = {
        (one, two): shares[one] * shares[two] / (1 - shares[one])
        for one, two in itertools.permutations(shares, 2)
    }
    assert_shares(several(lambda d: tuple(d.choice(4, 2, weights=weights).tolist())), pairs)
    counts = np.sum(several(lambda d: d.multinomial(7, weights), 2000), axis=0)
    assert counts[1] == 0
    assert stats.chisquare(counts[[0, 2, 3]], 14_000 * np.array([1, 3, 4]) / 8).pvalue > 1e-6
    assert weights == [1.0, 0.0, 3.0, 4.0]


def test_a_choice_of_many_values_needs_no_list_of_them() -> None:
    draws = Draws(address(ss.SampleKey(1, 2, 3)))
    assert len(set(draws.choice(2**32, 1000).tolist())) == 1000
    assert draws.word() == raw(address(ss.SampleKey(1, 2, 3)), 1001)[-1]
    assert sorted(draws.choice(1000, 1000).tolist()) == list(range(1000))


def test_truncated_normal_has_the_law_between_its_bounds() -> None:
    found = Draws(address(ss.SampleKey(1, 2, 3))).truncated_normal(-0.5, 2.0, (40, 100))
    assert found.shape == (40, 100)
    assert -0.5 <= found.min() < found.max() <= 2.0
    assert stats.kstest(found.ravel(), stats.truncnorm(-0.5, 2.0).cdf).pvalue > 1e-6


@pytest.mark.parametrize(
    ("draw", "kind", "message"),
    [
        (lambda d: d.integer(0), ValueError, "n must be at least 1 and at most 2**32, got 0"),
        (lambda d: d.integer(2**32 + 1), ValueError, "n must be at least 1"),
        (lambda d: d.chance(1.5), ValueError, "p must be a probability in [0, 1], got 1.5"),
        (lambda d: d.chance(math.nan), ValueError, "got nan"),
        (lambda d: d.uniform(0, math.inf), ValueError, "must be finite"),
        (lambda d: d.uniform(math.nan, 1), ValueError, "must be finite"),
        (lambda d: d.uniform(-1.7e308, 1.7e308), ValueError, "must be finite"),
        (lambda d: d.integer(3, -1), ValueError, "a shape must have no negative size, got -1"),
        (lambda d: d.uniform(0, 1, 2.5), TypeError, "a shape must be an integer or a tuple of integers, got 2.5"),
        (lambda d: d.chance(1.5, (2, 2)), ValueError, "p must be a probability in [0, 1], got 1.5"),
        (lambda d: d.choice(3, 4), ValueError, "k must be at least 0 and at most n = 3, got 4: pass replace=True"),
        (lambda d: d.choice(3, -1, replace=True), ValueError, "k must be at least 0"),
        (lambda d: d.choice(0), ValueError, "n must be at least 1"),
        (lambda d: d.choice(2, weights=[1, -1]), ValueError, "weights must be finite, at least 0"),
        (lambda d: d.choice(2, weights=[0, 0]), ValueError, "and their sum finite and above 0"),
        (lambda d: d.choice(2, weights=[1, math.nan]), ValueError, "weights must be finite"),
        (lambda d: d.choice(2, weights=[1e308, 1e308]), ValueError, "and their sum finite"),
        (lambda d: d.choice(2, weights=[1, 1, 1]), ValueError, "weights must be 2 numbers"),
        (lambda d: d.choice(3, 2, weights=[0, 1, 0]), ValueError, "at most the 1 weights above 0, got 2"),
        (lambda d: d.multinomial(-1, [1]), ValueError, "n must be at least 0 and below 2**63, got -1"),
        (lambda d: d.multinomial([1], 3), TypeError, "pass multinomial(n, weights)"),
        (lambda d: d.multinomial(3, 5), TypeError, "weights must be a sequence of numbers, got 5"),
        (lambda d: d.multinomial(3, []), ValueError, "and their sum finite and above 0, got []"),
        (lambda d: d.multinomial(3, "ab"), TypeError, "weights must be numbers, one for each value"),
        (lambda d: d.choice(5, 2.5), TypeError, "k must be an integer, the number of values to choose, got 2.5"),
        (lambda d: d.choice(5, 2, replace="no"), TypeError, "replace must be True or False, got 'no'"),
        (lambda d: d.integer(1.5), TypeError, "n must be an integer, the number of values to draw from, got 1.5"),
        (lambda d: d.integer(np.float64(2), 3), TypeError, "n must be an integer"),
        (lambda d: d.multinomial(0.5, [1]), TypeError, "pass multinomial(n, weights)"),
        (lambda d: d.choice(["a", "b"]), TypeError, "values[draws.choice(len(values))]"),
        (lambda d: d.choice(np.arange(3), 2), TypeError, "got one of type ndarray"),
        (lambda d: d.truncated_normal(5, 9, 2), ValueError, "low and high must leave room for at least one value"),
        (lambda d: d.truncated_normal(1, -1, 2), ValueError, "low below high"),
        (lambda d: d.permutation(-1), ValueError, "negative"),
    ],
    ids=map(str, range(34)),
)  # fmt: skip
def test_bad_arguments(draw: Any, kind: type[Exception], message: str) -> None:
    draws = Draws(address(ss.SampleKey(0, 0, 0)))
    with pytest.raises(kind) as raised:
        draw(draws)
    assert message in str(raised.value)
    assert draws.word() == raw(address(ss.SampleKey(0, 0, 0)), 1)[0]


def test_draws_of_a_key_by_name() -> None:
    key = ss.SampleKey(42, 3, 1234)
    assert ss.draws(key).words(4) == raw(address(key), 4)
    assert ss.draws(seed=42, epoch=3, index=1234, name="mask").words(4) == raw(
        address(key, ss.op_of("mask")), 4
    )
    assert ss.generator(key, name="mask").random() == ss.draws(key, name="mask").unit()
    assert ss.draws(key).epoch == 3
    for name, kind in [("", ValueError), ("a#1", ValueError), ("seedsafe/order", ValueError), (3, TypeError)]:
        with pytest.raises(kind, match="name must be a"):
            ss.generator(key, name=name)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"draws\(\) takes a key or its fields, not both"):
        ss.draws(key, seed=42)
    with pytest.raises(TypeError, match="key must be a SampleKey, got None"):
        ss.draws()


def test_named_streams_of_a_read_do_not_move_each_other() -> None:
    key = ss.SampleKey(42, 3, 1234)
    with reading(key):
        first, mask, second = ss.draws().word(), ss.draws(name="mask").word(), ss.draws().word()
    with reading(key):
        assert [ss.draws(name="mask").word(), ss.draws().word(), ss.draws().word()] == [mask, first, second]
    assert mask == ss.draws(key.of_call(1), name="mask").word()


class Ramp(ss.ImageTransform):
    def draw(self, rng: Draws, info: ss.Info) -> int:
        return 10 * rng.epoch + rng.integer(5)

    def apply_image(self, image: Any, amount: int) -> Any:
        return image + np.uint8(amount)


def test_a_transform_reads_the_epoch_and_stays_replayable() -> None:
    augment, image = ss.Compose([ss.HorizontalFlip(), Ramp()]), np.zeros((2, 2), np.uint8)
    for epoch in (0, 1, 20):
        key = ss.SampleKey(42, epoch, 7)
        params = augment.params(key, image.shape)
        assert params[1].params // 10 == epoch
        assert (augment.replay(image, params) == augment(image, key=key)).all()
        assert augment(image, key=key)[0, 0] == params[1].params
