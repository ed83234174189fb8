"""Code regions with every generator keyed."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import Any, Final, TypeVar

from seedsafe.bridging.entropy import Entropy
from seedsafe.bridging.options import Bridge
from seedsafe.bridging.regions import regions
from seedsafe.bridging.sources import Source, globals_for
from seedsafe.bridging.words import OP, Words, address_of
from seedsafe.ground.process import is_worker
from seedsafe.keys import seeding
from seedsafe.keys.ambient import next_key
from seedsafe.keys.key import Address, SampleKey

__all__ = ["Region", "keyed"]

T = TypeVar("T")

_LOW: Final = 2**64 - 1


class Region:
    """Keys sources from the words at an address during a call, for one thread at a time.

    Afterwards the sources are restored, except in a worker process, which draws nothing between samples. A region inside another
    one always restores them.
    """

    __slots__ = ("_address", "_entropy", "_follows", "_sources", "states", "under_way")

    under_way: object

    def __init__(self, address: Address, sources: tuple[Source, ...], *, follows: bool = True) -> None:
        self._address = address
        self._follows = follows
        self._sources = sources
        self.states: list[tuple[Source, Any]] = []
        """The sources to restore, with their states."""

    def run(self, call: Callable[[Address], T]) -> T:
        """Return `call(address)`, called inside the region."""
        if regions.door.locked():
            regions.wait()
        with regions.lock:
            try:  # as in `steps`, which would cost every read
                self._enter()
                result = call(self._address)
                self._leave()
            except BaseException:
                try:
                    self._leave(Exception)
                finally:
                    self._leave(Exception)
                raise
        return result

    def steps(self) -> Generator[None]:
        """Enter the region, yield, and leave it.

        An interrupt (Ctrl-C) may come in the middle of any step, and at the start of any function, even of ``__exit__``. So this
        is a generator, which waits inside its try, and leaves again what an interrupt has kept it from leaving.
        """
        if regions.door.locked():
            regions.wait()
        with regions.lock:  # no interrupt comes between a lock's own steps in C
            try:
                self._enter()
                yield
                self._leave()
            except BaseException:
                try:
                    self._leave(Exception)
                finally:
                    self._leave(Exception)
                raise

    def _enter(self) -> None:
        inside = regions.inside
        saves = bool(inside) or not is_worker()
        words = Words(self._address)
        entropy = self._entropy = Entropy(words)
        inside.append(self)
        regions.entries += 1
        entropy.enter()
        if saves:
            for source in self._sources:
                self.states.append((source, source.save()))
        before = -1
        while before != regions.entries:  # a signal handler or finalizer may enter one meanwhile
            before = regions.entries
            for source in self._sources:
                source.key(words)

    def _leave(self, *forgiven: type[Exception]) -> None:
        """Restore the sources, unless that is done. Calls after one that was interrupted do it from the start.

        Args:
            forgiven: errors of a source that keep no other one from being restored.
        """
        inside = regions.inside
        if self not in inside:
            return
        is_innermost = inside[-1] is self
        if is_innermost:
            self._entropy.leave()
        states = self.states if is_innermost else inside[inside.index(self) + 1]._take_over(self)
        for source, state in reversed(states):
            try:
                source.restore(state)
            except forgiven:
                continue
        inside.remove(self)
        if not (is_innermost or forgiven):  # no other exception is being raised
            raise RuntimeError(
                "keyed() was left before another keyed() inside it, as happens when coroutines or generators take turns, "
                "so its draws came from the other one: do not await or yield inside it, and leave the inner one first"
            )

    def follow(self, generator: str, seed: Any) -> None:
        """Key one of its sources from the stream of its address and a seed that the code has set."""
        if not self._follows:
            return
        start = self._address
        seeded = seeding.seed_of(start.seed_high << 64 | start.seed_low, seed)
        words = Words(start._replace(seed_low=seeded & _LOW, seed_high=seeded >> 64))
        for source in self._sources:
            if source.name == generator:
                source.key(words)

    def _take_over(self, outer: Region) -> list[tuple[Source, Any]]:
        """Also restore the sources of an outer region that is left first. Return those that this one does not have."""
        self._entropy.before = outer._entropy.before
        before = {source.name: state for source, state in outer.states}
        self.states = [(source, before.pop(source.name, state)) for source, state in self.states]
        return [(source, state) for source, state in outer.states if source.name in before]


def _follow(generator: str, seed: Any) -> None:
    """Key a global generator from the stream of (key, seed), after code in a region has seeded it."""
    if regions.lock._is_owned() and regions.inside:  # type: ignore[attr-defined]
        regions.inside[-1].follow(generator, seed)


seeding.followers.append(_follow)


class _Exit:
    """``keyed.__exit__``: a with statement asks for it before it enters.

    An interrupt may come before the first line of a function, so it gets a function in C, with a generator that waits inside its try.
    """

    def __get__(self, region: keyed | None, kind: type[keyed]) -> Callable[..., None]:
        if region is None:  # as contextlib.ExitStack asks
            return kind._leave  # pyright: ignore[reportPrivateUsage]
        exits = region._exits()  # pyright: ignore[reportPrivateUsage]
        next(exits)
        call: Any = max  # False is the result, which lets exceptions pass
        return partial(call, False, key=exits.send)


class keyed:  # noqa: N801  # a class costs less than contextlib: benchmarks/bridge_cost.py
    """Key `random`, NumPy's global generator and torch's CPU generator inside a with statement.

    They are restored afterwards, also after an exception, except in dedicated worker processes. Only one thread at a
    time is inside; others wait. Regions may be nested; leave the inner one first.

    Args:
        key: the sample's key. Optional while an AugmentedDataset or AugmentedSequence reads its base.
        options: further generators to key; see Bridge.

    Raises:
        TypeError: key is not a SampleKey, or is left out outside a read, or options is not a Bridge.
        RuntimeError: the options name a library that has not been imported. On leaving: a region inside this one has not
            been left, as happens to coroutines that await inside one.

    Example:
        >>> import random
        >>> with keyed(SampleKey(42, 3, 1234)):
        ...     first = random.random()
        >>> with keyed(SampleKey(42, 3, 1234)):
        ...     random.random() == first
        True
    """

    __slots__ = ("_address", "_options", "_steps")

    def __init__(self, key: SampleKey | None = None, options: Bridge = Bridge()) -> None:  # noqa: B008  # it is immutable
        if key is None:
            key = next_key(OP)
        if not isinstance(key, SampleKey):
            raise TypeError(f"key must be a SampleKey, got {key!r}: pass SampleKey(seed, epoch, index)")
        if not isinstance(options, Bridge):
            raise TypeError(
                f"options must be a Bridge, got {options!r}: pass Bridge(opencv=True), for instance"
            )
        self._address = address_of(key)
        self._options = options
        self._steps: list[Generator[None]] = []  # one object may be entered several times

    def __enter__(self) -> None:
        region = Region(self._address, globals_for(self._options))
        steps = region.under_way = region.steps()  # else one that is entered and forgotten would be left
        try:
            next(steps)
            self._steps.append(steps)
        except BaseException:
            steps.close()
            if steps in self._steps:
                self._steps.remove(steps)
            raise

    def _leave(self, kind: object = None, *error: object) -> None:
        steps = self._steps[-1]
        try:
            if kind is None:  # no other exception is being raised
                next(steps, None)
        finally:
            steps.close()
            self._steps.remove(steps)

    def _exits(self) -> Generator[bool | None, Any]:
        """Leave when `max` sends what a with statement passes, after a False."""
        entered = len(self._steps)
        try:
            yield None
            kind = yield True  # the greatest, so `max` returns the False
            self._leave(kind)
        except BaseException:
            if len(self._steps) > entered:
                self._leave(BaseException)
            raise
        while True:
            yield False

    __exit__ = _Exit()
