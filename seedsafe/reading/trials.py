"""Reads samples again in other random states."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, Self

from seedsafe.bridging.same import content
from seedsafe.bridging.states import State, Stateful
from seedsafe.bridging.turns import PATIENCE, turns
from seedsafe.pipeline.unnamed import SCALARS

__all__ = ["Trial", "differs", "digests_of", "has_moved", "is_keyed", "names_of", "share_parts", "states_of"]

_LARGE: Final = 64


def is_keyed() -> bool:
    """Return whether the generators follow a key in this thread, that of a bridge around this read."""
    return bool(turns.inside) and turns.lock._is_owned()  # type: ignore[attr-defined]


def names_of(generators: Sequence[Stateful]) -> str:
    """Return the names of generators in words."""
    return " and ".join(generator.name for generator in generators)


def states_of(generators: Sequence[Stateful]) -> list[tuple[Stateful, State]]:
    """Return the generators whose states can be read now, with these."""
    result = []
    for generator in generators:
        with suppress(Exception):  # Keras's cannot while a graph is traced
            result.append((generator, generator.read()))
    return result


def has_moved(generator: Stateful, before: State) -> bool:
    """Return whether a generator is in another state than before."""
    return any(state.mark != before.mark for _, state in states_of([generator]))


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


_trials = _Trials()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_trials.before_fork,
        after_in_parent=_trials.after_fork_in_parent,
        after_in_child=_trials.after_fork_in_child,
    )


class Trial:
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
            self.before = states_of(self._generators)
        finally:
            turns.lock.release()
        self.is_ready = True
        return self

    def __exit__(self, *error: object) -> None:
        if not self.is_ready:
            return
        try:
            _set([pair for pair in self.before if has_moved(*pair)])
        finally:
            self._lock.release()

    def moves(self) -> bool:
        """Return whether a generator has moved since the trial began."""
        return any(has_moved(*pair) for pair in self.before)

    def read(self, states: Sequence[tuple[Stateful, State]]) -> tuple[Any, dict[Any, bytes]]:
        """Read the sample with generators in some states. Return it with the digests of its parts, none if it fails."""
        _set(states)
        try:
            sample = self._read()
        except Exception:  # noqa: BLE001  # the sample was read before
            return None, {}
        return sample, digests_of(sample)

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
        first, tried_once, tried_twice, last = digests
        return {
            path: digest
            for path, digest in stable.items()
            if first.get(path) == digest == last.get(path)
            and tried_once.get(path) == tried_twice.get(path) != digest
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
            if differs(self.read(states)[1], parts):
                found.append(generator)
        return found or [generator for generator, _ in before]


def _set(states: Sequence[tuple[Stateful, State]]) -> None:
    if states:
        with turns.lock:
            for generator, state in states:
                generator.set(state)


def differs(digests: dict[Any, bytes], stable: dict[Any, bytes]) -> bool:
    """Return whether a sample that could be read differs in parts that do not differ by themselves."""
    return bool(digests) and any(digests.get(path) != digest for path, digest in stable.items())


def digests_of(sample: Any) -> dict[Any, bytes]:
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


def share_parts(sample: Any, repeated: Any) -> bool:
    """Return whether two samples are the same object, or share a part that is no plain value."""
    if type(sample) in SCALARS or sample is None:
        return False
    if sample is repeated:
        return True
    if type(sample) is not type(repeated) or not isinstance(sample, tuple | list | dict):
        return False
    pairs = zip(_entries(sample), _entries(repeated), strict=False)
    return any(one is other and type(one) not in SCALARS and one is not None for one, other in pairs)


def _entries(sample: Any) -> list[Any]:
    return list(sample.values() if isinstance(sample, dict) else sample)
