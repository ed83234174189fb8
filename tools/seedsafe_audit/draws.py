"""Find the lines where a dataset draws.

A line draws if a generator's state changes there, or if it asks the clock or the system's entropy.
"""

from __future__ import annotations

import contextlib
import datetime
import linecache
import os
import random
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from threading import get_ident
from types import FrameType
from typing import Any

import numpy as np

from seedsafe.bridging.region import listening
from seedsafe.keys.ambient import Read
from seedsafe.reading.bases import entered
from seedsafe_audit import state

__all__ = ["KEY", "SEED", "Draw", "KeyCounter", "UsersSeeds", "draws", "draws_of", "other_seed", "seed_name"]

_MOST, _SECONDS = 200_000, 5.0  # limits, because each line compares the states of all generators
_READINGS = 3
_WIDE = 100  # characters of a line to show

KEY = "the sample's key"
SEED = "seed"
_CALLS: dict[Any, str] = {
    **{getattr(time, name): "the clock" for name in ("time", "time_ns", "perf_counter", "perf_counter_ns")},
    **{getattr(time, name): "the clock" for name in ("monotonic", "monotonic_ns", "process_time")},
    os.urandom: "the system's entropy",
    os.getpid: "the process id",
    hash: "hash()",
}


@dataclass(frozen=True, slots=True)
class Draw:
    """A generator or another source of randomness, and the first line that draws from it."""

    source: str
    place: str
    function: str
    text: str

    def __str__(self) -> str:
        text = self.text if len(self.text) < _WIDE else f"{self.text[:_WIDE]}…"
        return f"{self.source}, used in {self.function}, {self.place}" + (f": {text}" if text else "")


def draws(
    dataset: Any, indices: tuple[int, ...], say: Callable[[str], None], *, iterable: bool
) -> Iterator[Draw]:
    """Read a few samples under a tracer, and yield the first draw from each source.

    This sets the tracer of the process, and calls `say` with what it reads.
    """
    items = chain.from_iterable([dataset]) if iterable else None  # it begins in the first reading
    fetch = dataset.__getitem__ if items is None else lambda index: next(items)
    for own in (_is_own, partial(_is_own, libraries=True)):
        tracer = _Tracer(dataset, own)
        for index in indices[:_READINGS]:
            say(f"reading index {index}")
            tracer.read(fetch, index)
        if tracer.found:
            yield from tracer.found.values()
            return


def draws_of(call: Callable[[], Any]) -> tuple[Any, list[Draw]]:
    """Call a function under a tracer. Return what it returns, and the first draw from each source."""
    tracer, results = _Tracer(None, _is_own), []
    tracer.read(lambda _: results.append(call()), 0)
    return results[0], list(tracer.found.values())


class KeyCounter:
    """Counts the uses of the current key in this process, from now on.

    A pipeline, `generator()` and `keyed()` ask for the key of the current sample when they get none.

    Args:
        note: a function to call at each use.
    """

    def __init__(self, note: Callable[[], None] = lambda: None) -> None:
        self.count, self._note = 0, note
        for kind in (Read, entered):
            setattr(kind, "key", property(self._count_uses(vars(kind)["key"].fget)))  # noqa: B010  # a property

    def _count_uses(self, get_key: Any) -> Any:
        def key(read: Any) -> Any:
            self.count += 1
            self._note()
            return get_key(read)

        return key


class UsersSeeds:
    """Lists the seeds that the user's own code passes in this thread, not those of the libraries that it calls.

    The functions that take seeds are replaced for good in this process, which is one of the audit's own.

    Args:
        take: a function that gets each seed and returns the one to use.
    """

    def __init__(self, take: Callable[[Any], Any] = lambda seed: seed) -> None:
        self.seeds: set[str] = set()
        self._take, self._thread = take, get_ident()

    def __enter__(self) -> set[str]:
        _listen()
        _listeners.append(self)
        return self.seeds

    def __exit__(self, *error: object) -> None:
        _listeners.remove(self)

    def passed(self, seed: Any) -> Any:
        """List a seed if the user's code passes it, and return the one to use."""
        plain = int(seed) if isinstance(seed, np.integer) else seed
        if get_ident() != self._thread or not isinstance(plain, _SEEDS) or plain == ():
            return seed
        frame: Any = sys._getframe(1)
        while frame is not None and _passes_on(frame):
            frame = frame.f_back
        if frame is None or not _is_own(frame):
            return seed
        self.seeds.add(seed_name(plain))
        return self._take(plain)


def seed_name(seed: Any) -> str:
    """Return a seed in words, shortened."""
    return repr(seed)[:60]


def other_seed(seed: Any, number: int) -> int:
    """Return the seed of this number in place of another."""
    return zlib.crc32(f"{seed!r} {number}".encode()) % 2**31


