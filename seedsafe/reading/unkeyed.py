"""Bases that draw without the sample's key."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any, Final, Self
from weakref import WeakSet

import numpy as np

from seedsafe.bridging.options import NotReproducible
from seedsafe.bridging.same import content, is_tensor
from seedsafe.bridging.states import State, Stateful, global_generators, held_generators
from seedsafe.bridging.turns import PATIENCE, turns
from seedsafe.ground.warning import warn
from seedsafe.pipeline.unnamed import SCALARS
from seedsafe.reading.forms import copy_parts
from seedsafe.reading.inside import WarningLog, nested

__all__ = ["BRIDGE_IT", "Looks", "Unkeyed", "end_looks", "looked_at"]

_ANSWERS: Final = ("raise", "warn", "allow")

BRIDGE_IT: Final = "pass bridge=True, so that every generator in it follows the key"
"""The way out of adapters with a bridge."""

_ALLOW: Final = 'or pass on_unkeyed="allow" if these draws may differ'

_FIRST: Final = 8
"""The first reads of a base in a process that are all looked at. Then the reads 16, 32, 64 and so on are."""

_FAR: Final = 2**62

_OTHERS: Final = 6
"""In so many other states the generators are tried, and in fewer if reads are slow."""

_JUDGED: Final = 3
"""For so many samples a generator is tried, and for one if reads are slow."""

_SECONDS: Final = 0.25
"""Reads again beyond this time in a process are slow."""

_SLOW: Final = 1.0
"""A read of so many seconds is repeated as seldom as possible."""

_KEPT: Final = 3
"""After so many samples that drew only when they were first read, the base seems to keep what it draws."""

_LARGE: Final = 64


class Unkeyed:
    """The treatment of bases that draw random numbers without the sample's key.

    Args:
        answer: "raise", "warn" or "allow".
        ways: ways out for the error besides ``seedsafe.generator()`` and "allow".

    Raises:
        ValueError: the answer is none of these.

    Example:
        >>> Unkeyed("ignore")
        Traceback (most recent call last):
        ValueError: on_unkeyed must be 'raise', 'warn' or 'allow', got 'ignore': leave it out for "raise"
    """

    def __init__(self, answer: str = "raise", *ways: str) -> None:
        if not isinstance(answer, str) or answer not in _ANSWERS:
            raise ValueError(
                f"on_unkeyed must be 'raise', 'warn' or 'allow', got {answer!r}: leave it out for \"raise\""
            )
        self.answer = answer
        self.ways = ways

    def mildest(self, base: Any) -> str:
        """Return the mildest of this answer and those of the datasets inside a base, which may allow their own bases' draws."""
        answers = (self.answer, *(inner.reader.unkeyed.answer for inner in nested(base)))
        return str(max(answers, key=_ANSWERS.index))


