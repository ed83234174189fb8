"""Sources of streams that draw without a key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from seedsafe.bridging.again import has_moved, states_of
from seedsafe.bridging.entropy import Replayed, unseeded_generators
from seedsafe.bridging.generators import Stateful, global_generators
from seedsafe.bridging.search import held_generators
from seedsafe.ground.warning import warn
from seedsafe.reading.unkeyed import FIRST, Unkeyed, gap_after, is_data, is_due, is_keyed, names_of

__all__ = ["checked_source"]


def checked_source(
    records: Iterable[Any], unkeyed: Unkeyed, name: str, first: Callable[[], bool], *, least: int = 3
) -> Iterator[Any]:
    """Return an iterator over the records of a stream, which checks whether their source draws, and then warns once.

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
    if unkeyed.answer == "allow" or is_data(records):
        return iter(records)
    return _checked(records, unkeyed, name, first, least)


def _checked(
    records: Iterable[Any], unkeyed: Unkeyed, name: str, first: Callable[[], bool], least: int
) -> Iterator[Any]:
    source, number, moves = _asked_once(iter(records)), 0, Counter[str]()
    generators: list[Stateful] = []
    seeds = Replayed()
    while True:
        number += 1
        if is_due(number):
            held = held_generators(records, name, _only_orders)
            generators = [*global_generators(), *held, unseeded_generators(seeds)]
        before = states_of(generators)
        try:
            with seeds:
                record = next(source)
        except StopIteration:
            return
        moved = (
            [] if is_keyed() else [generator for generator, state in before if has_moved(generator, state)]
        )
        moves.update(generator.name for generator in moved)
        often = [generator for generator in moved if moves[generator.name] >= least]
        if often and first():
            warn(_stream_text(records, name, often, unkeyed))
        yield record
        if often:
            yield from source
            return
        if number >= FIRST:
            yield from islice(source, gap_after(number) - 1)


def _asked_once(records: Iterator[Any]) -> Iterator[Any]:
    """Yield what an iterator yields, whose own ``__iter__`` may begin anew, as that of litdata's StreamingDataset does."""
    while True:
        try:
            record = next(records)
        except StopIteration:
            return
        yield record


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
        f"the {name}, a {type(records).__qualname__}, draws from {names_of(moved)} while records are read from it. If these draws change "
        f"records, the same record differs with the workers and from run to run: {text}"
    )
