"""Key only the generators that reads ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import compress
from typing import Any, Final

import numpy as np

from seedsafe.bridging.again import Content, content
from seedsafe.bridging.generators import Stateful
from seedsafe.bridging.region import Region, regions
from seedsafe.bridging.sources import Source
from seedsafe.bridging.walk import is_leaf
from seedsafe.bridging.words import other_address
from seedsafe.ground.process import is_worker
from seedsafe.keys.key import Address

__all__ = ["FEW", "Asked", "in_memory"]

FEW: Final = 4
"""So many are cheaper to key than to watch."""

_MANY: Final = 32
_BYTES: Final = 150
"""Keying one takes about as long as making so many bytes of a sample."""
_UNKNOWN: Final = 2**40

_TRIES: Final = 4


def in_memory(sources: Iterable[Source]) -> list[Stateful]:
    """Return the sources that can be watched without being keyed."""
    return [source for source in sources if isinstance(source, Stateful) and source.memory() is not None]


def _size_of(sample: Any) -> int:
    """Return the number of a sample's bytes."""
    parts = sample.values() if isinstance(sample, dict) else sample
    if isinstance(sample, dict | list | tuple):
        return sum(map(_size_of, parts))
    return getattr(sample, "nbytes", 8 if is_leaf(sample) else _UNKNOWN)


class Asked:
    """Keys for each read the generators that earlier reads asked, and looks afterwards whether the read has asked others.

    If so it is read again with those keyed too, and its first result is dropped: a generator that is first used in read 1,000 gives
    the numbers that it would give if it had always been keyed. Where reads take turns among many, and samples are so small that
    reading one again costs less than keying all, those of the last read are tried first.

    Args:
        sources: all sources.
        watched: those that are not keyed for each read.
        marks: the states of sources, by name, before and after a read with all of them keyed.
    """

    def __init__(
        self,
        sources: tuple[Source, ...],
        watched: Sequence[Stateful],
        marks: dict[str, tuple[Any, Any]],
    ) -> None:
        self.sources = sources
        self._size = _UNKNOWN
        self._watched = watched
        ids = set(map(id, watched))
        self._always = np.array([id(source) not in ids for source in sources])
        self._places = np.flatnonzero(~self._always)
        self._memory: list[Any] = [source.memory() for source in watched]
        sizes = [len(memory) for memory in self._memory]
        self._starts = np.cumsum([0, *sizes[:-1]])
        self._states: list[Any] = [None] * len(watched)
        self._asked = np.zeros(len(watched), bool)
        self.note(marks)
        self._last = self._asked.copy()
        self._seen = self._now()
        self._save(range(len(watched)))

    def note(self, marks: dict[str, tuple[Any, Any]]) -> None:
        """Note what a read with all sources keyed has asked."""
        for number, source in enumerate(self._watched):
            before, after = marks.get(source.name, (None, None))
            self._asked[number] |= before != after
        self._stale = True

    def _now(self) -> Any:
        return np.concatenate(self._memory)

    def _moved(self, now: Any, before: Any) -> Any:
        """Return for each watched generator whether it has moved."""
        return np.logical_or.reduceat(now != before, self._starts)

    def _save(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            source = self._watched[number]
            state = self._states[number] = source.save()
            # Nobody sees in memory that it is taken.
            self._asked[number] |= source.has_gaussian(state)

    def run(self, address: Address, call: Callable[[Address], Any]) -> Any:
        """Run a call, as often as it takes until it asks only generators that were keyed."""
        regions.wait()
        with regions.lock:
            return self._run(address, call)

    def _run(self, address: Address, call: Callable[[Address], Any]) -> Any:
        saves = bool(regions.inside) or not is_worker()
        if saves or self._stale:  # others may have drawn since
            self._refresh()
        count = int(np.count_nonzero(self._asked))
        tries_last = count > _MANY and self._size < count * _BYTES
        chosen = (self._last if tries_last else self._asked).copy()
        asked = np.zeros_like(chosen) if tries_last else chosen
        error: Exception | None = None
        result: Any = None
        for left in reversed(range(_TRIES)):
            error, missed = None, chosen
            try:
                result = self._keyed(address, call, chosen)
            except Exception as caught:  # noqa: BLE001  # perhaps since it asked one that was not keyed
                error = caught
            finally:
                missed = self._put_back(chosen, saves)
            if not missed.any():
                break
            self._asked |= missed
            asked = asked | missed  # of the last read's, those that this one does not ask are left out
            chosen = self._last = asked if left > 1 else np.ones_like(chosen)
        if error is not None:
            raise error
        if count > _MANY:
            self._size = _size_of(result)
        return result

    def _refresh(self) -> None:
        now = self._now()
        if not np.array_equal(now, self._seen):
            self._save(np.flatnonzero(self._moved(now, self._seen)).tolist())
            self._seen = now
        self._stale = False

    def _keyed(self, address: Address, call: Callable[[Address], Any], chosen: Any) -> Any:
        keyed = self._always.copy()
        keyed[self._places] = chosen
        return Region(address, tuple(compress(self.sources, keyed.tolist()))).run(call)

    def agrees(self, address: Address, call: Callable[[Address], Any], before: Content) -> bool:
        """Return whether a call, run again with those that it has not asked in other states, gives the result of all keyed.

        If not, it reads the state of one that it does not move: it draws from a copy, or sets the state back.
        """
        elsewhere = Region(other_address(address), self.sources)
        with suppress(Exception):  # the user's code
            again = content(elsewhere.run(lambda _: self._keyed(address, call, self._asked)))
            return again == before and before.unseen is None
        return False

    def _put_back(self, chosen: Any, saves: bool) -> Any:
        """Return which generators moved although they were not keyed, put back."""
        now = self._now()
        if np.array_equal(now, self._seen):
            return np.zeros_like(chosen)
        missed = self._moved(now, self._seen) & ~chosen
        if not saves:
            self._seen = now
        elif missed.any():
            for number in np.flatnonzero(missed).tolist():
                self._watched[number].restore(self._states[number])
        return missed
