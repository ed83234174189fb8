"""The words of many keys at once are those of each key by itself, and so is what is drawn from them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import seedsafe as ss
from seedsafe.keys import many
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address, philox
from seedsafe.keys.many import ManyDraws, ManyKeys

EDGES = random.Random(42)


def field(bits: int) -> int:
    return EDGES.choice(
        [0, 1, 2**bits - 1, 2**bits - 2, 2 ** (bits - 1), EDGES.getrandbits(bits), EDGES.getrandbits(bits)]
    )


def some_key() -> ss.SampleKey:
    return ss.SampleKey(
        field(128), field(32), field(64), occurrence=field(16), view=field(16), call=field(16)
    )


KEYS = [some_key() for _ in range(2000)]
RUN = [ss.SampleKey(2**100 + 7, 3, index) for index in range(300)]
OPS = [0, 1, 2**32 - 1, ss.op_of("RandomCrop")]


@pytest.mark.parametrize("block", [1, 2, 100, 2**40])
@pytest.mark.parametrize("keys", [KEYS[:500], RUN], ids=["edges", "run"])
def test_words_are_those_of_each_key(keys: list[ss.SampleKey], block: int) -> None:
    words = ManyKeys(keys).blocks(OPS, block)
    assert words.shape == (len(OPS), len(keys), 4)
    for stream, op in enumerate(OPS):
        for position, key in enumerate(keys):
            at = address(key, op)
            alone = philox(at._replace(block=block - 1)).random_raw(4)
            assert (words[stream, position] == alone).all(), (key, op)


@pytest.mark.parametrize("block", [1, 2, 2**40])
def test_words_of_few_streams_are_those_of_many(block: int) -> None:
    words = ManyKeys(KEYS).blocks(OPS, block)
    for count in (1, 2, many._FEW // len(OPS), many._FEW // len(OPS) + 1):
        assert (ManyKeys(KEYS[:count]).blocks(OPS, block) == words[:, :count]).all()


def test_words_at_a_hundred_thousand_addresses() -> None:
    keys = [some_key() for _ in range(100_000)]
    for first in range(0, len(keys), 10_000):
        some, block = keys[first : first + 10_000], field(32) + 1
        words = ManyKeys(some).blocks(OPS, block)
        for position, key in enumerate(some):
            stream = position % len(OPS)
            at = address(key, OPS[stream])._replace(block=block - 1)
            assert words[stream, position].tobytes() == philox(at).random_raw(4).tobytes(), (key, block)


def test_parts_and_addresses_are_those_of_each_key() -> None:
    many, rows = ManyKeys(KEYS), np.array([1999, 0, 7, 7])
    assert [many.key(row) for row in range(len(KEYS))] == KEYS
    assert many.addresses(OPS[3]) == [address(key, OPS[3]) for key in KEYS]
    assert (many[rows].blocks(OPS) == many.blocks(OPS)[:, rows]).all()
    assert (many[5:9].blocks(OPS) == many.blocks(OPS)[:, 5:9]).all()
    run = ManyKeys.of_run(2**100 + 7, [3 << 32] * len(RUN), range(len(RUN)))
    assert run.addresses(1) == ManyKeys(RUN).addresses(1) == [address(key, 1) for key in RUN]
    assert (run.blocks(OPS) == ManyKeys(RUN).blocks(OPS)).all()


def test_draws_of_some_keys() -> None:
    rows = np.array([5, 3, 299])
    draws = ManyDraws(ManyKeys(RUN), OPS[3])
    draws.words(5)
    some = draws[rows]
    assert len(some) == 3
    assert some.noise() == [draws.noise()[row] for row in rows]
    alone = [Draws(address(RUN[row], OPS[3])) for row in rows]
    for one in alone:
        one.words(5)
    assert some.noise() == [one.noise() for one in alone]
    assert some.words(4).tolist() == [one.words(4) for one in alone]


def test_draws_are_those_of_each_key() -> None:
    for op in OPS:
        many, alone = ManyDraws(ManyKeys(KEYS), op), [Draws(address(key, op)) for key in KEYS]
        for p in (0.0, 1.0, 0.5, 2.0**-60, 1 - 2.0**-53, 0.3):
            assert many.chance(p).tolist() == [one.chance(p) for one in alone]
        for n in (1, 2, 3, 224, 2**31 - 1, 2**32 - 1, 2**32):
            assert many.integer(n).tolist() == [one.integer(n) for one in alone]
        each = np.array([1 + index % 97 for index in range(len(KEYS))], np.uint64)
        assert many.integer(each).tolist() == [
            one.integer(int(n)) for one, n in zip(alone, each, strict=True)
        ]
        for low, high in ((0.0, 1.0), (-3.5, 7.1), (1e300, 1e301), (5.0, 5.0)):
            assert many.uniform(low, high).tolist() == [one.uniform(low, high) for one in alone]
        assert many.unit().tolist() == [one.unit() for one in alone]
        assert many.words(5).tolist() == [one.words(5) for one in alone]


def test_a_block_may_be_there_already() -> None:
    keys = ManyKeys(RUN)
    first = keys.blocks(OPS)
    for stream, op in enumerate(OPS):
        assert ManyDraws(keys, op, first[stream]).words(9).tolist() == ManyDraws(keys, op).words(9).tolist()


def test_none() -> None:
    assert len(ManyKeys([])) == 0
    assert ManyKeys([]).blocks(OPS).shape == (len(OPS), 0, 4)
