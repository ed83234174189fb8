"""An interrupt (Ctrl-C) in a bridged read passes through it, and leaves every generator as it was."""

from __future__ import annotations

import dis
import functools
import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch
from programs import python
from reentry import PLACES

import seedsafe as ss
from seedsafe.bridging import region
from seedsafe.bridging.region import Region, regions
from seedsafe.bridging.sources import globals_for
from seedsafe.bridging.words import address_of
from seedsafe.keys.ambient import thread
from seedsafe.reading import KeyedReader
from seedsafe.reading.batches import KeyedCollate
from seedsafe.reading.faults import Faults
from seedsafe_torch import delivery

KEY, OTHER = ss.SampleKey(42, 0, 7), ss.SampleKey(42, 0, 8)
AT = ss.SampleIndex(1, epoch=0)
KINDS = (KeyboardInterrupt, SystemExit)

_code = functools.cache(lambda code: code.co_code)


def _opcode(frame: FrameType) -> str:
    return dis.opname[_code(frame.f_code)[frame.f_lasti]]


def interrupted(call: Callable[[], Any], at: int) -> int:
    """Call a function, and interrupt it at a place, counted from 0, where a signal can: return how many places were passed.

    CPython asks for signals where a function or a generator goes on, after a call, and where a loop jumps back.
    """
    count = 0
    last: dict[FrameType, str] = {}

    def pass_place() -> None:
        nonlocal count
        count += 1
        if count == at + 1:
            raise KINDS[at % 2]

    def local(frame: FrameType, event: str, _: Any) -> Any:
        before = last.get(frame, "")
        last[frame] = _opcode(frame) if event == "opcode" else ""
        if event == "opcode" and before.startswith(("CALL", "JUMP_BACKWARD")):
            pass_place()
        return local

    def begin(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PLACES):
            return None
        frame.f_trace_opcodes = True
        if _opcode(frame) == "RESUME":  # else an exception is thrown into a generator
            pass_place()
        return local

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def states() -> list[Any]:
    """Return whatever a region changes, in a form that can be compared."""
    numpys = np.random.get_state(legacy=False)
    return [
        *(random.getstate(), repr(numpys), numpys["state"]["key"].tobytes(), np.random.get_bit_generator()),
        *(torch.get_rng_state().tolist(), torch.get_num_threads()),
        *(region._NUMPY.randbits, np.random.default_rng, random.Random.seed, list(region._logs)),
        *(thread.read, list(regions.inside), regions.lock._is_owned()),
    ]


def of_system() -> float:
    return np.random.default_rng().random()


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


class Drawing:
    def __init__(self) -> None:
        self.own = random.Random(3)

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        return np.array(
            [random.random(), np.random.rand(), self.own.random(), float(torch.rand(1)), of_system()]
        )


class Failing(Drawing):
    def __getitem__(self, index: int) -> Any:
        raise ValueError(super().__getitem__(index))


READER, REPLACING, FAILS = (
    KeyedReader(base, None, seed=1, bridge=ss.Bridge(verify=False), faults=Faults(answer))
    for base, answer in ((Drawing(), "raise"), (Drawing(), "replace"), (Failing(), "raise"))
)
COLLATE = KeyedCollate(lambda samples: random.random(), 1, ss.Bridge(verify=False), lambda: AT)


def nested() -> None:
    with ss.keyed(KEY):
        READER.sample(AT)
        with ss.keyed(OTHER):
            np.random.standard_normal()


def failing() -> None:
    with pytest.raises(ss.SampleError):
        FAILS.sample(AT)
    with pytest.raises(ZeroDivisionError), ss.keyed(KEY):
        print(1 / 0)


def in_a_stack() -> None:
    with ExitStack() as stack:
        stack.enter_context(ss.keyed(KEY))
        stack.enter_context(ss.keyed(OTHER))
        random.random()


def watched() -> None:
    KeyedReader(Drawing(), None, seed=1, bridge=True).sample(AT)


@pytest.mark.parametrize(
    ("call", "step"),
    [
        (lambda: READER.sample(AT), 1),
        (lambda: REPLACING.sample(AT), 1),
        (lambda: COLLATE([1, 2]), 1),
        (nested, 1),
        (failing, 3),
        (watched, 23),
    ],
    ids=["read", "replace", "collate", "nested", "failing", "watched"],
)
def test_an_interrupt_anywhere_passes_and_leaves_all_as_it_was(call: Callable[[], Any], step: int) -> None:
    call()
    np.random.seed(1)
    np.random.standard_normal()  # so a gaussian is kept for the next call
    before = states()
    call()
    assert states() == before
    places = interrupted(call, -1)
    assert places > 60
    for at in range(0, places, step):
        with pytest.raises(KINDS) as caught:  # with its frames, as a notebook keeps them
            interrupted(call, at)
        assert states() == before, f"place {at}: {caught.traceback[-1]}"
    reads: list[Any] = []
    other = threading.Thread(target=lambda: reads.append(READER.sample(AT)), daemon=True)
    other.start()
    other.join(60)
    assert len(reads) == 1  # the lock is free


def test_a_stack_of_regions_is_left_as_a_with_statement_is() -> None:
    before = states()
    in_a_stack()
    assert states() == before


class Broken:
    name = "broken"

    def save(self) -> None: ...

    def key(self, words: Any) -> None: ...

    def restore(self, state: Any) -> None:
        raise ValueError("cannot be set")


def test_a_source_that_cannot_be_restored_keeps_no_other_from_it() -> None:
    before = states()
    region = Region(address_of(KEY), (*globals_for(ss.Bridge()), Broken()))
    with pytest.raises(ss.NotReproducible, match="cannot be set"):
        region.run(lambda _: random.random())
    assert states() == before


def test_the_first_region_of_a_process_gives_the_numbers_of_all_others() -> None:
    code = (
        "import torch, numpy as np, seedsafe as ss\n"
        "def first():\n"
        "    with ss.keyed(ss.SampleKey(1, 0, 0)):\n"
        "        return np.random.default_rng().random()\n"
        "print(first() == first())"
    )
    assert python("-c", code).stdout == "True\n"


def test_batches_that_an_interrupt_has_left_half_made_are_dropped_in_silence() -> None:
    batches = delivery._KeyedBatches.__new__(delivery._KeyedBatches)
    batches.__del__()  # it asked for ever for what `__init__` had not set
    with pytest.raises(AttributeError, match="before its first batch"):
        batches.num_workers  # noqa: B018