class Looks:
    """Looks at times whether a base draws without the sample's key, while it is read.

    A look compares the states of the generators before and after a read: the global ones of Python, NumPy and torch, and those
    that the base holds. If one has moved, the same sample is read again with it in other states, and all generators are put
    back. Only a result that follows from the state, twice, is reported: libraries draw numbers that change nothing, a model
    may be made in the first read, other threads draw too, and a base may count its reads. Reads again happen for a few
    samples in each process, and their errors are ignored.

    It reports with an error in the first reads of the dataset's first epoch, and with one warning later.

    Args:
        base: the dataset that is read.
        unkeyed: the treatment of bases that draw.
        log: the log of warnings.
        name: what the base is called in errors.
    """

    TOLD: Final = 4
    KEEPS: Final = 8
    """Kinds of warnings."""

    def __init__(
        self, base: Any, unkeyed: Unkeyed, log: WarningLog, name: str = "base", *, _answer: str | None = None
    ) -> None:
        self._base, self._unkeyed, self._log, self._name = base, unkeyed, log, name
        # a base that is being unpickled may not be complete
        self._answer = _answer or unkeyed.mildest(base)
        self.renew()
        _all.add(self)

    def renew(self) -> None:
        """Begin again, in a new process."""
        self.left = _FAR if self._answer == "allow" or _is_data(self._base) else 1
        """The number of reads up to the next look. Who reads the base counts it down, and calls `look` at 0."""
        self._number = 0
        self._lock = threading.RLock()
        self._generators: list[Stateful] = []
        self._judged: Counter[str] = Counter()
        self._spent = 0.0
        self._kept: set[int] = set()
        self._error: str | None = None

    def end(self) -> None:
        """Look no more, in copies too."""
        self._answer = "allow"
        self.renew()

    def __reduce__(self) -> Any:
        make = partial(Looks, _answer=self._answer)
        return make, (self._base, self._unkeyed, self._log, self._name)

    def look(self, read: Callable[[], Any], position: int, epoch: int) -> Any:
        """Return what `read` returns, the base's sample at a position, and look whether the base draws.

        Raises:
            NotReproducible: it does.
        """
        if self._error is not None:  # all samples have it
            raise NotReproducible(self._error)
        lock: Any = self._lock
        if _is_keyed() or lock._is_owned() or not lock.acquire(timeout=PATIENCE):
            return read()
        try:
            return read() if self.left > 0 else self._look(read, position, epoch)  # another thread has looked
        finally:
            lock.release()

    def through(self, read: Callable[[], Any], index: int, count: int = 1) -> Any:
        """Count a read of `count` samples, the first with an index that may be stamped, and return what `read` returns.

        Raises:
            NotReproducible: see `look`.
        """
        left = self.left = self.left - count
        return read() if left > 0 else self.look(read, int(index), getattr(index, "epoch", 0))

    def _look(self, read: Callable[[], Any], position: int, epoch: int) -> Any:
        number = self._number + 1
        if _is_due(number):
            self._generators = [*global_generators(), *held_generators(self._base, self._name)]
        may_raise = self._answer == "raise" and number <= _FIRST and epoch <= self._log.first_epoch(epoch)
        before = _states(self._generators)
        start = monotonic()
        sample = read()
        seconds = monotonic() - start
        moved = [pair for pair in before if _moved(*pair) and self._is_open(pair[0])]
        if moved:
            sample, drawn = self._judge(read, sample, moved, position, seconds)
            if drawn:
                self._report(self._text(drawn, position), may_raise)
        self._number = number
        if self.left <= 0:
            self.left = _gap(number)
        return sample

    def _is_open(self, generator: Stateful) -> bool:
        """Return whether to find out what a generator's draws are for."""
        judged = self._judged[generator.name]
        return not judged or (judged < _JUDGED and self._spent < _SECONDS)

    def _judge(
        self,
        read: Callable[[], Any],
        sample: Any,
        moved: Sequence[tuple[Stateful, State]],
        position: int,
        seconds: float,
    ) -> tuple[Any, list[Stateful]]:
        """Return a sample, and those of the generators moved in its read that it depends on."""
        start, result = monotonic(), sample
        drawn: list[Stateful] = []
        with suppress(Exception):  # of the classes of its parts, or of another library's generator
            self._judged.update(generator.name for generator, _ in moved)
            copy, own = copy_parts(sample), _digests(sample)
            with _Trial(read, self._generators) as trial:
                if trial.is_ready:
                    drawn = self._drawn(trial, sample, own, moved, position, seconds)
            result = sample if _digests(sample) == own else copy  # the base may have used its memory again
        self._spent = self._spent + monotonic() - start
        return result, drawn

    def _drawn(
        self,
        trial: _Trial,
        sample: Any,
        own: dict[Any, bytes],
        moved: Sequence[tuple[Stateful, State]],
        position: int,
        seconds: float,
    ) -> list[Stateful]:
        before, after = (
            list(moved),
            [pair for pair in trial.before if any(pair[0] is one for one, _ in moved)],
        )
        again, found = trial.read([])
        if not trial.moves():
            self._note_kept(sample, again, [generator for generator, _ in moved], position)
            return []
        same = trial.read(before)[1]
        stable = {path: digest for path, digest in own.items() if same.get(path) == digest}
        if not stable:
            return []  # it differs by itself
        unproved = 0
        for tried, parts in self._tried(trial, after, found, seconds):
            if not _differs(parts, stable):
                continue
            proved = trial.proved(before, tried, stable)
            if proved:
                return trial.alone(before, tried, proved)
            unproved += 1
            if unproved > 1:
                break
        return []

    def _tried(
        self,
        trial: _Trial,
        after: Sequence[tuple[Stateful, State]],
        found: dict[Any, bytes],
        seconds: float,
    ) -> Iterator[tuple[Sequence[tuple[Stateful, State]], dict[Any, bytes]]]:
        """Yield states of the generators, with the digests of the sample in them: first those after its read, then others."""
        yield after, found
        start, generators = monotonic(), [generator for generator, _ in after]
        others = zip(*(islice(generator.others(), _OTHERS) for generator in generators), strict=False)
        for number, states in enumerate(others):
            if seconds > _SLOW or (number >= 2 and self._spent + monotonic() - start > _SECONDS):
                return
            tried = list(zip(generators, states, strict=True))
            yield tried, trial.read(tried)[1]

    def _note_kept(self, sample: Any, again: Any, moved: Sequence[Stateful], position: int) -> None:
        """Note a sample that drew when it was read, and then came as the same object without a draw."""
        if not _share(sample, again):
            return
        self._kept.add(position)
        if len(self._kept) == _KEPT and self._log.first(self.KEEPS):
            warn(
                f"{self._who()} drew from {_names(moved)} when it read samples {sorted(self._kept)}, and returned the same objects "
                "without a draw when it read them again. If what it keeps is random, all epochs are equal, and each process "
                "keeps other samples: keep the samples as they are before anything random, and draw after that, or pass "
                'on_unkeyed="allow" if these draws change nothing'
            )

    def _who(self) -> str:
        return f"the {self._name}, a {type(self._base).__qualname__},"

    def _text(self, drawn: Sequence[Stateful], position: int) -> str:
        text = "; ".join((*self._unkeyed.ways, "draw from seedsafe.generator() in it", _ALLOW))
        it = "that generator" if len(drawn) == 1 else "those generators"
        return (
            f"{self._who()} draws from {_names(drawn)}, not from the sample's key: sample {position} came out different when it was "
            f"read again with {it} in another state. So samples depend on the workers and on what was read before: {text}"
        )

    def _report(self, text: str, may_raise: bool) -> None:
        self.left = _FAR
        if may_raise or (self._log.first(self.TOLD) and not _warns(text)):
            self._error, self.left = text, 0
            raise NotReproducible(text)


