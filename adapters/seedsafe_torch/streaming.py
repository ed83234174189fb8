"""StreamLoader: a DataLoader of streams that resumes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice, repeat
from typing import Any, NamedTuple, SupportsIndex

from torch.utils.data import DataLoader, get_worker_info

from seedsafe import content_id
from seedsafe.reading import checked_int, description, note_made
from seedsafe_torch import frames
from seedsafe_torch.callers import warn_of_look
from seedsafe_torch.cell import epoch_to_set
from seedsafe_torch.iterable import (
    NOTHING,
    AugmentedIterable,
    divides_anew,
    has_own_iter,
    marks_of,
    source_state,
)
from seedsafe_torch.passes import (
    TWO_OPEN,
    Batches,
    check_in_order,
    length_of,
    note_pass,
)
from seedsafe_torch.stream_state import Start, Task, check_state, start_of

__all__ = ["StreamLoader"]

_BUILTIN = (list, tuple, dict, range)
_END = ()
_DIVIDE = "divide the source by torch's get_worker_info, or pass split=True"


class StreamLoader(DataLoader[Any]):
    """A DataLoader for an AugmentedIterable, from ``seedsafe_torch.loader``. Each pass is the next epoch.

    It can store its state and resume after any batch, no matter how far its workers have read ahead.

    Args:
        dataset: the stream.
        options: DataLoader's arguments.

    Raises:
        ValueError: from a pass: the state was stored with another number of workers, and the source divides its records among
            them; or two workers gave the same records.

    Example:
        >>> import seedsafe as ss
        >>> stream = AugmentedIterable([{"n": n} for n in range(6)], lambda record: record["n"], seed=42, id="n")
        >>> loading = StreamLoader(stream, batch_size=2)
        >>> batches = iter(loading)
        >>> next(batches), next(batches), loading.state_dict()["yielded"][0][0]
        (tensor([0, 1]), tensor([2, 3]), 4)
        >>> resumed = StreamLoader(stream, batch_size=2)
        >>> resumed.load_state_dict(loading.state_dict())
        >>> list(resumed)
        [tensor([4, 5])]
    """

    def __init__(self, dataset: AugmentedIterable, **options: Any) -> None:
        super().__init__(dataset, **options)
        note_made(self)
        self._stream = dataset
        self._next: dict[str, Any] = {"epoch": 0}
        self._set = False
        self._progress: _Progress | None = None  # of the pass that began last
        self._begun: list[_Progress] = []  # of the passes that may be open
        self._tasks = _Tasks(self.batch_size)

    @property
    def _index_sampler(self) -> Any:  # DataLoader's iterators draw the requests to their workers from it
        return self._tasks

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of the next pass, and count on from there. A pass under way keeps its own."""
        self._take_request()
        number, self._set = epoch_to_set(epoch, "an AugmentedIterable"), True
        if self._next["epoch"] != number:
            self._next = {"epoch": number}

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the run after the last batch that was handed out.

        Raises:
            RuntimeError: a pass is open that is not the latest, or one source with a state of its own was read by two passes at once.
        """
        self._take_request()
        progress, marks = self._progress, marks_of(self._stream)
        if any(other is not progress for other in self.open_passes):
            raise RuntimeError(TWO_OPEN)
        if progress is None or (progress.dropped and self._set):
            return self._next | marks
        if not progress.ended:
            return progress.state() | marks
        # Other ranks may have more to read of its epoch.
        return (
            progress.state() | marks | {"ended": True}
            if "rank" in marks and not self._set
            else dict(self._next)
        )

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume in the next pass at a state of a loader, or of a stream in one process.

        At an epoch's end, and with ``split=True``, the number of workers may differ.

        Raises:
            ValueError: the argument is not such a state; or from the pass: the state is of another number of workers.
        """
        delivers = has_own_iter(type(self._stream))
        self._next = check_state(state, self._stream, delivers=delivers)
        self._progress, self._begun = None, []
        self._stream._request = None

    def resume(self, *, step: SupportsIndex, epoch: SupportsIndex | None = None) -> None:
        """Go on after some batches, in the next pass: for a checkpoint that has the number of steps and no state of the loader.

        Each worker reads the records before again, and drops them.

        Args:
            step: how many batches the run has handed out on this rank since it began, or in `epoch` if that is set.
            epoch: the epoch; by default it follows from `step` and the number of batches in an epoch.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument is out of its range, or `epoch` is missing and the number of batches is unknown; from the pass: it has fewer.

        Example:
            >>> stream = AugmentedIterable([{"n": n} for n in range(4)], lambda record: record["n"], seed=42, id="n")
            >>> loading = StreamLoader(stream, batch_size=2)
            >>> loading.resume(step=3)
            >>> list(loading), loading.state_dict()["epoch"]
            ([tensor([2, 3])], 2)
        """
        batches = checked_int("step", step, 0, 2**63, "pass the number of batches")
        workers, size, shares = max(self.num_workers, 1), self.batch_size or 1, self._shares()
        if epoch is not None:
            number = epoch_to_set(epoch, "an AugmentedIterable")
        elif shares is None:
            raise ValueError(
                "epoch is missing, and the number of batches in an epoch is unknown, because the source has no length or divides itself among "
                f"workers: pass resume(step=, epoch=), with the batches of that epoch, got step={batches}"
            )
        else:
            full = (share // size if self.drop_last else -(-share // size) for share in shares)
            number, batches = divmod(batches, max(sum(full), 1))
        if batches:
            check_in_order(self)
        yielded = [len(range(worker, batches, workers)) * size for worker in range(workers)]
        if shares is not None:  # the last batch of each may be short
            yielded = [min(both) for both in zip(yielded, shares, strict=True)]
        state = {"epoch": number, "yielded": [yielded], "next": batches % workers}
        self.load_state_dict(state | marks_of(self._stream))

    def _shares(self) -> list[int] | None:
        """Return how many records each worker reads, or None if that is unknown."""
        workers = max(self.num_workers, 1)
        if has_own_iter(type(self._stream)) or (
            workers > 1 and not divides_anew(self._stream, divided=self._divides)
        ):
            return None
        length = length_of(self._stream)
        return None if length is None else [len(range(worker, length, workers)) for worker in range(workers)]

    def __iter__(self) -> Any:
        self._starts()  # it refuses a state that cannot be resumed
        return _Batches(self)

    def peek(self, count: int) -> list[Any]:
        """Return the first batches of the next pass, at most so many, without beginning the pass. The source is read anew for them."""
        self._take_request()
        before = self._next, self._set, self._progress, self._begun
        found = list(islice(iter(self), count))
        self._next, self._set, self._progress, self._begun = before
        return found

    def _take_request(self) -> None:
        """Take over an epoch or state that was set on the stream itself."""
        stream = self._stream
        if stream._request is not None:
            self._next, self._set, stream._request = stream._request, True, None

    def _starts(self) -> list[Start]:
        self._take_request()
        stream, state, workers = self._stream, self._next, max(self.num_workers, 1)
        epoch = state["epoch"] if stream.epoch is None else stream.epoch
        divides = divides_anew(stream, divided=self._divides)
        starts = [start_of(state, epoch, worker, workers, divides=divides) for worker in range(workers)]
        first = state.get("next", 0) if len(state.get("yielded", [[]])[-1]) == workers else 0
        size = self.batch_size or 1
        return [
            start._replace(nothing_first=size if number < first else 0, divides=self._divides)
            for number, start in enumerate(starts)
        ]

    @property
    def open_passes(self) -> list[_Progress]:
        """The passes that have begun and have more to hand out, in the order in which they began."""
        return [progress for progress in self._begun if not (progress.ended or progress.dropped)]

    @property
    def _divides(self) -> bool:
        return type(self._stream.source) in _BUILTIN and self.worker_init_fn is None

    def _begin(self) -> tuple[_Progress, Any]:
        """Begin a pass, and return its progress and DataLoader's iterator over its batches."""
        starts, stream, collate = self._starts(), self._stream, self.collate_fn
        others, latest = self.open_passes, self._progress
        self._tasks.starts = starts
        self._progress = progress = _Progress(
            starts, self._next.get("next", 0), bool(others and not self.num_workers)
        )
        if stream.epoch is None:
            warn_of_look()
            is_first = latest is None and self._next == {"epoch": 0} and not self._set
            like = description((), self.batch_size, self.num_workers)
            note_pass(stream, like, lambda: progress.ended, maker=self, loading=self, first=is_first)
        self._begun = [*others, progress]
        self._next, self._set = {"epoch": starts[0].epoch + (stream.epoch is None)}, False
        if stream.epoch is None:
            stream.set_epoch(starts[0].epoch)
            stream._request = None
        if not self.num_workers:
            stream._task = Task(starts[0], self.batch_size or 1)
        batched = self.batch_size is not None
        self.collate_fn = partial(_deliver, collate=collate, stream=stream, batched=batched)
        reading = self
        if others and self.persistent_workers:  # which have one iterator for all passes
            reading = copy(self)
            vars(reading)["persistent_workers"] = False  # torch refuses to set it
        try:
            return progress, super(StreamLoader, reading).__iter__()
        finally:
            self.collate_fn = collate


class _Tasks:
    """The requests to the workers: first each one's start, then more batches from each in turn."""

    def __init__(self, size: int | None) -> None:
        self.starts: list[Start] = []
        self._size = size

    def __iter__(self) -> Iterator[Any]:
        size = self._size or 1
        tasks = chain((Task(start, size) for start in self.starts), repeat(Task()))
        return tasks if self._size is None else ([task] * size for task in tasks)


class _Delivery(NamedTuple):
    """A batch, its worker, and how far that worker has read."""

    worker: int
    records: int
    order: int
    source: bytes
    batch: Any
    read: int | None = None
    """The checksum of the ids that were read of the source, or None where it cannot tell one worker's records from another's."""


def _deliver(samples: Any, collate: Any, stream: AugmentedIterable, batched: bool) -> _Delivery:
    info = get_worker_info()
    worker = 0 if info is None else info.id
    if (samples[0] if batched else samples) is NOTHING:
        return _Delivery(worker, 0, 0, b"", None)
    source = pickle.dumps(source_state(stream))
    count = len(samples) if batched else 1
    read = stream._read or None if stream.id is not None else None
    return _Delivery(worker, count, stream._order, source, collate(samples), read)


@dataclass(eq=False)
class _Progress:
    """How far a pass has come: the records handed out, for each worker."""

    starts: list[Start]
    next: int
    """The worker of the next batch."""
    shares_source: bool = False
    """Whether another pass read the same source when it began, so that the source's own state is of neither."""
    ended: bool = False
    dropped: bool = False
    """Whether nobody reads further."""
    yielded: list[int] = field(init=False)
    sources: list[bytes] = field(init=False)
    checksums: list[int | None] = field(init=False)
    """Of the records handed out, for each worker."""
    orders: dict[int, int] = field(default_factory=dict)
    first: dict[int, int] = field(default_factory=dict)
    """The first worker to deliver each first batch, by the hash of the batch's indices."""

    def __post_init__(self) -> None:
        self.yielded = [start.skip for start in self.starts]
        self.checksums = [start.order for start in self.starts]
        self.sources = [pickle.dumps(start.source) for start in self.starts]

    def take(self, delivery: _Delivery) -> None:
        """Count a batch that is handed out."""
        worker = delivery.worker
        self.yielded[worker] += delivery.records
        self.checksums[worker] = delivery.order
        self.sources[worker] = delivery.source
        self.next = (worker + 1) % len(self.starts)
        if delivery.read is None:
            return
        if worker not in self.orders:
            first_worker = self.first.setdefault(delivery.read, worker)
            if first_worker != worker and delivery.records:
                frames.warn(
                    f"workers {first_worker} and {worker} begin epoch {self.starts[0].epoch} with the same records, which get the same "
                    f"augmentation. To read each record once, {_DIVIDE}"
                )
        self.orders[worker] = delivery.read

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = {"epoch": self.starts[0].epoch}
        if not any(self.yielded) and not self.starts[0].before and self.starts[0].source is None:
            return state
        state["yielded"] = [*self.starts[0].before, list(self.yielded)]
        sources = [pickle.loads(source) for source in self.sources]
        if any(source is not None for source in sources):
            if self.shares_source:
                raise RuntimeError(TWO_OPEN)
            state["sources"] = sources
        else:
            state["orders"] = [*self.starts[0].orders, list(self.checksums)]
        return state | ({"next": self.next} if self.next else {})

    def check_divided(self) -> None:
        """Refuse a pass in which two workers gave exactly the same records."""
        ends: dict[int, int] = {}
        for worker, order in self.orders.items():
            first_worker = ends.setdefault(order, worker)
            if first_worker != worker:
                raise ValueError(
                    f"workers {first_worker} and {worker} gave the same records in epoch {self.starts[0].epoch}: {_DIVIDE}"
                )


class _Batches(Batches):
    """Batches, counted as they are handed out."""

    def __init__(self, loading: StreamLoader) -> None:
        super().__init__(loading)
        self._progress: _Progress | None = None

    def __next__(self) -> Any:
        loading, progress = self._loading, self._progress
        if progress is None:
            progress, self._batches = self._progress, self._batches = loading._begin()
        stream = loading._stream
        if progress.ended:
            raise StopIteration
        delivery = next(self._batches, _END)
        while delivery and not delivery.records:
            delivery = next(self._batches, _END)
        if not delivery:
            progress.ended = True
            stream.tell(loading._next["epoch"])
            if stream.id is not content_id:
                progress.check_divided()
            # Whoever catches it may make the loader anew, and its traceback would keep this one.
            del self, loading
            raise StopIteration
        progress.take(delivery)
        return delivery.batch

    def __del__(self) -> None:
        progress = self._progress
        if progress is not None:
            progress.dropped = True
