"""Code regions with every generator keyed.

`regions` lets one thread at a time in. A `Region` keys the sources for one call, and `Entropy` the generators that the call makes without a
seed. `Replayed` and `SeedLog` do the same outside, for checks. `keyed` is the with statement.
"""

from __future__ import annotations

import functools
import os
import random
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import partial
from hashlib import shake_128
from secrets import randbits
from threading import get_ident
from typing import Any, Final, Self, TypeVar

import numpy as np
from numpy.random import bit_generator

from seedsafe.bridging.generators import Stateful
from seedsafe.bridging.options import Bridge, NotReproducible, checked_options
from seedsafe.bridging.sources import Source, globals_for, renew_numpy
from seedsafe.bridging.words import OP, Words, address_of
from seedsafe.ground.process import is_worker
from seedsafe.keys import seeding
from seedsafe.keys.ambient import next_key
from seedsafe.keys.key import Address, SampleKey

__all__ = [
    "PATIENCE",
    "Entropy",
    "Region",
    "Regions",
    "Replayed",
    "SeedLog",
    "keyed",
    "listening",
    "regions",
]


PATIENCE = 2.0
"""Seconds that a fork waits for the thread inside a region, which might itself wait for the forking thread."""

WAITS = 40
"""Into how many short waits that time is cut, so that a machine which stops for a while takes one of them, not all."""


