"""Calls without a key inside a read: which address each has, by an independent Philox in plain integers."""

from __future__ import annotations

import hashlib
import random
import threading
from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe.keys.ambient import MOST_CALLS, reading
from seedsafe.keys.draws import PooledDraws
from seedsafe.keys.words import normal_quantiles

KEY = ss.SampleKey(2**70 + 42, 3, 1234, occurrence=5, view=6)
IMAGE = np.arange(64, dtype=np.uint8).reshape(8, 8)
WORD = 2**64 - 1


def philox(key: ss.SampleKey, op: int, call: int, block: int) -> list[int]:
    """Return a block of four words at an address, by Salmon et al.'s definition of Philox4x64-10."""
    c = [block, key.epoch << 32 | key.occurrence << 16 | key.view, op << 32 | call << 16, key.index]
    k = [key.seed & WORD, key.seed >> 64]
    for _ in range(10):
        first, second = 0xD2E7470EE14C6C93 * c[0], 0xCA5A826395121157 * c[2]
        c = [second >> 64 ^ c[1] ^ k[0], second & WORD, first >> 64 ^ c[3] ^ k[1], first & WORD]
        k = [(k[0] + 0x9E3779B97F4A7C15) & WORD, (k[1] + 0xBB67AE8584CAA73B) & WORD]
    return c


def op_of(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=4).digest(), "little")


def words(rng: np.random.Generator, n: int = 4) -> list[int]:
    return rng.bit_generator.random_raw(n).tolist()  # type: ignore[attr-defined]  # Philox has it


class Words(ss.ImageTransform):
    """Keeps the first words of its stream, chance word apart."""

    def draw(self, rng: ss.Draws, info: ss.Info) -> tuple[int, ...]:
        return tuple(rng.word() for _ in range(3))

    def apply_image(self, image: Any, params: tuple[int, ...]) -> Any:
        return np.array([params], np.uint64)


def test_golden_words() -> None:
    """The words of calls 1 and 2 of the root stream: fixed, as all words of the contract are."""
    with reading(ss.SampleKey(42, 3, 1234)):
        first, second = words(ss.generator()), words(ss.generator())
    assert [f"{word:016x}" for word in first] == [
        "68ff1f55647ac742",
        "981fdeb93d70ef6d",
        "1a766dce47abe43f",
        "2915d61de1f094c9",
    ]
    assert [f"{word:016x}" for word in second] == [
        "e5f25db61d0a1044",
        "69f868af6858c38c",
        "770fd519c0e59148",
        "7a598a7d4b247b4c",
    ]


def test_generators_are_numbered_from_1() -> None:
    with reading(KEY):
        got = [words(ss.generator()) for _ in range(3)]
        explicit = words(ss.generator(KEY))
    assert got == [philox(KEY, 0, call, 1) for call in (1, 2, 3)]
    assert explicit == philox(KEY, 0, 0, 1)


def test_a_pipeline_of_a_users_transform_draws_at_its_call() -> None:
    augment = ss.Compose([Words()])
    with reading(KEY):
        got = [augment(IMAGE).ravel().tolist() for _ in range(2)]
    assert got == [philox(KEY, op_of("Words"), call, 1)[1:] for call in (1, 2)]


def test_pooled_draws_and_noise_are_at_the_call() -> None:
    augment = ss.Compose([ss.RandomCrop(2), ss.GaussianNoise(std=1)])
    with reading(KEY):
        augment(IMAGE)
        made = augment(IMAGE.astype(np.float32))
        key = ss.SampleKey(KEY.seed, KEY.epoch, KEY.index, occurrence=5, view=6, call=2)
        assert (augment(IMAGE.astype(np.float32), key=key) == made).all()
    top, left = (word * 7 >> 64 for word in philox(KEY, op_of("RandomCrop"), 2, 1)[1:3])
    window = IMAGE[top : top + 2, left : left + 2].astype(np.float32)
    noise = philox(KEY, op_of("GaussianNoise"), 2, 2)[0]  # word 0 and the std are words 0 and 1 of block 1
    pieces = [noise >> 16 * k & 0xFFFF for k in range(4)]
    wanted = window + normal_quantiles()[pieces].reshape(2, 2).astype(np.float32)
    assert made.tolist() == wanted.tolist()


