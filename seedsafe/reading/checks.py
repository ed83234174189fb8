"""Checks for draws without a key."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import partial
from itertools import count, islice, repeat
from time import monotonic
from typing import Any, Final, NamedTuple
from weakref import WeakSet

import numpy as np

from seedsafe.bridging.again import (
    digests_of,
    has_moved,
    is_tensor,
    others_run,
    put_back,
    rerun,
    set_states,
    states_of,
)
from seedsafe.bridging.generators import State, Stateful, global_generators, stateful
from seedsafe.bridging.options import NotReproducible
from seedsafe.bridging.region import PATIENCE, Replayed, regions
from seedsafe.bridging.search import held_generators
from seedsafe.bridging.walk import Contents, named_place
from seedsafe.ground.checks import with_article
from seedsafe.ground.warning import warn
from seedsafe.keys import seeding
from seedsafe.keys.key import SampleIndex
from seedsafe.reading.bases import WarningLog, nested, warns
from seedsafe.reading.forms import copy_parts

__all__ = [
    "BRIDGE_IT",
    "CheckedCollate",
    "DrawChecks",
    "Unkeyed",
    "checked_items",
    "checked_source",
    "end_draw_checks",
]


_ANSWERS: Final = ("raise", "warn", "allow")

BRIDGE_IT: Final = "pass bridge=True, so that every generator in it follows the key"
"""The way out of adapters with a bridge."""

_ALLOW: Final = 'or pass on_unkeyed="allow" if these draws may differ'

_FIRST: Final = 8
"""The first reads of a base in a process that are all checked. Then the reads 16, 32, 64 and so on are."""

_NEVER: Final = 2**62
_END: Final = object()

_SAMPLES_AGAIN: Final = 3
"""So many samples are read again however long that takes, and others while all these reads took less than a second."""

_SECONDS_AGAIN: Final = 1.0

_SAMPLES: Final = 3
"""So many samples must leave a generator in one state to be told: two may share a seed by intent, such as the images of a pair."""

_CHANGED: Final = 2
"""After so many reads in which a generator moved and the base changed, it is told."""


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


class _Fault(NamedTuple):
    text: str
    """What a base does."""
    may_raise: bool = True
    """Whether that is certain, and makes samples depend on what was read before."""


class DrawChecks:
    """Checks at times whether a base draws without the sample's key, while it is read.

    A check compares the states of the generators before and after a read: the global ones of Python, NumPy and torch, those that
    the base holds, and those of NumPy that it makes without a seed. If one has moved, the same sample is read again with it in the
    same state and in another one, and all generators are put back. Only a sample that follows from the state is an error, since
    libraries draw numbers that change nothing. A base that has changed in its own read is never read again, as it might lose
    records: after two such reads in which a generator moved, it gets a warning.

    It reports with an error in the first reads of the dataset's first epoch, and with one warning later.

    Args:
        base: the dataset that is read.
        unkeyed: the treatment of bases that draw.
        log: the log of warnings.
        name: what the base is called in errors.
    """

    KIND = 4
    """The kind of its warning in the log."""
    KEYLESS, READ, SAMPLES = "not from the sample's key", "read", "samples"
    """Words of its texts."""

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
        self.due_in = _NEVER if self._answer == "allow" or _is_data(self._base) else 1
        """The number of reads up to the next check. Who reads the base counts it down, and calls `check` at 0."""
        self._number = 0
        self._lock = threading.Lock()
        self._checks_in = 0
        """The thread that checks, which may read the base within its own check."""
        self._seeded: list[Any] = []
        self._ends: dict[str, dict[int, Any]] = {}
        """The states in which reads left generators that they set, by the generator's name and the sample's position."""
        self._others: dict[str, Iterator[State]] = {}
        """States to try for each generator, by its name."""
        self._samples_again, self._seconds_again = 0, 0.0
        self._reads_changed = 0
        self._text_if_first: str | None = None
        """The warning to give if the first read alone draws: it kept what it drew."""
        self._changed_again: str | None = None
        """The path of what a read again has changed, so that none follows."""
        self._error: str | None = None

    def end(self) -> None:
        """Check no more, in copies too."""
        self._answer = "allow"
        self.renew()

    def __reduce__(self) -> Any:
        make = partial(type(self), _answer=self._answer)
        return make, (self._base, self._unkeyed, self._log, self._name)

    def read(self, read: Callable[[], Any], index: int, count: int = 1) -> Any:
        """Count a read of `count` samples, the first with an index that may be stamped, and return what `read` returns.

        Raises:
            NotReproducible: see `check`.
        """
        due_in = self.due_in = self.due_in - count
        return read() if due_in > 0 else self.check(read, int(index), getattr(index, "epoch", 0))

    def check(self, read: Callable[[], Any], position: int, epoch: int) -> Any:
        """Return what `read` returns, the base's sample at a position, and check whether the base draws.

        Raises:
            NotReproducible: it does.
        """
        self._raise_again()
        me = threading.get_ident()
        if regions.is_inside() or self._checks_in == me or not self._lock.acquire(timeout=PATIENCE):
            return read()
        self._checks_in = me
        try:
            self._raise_again()  # another thread has found it meanwhile
            return read() if self.due_in > 0 else self._check(read, position, epoch)  # another has checked
        finally:
            self._checks_in = 0
            self._lock.release()

    def _raise_again(self) -> None:
        """Raise the error that was raised before, if any, since all samples have it."""
        if self._error is not None:
            raise NotReproducible(self._error)

    def _check(self, read: Callable[[], Any], position: int, epoch: int) -> Any:
        number = self._number + 1
        may_raise = self._answer == "raise" and number <= _FIRST and epoch <= self._log.first_epoch(epoch)
        held = Contents(self._base, position)
        named = [
            (named_place(self._name, place), place.thing) for place in held.generators[:64]
        ]  # each costs a state
        own = [generator for name, thing in named if (generator := stateful(name, thing)) is not None]
        with Replayed() as seeds:
            before = states_of((*global_generators(), *own, seeds))
            sample = self._read_noting_seeds(read)
            sample, fault = self._find_fault(read, sample, held, before, position)
        if fault is not None:
            self._report(fault.text, may_raise and fault.may_raise)
        self._number = number
        if self.due_in <= 0:
            self.due_in = _gap_after(number)
        return sample

    def _read_noting_seeds(self, read: Callable[[], Any]) -> Any:
        """Return what `read` returns, and note the states in which it sets the global generators."""
        seeded = self._seeded = list[Any]()

        def hear(*_: Any) -> None:
            seeded.extend(generator.mark() for generator in global_generators())

        seeding.followers.append(hear)
        try:
            return read()
        finally:
            seeding.followers.remove(hear)

    def _find_fault(
        self,
        read: Callable[[], Any],
        sample: Any,
        held: Contents,
        before: Sequence[tuple[Stateful, State]],
        position: int,
    ) -> tuple[Any, _Fault | None]:
        """Return the sample, or a copy if reads again have overwritten it, and what is wrong with the base."""
        moved = [pair for pair in before if has_moved(*pair)]
        names = [generator.name for generator, _ in moved] + held.spawned(self._name)
        tried = [pair for pair in before if pair[0].name in names or pair[0].name in self._ends]
        if not names and not tried:
            kept, self._text_if_first = self._text_if_first, None
            return sample, _Fault(kept, False) if kept else None
        changed = held.changed(self._name) or self._changed_again
        if changed is not None:
            self._reads_changed = self._reads_changed + bool(names)
            numbers = held.new_numbers(self._name) if names and self._reads_changed == 1 else None
            self._text_if_first = numbers and self._text_of_kept(names, numbers)
            is_told = names and self._reads_changed >= _CHANGED
            return sample, _Fault(self._text_of_change(names, changed), False) if is_told else None
        if self._samples_again >= _SAMPLES_AGAIN and self._seconds_again > _SECONDS_AGAIN:
            return sample, None
        start, result, fault = monotonic(), sample, None
        with suppress(Exception):  # of the classes of its parts, or of another library's generator
            copy, own = copy_parts(sample), digests_of(sample)
            with put_back([generator for generator, _ in before]) as can_set:
                if can_set:
                    fault = self._compare_reads(read, own, held, tried, position)
            result = sample if digests_of(sample) == own else copy  # the base may have used its memory again
        self._samples_again, self._seconds_again = (
            self._samples_again + 1,
            self._seconds_again + monotonic() - start,
        )
        return result, fault

    def _compare_reads(
        self,
        read: Callable[[], Any],
        own: dict[Any, bytes],
        held: Contents,
        before: Sequence[tuple[Stateful, State]],
        position: int,
    ) -> _Fault | None:
        """Read the sample again with generators in the same states, and in others, and return what is wrong."""
        generators = [generator for generator, _ in before]
        ends = [generator.mark() for generator in generators]
        # the same states first: a base that alternates where nobody sees it differs then
        same, same_ends = rerun(partial(_digests, read), generators, partial(set_states, before))
        stable = {path for path, digest in own.items() if same.get(path) == digest}
        follows, other, other_ends = False, dict[Any, bytes](), list[Any]()
        # the first two other states are far apart, so what a base draws once differs in one of them
        for _ in range(1 if self._samples_again else 2):
            others = [next(self._others.setdefault(one.name, one.others())) for one in generators]
            pairs = zip(generators, others, strict=True)
            other, other_ends = rerun(partial(_digests, read), generators, partial(set_states, pairs))
            if follows := any(other.get(path) != own[path] for path in stable):
                break
        self._changed_again = held.changed(self._name)  # in another branch than before
        if self._changed_again is not None:
            held.put_back()
        if not same or not other:  # it cannot be read again
            return None
        ended = zip(before, ends, same_ends, strict=True)
        anew = [generator for (generator, start), end, same in ended if same not in (end, start.mark)]
        if anew and len(stable) < len(own):
            return _Fault(self._text_of_seeds(anew, position), not others_run())
        if follows:
            return _Fault(self._text(generators, position))
        constant = []
        for generator, end, other_end in zip(generators, ends, other_ends, strict=True):
            if other_end != end:
                self._ends.pop(generator.name, None)
                continue
            noted = self._ends.setdefault(generator.name, {})
            noted[position] = end
            draws = (
                end not in self._seeded
            )  # else the seed may be for a pipeline, which follows it and the key
            if draws and len(noted) >= _SAMPLES and all(one == end for one in noted.values()):
                constant.append(generator)
        return _Fault(self._text_of_constants(constant), False) if constant else None

    def _subject(self) -> str:
        return f"the {self._name}, {with_article(self._base)},"

    def _ways_out(self) -> str:
        return "; ".join((*self._unkeyed.ways, "draw from seedsafe.generator() in it", _ALLOW))

    def _sample_name(self, position: int) -> str:
        return f"sample {position}"

    def _text(self, drawn: Sequence[Stateful], position: int) -> str:
        """Return the error for generators on which the sample at a position depends."""
        it = "that generator" if len(drawn) == 1 else "those generators"
        return (
            f"{self._subject()} draws from {_names_of(drawn)}, {self.KEYLESS}: {self._sample_name(position)} came out different when it was {self.READ} "
            f"again with {it} in another state. So {self.SAMPLES} depend on the workers and on what was read before: {self._ways_out()}"
        )

    def _text_of_change(self, names: Sequence[str], changed: str) -> str:
        """Return the warning for a base that changes in reads in which generators move."""
        return (
            f"{self._subject()} drew from {' and '.join(names)}, {self.KEYLESS}, in {_CHANGED} reads in which it may itself have changed "
            f"({changed}), so it was not {self.READ} again to see whether its {self.SAMPLES} follow from these draws. If they do, they depend "
            "on the workers and on what was read before; if it keeps samples, keep the samples as they are before anything random: "
            f"{self._ways_out()}"
        )

    def _text_of_kept(self, names: Sequence[str], kept: str) -> str:
        """Return the warning for a base that draws in one read and keeps numbers from it."""
        return (
            f"{self._subject()} drew from {' and '.join(names)}, {self.KEYLESS}, in the first read and never again, and keeps {kept} from it. If these are "
            f"what it drew, each worker has others, and {self.SAMPLES} come twice or never: draw them in __init__, from numpy.random.default_rng(seed)"
        )

    def _text_of_seeds(self, anew: Sequence[Stateful], position: int) -> str:
        """Return the error for generators that reads set from the system or the clock."""
        return (
            f"{self._subject()} sets {_names_of(anew)} from the system's entropy, the clock or the like, {self.KEYLESS}: {self._sample_name(position)} "
            f"came out different when it was {self.READ} again in the same state. So {self.SAMPLES} differ from run to run: {self._ways_out()}"
        )

    def _text_of_constants(self, constant: Sequence[Stateful]) -> str:
        """Return the warning for generators that reads of different samples leave in one state."""
        return (
            f"{self._subject()} sets {_names_of(constant)} to the same state for different {self.SAMPLES}, so they all get the same numbers, in "
            'every epoch: leave the seeding out of it, or pass on_unkeyed="allow" if equal numbers are intended'
        )

    def _report(self, text: str, may_raise: bool) -> None:
        self.due_in = _NEVER
        if may_raise or (self._log.first(self.KIND) and not warns(text)):
            self._error, self.due_in = text, 0
            raise NotReproducible(text)


_all: WeakSet[DrawChecks] = WeakSet()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: list(map(DrawChecks.renew, list(_all))))


def end_draw_checks() -> None:
    """End all checks of this process and those that it starts, for a tool that finds draws by other means."""
    for checks in list(_all):
        checks.end()


def _is_data(base: Any) -> bool:
    """Return whether a base is an array, a tensor or a list, which draws nothing."""
    kind = type(base)
    of_numpy = isinstance(base, np.ndarray) and kind.__module__.partition(".")[0] == "numpy"
    of_torch = is_tensor(base) and kind.__module__.partition(".")[0] == "torch"
    return kind in (list, tuple, dict, range) or of_numpy or of_torch


def _names_of(generators: Sequence[Stateful]) -> str:
    """Return the names of generators in words."""
    return " and ".join(generator.name for generator in generators)


def _digests(read: Callable[[], Any]) -> dict[Any, bytes]:
    """Return the digests of the parts of a sample that was read before, none if it cannot be read now."""
    try:
        return digests_of(read())
    except Exception:  # noqa: BLE001  # the user's code
        return {}


def _gap_after(number: int) -> int:
    """Return the number of reads from a check to the next one."""
    return 1 if number < _FIRST else 1 << number - 5


def checked_source(
    records: Iterable[Any], unkeyed: Unkeyed, name: str, first: Callable[[], bool], *, least: int = 3
) -> Iterator[Any]:
    """Return an iterator over the records of a stream, which checks whether their source draws, and then warns once.

    A stream is never read twice, so it is unknown whether the draws change records or only their order, as a shuffle does. The
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
    generators, moves = list[Stateful](), Counter[str]()

    def found(number: int) -> Sequence[Stateful]:
        nonlocal generators
        if number >= _FIRST or not number & (number - 1):
            generators = [*global_generators(), *held_generators(records, name, _only_orders)]
        return generators

    def tells(moved: Sequence[Stateful]) -> bool:
        moves.update(generator.name for generator in moved if not regions.is_inside())
        often = [generator for generator in moved if moves[generator.name] >= least]
        if often and first():
            warn(_stream_text(records, name, often, unkeyed))
        return bool(often)

    return checked_items(lambda: iter(records), found, tells)


