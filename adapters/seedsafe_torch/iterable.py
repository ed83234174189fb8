"""AugmentedIterable: a stream of records with keyed augmentation."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial, wraps
from itertools import islice, repeat
from typing import Any, Final, Literal, SupportsIndex

from torch.utils.data import IterableDataset, get_worker_info

from seedsafe import VALIDATION_EPOCH, KeyedMap, SampleKey, content_id, keyed_map
from seedsafe.reading import Unkeyed, augment_records, checked_source, explain_arguments, flag
from seedsafe_torch import frames
from seedsafe_torch.callers import warn_of_skipping
from seedsafe_torch.cell import Changes, Noting, Shared, epoch_to_set
from seedsafe_torch.fetching import fetch_above
from seedsafe_torch.own_epochs import counters_of, note_counters, warn_of_counters
from seedsafe_torch.passes import check_iterable
from seedsafe_torch.ranks import Ranks
from seedsafe_torch.shards import COMPARED, Shards, content_of
from seedsafe_torch.stream_state import (
    ENDED,
    Start,
    Task,
    add_mark,
    check_state,
    drop,
    has_state,
    remaining,
    resume,
    start_of,
    take_task,
)

__all__ = [
    "NOTHING",
    "AugmentedIterable",
    "divides_anew",
    "has_own_iter",
    "marks_of",
    "source_state",
]

NOTHING: Final = "seedsafe: no record"
"""Stands for a record while a worker lets others deliver first."""

# The numbers that all processes share, behind the one of its changes: the next epoch, the last one that began plus 1, whether a worker reads, whether draws of
# the source were told, and what a source's own count of passes was as a worker began.
_EPOCH, _BEGUN, _WORKERS, _TOLD, _COUNTED = range(1, 6)
_MOVE_IT = "move what changes records into augment, a function of a record, whose draws all follow the key"
_SECOND_PASS: Final = (
    "a second pass begins in epoch {}, with the same augmentation. Call set_epoch(epoch) before each pass, or read the stream with "
    "seedsafe_torch.loader"
)
_WATCHED: Final = 1024
"""How many ids of a pass are remembered, to tell of one that comes twice: records without end would take memory without end."""
_WAY_OUT: Final = "store and load the state of its loader, seedsafe_torch.loader(stream, …) or torchdata's StatefulDataLoader"


@explain_arguments
class AugmentedIterable(Noting, IterableDataset[Any]):
    """An iterable source whose records are augmented as a pure function of (seed, epoch, record id).

    The result for a record depends on no shard, worker, rank or order. The epoch comes from `set_epoch` or from
    ``seedsafe_torch.loader``. A plain DataLoader without `set_epoch` repeats its augmentations in each pass, and warns.

    Args:
        source: any iterable that yields records: webdataset, Hugging Face's streaming datasets, MosaicML streaming,
            litdata. It must divide itself among workers and ranks, as these do, unless `split` is true.
        augment: a Compose, a Transform, or a function of a record.
        seed: the seed of the run, 0 ≤ seed < 2**128.
        id: the entry of a record that holds its id, or a function of the record that returns it; see ``seedsafe.keyed_map``. With
            ``split=True`` it may be None: then a record's position in the source is its index.
        epoch: a fixed epoch for every pass, such as ``seedsafe.VALIDATION_EPOCH`` for validation.
        targets: names the parts of a record; see AugmentedDataset.
        split: whether each of n workers reads the whole source, in one order, and keeps every n-th record.
        on_unkeyed: for a source that draws random numbers, "raise" and "warn" warn once: a stream is never read twice, so it is
            unknown whether only the order depends on them. "allow" does not look.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range; when iterated: a record has no id.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> records = [{"name": n, "image": np.array([[1, 2]], np.uint8)} for n in "abc"]
        >>> stream = AugmentedIterable(records, ss.HorizontalFlip(), seed=42, id="name")
        >>> [one["image"].tolist() for one in stream]
        [[[1, 2]], [[1, 2]], [[2, 1]]]
    """

    def __init__(
        self,
        source: Any,
        augment: Callable[..., Any],
        *,
        seed: SupportsIndex,
        id: str | int | Callable[[Any], Any] | None = "__key__",  # the usual name
        epoch: SupportsIndex | None = None,
        targets: Any = None,
        split: bool = False,
        on_unkeyed: Literal["raise", "warn", "allow"] = "raise",
    ) -> None:
        check_iterable("source", source, "pass the iterable that it comes from")
        flag("split", split)
        if id is None and not split:
            raise ValueError(
                "id=None counts positions, which a worker knows only if it reads the whole source: pass id=, or split=True if "
                "every worker does so"
            )
        if split and isinstance(source, Shards):
            raise ValueError("Shards divide themselves, so split=True would lose records: leave it out")
        self.augment = augment
        self.seed = SampleKey(seed, 0, 0).seed
        self.id = id
        self.epoch = None if epoch is None else SampleKey(0, epoch, 0).epoch
        self.targets, self.split = targets, split
        self.unkeyed = Unkeyed(on_unkeyed, _MOVE_IT)
        self._shared = Shared(_COUNTED + 1)
        self._task: Task | None = None  # by a loader that reads in this process, until the pass begins
        self._start = Start(0)  # of the pass under way
        self._yielded = 0  # records since the start of the pass
        self._order = 0  # a checksum of the records delivered in the pass, in their order
        self._read = 0  # one of those read of the source
        self._resumed = False  # whether this stream has loaded a state into its source
        self._begun: Start | None = None  # by the __iter__ of a subclass
        self._request: dict[str, Any] | None = None  # set or loaded, until a pass begins with it
        self._request_process = 0  # the process in which it was set
        self._watches_ids = id not in (None, content_id)  # for one id of two records
        self._checks = self._map(0).checks  # it checks the arguments
        self._changes = Changes(self._shared)
        self.source = source  # last, because from now on what is set may be the source's

    stands_for = "source"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Only what leaves the outermost __iter__ was delivered: one of a subclass may keep records back, repeat or reorder them.
        if has_own_iter(cls):
            cls.__iter__ = _counting_deliveries(cls.__iter__)  # type: ignore[method-assign]

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of later passes, in this process and in its workers, and of the source."""
        number = epoch_to_set(epoch, "an AugmentedIterable")
        if self._request is None or self._request["epoch"] != number:
            self._request, self._request_process = {"epoch": number}, os.getpid()
        self.tell(number)
        _set_epoch(self.source, number)
        warn_of_skipping(self)

    def tell(self, epoch: int) -> None:
        """Set the next epoch in all processes. None of them may be reading."""
        warn_of_counters(self.source, self._shared, _COUNTED)
        self._shared[_EPOCH], self._shared[_WORKERS] = epoch, 0

    def __iter__(self) -> Iterator[Any]:
        # Else a subclass's own __iter__ counts, of which nobody knows what it does with a batch.
        counts = self._begun is None
        start, size = self._begin() if self._begun is None else (self._begun, 1)
        keyed, counters = self._map(start.epoch), counters_of(self.source)
        keyed.checks = self._checks
        yield from repeat(NOTHING, start.nothing_first)
        if start.source == ENDED:
            return
        share, mark, marks = _share(self, start, keyed), partial(_mark, self, keyed), deque[int]()
        order = drop(share, start, mark) if start.source is None else 0
        for _, record in augment_records(keyed, _keyed_records(self, keyed, start, share, mark, marks), size):
            self._read = order = add_mark(order, marks.popleft())
            if counts:
                self._yielded, self._order = self._yielded + 1, order
            yield record
        if counts:
            self._start, self._yielded = Start(start.epoch, source=ENDED), 0
        note_counters(self.source, counters, self._shared, _COUNTED)

    def _begin(self) -> tuple[Start, int]:
        """Return the start of a pass, from the stream's loader or `set_epoch`, and the number of records in a batch."""
        shared, info = self._shared, get_worker_info()
        task, self._task = self._task or take_task(), None
        if task is not None and task.start is not None:
            start, size = task.start, task.size
        else:
            size, request, self._request = _batch_size(self), self._request, None
            epoch = shared[_EPOCH] if self.epoch is None else self.epoch
            if info is not None and self._request_process != os.getpid():
                request = _inherit(request, info.num_workers, bool(shared[_BEGUN]))
            start = start_of(request or {}, epoch, 0, 1, divides=divides_anew(self, divided=False))
            if self.epoch is None and shared[_BEGUN] == epoch + 1 and (info is None or info.id == 0):
                frames.warn(_SECOND_PASS.format(epoch))
        if info is None or info.id == 0:
            shared[_BEGUN] = start.epoch + 1
        shared[_WORKERS] = info is not None
        self._changes.begin(start.epoch)
        if info is not None and self.epoch is None:  # a worker's copy has not heard of it
            _set_epoch(self.source, start.epoch)
        _tell_shuffles(self.source, start.epoch)
        self._resumed = resume(self.source, start, self._resumed)
        self._start, self._yielded, self._order, self._read = start, 0, 0, 0
        return start, size

    def _map(self, epoch: int) -> KeyedMap:
        name = "__key__" if self.id is None else self.id
        return keyed_map(self.augment, seed=self.seed, epoch=epoch, id=name, targets=self.targets)

    def __len__(self) -> int:
        return len(self.source)

    def state_dict(self) -> dict[str, Any]:
        """Return how far this process has read the stream: the epoch, and the source's own state or the records yielded.

        Raises:
            RuntimeError: workers read the stream, and this process does not know how far they have come.
        """
        shared = self._shared
        if get_worker_info() is None and shared[_WORKERS]:
            raise RuntimeError(
                f"workers read this stream, and only they know how far they have come: {_WAY_OUT}"
            )
        loaded = self._request is not None and len(self._request) > 1
        return dict(self._request or {}) if loaded else _state(self, shared[_EPOCH])

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume at a state: by the source's own state, or else by skipping the records already yielded."""
        state = check_state(state, self, delivers=has_own_iter(type(self)))
        self.set_epoch(state["epoch"])
        self._request, self._request_process = state, os.getpid()
        self._shared[_BEGUN] = 0  # to resume a pass is not to repeat it


