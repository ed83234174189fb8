"""States of streams: where a pass begins."""

from __future__ import annotations

import inspect
import warnings
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from seedsafe.reading import checked_int
from seedsafe_torch import frames

__all__ = [
    "ENDED",
    "Start",
    "Task",
    "add_mark",
    "check_state",
    "drop",
    "has_state",
    "remaining",
    "start_of",
    "unknown_start",
    "warn_of_buffer",
]

ENDED: Final = "ended"
"""Stands for the state of a source that has been read to its end."""


class Start(NamedTuple):
    """The start of a worker's pass."""

    epoch: int
    skip: int = 0
    """How many records of its part were yielded before."""
    before: tuple[list[int], ...] = ()
    """For each earlier stage with another number of workers, how many records each worker yielded."""
    orders: tuple[list[int | None], ...] = ()
    """For each earlier stage, the checksums of what its workers yielded, or None where unknown."""
    order: int | None = None
    """The checksum of what was yielded of its part before, if known."""
    source: Any = None
    """The state of its source, or ENDED."""
    waits: int = 0
    """How many marks it yields first, so that another worker's batch comes before its own."""
    divides: bool = False
    """Whether the source cannot divide itself."""


class Task(NamedTuple):
    """A request from a stream's loader to a worker, in place of an index. The first one of a pass contains the Start."""

    start: Start | None = None


def add_mark(order: int, mark: int) -> int:
    """Return the checksum of an order with one more record, which a number marks."""
    return zlib.crc32(mark.to_bytes(8, "little"), order)


def drop(share: Iterator[Any], start: Start, mark: Callable[[int, Any], int]) -> int:
    """Drop the records that were yielded before the state was stored, compare them with it, and return their checksum."""
    order = dropped = 0
    for dropped, (_, record) in enumerate(islice(share, start.skip), 1):
        order = add_mark(order, mark(dropped - 1, record))
    if dropped < start.skip or start.order not in (None, order):
        raise order_error(start.skip, start.epoch)
    return order


def order_error(count: int, epoch: int) -> ValueError:
    """Return the error for a source whose order does not repeat."""
    return ValueError(
        f"the first {count} records of epoch {epoch} are not those that were yielded before the state was stored, so some would be lost "
        "and others come twice: use the same source, and one whose order repeats (a shuffle with a seed, such as webdataset's "
        "detshuffle), or store the state at an epoch's end"
    )


def remaining(
    records: Iterator[tuple[int, Any]],
    stage: list[int],
    orders: list[int | None],
    mark: Callable[[int, Any], int],
    epoch: int,
) -> Iterator[tuple[int, Any]]:
    """Yield the records that remain after workers took turns and each yielded the number in the stage, with the checksum in orders.

    Raises:
        ValueError: they do not come in the order of the stage.
    """
    found = [0] * len(stage)
    for number, (position, record) in enumerate(records):
        turn, worker = divmod(number, len(stage))
        if turn >= stage[worker]:
            yield position, record
            continue
        found[worker] = add_mark(found[worker], mark(turn, record))
        if turn + 1 == stage[worker] and orders[worker] not in (None, found[worker]):
            raise order_error(stage[worker], epoch)


def check_state(state: Any) -> dict[str, Any]:
    """Return a state of a stream or of its loader in one form, or raise an error."""
    way_out = "pass the result of state_dict"
    if not isinstance(state, dict) or "epoch" not in state:
        raise ValueError(f"state must be a dict with 'epoch', got {state!r}: {way_out}")
    if "unknown" in state:
        raise ValueError(unknown_start(state["unknown"]))
    found = {**state, "epoch": checked_int("epoch", state["epoch"], 0, 2**32, way_out)}
    yielded = found.pop("yielded", 0)
    stages = yielded if isinstance(yielded, list) else [[yielded]]
    stages = [[checked_int("yielded", records, 0, 2**63, way_out) for records in stage] for stage in stages]
    if "source" in found:
        found["sources"] = [found.pop("source")]
    return found | {"yielded": stages} if any(map(any, stages)) or "sources" in found else found


def unknown_start(name: str) -> str:
    """Return the error for a state of a subclass of which nobody knows where to go on."""
    return (
        f"a state of {name} within an epoch cannot be resumed, because its __iter__ keeps records back, or yields several for one, and "
        "they would be lost or come twice: let it only leave records out, move the rest into the source or into augment, or store "
        "the state at an epoch's end"
    )


def start_of(state: dict[str, Any], epoch: int, worker: int, workers: int, split: bool) -> Start:
    """Return the start of a worker's pass from a state.

    Raises:
        ValueError: the state was stored with another number of workers, and the source, which divides its records among the
            workers, cannot divide the rest among others.
    """
    stages, sources = state.get("yielded") or [[0] * workers], state.get("sources")
    if len(stages[-1]) != workers:
        stages = [*stages, [0] * workers]
    if (len(stages) > 1 and not split) or (sources and (len(sources) != workers or split)):
        raise ValueError(
            f"a state of {_workers(len(stages[0]))} within epoch {epoch} cannot be resumed by {_workers(workers)}, because the "
            "source divides itself among them: use the same number of workers, store the state at an epoch's end, or pass "
            "split=True if every worker reads the whole source"
        )
    known = state.get("orders") or []
    orders: list[list[int | None]] = [
        known[number] if number < len(known) else [None] * len(stage) for number, stage in enumerate(stages)
    ]
    source = sources[worker] if sources else None
    return Start(
        epoch, stages[-1][worker], tuple(stages[:-1]), tuple(orders[:-1]), orders[-1][worker], source
    )


def has_state(source: Any) -> bool:
    """Return whether a source has its own state: a `state_dict` that needs no arguments."""
    if not (hasattr(source, "state_dict") and hasattr(source, "load_state_dict")):
        return False
    try:
        inspect.signature(source.state_dict).bind()
    except (TypeError, ValueError):
        return False
    return True


def warn_of_buffer(source: Any, state: dict[str, Any]) -> None:
    """Warn if a state within an epoch lacks the buffer in which its source, a Hugging Face dataset, shuffles."""
    if all(one in (None, ENDED) for one in state.get("sources", ())):
        return
    examples = getattr(source, "_ex_iterable", None)
    while examples is not None:
        if type(examples).__name__.startswith("BufferShuffled"):
            warnings.warn(
                f"this {type(source).__qualname__} shuffles in a buffer, which its state leaves out: after a resume within epoch "
                f"{state['epoch']} some records never come and others come twice. Store the state at an epoch's end, or leave out .shuffle "
                "and shuffle the shards before",
                stacklevel=frames.users_level(),
            )
        examples = getattr(examples, "ex_iterable", None)


def _workers(number: int) -> str:
    return f"{number} workers" if number > 1 else "one process"
