from __future__ import annotations

import math
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from known import KNOWN_ANSWERS
from numpy.random import Generator, Philox

import seedsafe as ss
from seedsafe.keys.key import Address, address, op_of, philox

KEYS = st.builds(
    ss.SampleKey,
    st.integers(0, 2**128 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**64 - 1),
    occurrence=st.integers(0, 2**16 - 1),
    view=st.integers(0, 2**16 - 1),
)
OPS = st.integers(0, 2**32 - 1)


def words(place: Address, n: int = 4) -> list[int]:
    return philox(place).random_raw(n).tolist()


@pytest.mark.parametrize(("place", "known"), KNOWN_ANSWERS)
def test_known_answers(place: tuple[int, ...], known: str) -> None:
    seed, epoch, index, occurrence, view, op = place
    key = ss.SampleKey(seed, epoch, index, occurrence=occurrence, view=view)
    assert " ".join(f"{word:016x}" for word in words(address(key, op))) == known
    if op == 0:
        assert ss.generator(key).bit_generator.random_raw(4).tolist() == words(address(key))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("counter", "key", "known"),
    [
        ([0] * 4, [0, 0], "16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b"),
        ([2**64 - 1] * 4, [2**64 - 1] * 2, "87b092c3013fe90b 438c3c67be8d0224 9cc7d7c69cd777b6 a09caebf594f0ba0"),
        (
            [0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89],
            [0x452821E638D01377, 0xBE5466CF34E90C6C],
            "a528f45403e61d95 38c72dbd566e9788 a5a1610e72fd18b5 57bd43b5e52b7fe6",
        ),
    ],
    ids=["zeros", "ones", "digits of pi"],
)  # fmt: skip
def test_random123_vectors(counter: list[int], key: list[int], known: str) -> None:
    before = (sum(word << 64 * k for k, word in enumerate(counter)) - 1) % 2**256
    place = (*key, *(before >> 64 * k & 2**64 - 1 for k in range(4)))
    assert " ".join(f"{word:016x}" for word in words(place)) == known


@given(KEYS, OPS, KEYS, OPS)
def test_addresses_that_differ_share_no_block(
    one: ss.SampleKey, op: int, other: ss.SampleKey, other_op: int
) -> None:
    assume((one, op) != (other, other_op))
    a, b = address(one, op), address(other, other_op)
    # The block number, counter[0], runs by itself over 64 bits: the rest must differ.
    assert (a[:2], a[3:]) != (b[:2], b[3:])


@given(
    KEYS, OPS, st.sampled_from(["seed", "epoch", "index", "occurrence", "view", "op"]), st.integers(0, 127)
)
def test_every_bit_of_every_field_counts(key: ss.SampleKey, op: int, field: str, bit: int) -> None:
    width = {"seed": 128, "epoch": 32, "index": 64, "occurrence": 16, "view": 16, "op": 32}[field]
    fields = {n: getattr(key, n) for n in ("seed", "epoch", "index", "occurrence", "view")} | {"op": op}
    fields[field] ^= 1 << bit % width
    other_op = fields.pop("op")
    a, b = address(key, op), address(ss.SampleKey(**fields), other_op)
    assert (a[:2], a[3:]) != (b[:2], b[3:])
    assert all(0 <= word < 2**64 for word in a)


@given(KEYS)
def test_generator_is_numpys_philox_at_the_address(key: ss.SampleKey) -> None:
    place = address(key)
    direct = Philox(key=np.array(place[:2], np.uint64), counter=np.array(place[2:], np.uint64))
    assert (
        ss.generator(key).integers(0, 2**60, 5).tolist() == Generator(direct).integers(0, 2**60, 5).tolist()
    )


def test_generator_by_fields_is_the_one_of_the_key() -> None:
    key = ss.SampleKey(42, 3, 1234, occurrence=5, view=6)
    by_fields = ss.generator(seed=42, epoch=3, index=1234, occurrence=5, view=6)
    assert by_fields.random() == ss.generator(key).random()


def test_generator_pickles_in_mid_stream_and_does_not_spawn() -> None:
    generator = ss.generator(seed=42, epoch=3, index=1)
    generator.random(3)
    assert pickle.loads(pickle.dumps(generator)).random() == generator.random()
    with pytest.raises(TypeError, match="spawn"):
        generator.spawn(2)