class Regions:
    """Lets one thread at a time into a region, because the generators belong to the process, and none during a fork.

    A lock that another thread holds during a fork stays locked in the child forever. This includes the locks of bit
    generators, and that of torch's generator, which cannot be replaced. So a fork shuts the door and waits until no thread
    is inside. If that takes too long, or if this module was imported during the fork and a thread enters, the child restores
    the generators that the other thread had keyed, and replaces those that it was using.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.door = threading.Lock()
        self.setting = threading.RLock()
        """Held while generators are in other states for some reads, which a child would keep."""
        self._holds_setting = False
        self.inside: list[Any] = []
        """The current regions, the outermost first."""
        self.entries = 0
        """How many times a region was entered."""
        self.process = 0
        """A number that differs in a forked process."""
        self._forking: int | None = None
        self._empty = False

    def is_inside(self) -> bool:
        """Return whether this thread is in a region."""
        return bool(self.inside) and self.lock._is_owned()  # type: ignore[attr-defined]  # threading.Condition uses it too

    def wait(self) -> None:
        """Wait for the door to open, if it is shut and this thread is not inside."""
        if self.door.locked() and not self.lock._is_owned():  # type: ignore[attr-defined]
            with self.door:
                pass

    def before_fork(self) -> None:
        """Shut the door and wait until no thread is inside."""
        self._holds_setting = self.setting.acquire(timeout=PATIENCE)
        if self.lock._is_owned():  # type: ignore[attr-defined]  # then no other thread is inside
            return
        self.door.acquire()
        self._forking = threading.get_ident()
        self._empty = any(self.lock.acquire(timeout=PATIENCE / WAITS) for _ in range(WAITS))

    def after_fork_in_parent(self) -> None:
        """Open the door."""
        if self._holds_setting:
            self.setting.release()
        if self._forking != threading.get_ident():
            return
        self._forking = None
        if self._empty:
            self.lock.release()
        self.door.release()

    def after_fork_in_child(self) -> None:
        """Open the door, and leave no lock to a thread that the child does not have."""
        self.process += 1
        self.setting = threading.RLock()
        self._forking = None
        self.door = threading.Lock()
        if self.is_inside():
            return
        self.lock = threading.RLock()
        if not self.inside:
            return
        renew_numpy()
        while self.inside:
            for source, state in reversed(self.inside.pop().states):
                with suppress(Exception):  # the fork may have interrupted a save or a restore
                    source.restore(state)
        renew_numpy()


regions = Regions()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=regions.before_fork,
        after_in_parent=regions.after_fork_in_parent,
        after_in_child=regions.after_fork_in_child,
    )


_NUMPY: Any = bit_generator
_SEEDS = (int, str, bytes, float, list, tuple, np.integer)

# This NumPy calls another function: the checks alone then find generators without a seed.
if not hasattr(_NUMPY, "randbits"):
    _NUMPY.randbits = randbits

_SEGMENT: Final = 2**32
"""A segment far behind all others."""


class Entropy:
    """Seeds generators without a seed, as in ``default_rng()``, from the region's words, in the region's thread.

    It replaces NumPy's internal function ``randbits``. Other threads still get the system's entropy.
    """

    __slots__ = ("_blocks", "_words", "before")

    def __init__(self, words: Words) -> None:
        self._words = words
        self._blocks = 0
        self.before: Any = _NUMPY.randbits
        """The function that it replaces."""

    def __call__(self, bits: int) -> int:
        """Return a number of `bits` bits."""
        if not regions.lock._is_owned():  # type: ignore[attr-defined]  # not the region's thread
            number: int = self.before(bits)
            return number
        words = -(-bits // 64)
        raw = self._words.take(_SEGMENT, words, self._blocks)
        self._blocks += -(-words // 4)
        return int.from_bytes(raw, "little") >> (64 * words - bits)


class Replayed(Stateful):
    """Seeds generators without a seed, as in ``default_rng()``, from numbers that can be repeated, in this thread inside a with statement.

    It replaces NumPy's internal function ``randbits``. The numbers follow from a start, by default the system's entropy. All such
    generators are one generator, whose state is where their seeds come from.

    Example:
        >>> with Replayed(7) as seeds:
        ...     first = np.random.default_rng().random()
        ...     seeds.state = (7, 0)
        ...     np.random.default_rng().random() == first
        True
    """

    def __init__(self, start: int | None = None) -> None:
        super().__init__("NumPy's generators without a seed, such as default_rng()", None)
        self.state = (randbits(128) if start is None else start, 0)
        """The start, and how many numbers were taken since."""
        self._thread: int | None = None
        self._before: Any = None

    def save(self) -> Any:
        """Return the start, and how many numbers were taken since."""
        return self.state

    def restore(self, state: Any) -> None:
        """Go on from a saved state."""
        self.state = state

    def _other(self, seed: int) -> Replayed:
        return Replayed(seed)

    def __enter__(self) -> Self:
        self._thread, self._before = get_ident(), _NUMPY.randbits
        _NUMPY.randbits = self
        return self

    def __exit__(self, *error: object) -> None:
        self._thread = None
        # Else another thread's region restores this one, which then passes all on.
        if _NUMPY.randbits is self:
            _NUMPY.randbits = self._before

    def __call__(self, bits: int) -> int:
        """Return a number of `bits` bits."""
        if get_ident() != self._thread:
            number: int = self._before(bits)
            return number
        start, taken = self.state
        self.state = (start, taken + 1)
        size = -(-bits // 8)
        raw = shake_128(f"{start} {taken}".encode()).digest(size)
        return int.from_bytes(raw, "little") >> (8 * size - bits)


class SeedLog:
    """Lists the seeds that this thread passes to new generators of NumPy and `random` inside a with statement.

    It replaces public names, those of `numpy.random` that make generators and the method that seeds a `random.Random`, and costs
    too much for every call. Where code has taken a name of NumPy's by ``from numpy.random import``, its seeds are not listed.

    The seeds of the process's own generators are not listed: inside a region these follow the key.
    """

    def __init__(self) -> None:
        self.seeds: set[str] = set()
        self._thread = get_ident()

    def __enter__(self) -> set[str]:
        if not _logs:  # the outermost replaces, the last restores, whatever their order
            for holder, name, listening in _LISTENING:
                _before.append((holder, name, getattr(holder, name)))
                setattr(holder, name, listening)
        _logs.append(self)
        return self.seeds

    def __exit__(self, *error: object) -> None:
        if self in _logs:
            _logs.remove(self)
        while _before and not _logs:
            setattr(*_before[-1])  # an interrupt may come before the next line
            del _before[-1]

    def note(self, seed: Any) -> None:
        """List a seed."""
        is_empty = isinstance(seed, tuple) and not seed  # `random` calls so without a seed
        if isinstance(seed, _SEEDS) and not is_empty and get_ident() == self._thread:
            self.seeds.add(repr(int(seed) if isinstance(seed, np.integer) else seed)[:60])


_logs: list[SeedLog] = []
_before: list[tuple[Any, str, Any]] = []


def listening(original: Any, hear: Callable[[Any], Any], skipped: int = 0) -> Any:
    """Return what stands for a function or class, and uses what `hear` returns for its first argument after those skipped."""

    def call(*arguments: Any, **named: Any) -> Any:
        given = [*arguments, *named.values()]
        given[skipped : skipped + 1] = map(hear, given[skipped : skipped + 1])
        count = len(arguments)
        return original(*given[:count], **dict(zip(named, given[count:], strict=True)))

    if not isinstance(original, type):
        return functools.wraps(original)(call)
    # Libraries ask isinstance(seed, np.random.RandomState) in a call, so a class stands for a class.
    methods = {
        "__call__": lambda cls, *arguments, **named: call(*arguments, **named),
        "__instancecheck__": lambda cls, thing: isinstance(thing, original),
        "__subclasscheck__": lambda cls, other: issubclass(other, original),
    }
    return type("Kind", (type(original),), methods)(original.__name__, (original,), {})


def _note(seed: Any) -> Any:
    for log in _logs:
        log.note(seed)
    return seed


_MADE = ("default_rng", "RandomState", "SeedSequence", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
_LISTENING: Final = (
    *((np.random, name, listening(getattr(np.random, name), _note)) for name in _MADE),
    (random.Random, "seed", listening(random.Random.seed, _note, 1)),
)
"""Who has a name, the name, and what it stands for while seeds are listed."""


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
        _NUMPY.randbits = entropy
        source: Source | None = None
        try:
            if saves:
                for source in self._sources:
                    self.states.append((source, source.save()))
            before = -1
            while before != regions.entries:  # a signal handler or finalizer may enter one meanwhile
                before = regions.entries
                for source in self._sources:
                    source.key(words)
        except Exception as error:
            if not isinstance(source, Stateful) or isinstance(error, NotReproducible):
                raise  # a hook's own error says more
            raise _refusal(source, error) from error

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
            _NUMPY.randbits = self._entropy.before
        states = self.states if is_innermost else inside[inside.index(self) + 1]._take_over(self)
        for source, state in reversed(states):
            try:
                source.restore(state)
            except forgiven:
                continue
            except Exception as error:
                raise _refusal(source, error) from error
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


def _refusal(source: Any, error: Exception) -> NotReproducible:
    return NotReproducible(
        f"the generator {source.name} (a {type(getattr(source, 'thing', source)).__qualname__}) cannot be read or set: {type(error).__name__}: {error}. "
        "Store one of its library's own classes (numpy.random.Generator, RandomState, random.Random, torch.Generator), or give the class "
        "of what holds it a hook with seedsafe.register_hook(cls, hook)"
    )


def _follow(generator: str, seed: Any) -> None:
    """Key a global generator from the stream of (key, seed), after code in a region has seeded it."""
    if regions.is_inside():
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
        self._address, self._options = address_of(key), checked_options(options)
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