def has_own_iter(kind: type[AugmentedIterable]) -> bool:
    """Return whether a class of streams is a subclass with an ``__iter__`` of its own."""
    return kind.__iter__ is not AugmentedIterable.__iter__


def marks_of(stream: AugmentedIterable) -> dict[str, Any]:
    """Return the marks of a state: whether it counts what a subclass's ``__iter__`` delivers, and the rank and number of ranks of several."""
    marks: dict[str, Any] = {"delivered": True} if has_own_iter(type(stream)) else {}
    ranks = getattr(stream.source, "ranks", None)
    if isinstance(ranks, Ranks) and ranks.number > 1:
        marks["rank"] = [ranks.rank, ranks.number]
    return marks


def divides_anew(stream: AugmentedIterable, *, divided: bool) -> bool:
    """Return whether another number of workers can divide the rest of a pass.

    Args:
        stream: the stream.
        divided: whether a loader divides the source.
    """
    return (stream.split or divided) and not has_own_iter(type(stream))


def _batch_size(stream: AugmentedIterable) -> int:
    """Return how many records torch's fetch under way takes for a batch, so that small ones are augmented at once."""
    fetch = fetch_above()
    in_batches = fetch is not None and fetch.dataset is stream and isinstance(fetch.asked, list)
    return max(len(fetch.asked), 1) if fetch is not None and in_batches else 1


