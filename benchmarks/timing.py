"""Timing of things that are to be compared: interleaved in one process, minima over rounds."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Mapping

__all__ = ["Call", "minima"]

Call = Callable[[], object]

BLOCK = 0.7e-3
"""Seconds that a block of calls lasts at least: short enough to fit between the machine's interruptions."""

CALLS, LONG = 32, 5e-3
"""Calls that a block has at least, unless so many seconds are reached before. Where sizes or steps are drawn, one call is
several times dearer than another: of blocks of few calls the fastest would be that of the luckiest draws, and the slower of
two contenders, with fewer calls in its blocks, the luckier one."""


def minima(calls: Mapping[str, Call], rounds: int) -> dict[str, float]:
    """Return microseconds a call of each, the fastest of `rounds` blocks of calls.

    The blocks of all calls alternate, in another order each round, so that all of them meet the same machine.
    """
    sizes = {name: _block_size(call) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    order = random.Random(0)
    names = list(calls)
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            order.shuffle(names)
            for name in names:
                best[name] = min(best[name], _block(calls[name], sizes[name]))
    finally:
        gc.enable()
    return {name: seconds * 1e6 for name, seconds in best.items()}


def _block(call: Call, size: int) -> float:
    turns = range(size)
    start = time.perf_counter()
    for _ in turns:
        call()
    return (time.perf_counter() - start) / size


def _block_size(call: Call) -> int:
    """Return how many calls a block needs; the call is warm afterwards."""
    for _ in range(3):
        call()
    size = 1
    while (seconds := _block(call, size) * size) < BLOCK or (size < CALLS and seconds < LONG):
        size *= 2
    return size