_SEEDS = (int, str, bytes, float, list, tuple)
_TAKERS = (
    *((np.random, name) for name in ("default_rng", "RandomState", "SeedSequence", "MT19937", "PCG64")),
    *((np.random, name) for name in ("PCG64DXSM", "Philox", "SFC64", "seed")),
    *((random, "seed"), (random.Random, "seed"), ("torch", "manual_seed"), ("torch", "Generator")),
    ("cv2", "setRNGSeed"),
)
"""Who has what takes a seed, a module by its name if it may not be loaded, and the name."""

_listeners: list[UsersSeeds] = []
_heard: set[Any] = set()


def _listen() -> None:
    """Replace what takes seeds, once, also where the user's modules have it by another name."""
    new = {}
    for taker in _TAKERS:
        holder, name = sys.modules.get(taker[0]) if isinstance(taker[0], str) else taker[0], taker[1]
        if taker not in _heard and hasattr(holder, name):
            _heard.add(taker)
            original = getattr(holder, name)
            stand_in = listening(original, _passed, int(holder is random.Random))
            if name == "Generator":  # torch's, which is seeded by a method
                del type(stand_in).__call__
                stand_in.__module__, stand_in.manual_seed = (
                    "torch",
                    listening(original.manual_seed, _passed, 1),
                )
            new[id(original)] = original, stand_in
            setattr(holder, name, stand_in)
    for module in state.users_modules().values() if new else ():
        for attribute, thing in list(vars(module).items()):
            if id(thing) in new:
                setattr(module, attribute, new[id(thing)][1])


def _passed(seed: Any) -> Any:
    for one in reversed(_listeners):
        seed = one.passed(seed)
    return seed


def _passes_on(frame: Any) -> bool:
    module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return module in ("seedsafe", "seedsafe_audit", "random", "numpy", "torch")


_Line = tuple[str, int, str]
"""A file, the number of a line, and the function that it is in."""


class _Tracer:
    def __init__(self, dataset: Any, own: Callable[[FrameType], bool]) -> None:
        self.found: dict[str, Draw] = {}
        self._own = own
        self._dataset, self._generators = dataset, dict[str, Any]()
        self._calls = dict(_CALLS)
        self._marks: dict[str, str] = {}
        self._last: _Line | None = None
        self._left, self._until = _MOST, time.monotonic() + _SECONDS
        KeyCounter(lambda: self._note(KEY, self._line(sys._getframe(2))))

    def read(self, fetch: Callable[[int], Any], index: int) -> None:
        self._generators = state.generators(self._dataset)  # again, because some are made on first use
        cv2: Any = self._generators.pop("cv2", None)  # whose state cannot be compared, so its calls tell
        names = ("randn", "randu", "randShuffle") if cv2 else ()
        self._calls |= {getattr(cv2.thing, name): "cv2" for name in names}
        self._marks = state.marks(self._generators)
        sys.setprofile(self._profile)
        sys.settrace(self._call)
        try:
            # The question raises lists errors.
            with contextlib.suppress(Exception), UsersSeeds(self._note_seed):
                fetch(index)
        finally:
            sys.settrace(None)
            sys.setprofile(None)
            self._look()

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._local(frame, event, argument) if self._own(frame) else None

    def _local(self, frame: FrameType, event: str, argument: Any) -> Any:
        self._look()
        self._last = self._line(frame.f_back if event == "return" else frame)
        return self._local

    def _line(self, frame: FrameType | None) -> _Line | None:
        """Return the innermost line of the user's code, or None."""
        while frame is not None and not self._own(frame):
            frame = None if frame.f_code is _Tracer.read.__code__ else frame.f_back
        return frame and (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname)

    def _look(self) -> None:
        """Compare the states of the generators with those at the previous line."""
        self._left -= len(self._marks)
        if self._left < 0 or time.monotonic() > self._until:
            sys.settrace(None)
        before, self._marks = self._marks, state.marks(self._generators)
        for name, mark in self._marks.items():
            if mark != before.get(name):
                self._note(name, self._last)

    def _profile(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "c_call":
            return
        try:
            name = self._calls.get(argument)
        except TypeError:  # not hashable
            return
        cls = getattr(argument, "__self__", None)
        if isinstance(cls, type) and issubclass(cls, datetime.date) and argument.__name__ != "fromordinal":
            name = "the clock"
        if frame.f_globals.get("__name__") == "random" and argument is not None:
            seeding = frame.f_code.co_name == "seed" and getattr(argument, "__name__", "") == "seed"
            if seeding and frame.f_locals.get("a") is None:
                name = "random.Random() without a seed"
        if name is not None:
            self._note(name, self._line(frame))

    def _note_seed(self, seed: Any) -> Any:
        self._note(f"{SEED} {seed_name(seed)}", self._line(sys._getframe(1)))
        return seed

    def _note(self, source: str, line: _Line | None) -> None:
        if line is not None:
            file, number, function = line
            path = Path(file)
            shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
            text = linecache.getline(file, number).strip()
            self.found.setdefault(source, Draw(source, f"{shown}:{number}", function, text))


def _is_own(frame: FrameType, *, libraries: bool = False) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    return state.is_users(frame.f_code.co_filename, name, libraries=libraries)