_all: WeakSet[Looks] = WeakSet()


def end_looks() -> None:
    """End all looks of this process and those that it starts, for a tool that finds draws by other means."""
    for looks in list(_all):
        looks.end()


def _is_data(base: Any) -> bool:
    """Return whether a base is an array, a tensor or a list, which draws nothing."""
    kind = type(base)
    of_numpy = isinstance(base, np.ndarray) and kind.__module__.partition(".")[0] == "numpy"
    of_torch = is_tensor(base) and kind.__module__.partition(".")[0] == "torch"
    return kind in (list, tuple, dict, range) or of_numpy or of_torch


def _is_keyed() -> bool:
    """Return whether the generators follow a key in this thread, that of a bridge around this read."""
    return bool(turns.inside) and turns.lock._is_owned()  # type: ignore[attr-defined]


def _names(generators: Sequence[Stateful]) -> str:
    return " and ".join(generator.name for generator in generators)


def _states(generators: Sequence[Stateful]) -> list[tuple[Stateful, State]]:
    """Return the generators whose states can be read now, with these."""
    result = []
    for generator in generators:
        with suppress(Exception):  # Keras's cannot while a graph is traced
            result.append((generator, generator.read()))
    return result


def _moved(generator: Stateful, before: State) -> bool:
    return any(state.mark != before.mark for _, state in _states([generator]))