def _resumes_by_source(stream: AugmentedIterable) -> bool:
    """Return whether the source's own state tells how far a stream is: it has one, and nothing after the source holds records back."""
    # From a source's state no positions follow, which `split` counts.
    return not (stream.split or has_own_iter(type(stream))) and has_state(stream.source)


def _state(stream: AugmentedIterable, epoch: int) -> dict[str, Any]:
    state: dict[str, Any] = {"epoch": epoch} | marks_of(stream)
    if _resumes_by_source(stream):
        return state | {"source": stream.source.state_dict()}
    start = stream._start
    yielded = start.skip + stream._yielded
    if yielded or start.before:
        state["orders"] = [*start.orders, [stream._order]]
    return state | {"yielded": [*start.before, [yielded]] if start.before else yielded}


def source_state(stream: AugmentedIterable) -> Any:
    """Return the state of a stream's source, or None if the stream does not resume by it."""
    if not _resumes_by_source(stream):
        return None
    is_over = stream._start.source == ENDED and not isinstance(stream.source, Shards)
    return ENDED if is_over else stream.source.state_dict()


def _keyed_records(
    stream: AugmentedIterable,
    keyed: KeyedMap,
    start: Start,
    share: Any,
    mark: Callable[[int, Any], int],
    marks: deque[int],
) -> Iterator[tuple[SampleKey, Any]]:
    """Yield the records of this process, each with its key, and note what marks each."""
    seen: set[int] = set()
    for number, (position, record) in enumerate(share, start.skip):
        has_id = stream.id is not None
        key = keyed.key(record) if has_id else SampleKey(stream.seed, start.epoch, position)
        marks.append(key.index if has_id else mark(number, record))
        if stream._watches_ids and len(seen) < _WATCHED:
            stream._watches_ids = not _comes_twice(seen, key, record, stream.id)
        yield key, record