def test_generators_are_independent_objects() -> None:
    first, second = (ss.generator(seed=1, epoch=0, index=i) for i in range(2))
    expected = ss.generator(seed=1, epoch=0, index=0).random(4)
    drawn = []
    for _ in range(4):
        drawn.append(first.random())
        second.random()
    assert drawn == expected.tolist()


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"seed": 42, "index": 1}, TypeError, "needs epoch: pass the epoch's number"),
        ({"epoch": 0, "index": 1}, TypeError, "needs seed"),
        ({"seed": 42, "epoch": 0}, TypeError, "needs index"),
        ({"seed": True, "epoch": 0, "index": 0}, TypeError, "seed must be an integer, got True"),
        ({"seed": 0, "epoch": 1.0, "index": 0}, TypeError, "epoch must be an integer, got 1.0"),
        ({"seed": 0, "epoch": 0, "index": math.nan}, TypeError, "index must be an integer, got nan"),
        ({"seed": "1", "epoch": 0, "index": 0}, TypeError, "seed must be an integer, got '1'"),
        ({"seed": -1, "epoch": 0, "index": 0}, ValueError, "seed must be at least 0 and below 2**128, got -1"),
        ({"seed": 2**128, "epoch": 0, "index": 0}, ValueError, "below 2**128"),
        ({"seed": 0, "epoch": 2**32, "index": 0}, ValueError, "epoch must be at least 0 and below 2**32"),
        ({"seed": 0, "epoch": 0, "index": 2**64}, ValueError, "index must be at least 0 and below 2**64"),
        ({"seed": 0, "epoch": 0, "index": 0, "occurrence": 2**16}, ValueError, "occurrence must be"),
        ({"seed": 0, "epoch": 0, "index": 0, "view": -1}, ValueError, "view must be"),
    ],
    ids=map(str, range(13)),
)  # fmt: skip
@pytest.mark.parametrize("make", [ss.SampleKey, ss.generator])
def test_bad_fields(make: Any, fields: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        make(**fields)
    assert message in str(raised.value)


def test_generator_takes_a_key_or_fields() -> None:
    with pytest.raises(TypeError, match="not both"):
        ss.generator(ss.SampleKey(0, 0, 0), seed=1)
    with pytest.raises(TypeError, match="key must be a SampleKey, got 42"):
        ss.generator(42)  # type: ignore[arg-type]


def test_numpy_integers_are_accepted() -> None:
    key = ss.SampleKey(np.int64(3), np.uint8(2), np.uint64(2**63 + 1))
    assert key == ss.SampleKey(3, 2, 2**63 + 1)
    assert type(key.index) is int


def test_key_is_a_value() -> None:
    key = ss.SampleKey(42, 3, 1234, view=1)
    assert eval(repr(key), {"SampleKey": ss.SampleKey}) == key == pickle.loads(pickle.dumps(key))
    assert len({key, ss.SampleKey(42, 3, 1234, view=1), ss.SampleKey(42, 3, 1234)}) == 2
    with pytest.raises(AttributeError):
        key.epoch = 4  # type: ignore[misc]


def test_sample_index_is_an_int_that_keeps_its_epoch() -> None:
    index = ss.SampleIndex(7, 3, 1, 2)
    for same in (pickle.loads(pickle.dumps(index)), index + 0, 0 + index, (index + 5) - 5):
        assert (int(same), same.epoch, same.occurrence, same.view) == (7, 3, 1, 2)
    assert [10, 20][ss.SampleIndex(1, 0)] == 20
    assert hash(index) == hash(7)
    assert index == 7


def test_record_index() -> None:
    assert ss.record_index("a/b") == ss.record_index(b"a/b") != ss.record_index("a/c")
    assert 0 <= ss.record_index("a/b") < 2**64
    with pytest.raises(TypeError, match="record_id must be str or bytes, got 5"):
        ss.record_index(5)  # type: ignore[arg-type]


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**32 - 1), st.integers(0, 300))
def test_epoch_order_is_the_stable_argsort_of_the_order_stream(seed: int, epoch: int, n: int) -> None:
    drawn = words(address(ss.SampleKey(seed, epoch, 0), op_of("seedsafe/order")), n) if n else []
    order = ss.epoch_order(seed, epoch, n)
    assert order.tolist() == sorted(range(n), key=lambda i: (drawn[i], i))
    assert order.dtype == np.int64


def test_epoch_order_is_uniform() -> None:
    # 6 orders of 3 samples, 6,000 epochs: chi-square with 5 degrees of freedom is below 20.5 with P = 0.999.
    counts: dict[tuple[int, ...], int] = {}
    for epoch in range(6000):
        order = tuple(ss.epoch_order(9, epoch, 3).tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 20.5


def test_epoch_order_needs_few_bytes() -> None:
    n = 200_000
    tracemalloc.start()
    ss.epoch_order(1, 1, n)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 28 * n


def test_epoch_order_bad_input() -> None:
    with pytest.raises(ValueError, match="n must be at least 0"):
        ss.epoch_order(0, 0, -1)
    with pytest.raises(TypeError, match="n must be an integer"):
        ss.epoch_order(0, 0, 2.0)  # type: ignore[arg-type]


@given(KEYS, OPS)
def test_every_field_can_be_read_back_from_the_words(key: ss.SampleKey, op: int) -> None:
    low, high, block, moment, stream, index = address(key, op)
    assert (low | high << 64, index) == (key.seed, key.index)
    assert (moment >> 32, moment >> 16 & 0xFFFF, moment & 0xFFFF) == (key.epoch, key.occurrence, key.view)
    assert (stream >> 32, stream & 0xFFFFFFFF, block) == (op, 0, 0)