def checked_items(
    begin: Callable[[], Iterator[Any]],
    generators: Callable[[int], Sequence[Stateful]],
    tells: Callable[[Sequence[Stateful]], bool],
) -> Iterator[Any]:
    """Yield the items of an iterator, and look at generators before and after the first of them, and at times later.

    Args:
        begin: returns the iterator.
        generators: returns those to look at, for the number of the look.
        tells: gets those that moved, and returns whether to look no more.
    """
    seeds, source = Replayed(), None
    for number in count(1):
        before = states_of((*generators(number), seeds))
        with seeds:
            # An iterator's own __iter__ may begin anew, as that of litdata's StreamingDataset does, and `yield from` would call it.
            source = source or map(next, repeat(begin()))
            item = next(source, _END)
        if item is _END:
            return
        ends = tells([generator for generator, state in before if has_moved(generator, state)])
        yield item
        if ends:
            yield from source
            return
        if number >= _FIRST:
            yield from islice(source, _gap_after(number) - 1)


def _only_orders(holder: Any) -> bool:
    """Return whether an object is a shuffle of torch or webdataset, whose own generator changes no record."""
    kind = type(holder)
    library = kind.__module__.partition(".")[0]
    if library == "webdataset":
        return "shuffle" in f"{kind.__name__} {getattr(getattr(holder, 'f', None), '__name__', '')}"
    return library in ("torch", "torchdata") and "Shuffle" in kind.__name__


