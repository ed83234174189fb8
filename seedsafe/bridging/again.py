"""Run calls again, with generators in chosen states."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from typing import Any, Final

from seedsafe.bridging.generators import State, Stateful
from seedsafe.bridging.regions import PATIENCE, regions
from seedsafe.bridging.same import content
from seedsafe.bridging.sources import Source

__all__ = ["digests_of", "has_moved", "put_back", "rerun", "set_states", "states_of"]

_LARGE: Final = 64


def rerun(
    call: Callable[[], Any], generators: Iterable[Source], set_states: Callable[[], None]
) -> tuple[Any, list[Any]]:
    """Run a call after `set_states` has set generators. Return its result, and the generators' marks after it."""
    set_states()
    return call(), [generator.mark() for generator in generators]


def set_states(pairs: Iterable[tuple[Stateful, State]]) -> None:
    """Set generators to states while no other thread is in a region, whose generators follow a key."""
    with regions.lock:
        for generator, state in pairs:
            generator.set(state)


def states_of(generators: Iterable[Stateful]) -> list[tuple[Stateful, State]]:
    """Return the generators whose states can be read now, with their states."""
    result = []
    for generator in generators:
        with suppress(Exception):  # Keras's cannot while a graph is traced
            result.append((generator, generator.read()))
    return result


def has_moved(generator: Stateful, before: State) -> bool:
    """Return whether a generator is in another state than before."""
    return any(state.mark != before.mark for _, state in states_of([generator]))


@contextmanager
def put_back(generators: Iterable[Stateful]) -> Generator[bool, None, None]:
    """Put generators back into their present states at the end of a with statement. One thread at a time is inside.

    The value of the statement is False if another thread does not leave it, or a region, in time; then it must set nothing. Regions of
    other threads go on meanwhile, since a call may wait for them.
    """
    lock = regions.setting
    if not lock.acquire(timeout=PATIENCE):
        yield False
        return
    try:
        if not regions.lock.acquire(timeout=PATIENCE):
            yield False
            return
        try:
            before = states_of(generators)
        finally:
            regions.lock.release()
        try:
            yield True
        finally:
            set_states(pair for pair in before if has_moved(*pair))
    finally:
        lock.release()


def digests_of(result: Any) -> dict[Any, bytes]:
    """Return a digest of each part of a result by its path."""
    digests: dict[Any, bytes] = {}
    _add_digests(digests, (), result)
    return digests


def _add_digests(digests: dict[Any, bytes], path: tuple[Any, ...], part: Any) -> None:
    named: Iterable[tuple[Any, Any]] = ()
    if type(part) is dict:
        named = part.items()
    elif type(part) in (list, tuple):
        named = enumerate(part)
    if named and len(part) <= _LARGE and len(path) < 4:
        digests[path] = f"{type(part)} {len(part)}".encode()
        for name, inner in named:
            _add_digests(digests, (*path, name), inner)
    else:
        digests[path] = content(part).digest
