"""States of streams: where a pass begins."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from seedsafe.reading import checked_int
from seedsafe_torch import frames
from seedsafe_torch.shards import Shards

__all__ = [
    "ENDED",
    "Start",
    "Task",
    "add_mark",
    "check_state",
    "drop",
    "has_state",
    "remaining",
    "resume",
    "start_of",
    "take_task",
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
    nothing_first: int = 0
    """How many marks it yields first, so that another worker's batch comes before its own."""
    divides: bool = False
    """Whether the source cannot divide itself."""


class Task(NamedTuple):
    """A request from a stream's loader to a worker, in place of an index. The first one of a pass contains the Start."""

    start: Start | None = None
    size: int = 1
    """The number of records that the loader takes for a batch."""

    def __reduce__(self) -> Any:
        return _receive, tuple(self)


_latest_task: list[Task] = []
"""The request with the Start that this worker got last, until a pass begins with it."""


def _receive(start: Start | None, size: int) -> Task:
    """Return a request as it reaches a worker, whose stream gets no other word of it: torch reads an iterable without its indices."""
    task = Task(start, size)
    if start is not None:
        _latest_task[:] = [task]
    return task


def take_task() -> Task | None:
    """Return the request with which this worker is to begin a pass, once."""
    return _latest_task.pop() if _latest_task else None


def add_mark(order: int, mark: int) -> int:
    """Return the checksum of an order after one more record, given as a number."""
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
    """Yield the records that remain after each worker has yielded its number of the stage, and compare their order with its checksum.

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


def check_state(state: Any, stream: Any, *, delivers: bool) -> dict[str, Any]:
    """Return a state of a stream or of its loader in one form, or raise an error.

    Args:
        state: the state.
        stream: the stream.
        delivers: whether its class has an ``__iter__`` of its own, so that its states count what it delivered.
    """
    source = stream.source
    way_out = "pass the result of state_dict"
    if isinstance(source, Shards):
        state = source.joined(state)
    if not isinstance(state, dict) or "epoch" not in state:
        raise ValueError(f"state must be a dict with 'epoch', got {state!r}: {way_out}")
    found = {**state, "epoch": checked_int("epoch", state["epoch"], 0, 2**32, way_out)}
    yielded, has_delivered = found.pop("yielded", 0), found.pop("delivered", False)
    stages = yielded if isinstance(yielded, list) else [[yielded]]
    stages = [[checked_int("yielded", records, 0, 2**63, way_out) for records in stage] for stage in stages]
    if "source" in found:
        found["sources"] = [found.pop("source")]
    sources = found.get("sources", ())
    if not any(map(any, stages)) and not sources:
        return found
    if "unknown" in found or has_delivered != delivers:  # "unknown" is of older releases
        counts = "what its __iter__ delivered" if delivers else "the source's records"
        raise ValueError(
            f"this state within epoch {found['epoch']} cannot be resumed, because it does not count {counts}, as states of "
            f"{type(stream).__qualname__} do, so records would be lost or come twice: use the class that stored it, in this release, or a "
            "state of an epoch's end"
        )
    if any(one not in (None, ENDED) for one in sources) and not has_state(source):
        raise ValueError(
            f"this state within epoch {found['epoch']} cannot be resumed, because it leaves out the records that this "
            f"{type(source).__qualname__} holds back, and they would be lost: use a state of an epoch's end, or one that this "
            "release stored"
        )
    return found | {"yielded": stages}


def start_of(state: dict[str, Any], epoch: int, worker: int, workers: int, *, divides: bool) -> Start:
    """Return the start of a worker's pass from a state.

    Args:
        state: the state, as `check_state` returned it.
        epoch: the epoch of the pass.
        worker: the number of the worker.
        workers: how many there are.
        divides: whether they can divide the rest of a pass of others.

    Raises:
        ValueError: the state was stored with another number of workers, and the source, which divides its records among the
            workers, cannot divide the rest among others.
    """
    stages, sources = state.get("yielded") or [[0] * workers], state.get("sources")
    if len(stages[-1]) != workers:
        stages = [*stages, [0] * workers]
    if (len(stages) > 1 and not divides) or (sources and (len(sources) != workers or divides)):
        raise ValueError(
            f"a state of {_workers(len(stages[0]))} within epoch {epoch} cannot be resumed by {_workers(workers)}, because the "
            "source divides itself among them: use the same number of workers, store the state at an epoch's end, or pass "
            "split=True if every worker reads the whole source"
        )
    known = state.get("orders") or []
    orders: list[list[int | None]] = [
        known[number] if number < len(known) else [None] * len(stage) for number, stage in enumerate(stages)
    ]
    source = sources[worker] if sources else state.get("shards")
    return Start(
        epoch, stages[-1][worker], tuple(stages[:-1]), tuple(orders[:-1]), orders[-1][worker], source
    )


def has_state(source: Any) -> bool:
    """Return whether a source has its own state, which tells of all that it has read: a `state_dict` that needs no arguments."""
    places = [
        name for one in type(source).__mro__ for name in ("state_dict", "__iter__") if name in vars(one)
    ]
    # An __iter__ of a class below the one with the state may hold back records of which that state knows nothing.
    if places[:1] != ["state_dict"] or not hasattr(source, "load_state_dict") or _shuffles_in_buffer(source):
        return False
    try:
        inspect.signature(source.state_dict).bind()
    except (TypeError, ValueError):
        return False
    return True


def resume(source: Any, start: Start, was_resumed: bool) -> bool:
    """Load the state of a start into its source, and return whether one has ever been loaded.

    A Hugging Face dataset keeps the state that it was resumed at, and has to forget it to be read whole.
    """
    if start.source not in (None, ENDED):
        source.load_state_dict(start.source)
        return True
    if start.source is None and getattr(source, "_starting_state_dict", None) is not None:
        if not was_resumed:
            frames.warn(
                f"this {type(source).__qualname__} still holds a state that was loaded into it, which this pass leaves out to read all "
                "records: to resume, load the state of the stream or of its loader"
            )
        source.load_state_dict(None)
    return was_resumed


def _shuffles_in_buffer(source: Any) -> bool:
    """Return whether a source is a Hugging Face dataset with a shuffle buffer, which its state leaves out."""
    examples = getattr(source, "_ex_iterable", None)
    while examples is not None:
        if type(examples).__name__.startswith("BufferShuffled"):
            return True
        examples = getattr(examples, "ex_iterable", None)
    return False


def _workers(number: int) -> str:
    return f"{number} workers" if number > 1 else "one process"