def _counting_deliveries(iterate: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """Return the ``__iter__`` of a subclass, of which a resumed pass drops what it had delivered."""

    @wraps(iterate)
    def counting(self: Any) -> Iterator[Any]:
        return _deliver_rest(self, iterate) if type(self).__iter__ is counting else iterate(self)

    return counting


def _deliver_rest(stream: AugmentedIterable, iterate: Callable[[Any], Iterator[Any]]) -> Iterator[Any]:
    start, _ = stream._begin()
    # What it reads begins at the start of the epoch, so that it holds, repeats and reorders the same as before.
    stream._begun = Start(start.epoch, divides=start.divides)
    yield from repeat(NOTHING, start.nothing_first)
    delivered, mark = enumerate(iterate(stream)), partial(_mark_delivered, stream, stream._map(start.epoch))
    order = drop(delivered, start, mark)
    for number, record in delivered:
        order = add_mark(order, mark(number, record))
        stream._yielded, stream._order = number + 1 - start.skip, order
        yield record
    stream._start, stream._yielded = Start(start.epoch), 0


def _inherit(request: dict[str, Any] | None, workers: int, begun: bool) -> dict[str, Any] | None:
    """Return the state that the parent process loaded, unless a pass has begun with it.

    Raises:
        ValueError: there are several workers.
    """
    if request is None or len(request) == 1:
        return None
    if workers > 1:
        raise ValueError(
            f"a state that was loaded before {workers} workers started does not say what each of them has read: {_WAY_OUT}"
        )
    return None if begun else request


def _share(stream: AugmentedIterable, start: Start, keyed: KeyedMap) -> Iterator[tuple[int, Any]]:
    """Return the records of this worker, each with its position in the source as this worker reads it, without earlier stages'."""
    info = get_worker_info() if stream.split or start.divides else None
    source = checked_source(stream.source, stream.unkeyed, "source", partial(_tells, stream._shared))
    records: Iterator[tuple[int, Any]] = enumerate(source)
    for stage, orders in zip(start.before, start.orders, strict=True):
        records = remaining(records, stage, orders, partial(_mark, stream, keyed), start.epoch)
    return records if info is None else islice(records, info.id, None, info.num_workers)


def _tells(shared: Shared) -> bool:
    """Return whether to warn that the source draws: once in a process, and in none once another has warned."""
    told, shared[_TOLD] = shared[_TOLD], 1
    return not told


def _mark(stream: AugmentedIterable, keyed: KeyedMap, number: int, record: Any) -> int:
    """Return what tells a record from others: its id, or for the first ones of a pass without ids, their content."""
    if stream.id is not None:
        return keyed.key(record).index
    return content_of(record) if number < COMPARED else 0


def _mark_delivered(stream: AugmentedIterable, keyed: KeyedMap, number: int, record: Any) -> int:
    """Return what tells a record that a subclass delivers: its id, or if it has none any more, at times, its content."""
    if stream.id is not None:
        with suppress(Exception):  # a user's function of a record may raise anything for what became of it
            return keyed.key(record).index
    return content_of(record) if number < COMPARED or not number % COMPARED else 0


def _set_epoch(source: Any, epoch: int) -> None:
    # a source may calculate with the number, for which VALIDATION_EPOCH is none of the run's
    if hasattr(source, "set_epoch") and epoch != VALIDATION_EPOCH:
        source.set_epoch(epoch)


def _tell_shuffles(source: Any, epoch: int) -> None:
    """Set the epoch of webdataset's detshuffle and ResampledShards, which count their passes in each process and add the number to their seed."""
    for stage in getattr(source, "pipeline", None) or ():
        if type(stage).__name__ in ("detshuffle", "ResampledShards") and hasattr(stage, "epoch"):
            stage.epoch = epoch - 1  # it adds one as a pass begins
        else:
            _tell_shuffles(stage, epoch)


def _comes_twice(seen: set[int], key: SampleKey, record: Any, name: Any) -> bool:
    """Note an index, and warn if it was seen before in its pass."""
    if key.index not in seen:
        seen.add(key.index)
        return False
    text = f"a record of {list(record)}" if isinstance(record, dict) else type(record).__qualname__
    frames.warn(
        f"two of the first {len(seen) + 1} records of epoch {key.epoch} have the same id, {name!r} of {text}, and so the same "
        "augmentation. Pass an id= that differs from record to record, or seedsafe.content_id"
    )
    return True