def _stream_text(records: Any, name: str, moved: Sequence[Stateful], unkeyed: Unkeyed) -> str:
    text = "; ".join(
        (*unkeyed.ways, 'pass on_unkeyed="allow" if they only order the records, as a shuffle does')
    )
    return (
        f"the {name}, {with_article(records)}, draws from {_names_of(moved)} while records are read from it. If these draws change "
        f"records, the same record differs with the workers and from run to run: {text}"
    )


class CheckedCollate:
    """A collate function that is checked, in its first calls and at times later, for draws without a key.

    It then warns once: the samples are right, but batches depend on the workers.

    Args:
        collate: the collate function.
        unkeyed: the treatment of functions that draw.
        log: the log of warnings.
        first: returns the first index of the batch under way, or None if it is unknown.
    """

    def __init__(
        self,
        collate: Callable[[Any], Any],
        unkeyed: Unkeyed,
        log: WarningLog,
        first: Callable[[], SampleIndex | None],
    ) -> None:
        self.collate, self._first = collate, first
        self._checks = _CollateChecks(collate, unkeyed, log, "collate function", _answer=unkeyed.answer)

    def __call__(self, samples: Any) -> Any:
        """Return the batch."""
        checks = self._checks
        checks.due_in = due_in = checks.due_in - 1
        if due_in > 0:
            return self.collate(samples)
        try:
            calls = self._calls(samples, deepcopy(samples))
        except Exception:  # noqa: BLE001  # any object of the user's
            return self.collate(samples)
        first = self._first()
        return checks.check(lambda: next(calls), -1 if first is None else int(first), 0)

    def _calls(self, samples: Any, copy: Any) -> Iterator[Any]:
        """Yield the batch of these samples, and then those of copies, since a collate function may change its samples."""
        yield self.collate(samples)
        while True:
            yield self.collate(deepcopy(copy))


class _CollateChecks(DrawChecks):
    """Checks a collate function."""

    KIND = 16
    KEYLESS, READ, SAMPLES = "without a key", "collated", "batches"

    def _subject(self) -> str:
        return "the collate function"

    def _ways_out(self) -> str:
        return f"pass bridge=True to the dataset, so that the generators follow the batch; draw in the dataset from seedsafe.generator(); {_ALLOW}"

    def _sample_name(self, position: int) -> str:
        return "a batch" if position < 0 else f"the batch of sample {position}"