def test_a_bridge_is_at_the_call() -> None:
    state = random.getstate()
    with reading(KEY):
        with ss.keyed():
            first = random.getstate()[1][:624]
        with ss.keyed():
            second = random.getstate()[1][:624]
    assert random.getstate() == state
    for call, got in ((1, first), (2, second)):
        blocks = [philox(KEY, op_of("seedsafe/bridge"), call, block) for block in range(1, 79)]
        halves = [half for block in blocks for word in block for half in (word & 0xFFFFFFFF, word >> 32)]
        assert list(got) == halves


def test_bridged_members_are_at_the_call() -> None:
    augment = ss.Compose([ss.bridge(lambda image: image + np.random.randint(100, dtype=np.uint8), name="b")])
    with reading(KEY):
        got = [int(augment(IMAGE * 0)[0, 0]) for _ in range(8)]
    again = [
        int(augment(IMAGE * 0, key=ss.SampleKey(KEY.seed, 3, 1234, occurrence=5, view=6, call=n))[0, 0])
        for n in range(1, 9)
    ]
    assert got == again
    assert len(set(got)) > 1


def call_of(augment: Any) -> int:
    """Return the number that a call of a pipeline of Words has."""
    found = augment(IMAGE).ravel().tolist()
    name = augment.streams()[-1].name if isinstance(augment, ss.Compose) else "Words"
    return next(n for n in range(9) if philox(KEY, op_of(name), n, 1)[1:] == found)


def test_pipelines_that_share_no_names_do_not_move_each_other() -> None:
    a, b = ss.Compose([Words(name="a")]), ss.Compose([Words(name="b")])
    with reading(KEY):
        assert [call_of(a), call_of(b), call_of(a), call_of(b)] == [1, 1, 2, 2]


def test_pipelines_with_the_same_names_never_share_a_stream() -> None:
    one, other = ss.Compose([Words()]), Words()
    with reading(KEY):
        assert [call_of(one), call_of(other), call_of(one)] == [1, 2, 3]


def test_a_number_is_beyond_those_of_all_streams_of_the_pipeline() -> None:
    a, b = ss.Compose([Words(name="a")]), ss.Compose([Words(name="b")])
    both = ss.Compose([Words(name="b"), Words(name="a")])
    with reading(KEY):
        assert [call_of(a), call_of(a), call_of(both), call_of(b)] == [1, 2, 3, 4]


def test_what_cannot_draw_counts_for_nothing() -> None:
    a = ss.Compose([ss.CenterCrop(1), Words(name="a")])
    with reading(KEY):
        ss.Compose([ss.CenterCrop(4)])(IMAGE)
        assert call_of(a) == 1


def test_the_streams_of_containers_count() -> None:
    choose = ss.Compose([ss.OneOf([ss.CenterCrop(2), ss.CenterCrop(3)], name="choice")])
    words_of = ss.Compose([Words(name="choice")])
    with reading(KEY):
        choose(IMAGE)
        assert call_of(words_of) == 2


def test_a_call_that_raises_leaves_the_numbers_as_they_were() -> None:
    augment = ss.Compose([Words()])

    class Fails(ss.ImageTransform):
        def draw(self, rng: ss.Draws, info: ss.Info) -> int:
            return rng.integer(2)

        def apply_image(self, image: Any, params: int) -> Any:
            augment(image)  # a pipeline of its own, which goes back with it
            raise OSError("no")

    with reading(KEY):
        with pytest.raises(OSError, match="no"):
            ss.Compose([Fails()])(IMAGE)
        with pytest.raises(ValueError, match="cannot crop"):
            ss.Compose([Words(name="w"), ss.RandomCrop(99)])(np.zeros((9, 9), np.uint8))
        assert call_of(augment) == 1
        assert call_of(ss.Compose([Words(name="w")])) == 1


