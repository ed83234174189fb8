"""keyed: a stretch of code in which every generator of the process follows one sample's key."""

from __future__ import annotations

from typing import Any

from seedsafe.bridging.entropy import Entropy
from seedsafe.bridging.options import Bridge
from seedsafe.bridging.sources import Source, globals_for
from seedsafe.bridging.turns import turns
from seedsafe.bridging.words import OP, Words, place_of
from seedsafe.ground.process import is_worker
from seedsafe.keys.ambient import next_key
from seedsafe.keys.key import Address, SampleKey

__all__ = ["Region", "keyed"]


class Region:
    """Keys sources from the words at an address, and restores them: with a statement, by one thread at a time.

    In a worker process nothing is restored, except inside another region: a worker draws nothing in between.
    """

    __slots__ = ("_address", "_entropy", "_lock", "_sources", "saved")

    def __init__(self, address: Address, sources: tuple[Source, ...]) -> None:
        self._address = address
        self._sources = sources
        self.saved: list[tuple[Source, Any]] = []
        """What it will restore."""

    def __enter__(self) -> None:
        if turns.door.locked():
            turns.wait()
        lock = self._lock = turns.lock
        lock.acquire()
        saves = bool(turns.inside) or not is_worker()
        turns.inside.append(self)
        turns.entered += 1
        try:
            words = Words(self._address)
            self._entropy = Entropy(words)
            if saves:
                for source in self._sources:
                    self.saved.append((source, source.save()))
            before = -1
            while before != turns.entered:  # as a signal handler or a finalizer may do meanwhile
                before = turns.entered
                for source in self._sources:
                    source.key(words)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, kind: object = None, *error: object) -> None:
        inside = turns.inside
        try:
            if inside[-1] is self:
                self._entropy.leave()
                for source, state in reversed(self.saved):
                    source.restore(state)
            else:
                inside[inside.index(self) + 1]._take_over(self)
                if kind is None:  # and no other exception is under way
                    raise RuntimeError(
                        "keyed() was left before another one that was entered inside it, as coroutines and generators that take "
                        "turns do, so that it gave the other one's numbers: await and yield nothing inside it, and leave them in "
                        "the reverse order"
                    )
        finally:
            self.saved = []
            inside.remove(self)
            self._lock.release()

    def _take_over(self, left: Region) -> None:
        """Restore in the end what a region around this one would have, which is left before."""
        self._entropy.before = left._entropy.before
        before = {source.name: state for source, state in left.saved}
        self.saved = [(source, before.pop(source.name, state)) for source, state in self.saved]
        for source, state in left.saved:
            if source.name in before:
                source.restore(state)


class keyed:  # noqa: N801  # used as a with statement, several times cheaper than contextlib's
    """Let `random`, NumPy's global generator and torch's CPU generator follow a sample's key inside a with statement.

    Outside dedicated worker processes they are restored afterwards, also after an exception. Only one thread at a
    time is inside; others wait. Regions may be nested, and are left in the reverse order.

    Args:
        key: of the sample; it may be left out while an AugmentedDataset or AugmentedSequence reads its base.
        options: what is keyed besides; see Bridge.

    Raises:
        TypeError: key is not a SampleKey, or left out outside a read, or options is not a Bridge.
        RuntimeError: the options name a library that has not been imported; or, when left: another region was entered inside
            this one and not left, as happens to coroutines that await inside one.

    Example:
        >>> import random
        >>> with keyed(SampleKey(42, 3, 1234)):
        ...     first = random.random()
        >>> with keyed(SampleKey(42, 3, 1234)):
        ...     random.random() == first
        True
    """

    __slots__ = ("_address", "_options", "_regions")

    def __init__(self, key: SampleKey | None = None, options: Bridge = Bridge()) -> None:  # noqa: B008  # it is immutable
        if key is None:
            key = next_key(OP)
        if not isinstance(key, SampleKey):
            raise TypeError(f"key must be a SampleKey, got {key!r}: pass SampleKey(seed, epoch, index)")
        if not isinstance(options, Bridge):
            raise TypeError(
                f"options must be a Bridge, got {options!r}: pass Bridge(opencv=True), for instance"
            )
        self._address = place_of(key)
        self._options = options
        self._regions: list[Region] = []  # one object may be entered again inside itself

    def __enter__(self) -> None:
        region = Region(self._address, globals_for(self._options))
        region.__enter__()
        self._regions.append(region)

    def __exit__(self, *error: object) -> None:
        self._regions.pop().__exit__(*error)
