"""The words of many keys at once are those of each key by itself, and so is what is drawn from them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import seedsafe as ss
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
