"""Sources that count their passes or keep generators."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any, Final

from torch.utils.data import get_worker_info

from seedsafe.reading import held_generators, walk, warn, with_article

__all__ = ["counters_of", "note_counters", "warn_of_counters"]

_TOLD, _TO_TELL = -1, -2  # in place of a mark
_SECONDS: Final = 0.05  # the longest search for generators


def counters_of(source: Any) -> dict[tuple[int, str], Any]:
    """Return the integers that a source stores, and the states of its generators as text, by their locations.

    Return none if it has a ``set_epoch``, or anywhere but in the first worker.
    """
    inside, info = list(walk(source)), get_worker_info()
    if info is None or info.id or any(hasattr(one, "set_epoch") for one in inside):
        return {}
    return {
        (number, name): value
        for number, one in enumerate(inside)
        for thing in (*reversed(type(one).__mro__), one)  # a count may begin as an attribute of a class
        for name, value in getattr(thing, "__dict__", {}).items()
        if type(value) is int
    } | {(-1, one.name): str(one.read().mark) for one in held_generators(source, "", seconds=_SECONDS)}


def note_counters(source: Any, before: Mapping[tuple[int, str], Any], shared: Any, place: int) -> None:
    """Note the end of a worker's pass: whether the source has counted it, or drawn, from the same number or state as in the pass before.

    A worker that is made anew has a copy of the source, which begins from the same again. One that reads several passes goes on.

    Args:
        source: the source.
        before: its counters as the pass began.
        shared: numbers that all workers share, also with those of the pass before.
        place: the number to use.
    """
    changed = {key: now for key, now in counters_of(source).items() if now != before.get(key, now)}
    states = [now for now in changed.values() if isinstance(now, str)]
    counts = any(
        now == before[key] + 1 for key, now in changed.items() if type(now) is int
    )  # more are records
    if (counts or states) and shared[place] >= 0:
        # A generator that is seeded in a pass begins alike and ends otherwise.
        mark = 1 + zlib.crc32(repr((sorted(before.items()), states)).encode())
        shared[place] = _TO_TELL if shared[place] == mark else mark


def warn_of_counters(source: Any, shared: Any, place: int) -> None:
    """Warn once, if a worker has noted that two passes began alike."""
    if shared[place] == _TO_TELL:
        shared[place] = _TOLD
        warn(
            f"the source, {with_article(source)}, counts its passes itself or keeps a generator, which workers that start for each pass do not "
            "remember: two epochs began alike, and what follows from that number or state repeats. Give the source a set_epoch(epoch), which is "
            "called before each pass, in workers too, or pass persistent_workers=True"
        )