def test_a_pipeline_inside_a_transform_shares_no_stream_with_the_one_around_it() -> None:
    seen = []

    class Outer(Words):
        def apply_image(self, image: Any, params: tuple[int, ...]) -> Any:
            if len(seen) < 2:
                seen.append(params)
                Outer()(image)
            return image

    with reading(KEY):
        Outer()(IMAGE)
    assert len(set(seen)) == 2


def test_every_run_of_a_base_starts_from_the_same_numbers() -> None:
    for _ in range(2):
        with reading(KEY):
            assert call_of(ss.Compose([Words()])) == 1


def test_the_innermost_read_counts_and_the_outer_one_goes_on() -> None:
    other = ss.SampleKey(1, 0, 0)
    with reading(KEY):
        ss.generator()
        with reading(other):
            assert ss.current_key() == other
            assert words(ss.generator()) == philox(other, 0, 1, 1)
        assert ss.current_key() == KEY
        assert words(ss.generator()) == philox(KEY, 0, 2, 1)
        with reading(None), pytest.raises(TypeError, match="key must be a SampleKey, got None"):
            ss.generator()
    assert ss.current_key() is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: ss.generator(),
        lambda: ss.keyed(),
        lambda: ss.Compose([ss.RandomCrop(2)])(IMAGE),
        lambda: ss.RandomCrop(2)(IMAGE),
        lambda: ss.Compose([])(IMAGE),
    ],
    ids=["generator", "keyed", "Compose", "transform", "empty Compose"],
)
def test_outside_of_a_read_a_key_is_needed(call: Any) -> None:
    with pytest.raises(TypeError, match="key must be a SampleKey, got None"):
        call()


def test_a_key_in_part_stays_an_error_inside_a_read() -> None:
    with reading(KEY), pytest.raises(TypeError, match="needs seed"):
        ss.generator(epoch=3)


def test_another_thread_has_no_key() -> None:
    found: list[Any] = []
    with reading(KEY):
        thread = threading.Thread(target=lambda: found.append(ss.current_key()))
        thread.start()
        thread.join()
    assert found == [None]


def test_an_empty_pipeline_returns_the_sample_itself() -> None:
    with reading(KEY):
        assert ss.Compose([])(IMAGE) is IMAGE


def test_more_calls_than_numbers_are_refused() -> None:
    with reading(KEY):
        for _ in range(MOST_CALLS):
            last = ss.generator()
        with pytest.raises(ValueError, match="at most 65535"):
            ss.generator()
    assert words(last) == philox(KEY, 0, MOST_CALLS, 1)


def test_params_and_replay_reach_every_call() -> None:
    augment = ss.Compose([ss.RandomCrop(3), ss.HorizontalFlip()])
    with reading(KEY):
        got = [augment(IMAGE) for _ in range(5)]
    for number, made in enumerate(got, 1):
        key = ss.SampleKey(KEY.seed, KEY.epoch, KEY.index, occurrence=5, view=6, call=number)
        params = augment.params(key, IMAGE.shape)
        assert (augment.replay(IMAGE, params) == made).all()
    assert len({made.tobytes() for made in got}) > 1


def test_a_key_with_a_call_says_so() -> None:
    assert (
        repr(ss.SampleKey(1, 2, 3, call=4))
        == "SampleKey(seed=1, epoch=2, index=3, occurrence=0, view=0, call=4)"
    )
    assert ss.SampleKey(1, 2, 3, call=4) != ss.SampleKey(1, 2, 3)
    with pytest.raises(ValueError, match="call must be at least 0"):
        ss.SampleKey(1, 2, 3, call=2**16)


def test_the_pooled_stream_tells_the_address_of_the_call() -> None:
    draws = PooledDraws()
    draws.enter(ss.SampleKey(1, 2, 3, call=4))
    draws.to_stream(5)
    assert draws.address == (1, 0, 0, 2 << 32, 5 << 32 | 4 << 16, 3)
