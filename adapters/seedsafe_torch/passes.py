"""One pass of a KeyedSampler: what it is to be, an iterator with a state, and how far it has come."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

from seedsafe.reading import checked_int

__all__ = ["MANY", "Link", "Next", "Pass", "Place", "read_state"]

MANY = 1024
"""So many items are taken into the checksum at once."""

State = dict[str, int]


@dataclass(frozen=True, slots=True)
class Next:
    """The pass that is next: its epoch, how many items it leaves out, and the checksum of their order, if it is known.

    It was counted on from the pass before, set by `set_epoch`, set by it when a pass of that epoch had begun, or loaded.
    """

    epoch: int = 0
    skip: int = 0
    order: int | None = None
    origin: Literal["counted", "set", "set late", "loaded"] = "counted"


@dataclass(eq=False, slots=True)
class Place:
    """How far a pass has come: the items that were drawn, and those that were seen if somebody counts them.

    Args:
        epoch: of the pass.
        start: how many items the pass leaves out at its beginning.
        expected: the checksum of their order, if it is known.
        counted: whether somebody will say what was seen.
        reader: refers to the DataLoader's iterator that draws, as far as that is known; see `callers.drawing`.
        single: whether an item must be one index, as whoever counts knows.
    """

    epoch: int
    start: int
    expected: int | None
    counted: bool
    reader: Callable[[], Any] | None = None
    single: bool = False
    exhausted: bool = False  # the last item was drawn
    ended: bool = False  # and whoever draws, or sees, was told so
    left: bool = False  # nobody draws from it any more
    seen: int = field(init=False)
    order: int = 0  # a checksum of the items seen, in their order, but for those behind
    waiting: list[Any] = field(default_factory=list)  # the items behind, and those drawn and not yet seen
    behind: int = 0  # how many were seen and are not yet in the checksum

    def __post_init__(self) -> None:
        self.seen = self.start

    @property
    def drawn(self) -> int:
        """How many items were drawn."""
        return self.seen + len(self.waiting) - self.behind

    @property
    def untouched(self) -> bool:
        """Whether a DataLoader has drawn from it and handed out nothing yet."""
        reader = self.reader() if self.reader else None
        return reader is not None and not self.left and reader._num_yielded == 0

    @property
    def spent(self) -> bool:
        """Whether a DataLoader has handed out all that it has before it draws the first item.

        A StatefulDataLoader that was stored at its end reads a pass, only to throw it away, where its sampler of batches has no state,
        as Accelerate's have none, and begins another one.
        """
        reader = self.reader() if self.reader else None
        with suppress(TypeError, NotImplementedError):  # some samplers have no length
            return reader is not None and 0 < reader._num_yielded >= len(reader._index_sampler)
        return False

    def see(self, items: int) -> None:
        """Count items that came out at the other end; never more than were drawn."""
        items = min(items, len(self.waiting) - self.behind)
        self.seen += items
        self.behind += items
        if self.behind >= MANY:
            self.fold()

    def fold(self) -> None:
        """Take what was seen into the checksum of the order."""
        done, self.waiting[: self.behind] = self.waiting[: self.behind], []
        self.behind = 0
        if done and not isinstance(done[0], int):
            done = list(chain.from_iterable(done))  # batches
        self.order = zlib.crc32(array("Q", done).tobytes(), self.order)


@dataclass(slots=True)
class Link:
    """What a pass and the generator of its items share."""

    state_of: Callable[[Place | None], State]
    """Returns the state of a place, or, for None, of a pass that has not begun."""
    loaded: State | None = None
    """The state to go on from."""
    place: Place | None = None
    """That of the pass, once it has begun."""


class Pass(chain[Any]):
    """The stamped indices of one epoch; it begins when the first of them is drawn. An iterator at the speed of C's.

    torchdata's StatefulDataLoader stores its state and loads it.
    """

    link: Link

    def state_dict(self) -> State:
        """Return the epoch of this pass and how many items of it were drawn, also when all of them were."""
        link = self.link
        return link.loaded if link.place is None and link.loaded else link.state_of(link.place)

    def load_state_dict(self, state: State) -> None:
        """Resume where `state_dict` stood."""
        self.link.loaded = state

    def __del__(self) -> None:
        if self.link.place is not None:
            self.link.place.left = True


def read_state(state: Any) -> Next:
    """Return the pass that a state of a KeyedSampler goes on in."""
    way_out = "pass what state_dict returned"
    if not isinstance(state, dict):
        raise TypeError(f"state must be a dict, got {state!r}: {way_out}")
    for name in ("epoch", "yielded"):
        if name not in state:
            raise ValueError(f"state must have {name!r}, got {state!r}: {way_out}")
    epoch = checked_int("epoch", state["epoch"], 0, 2**32, way_out)
    yielded = checked_int("yielded", state["yielded"], 0, 2**63, way_out)
    order = None if "order" not in state else checked_int("order", state["order"], 0, 2**32, way_out)
    return Next(epoch, yielded, order, "loaded")
