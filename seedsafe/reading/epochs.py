"""The epochs of bases that have one."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, Final
from weakref import WeakValueDictionary

from seedsafe.bridging.again import has_moved, states_of
from seedsafe.bridging.generators import global_generators
from seedsafe.bridging.options import NotReproducible
from seedsafe.bridging.region import Region
from seedsafe.bridging.runner import Runner
from seedsafe.bridging.walk import Location, Part
from seedsafe.bridging.walk import walk as walk_locations
from seedsafe.ground.process import is_worker
from seedsafe.keys.ambient import reading
from seedsafe.keys.key import VALIDATION_EPOCH, SampleIndex, SampleKey, address, op_of
from seedsafe.reading.bases import Keyed, WarningLog, parts, warns
from seedsafe.reading.steps import Fetching

__all__ = ["BaseEpochs", "InEpoch", "keeping_epochs"]

_OP: Final = op_of("seedsafe/epoch")
"""The stream that a bridge keys generators from while a base's ``set_epoch`` runs."""
_FOREIGN, _TWO_OPEN, _NO_SETTER, _DRAWS = 2**5, 2**6, 2**7, 2**8
"""The kinds of the warnings in the log."""
_MOST: Final = 64
"""How many epochs' first positions are remembered: a run may have thousands, and only the latest are begun again."""
_USUAL: Final = ("epoch", "_epoch")


_lock: Final = threading.RLock()
_keeps: Final = ContextVar("seedsafe_keeps_epochs", default=False)


@contextmanager
def keeping_epochs() -> Generator[None, None, None]:
    """In this thread and inside the with statement, let reads leave the epochs of bases as they are."""
    before = _keeps.get()
    _keeps.set(True)
    try:
        yield
    finally:
        _keeps.set(before)


class _Holder:
    """A dataset with a ``set_epoch``, and the epoch that it was last given in this process, by whichever dataset reads from it."""

    __slots__ = ("__weakref__", "epoch", "names", "noted", "noted_ints", "thing")

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self.epoch: int | None = None
        self.names: tuple[str, ...] = _USUAL
        """The names of the attributes that show its epoch."""
        self.noted: dict[str, int] | None = None
        """What they showed when `note` was called; None before."""
        self.noted_ints: list[tuple[str, int]] = []

    def numbers(self) -> dict[str, int]:
        """Return the whole numbers that its attributes show now, by name."""
        values = ((name, _number(getattr(self.thing, name, None))) for name in self.names)
        return {name: value for name, value in values if value is not None}

    def note(self) -> None:
        """Take its epoch for our own: another number in `noted` will have been set by somebody else."""
        self.noted = self.numbers()
        # shared memory is looked at only when an epoch begins, as this is asked before each read
        self.noted_ints = [pair for pair in self.noted.items() if type(getattr(self.thing, pair[0])) is int]

    def is_at(self, epoch: int) -> bool:
        """Return whether it was given an epoch, and shows no other one."""
        return epoch == self.epoch and all(
            getattr(self.thing, name, None) == value for name, value in self.noted_ints
        )

    def call(self, epoch: int) -> None:
        """Call its ``set_epoch``, and note what that has changed."""
        method = self.thing.set_epoch
        attributes = getattr(getattr(method, "__self__", None), "__dict__", {})
        before = {name: _number(value) for name, value in attributes.items() if "epoch" in name.lower()}
        method(epoch)
        changed = [name for name, value in before.items() if value != epoch == _number(attributes.get(name))]
        self.names = tuple(dict.fromkeys((*self.names, *changed)))
        self.epoch = epoch
        self.note()

    def __reduce__(self) -> Any:
        state = {name: getattr(self, name) for name in ("epoch", "names", "noted", "noted_ints")}
        # the thing may not be complete while it is unpickled, so it is not asked
        return _holder_of, (self.thing,), (None, state)


# Several datasets may read from one, as after a random_split: none of them is somebody else to the others.
_holders: WeakValueDictionary[int, _Holder] = WeakValueDictionary()


def _holder_of(thing: Any) -> _Holder:
    holder = _holders.get(id(thing))
    if holder is None:
        holder = _holders[id(thing)] = _Holder(thing)
    return holder


def _number(value: Any) -> int | None:
    """Return a whole number, also one in shared memory or in an array of one, or None."""
    with suppress(Exception):  # of another class's attributes
        value = getattr(value, "value", value)
        value = value.item() if hasattr(value, "item") else value
    return value if type(value) is int else None


