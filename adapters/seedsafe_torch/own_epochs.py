"""Sources that count their passes themselves."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from seedsafe.reading import walk, warn, with_article

__all__ = ["counters_of", "note_counters", "warn_of_counters"]

_TOLD, _TO_TELL = -1, -2  # in place of a mark


def counters_of(source: Any) -> Mapping[tuple[int, str], int]:
    """Return the integers that a source stores, by their locations; none if it has a ``set_epoch``."""
    inside = list(walk(source))
    if any(hasattr(one, "set_epoch") for one in inside):
        return {}
    return {
        (number, name): value
        for number, one in enumerate(inside)
        for name, value in _held(one)
        if type(value) is int
    }


def _held(one: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of an object's classes, as a count may begin there, and then its own."""
    for thing in (*reversed(type(one).__mro__), one):
        yield from getattr(thing, "__dict__", {}).items()


def note_counters(source: Any, before: Mapping[tuple[int, str], int], shared: Any, place: int) -> None:
    """Note the end of a worker's pass: whether the source has counted it, from the same number as the pass before.

    A worker that is made anew has a copy of the source, which begins from the same number again. One that reads several passes goes on.

    Args:
        source: the source.
        before: its counters as the pass began.
        shared: numbers that all workers share, also with those of the pass before.
        place: the number to use.
    """
    after = counters_of(source)
    counts = any(after.get(key) == value + 1 for key, value in before.items())  # more are records
    if counts and shared[place] >= 0:
        mark = 1 + zlib.crc32(repr(sorted(before.items())).encode())
        shared[place] = _TO_TELL if shared[place] == mark else mark


def warn_of_counters(source: Any, shared: Any, place: int) -> None:
    """Warn once, if a worker has noted that two passes began alike."""
    if shared[place] != _TO_TELL:
        return
    shared[place] = _TOLD
    warn(
        f"the source, {with_article(source)}, counts its passes itself, which workers that start for each pass do not remember: two epochs "
        "began alike, and an order that follows from that number repeats. Give the source a set_epoch(epoch), which is called before each "
        "pass, in workers too, or pass persistent_workers=True"
    )
