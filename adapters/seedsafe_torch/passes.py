"""One pass of a KeyedSampler: an iterator with a state, and how far it has come."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

__all__ = ["Pass", "Place"]

State = dict[str, int]


class Place:
    """How far a pass has come: the items that were drawn, and those that were seen if somebody counts them.

    Args:
        epoch: of the pass.
        start: how many items the pass leaves out at its beginning.
        counted: whether somebody will say what was seen.
    """

    __slots__ = ("counted", "drawn", "ended", "epoch", "exhausted", "left", "order", "seen", "waiting")

    def __init__(self, epoch: int, start: int, counted: bool) -> None:
        self.epoch = epoch
        self.drawn = self.seen = start
        self.counted = counted
        self.exhausted = False  # the last item was drawn
        self.ended = False  # and whoever draws, or sees, was told so
        self.left = False  # nobody draws from it any more
        self.order = 0  # a checksum of the items seen, in their order
        self.waiting: list[Any] = []  # the items drawn and not yet seen

    def see(self, items: int) -> None:
        """Count items that came out at the other end; never more than were drawn."""
        items = min(items, self.drawn - self.seen)
        self.fold(items)
        self.seen += items

    def see_all(self) -> None:
        """Count what was drawn as seen, where nobody says what was."""
        self.see(self.drawn - self.seen)

    def fold(self, items: int) -> None:
        """Take items, which were drawn and wait, into the checksum of the order."""
        done, self.waiting[:items] = self.waiting[:items], []
        if done and not isinstance(done[0], int):
            done = list(chain.from_iterable(done))  # batches
        self.order = zlib.crc32(array("Q", done).tobytes(), self.order)


class Pass(Iterator[Any]):
    """The stamped indices of one epoch; it begins when the first of them is drawn.

    torchdata's StatefulDataLoader stores its state and loads it.

    Args:
        begin: returns the place of a pass that begins now and its items, given a state to go on from or None.
        state: returns the state of a place, or, for None, of a pass that has not begun.
    """

    def __init__(
        self,
        begin: Callable[[State | None], tuple[Place, Iterator[Any]]],
        state: Callable[[Place | None], State],
    ) -> None:
        self._begin = begin
        self._state = state
        self._loaded: State | None = None
        self._place: Place | None = None
        self._items: Iterator[Any] = iter(())

    def __next__(self) -> Any:
        if self._place is None:
            self._place, self._items = self._begin(self._loaded)
        return next(self._items)

    def state_dict(self) -> State:
        """Return the epoch of this pass and how many items of it were drawn, also when all of them were."""
        return self._loaded if self._place is None and self._loaded else self._state(self._place)

    def load_state_dict(self, state: State) -> None:
        """Go on where `state_dict` stood."""
        self._loaded = state

    def __del__(self) -> None:
        if self._place is not None:
            self._place.left = True