class BaseEpochs:
    """Passes the epochs of reads on to everything with a ``set_epoch`` in a base, in each process; see `KeyedReader`.

    It is called when the epoch of a read differs from the last one handed on. VALIDATION_EPOCH is not handed on, since a base may
    calculate with the number, nor is the epoch of a read that the user chose himself, such as those of ``at``.
    """

    def __init__(self, base: Any, seed: int, log: WarningLog, runner: Runner | None) -> None:
        self._base, self._seed, self._log, self._runner = base, seed, log, runner
        found = list(_found(base))
        own = [thing for thing in found if not isinstance(thing, Keyed)]
        self._has_keyed = len(own) < len(found)
        self._holders = [_holder_of(thing) for thing in own if _ends(thing)]
        for holder in self._holders:
            if holder.noted is None:
                holder.note()
        self._fixed = [thing for thing in own if not _ends(thing)]
        self._begun: dict[int, int] = {}
        """The first position that was read in each epoch."""
        self._epoch: int | None = None
        """The epoch of the latest read."""

    def __bool__(self) -> bool:
        return bool(self._holders or self._fixed or self._has_keyed)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_begun": {}, "_epoch": None}

    def begin(self, at: SampleIndex) -> bool:
        """Hand the epoch of a read on before it begins. Return whether that epoch must last until it ends."""
        epoch = at.epoch
        if epoch == VALIDATION_EPOCH or _keeps.get():
            return False
        if epoch != self._epoch or not all(holder.is_at(epoch) for holder in self._holders):
            self._begin(at)
        return bool(self._holders)

    def end(self, epoch: int) -> None:
        """Warn if another thread began another epoch during a read."""
        if epoch != self._epoch:
            self._tell_of_two(epoch)

    def _begin(self, at: SampleIndex) -> None:
        epoch = at.epoch
        with _lock:
            # A worker reads one epoch after the other. Elsewhere a pass may begin again, as in a second training.
            goes_back = self._begun.setdefault(epoch, int(at)) != at and epoch != self._epoch
            if goes_back and self._holders and not is_worker():
                self._tell_of_two(epoch)
            if len(self._begun) > _MOST:
                self._begun = {epoch: int(at)}
            for thing in self._fixed:
                self._check_fixed(thing, epoch)
            for holder in self._holders:
                if not holder.is_at(epoch):
                    self._hand_on(holder, epoch)
            self._epoch = epoch

    def _hand_on(self, holder: _Holder, epoch: int) -> None:
        """Call a ``set_epoch`` unless somebody else has set the epoch meanwhile."""
        now = holder.numbers()
        noted = holder.noted or {}
        others = [name for name, value in now.items() if noted.get(name, value) != value]
        if others:
            self._leave(holder, epoch, others[0], now[others[0]])
        elif self._runner is not None:
            words = address(SampleKey(self._seed, epoch, 0), _OP)
            Region(words, self._runner.sources()).run(lambda _: self._call(holder, epoch))
        else:
            self._call_and_watch(holder, epoch)

    def _leave(self, holder: _Holder, epoch: int, name: str, now: int) -> None:
        """Leave an epoch that somebody else has set, and warn if it is not that of the reads."""
        holder.epoch = epoch
        noted = holder.noted
        holder.note()
        if now != epoch:
            holder.noted = noted  # it is not ours in the next epoch either
            self._tell(
                _FOREIGN,
                f"{name} of the {type(holder.thing).__qualname__} was set to {now} by other code, while epoch {epoch} is read, so it stays "
                "as it is: leave that out, because the dataset calls set_epoch in each process with the epoch of its reads, or set the "
                "loader's epoch too",
            )

    def _call_and_watch(self, holder: _Holder, epoch: int) -> None:
        before = states_of(global_generators())
        self._call(holder, epoch)
        moved = [generator.name for generator, state in before if has_moved(generator, state)]
        if moved:
            self._tell(
                _DRAWS,
                f"set_epoch of the {type(holder.thing).__qualname__} draws from {' and '.join(moved)}, so it has other numbers in each "
                "process: let it draw from numpy.random.default_rng((seed, epoch)), or pass bridge=True",
            )

    def _call(self, holder: _Holder, epoch: int) -> None:
        with reading(None):  # the key of a sample would differ from process to process
            holder.call(epoch)

    def _check_fixed(self, thing: Any, epoch: int) -> None:
        number = _number(getattr(thing, "epoch", None))
        if number is not None and number != epoch:
            kind = type(thing).__qualname__
            self._tell(
                _NO_SETTER,
                f"the {kind} has an attribute epoch, {number}, which nobody sets in each process while epoch {epoch} is read, because it "
                "has no set_epoch: give it the method set_epoch(self, epoch), which is called with the epoch of each read that "
                "differs from the last",
            )

    def _tell_of_two(self, epoch: int) -> None:
        self._tell(
            _TWO_OPEN,
            f"two epochs are read at once, {epoch} and {self._epoch}, from a base with one epoch, set by set_epoch: a "
            f"{type(self._base).__qualname__}. Its samples may be of the other epoch: finish one pass before the next, or give each "
            "a base of its own; or take the epoch from seedsafe.current_key() in its read",
        )

    def _tell(self, kind: int, text: str) -> None:
        if self._log.first(kind) and not warns(text):
            raise NotReproducible(text)


class InEpoch:
    """Reads a base after the epoch of the read was handed on to it."""

    def __init__(self, fetch: Fetching, epochs: BaseEpochs) -> None:
        self._fetch, self._epochs = fetch, epochs

    def read(self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True) -> Any:
        """Return the base's sample at a position."""
        if not counts:
            with keeping_epochs():
                return self._fetch.read(position, at, key, counts)
        lasts = self._epochs.begin(at)
        sample = self._fetch.read(position, at, key, counts)
        if lasts:
            self._epochs.end(at.epoch)
        return sample


def _found(base: Any) -> Iterator[Any]:
    """Yield what a base reads from that has a ``set_epoch`` or an ``epoch``, and the keyed datasets in it, the outermost of each."""

    def inside(location: Location) -> Iterator[Part]:
        if not _ends(location.thing):
            yield from (Part("", part) for part in parts(location.thing))

    things: Sequence[Any] = [location.thing for location in walk_locations(base, inside, leaves=True)]
    return (thing for thing in things if _ends(thing) or _number(getattr(thing, "epoch", None)) is not None)


def _ends(thing: Any) -> bool:
    """Return whether a dataset passes epochs on by itself."""
    return isinstance(thing, Keyed) or callable(getattr(thing, "set_epoch", None))
