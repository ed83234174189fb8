"""Bases that draw without the sample's key."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any, Final
from weakref import WeakSet

import numpy as np

from seedsafe.bridging.entropy import Replayed
from seedsafe.bridging.options import NotReproducible
from seedsafe.bridging.same import is_tensor
from seedsafe.bridging.states import (
    State,
    Stateful,
    global_generators,
    held_generators,
    unseeded_generators,
)
from seedsafe.bridging.turns import PATIENCE
from seedsafe.ground.warning import warn
from seedsafe.reading.forms import copy_parts
from seedsafe.reading.inside import WarningLog, nested
from seedsafe.reading.trials import (
    Trial,
    differs,
    digests_of,
    has_moved,
    is_keyed,
    names_of,
    share_parts,
    states_of,
)

__all__ = ["ALLOW", "BRIDGE_IT", "FIRST", "Looks", "Unkeyed", "end_looks", "gap_after", "is_data", "is_due"]

_ANSWERS: Final = ("raise", "warn", "allow")

BRIDGE_IT: Final = "pass bridge=True, so that every generator in it follows the key"
"""The way out of adapters with a bridge."""

ALLOW: Final = 'or pass on_unkeyed="allow" if these draws may differ'

FIRST: Final = 8
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

    A look compares the states of the generators before and after a read: the global ones of Python, NumPy and torch, those that
    the base holds, and those of NumPy that it makes without a seed. If one has moved, the same sample is read again with it in
    other states, and all generators are put back. Only a result that follows from the state, twice, is reported: libraries draw numbers that change nothing, a model
    may be made in the first read, other threads draw too, and a base may count its reads. Reads again happen for a few
    samples in each process, and their errors are ignored.

    It reports with an error in the first reads of the dataset's first epoch, and with one warning later.

    Args:
        base: the dataset that is read.
        unkeyed: the treatment of bases that draw.
        log: the log of warnings.
        name: what the base is called in errors.
    """

    TOLD = 4
    KEEPS = 8
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
        self.left = _FAR if self._answer == "allow" or is_data(self._base) else 1
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
        make = partial(type(self), _answer=self._answer)
        return make, (self._base, self._unkeyed, self._log, self._name)

    def look(self, read: Callable[[], Any], position: int, epoch: int) -> Any:
        """Return what `read` returns, the base's sample at a position, and look whether the base draws.

        Raises:
            NotReproducible: it does.
        """
        self._raise_again()
        lock: Any = self._lock
        if is_keyed() or lock._is_owned() or not lock.acquire(timeout=PATIENCE):
            return read()
        try:
            self._raise_again()  # another thread has found it meanwhile
            return read() if self.left > 0 else self._look(read, position, epoch)  # another thread has looked
        finally:
            lock.release()

    def _raise_again(self) -> None:
        """Raise the error that was raised before, if any, since all samples have it."""
        if self._error is not None:
            raise NotReproducible(self._error)

    def through(self, read: Callable[[], Any], index: int, count: int = 1) -> Any:
        """Count a read of `count` samples, the first with an index that may be stamped, and return what `read` returns.

        Raises:
            NotReproducible: see `look`.
        """
        left = self.left = self.left - count
        return read() if left > 0 else self.look(read, int(index), getattr(index, "epoch", 0))

    def _look(self, read: Callable[[], Any], position: int, epoch: int) -> Any:
        number = self._number + 1
        if is_due(number):
            self._generators = [*global_generators(), *held_generators(self._base, self._name)]
        with Replayed() as seeds:
            sample = self._compared(read, position, epoch, [*self._generators, unseeded_generators(seeds)])
        self._number = number
        if self.left <= 0:
            self.left = gap_after(number)
        return sample

    def _compared(
        self, read: Callable[[], Any], position: int, epoch: int, generators: Sequence[Stateful]
    ) -> Any:
        """Return what `read` returns, and report the generators that the sample depends on."""
        number = self._number + 1
        may_raise = self._answer == "raise" and number <= FIRST and epoch <= self._log.first_epoch(epoch)
        before = states_of(generators)
        start = monotonic()
        sample = read()
        seconds = monotonic() - start
        moved = [pair for pair in before if has_moved(*pair) and self._is_open(pair[0])]
        if moved:
            trial = Trial(read, generators)
            sample, drawn = self._judge(trial, sample, moved, position, seconds)
            if drawn:
                self._report(self.text(drawn, position), may_raise)
        return sample

    def _is_open(self, generator: Stateful) -> bool:
        """Return whether to find out what a generator's draws are for."""
        judged = self._judged[generator.name]
        return not judged or (judged < _JUDGED and self._spent < _SECONDS)

    def _judge(
        self,
        trial: Trial,
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
            copy, own = copy_parts(sample), digests_of(sample)
            with trial:
                if trial.is_ready:
                    drawn = self._drawn(trial, sample, own, moved, position, seconds)
            result = sample if digests_of(sample) == own else copy  # the base may have used its memory again
        self._spent = self._spent + monotonic() - start
        return result, drawn

    def _drawn(
        self,
        trial: Trial,
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
        repeated, found = trial.read([])
        if not trial.moves():
            self._note_kept(sample, repeated, [generator for generator, _ in moved], position)
            return []
        same = trial.read(before)[1]
        stable = {path: digest for path, digest in own.items() if same.get(path) == digest}
        if not stable:
            return []  # it differs by itself
        unproved = 0
        for tried, parts in self._tried(trial, after, found, seconds):
            if not differs(parts, stable):
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
        trial: Trial,
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

    def _note_kept(self, sample: Any, repeated: Any, moved: Sequence[Stateful], position: int) -> None:
        """Note a sample that drew when it was read, and then came as the same object without a draw."""
        if not share_parts(sample, repeated):
            return
        self._kept.add(position)
        if len(self._kept) == _KEPT and self._log.first(self.KEEPS):
            warn(
                f"{self._who()} drew from {names_of(moved)} when it read samples {sorted(self._kept)}, and returned the same objects "
                "without a draw when it read them again. If what it keeps is random, all epochs are equal, and each process "
                "keeps other samples: keep the samples as they are before anything random, and draw after that, or pass "
                'on_unkeyed="allow" if these draws change nothing'
            )

    def _who(self) -> str:
        return f"the {self._name}, a {type(self._base).__qualname__},"

    def text(self, drawn: Sequence[Stateful], position: int) -> str:
        """Return the error for generators on which the sample at a position depends."""
        text = "; ".join((*self._unkeyed.ways, "draw from seedsafe.generator() in it", ALLOW))
        it = "that generator" if len(drawn) == 1 else "those generators"
        return (
            f"{self._who()} draws from {names_of(drawn)}, not from the sample's key: sample {position} came out different when it was "
            f"read again with {it} in another state. So samples depend on the workers and on what was read before: {text}"
        )

    def _report(self, text: str, may_raise: bool) -> None:
        self.left = _FAR
        if may_raise or (self._log.first(self.TOLD) and not _warns(text)):
            self._error, self.left = text, 0
            raise NotReproducible(text)


_all: WeakSet[Looks] = WeakSet()


def _renew_all() -> None:
    for looks in list(_all):
        looks.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)


def end_looks() -> None:
    """End all looks of this process and those that it starts, for a tool that finds draws by other means."""
    for looks in list(_all):
        looks.end()


def is_data(base: Any) -> bool:
    """Return whether a base is an array, a tensor or a list, which draws nothing."""
    kind = type(base)
    of_numpy = isinstance(base, np.ndarray) and kind.__module__.partition(".")[0] == "numpy"
    of_torch = is_tensor(base) and kind.__module__.partition(".")[0] == "torch"
    return kind in (list, tuple, dict, range) or of_numpy or of_torch


def _warns(text: str) -> bool:
    """Warn, and return whether that was possible. If a filter makes errors of warnings, it is no fault of a sample."""
    try:
        warn(text)
    except Warning:
        return False
    return True


def is_due(number: int) -> bool:
    """Return whether a look with this number, from 1, searches for generators again."""
    return number >= FIRST or not number & (number - 1)


def gap_after(number: int) -> int:
    """Return the number of reads from a look to the next one."""
    return 1 if number < FIRST else 1 << number - 5
