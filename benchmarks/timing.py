"""Times of contenders, interleaved in one process."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

__all__ = ["Call", "medians", "minima"]

Call = Callable[[], object]

BLOCK = 0.7e-3
"""The shortest block of calls, in seconds: it still fits between the machine's interruptions."""

CALLS, LONG = 32, 5e-3
"""The fewest calls in a block, unless they take LONG seconds. Where sizes or steps are drawn, some calls take several times as long
as others. Among blocks of few calls the fastest would be the luckiest, which favours the slower contender, whose blocks have
fewer calls."""


def minima(calls: Mapping[str, Call], rounds: int) -> dict[str, float]:
    """Return the microseconds of each call, from the fastest of `rounds` blocks of calls.

    The blocks of all calls alternate, in a new order each round, so that all meet the same state of the machine.
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


def medians(calls: Mapping[str, Callable[[int], Any]], rounds: int) -> dict[str, float]:
    """Return the processor's microseconds of each call, the median of `rounds` calls, which get the round's number.

    The calls alternate.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            call(number)
            times[name].append((time.process_time() - start) * 1e6)
    return {name: median(values) for name, values in times.items()}


def _block(call: Call, size: int) -> float:
    turns = range(size)
    start = time.perf_counter()
    for _ in turns:
        call()
    return (time.perf_counter() - start) / size


def _block_size(call: Call) -> int:
    """Return the number of calls for a block, after warming up the call."""
    for _ in range(3):
        call()
    size = 1
    while (seconds := _block(call, size) * size) < BLOCK or (size < CALLS and seconds < LONG):
        size *= 2
    return size