def _warns(text: str) -> bool:
    """Warn, and return whether that was possible. If a filter makes errors of warnings, it is no fault of a sample."""
    try:
        warn(text)
    except Warning:
        return False
    return True


class _Trials:
    """Lets one thread at a time set the states of generators, and none during a fork."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._held = False

    def before_fork(self) -> None:
        self._held = self.lock.acquire(timeout=PATIENCE)

    def after_fork_in_parent(self) -> None:
        if self._held:
            self.lock.release()

    def after_fork_in_child(self) -> None:
        self.lock = threading.RLock()
        for looks in list(_all):
            looks.renew()


_trials = _Trials()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_trials.before_fork,
        after_in_parent=_trials.after_fork_in_parent,
        after_in_child=_trials.after_fork_in_child,
    )


class _Trial:
    """Reads one sample again with generators in other states, and puts all back when it is left.

    The states are set while no other thread is in a region, whose generators follow a key. During the reads other threads may
    be, since the base may wait for them.

    Args:
        read: reads the sample.
        generators: all that may move.
    """

    def __init__(self, read: Callable[[], Any], generators: Sequence[Stateful]) -> None:
        self._read, self._generators = read, generators
        self.before: list[tuple[Stateful, State]] = []
        """The states that are put back."""
        self.is_ready = False

    def __enter__(self) -> Self:
        self._lock = _trials.lock
        if not self._lock.acquire(timeout=PATIENCE):
            return self
        if not turns.lock.acquire(timeout=PATIENCE):
            self._lock.release()
            return self
        try:
            self.before = _states(self._generators)
        finally:
            turns.lock.release()
        self.is_ready = True
        return self

    def __exit__(self, *error: object) -> None:
        if not self.is_ready:
            return
        try:
            _set([pair for pair in self.before if _moved(*pair)])
        finally:
            self._lock.release()

    def moves(self) -> bool:
        """Return whether a generator has moved since the trial began."""
        return any(_moved(*pair) for pair in self.before)

    def read(self, states: Sequence[tuple[Stateful, State]]) -> tuple[Any, dict[Any, bytes]]:
        """Read the sample with generators in some states. Return it with the digests of its parts, none if it fails."""
        _set(states)
        try:
            sample = self._read()
        except Exception:  # noqa: BLE001  # the sample was read before
            return None, {}
        return sample, _digests(sample)

    def proved(
        self,
        before: Sequence[tuple[Stateful, State]],
        tried: Sequence[tuple[Stateful, State]],
        stable: dict[Any, bytes],
    ) -> dict[Any, bytes]:
        """Return those parts of the sample that follow from the states: equal in equal states, and others in others.

        The order of the reads is no pattern that a count of reads could follow.
        """
        digests = [self.read(states)[1] for states in (before, tried, tried, before)]
        if not all(digests):
            return {}
        first, other, again, last = digests
        return {
            path: digest
            for path, digest in stable.items()
            if first.get(path) == digest == last.get(path) and other.get(path) == again.get(path) != digest
        }

    def alone(
        self,
        before: Sequence[tuple[Stateful, State]],
        tried: Sequence[tuple[Stateful, State]],
        parts: dict[Any, bytes],
    ) -> list[Stateful]:
        """Return the generators that change some parts by themselves, or all if none does."""
        if len(before) == 1:
            return [before[0][0]]
        found = []
        for number, (generator, _) in enumerate(before):
            states = [*before[:number], tried[number], *before[number + 1 :]]
            if _differs(self.read(states)[1], parts):
                found.append(generator)
        return found or [generator for generator, _ in before]


def _set(states: Sequence[tuple[Stateful, State]]) -> None:
    if states:
        with turns.lock:
            for generator, state in states:
                generator.set(state)


def _differs(digests: dict[Any, bytes], stable: dict[Any, bytes]) -> bool:
    """Return whether a sample that could be read differs in parts that do not differ by themselves."""
    return bool(digests) and any(digests.get(path) != digest for path, digest in stable.items())


def _digests(sample: Any) -> dict[Any, bytes]:
    """Return a digest of each part of a sample by its path."""
    digests: dict[Any, bytes] = {}
    _add_digests(digests, (), sample)
    return digests


def _add_digests(digests: dict[Any, bytes], path: tuple[Any, ...], part: Any) -> None:
    named: Iterable[tuple[Any, Any]]
    if type(part) is dict:
        named = part.items()
    elif type(part) in (list, tuple):
        named = enumerate(part)
    else:
        named = ()
    if named and len(part) <= _LARGE and len(path) < 4:
        digests[path] = f"{type(part)} {len(part)}".encode()
        for name, inner in named:
            _add_digests(digests, (*path, name), inner)
    else:
        digests[path] = content(part).digest


def _share(sample: Any, again: Any) -> bool:
    """Return whether two samples are the same object, or share a part that is no plain value."""
    if type(sample) in SCALARS or sample is None:
        return False
    if sample is again:
        return True
    if type(sample) is not type(again) or not isinstance(sample, tuple | list | dict):
        return False
    pairs = zip(_entries(sample), _entries(again), strict=False)
    return any(one is other and type(one) not in SCALARS and one is not None for one, other in pairs)


def _entries(sample: Any) -> list[Any]:
    return list(sample.values() if isinstance(sample, dict) else sample)


def looked_at(
    records: Iterable[Any], unkeyed: Unkeyed, name: str, first: Callable[[], bool], *, least: int = 3
) -> Iterator[Any]:
    """Return an iterator over the records of a stream, which looks whether their source draws, and then warns once.

    A stream is never read twice, so nobody knows whether the draws change records or only their order, as a shuffle does. The
    warning says so. A generator that moves only once may have drawn an order of files, and one that a shuffle of torch or webdataset
    holds draws orders alone.

    Args:
        records: the source.
        unkeyed: the treatment of sources that draw.
        name: what the source is called.
        first: returns whether to give the warning, True once.
        least: how often a generator must have moved.
    """
    if unkeyed.answer == "allow" or _is_data(records):
        return iter(records)
    return _looked_at(records, unkeyed, name, first, least)


def _looked_at(
    records: Iterable[Any], unkeyed: Unkeyed, name: str, first: Callable[[], bool], least: int
) -> Iterator[Any]:
    source, number, moves = iter(records), 0, Counter[str]()
    generators: list[Stateful] = []
    while True:
        number += 1
        if _is_due(number):
            generators = [*global_generators(), *held_generators(records, name, _only_orders)]
        before = _states(generators)
        try:
            record = next(source)
        except StopIteration:
            return
        moved = [] if _is_keyed() else [generator for generator, state in before if _moved(generator, state)]
        moves.update(generator.name for generator in moved)
        often = [generator for generator in moved if moves[generator.name] >= least]
        if often and first():
            warn(_stream_text(records, name, often, unkeyed))
        yield record
        if often:
            yield from source
            return
        if number >= _FIRST:
            yield from islice(source, _gap(number) - 1)


def _only_orders(holder: Any) -> bool:
    """Return whether an object is a shuffle of torch or webdataset, whose own generator changes no record."""
    kind = type(holder)
    library = kind.__module__.partition(".")[0]
    if library == "webdataset":
        return "shuffle" in f"{kind.__name__} {getattr(getattr(holder, 'f', None), '__name__', '')}"
    return library in ("torch", "torchdata") and "Shuffle" in kind.__name__


def _is_due(number: int) -> bool:
    """Return whether a look with this number, from 1, searches for generators again."""
    return number >= _FIRST or not number & (number - 1)


def _gap(number: int) -> int:
    """Return the number of reads from a look to the next one."""
    return 1 if number < _FIRST else 1 << number - 5


def _stream_text(records: Any, name: str, moved: Sequence[Stateful], unkeyed: Unkeyed) -> str:
    text = "; ".join(
        (*unkeyed.ways, 'pass on_unkeyed="allow" if they only order the records, as a shuffle does')
    )
    return (
        f"the {name}, a {type(records).__qualname__}, draws from {_names(moved)} while records are read from it. If these draws change "
        f"records, the same record differs with the workers and from run to run: {text}"
    )
