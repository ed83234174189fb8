"""A KeyedSampler's pass: plan, iterator and progress."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

from seedsafe.reading import checked_int, note_read, repeats_an_epoch
from seedsafe_torch import frames

__all__ = [
    "MANY",
    "TWO_OPEN",
    "Batches",
    "Link",
    "Next",
    "Pass",
    "Progress",
    "check_in_order",
    "check_iterable",
    "length_of",
    "note_pass",
    "read_state",
]

MANY = 1024
"""The number of items that go into the checksum at once where no loader counts them."""
TWO_OPEN = (
    "another pass began while one was open, and a state tells how far one pass has come: use one loader each, or end or delete "
    "the first iterator before you store the state"
)
"""The error of a state that is asked for while a pass is open that is not the latest."""

State = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Next:
    """The next pass: its epoch, how many items it leaves out, and the checksum of their order, or its name, if known.

    Its origin: counted on from the pass before, set by `set_epoch`, set late (after a pass of that epoch had begun), or loaded.
    """

    epoch: int = 0
    skip: int = 0
    order: int | str | None = None
    origin: Literal["counted", "set", "set late", "loaded"] = "counted"


@dataclass(eq=False)
class Progress:
    """How far a pass has come: the items that were drawn, and those that were seen if a loader counts them.

    Args:
        epoch: the epoch of the pass.
        start: how many items the pass leaves out at its beginning.
        expected: the checksum of their order, or its name, if known.
        counted: whether a loader will report the items seen.
        reader: returns the DataLoader iterator that draws the items, if known; see `Caller.iterator`.
        single: whether an item must be one index.
    """

    epoch: int
    start: int
    expected: int | str | None
    counted: bool
    reader: Callable[[], Any] | None = None
    single: bool = False
    whole: bool = True  # whether the reader means to read all of it
    exhausted: bool = False  # the last item was drawn
    ended: bool = False  # the reader got StopIteration
    dropped: bool = False  # nobody draws from it any more
    seen: int = field(init=False)
    order: int = 0  # a checksum of the items seen, in their order
    waiting: list[Any] = field(default_factory=list)  # the items that were only drawn

    def __post_init__(self) -> None:
        self.seen = self.start

    @property
    def loads(self) -> bool:
        """Whether a DataLoader draws the items."""
        return self.counted or self.reader is not None

    @property
    def read_by(self) -> tuple[Any, Any, int] | None:
        """The dataset, outermost sampler and number of workers of the DataLoader that draws the items, if it does not count batches."""
        reader = self.reader() if self.reader else None
        return None if reader is None else (reader._dataset, reader._index_sampler, reader._num_workers)

    @property
    def drawn(self) -> int:
        """The number of items drawn."""
        return self.seen + len(self.waiting)

    @property
    def open(self) -> bool:
        """Whether the loader may still hand out items."""
        return not (self.ended or self.dropped or (self.exhausted and self.seen == self.drawn))

    @property
    def untouched(self) -> bool:
        """Whether a DataLoader has drawn items but has handed out no batch yet."""
        reader = self.reader() if self.reader else None
        # A batch sampler lets go of a pass that it has drawn whole.
        dropped = self.dropped and not self.exhausted
        drew = self.drawn > self.start  # a resume at an epoch's end draws nothing more of it
        return reader is not None and drew and not dropped and reader._num_yielded == 0

    @property
    def spent(self) -> bool:
        """Whether a DataLoader has handed out all its batches before it draws the first item.

        If its batch sampler has no state, as with Accelerate, a StatefulDataLoader that was stored at its end reads a whole pass,
        drops it and begins another one.
        """
        reader = self.reader() if self.reader else None
        length = length_of(reader._index_sampler) if reader is not None else None
        return reader is not None and length is not None and 0 < reader._num_yielded >= length

    def see(self, items: int) -> None:
        """Count items that the loader handed out, at most those drawn."""
        seen = self.waiting[:items]
        del self.waiting[:items]
        self.seen += len(seen)
        self.fold(seen)

    def fold(self, items: list[Any]) -> None:
        """Add items to the checksum of the order."""
        if items and not isinstance(items[0], int):
            items = list(chain.from_iterable(items))  # batches
        self.order = zlib.crc32(array("Q", items).tobytes(), self.order)


@dataclass(slots=True)
class Link:
    """The data that a pass shares with the generator of its items."""

    state_of: Callable[[Progress | None], State]
    """Returns the state of a pass, from its progress, or from None if it has not begun."""
    loaded: State | None = None
    """The state to resume from."""
    progress: Progress | None = None
    """The progress of the pass, once it has begun."""


class Pass(chain[Any]):
    """The stamped indices of one epoch. The pass begins when the first index is drawn.

    It is a chain, whose `next` runs in C. StatefulDataLoader from torchdata stores and loads its state.
    """

    link: Link

    def state_dict(self) -> State:
        """Return the epoch of this pass and the number of items drawn, also at its end."""
        link = self.link
        return link.loaded if link.progress is None and link.loaded else link.state_of(link.progress)

    def load_state_dict(self, state: State) -> None:
        """Resume at a state from `state_dict`."""
        self.link.loaded = state

    def __del__(self) -> None:
        progress = self.link.progress
        if progress is not None and not progress.counted:  # a loader has more to count
            progress.dropped = True


class Batches(Iterator[Any]):
    """The batches of one pass. Its other attributes are those of DataLoader's iterator."""

    _batches: Any = None  # also where an interrupt has come before the end of __init__

    def __init__(self, loading: Any) -> None:
        note_read(loading)
        self._loading = loading

    def __len__(self) -> int:
        return len(self._loading)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or self._batches is None:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r} before its first batch")
        return getattr(self._batches, name)


def length_of(thing: Any) -> int | None:
    """Return the length of a dataset, a sampler or a loader, or None if it has none."""
    with suppress(TypeError, NotImplementedError):
        return len(thing)
    return None


def check_iterable(name: str, value: Any, way_out: str) -> None:
    """Raise a TypeError unless an argument can be iterated again in every epoch."""
    is_name = isinstance(value, str | bytes)
    kind = f"the name {value!r:.60}" if is_name else type(value).__qualname__
    if is_name or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} must be iterable, got {kind}: {way_out}")
    # The __iter__ of litdata's StreamingDataset begins anew, where that of other iterators returns them as they are.
    begin = getattr(type(value).__iter__, "__code__", None)
    if hasattr(value, "__next__") and not (begin and begin.co_names):
        raise TypeError(
            f"{name} must be iterable in every epoch, got {kind}, which can be read only once: {way_out}"
        )


def check_in_order(loading: Any) -> None:
    """Raise a ValueError if the batches of a loader may come in another order than that of their indices."""
    if loading.num_workers and not getattr(loading, "in_order", True):  # came with torch 2.6
        raise ValueError(
            "in_order=False hands batches out in any order, so no run can resume within an epoch: store the state after "
            "an epoch, or leave in_order out"
        )


def note_pass(dataset: Any, like: Hashable, is_whole: Callable[[], bool], **who: Any) -> None:
    """Note a pass, and warn if its loader repeats epoch 0, because it is not the one of the pass before; see `repeats_an_epoch`."""
    if not repeats_an_epoch(dataset, like, is_whole, **who):
        return
    frames.warn(
        "epoch 0 is served again, in the same order and with the same augmentation, because this loader was made for this pass alone. Make it once, before "
        "the loop over the epochs: `batches = loader(dataset, …)` and then `for epoch in range(n): for batch in batches:`, where each pass is "
        "the next epoch. To make it in the loop, call `batches.set_epoch(epoch)` before its pass; pass `epoch=` if one epoch is meant"
    )


def read_state(state: Any) -> Next:
    """Return the next pass for a state of a KeyedSampler."""
    way_out = "pass the result of state_dict"
    if not isinstance(state, dict):
        raise TypeError(f"state must be a dict, got {state!r}: {way_out}")
    for name in ("epoch", "yielded"):
        if name not in state:
            raise ValueError(f"state must have {name!r}, got {state!r}: {way_out}")
    epoch = checked_int("epoch", state["epoch"], 0, 2**32, way_out)
    yielded = checked_int("yielded", state["yielded"], 0, 2**63, way_out)
    order = state.get("order")
    if not isinstance(order, str | None):
        order = checked_int("order", order, 0, 2**32, way_out)
    return Next(epoch, yielded, order, "loaded")
