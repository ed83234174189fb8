"""A source that workers and ranks divide."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final

from torch.utils.data import IterableDataset, get_worker_info

from seedsafe import content_id, record_index
from seedsafe_torch.fetching import tell_worker
from seedsafe_torch.passes import check_iterable
from seedsafe_torch.ranks import ranks_of

__all__ = ["COMPARED", "Shards", "content_of"]

COMPARED: Final = 16
"""How many records of a pass, or of a shard, are compared by their content, where they have no ids."""
_END: Final = object()


class Shards(IterableDataset[Any]):
    """Records in shards, which workers and ranks divide among them: the source of an AugmentedIterable.

    Each shard has one reader. Its state is how far each shard was read, so that any number of workers and ranks can share out what is
    left: after each step, store the loader's state of all ranks, and load the list of them on each rank of the next run.

    Args:
        shards: iterables of records, each of which gives the same records in the same order when it is iterated again. A shard
            that divides itself among workers, as webdataset's and Hugging Face's do, is read as a whole. One with ``set_epoch`` gets
            each epoch by it.
        num_replicas: the number of ranks; by default from torch.distributed, see DistributedKeyedSampler.
        rank: the rank of this process.

    Raises:
        TypeError: an argument has the wrong type, or a shard can be read only once.
        ValueError: an argument is out of its range, or num_replicas or rank is missing; when iterated: a shard does not begin with
            the records that it gave before the state was stored.

    Example:
        >>> import seedsafe as ss
        >>> from seedsafe_torch import AugmentedIterable, loader
        >>> def reading():
        ...     shards = Shards([[{"n": 1}, {"n": 2}, {"n": 3}], [{"n": 4}], [{"n": 5}, {"n": 6}]])
        ...     return loader(AugmentedIterable(shards, lambda record: record["n"], seed=42, id="n"), batch_size=2)
        >>> loading = reading()
        >>> batches = iter(loading)
        >>> next(batches), loading.state_dict()
        (tensor([1, 2]), {'epoch': 0, 'yielded': [[2]], 'sources': [{'of': 3, 'before': {}, 'read': {0: [False, 2, 3383608685]}}]})
        >>> resumed = reading()
        >>> resumed.load_state_dict(loading.state_dict())
        >>> list(resumed)
        [tensor([3, 4]), tensor([5, 6])]
    """

    def __init__(
        self, shards: Sequence[Iterable[Any]], *, num_replicas: int | None = None, rank: int | None = None
    ) -> None:
        if not isinstance(shards, Sequence) or isinstance(shards, str) or not shards:
            raise TypeError(
                f"shards must be a list of iterables, at least one, got {shards!r:.60}: list the shards"
            )
        for number, shard in enumerate(shards):
            check_iterable(f"shard {number}", shard, "pass what reads it anew each time")
        self.shards = list(shards)
        self.ranks = ranks_of("Shards", num_replicas, rank)
        # Of each shard, before the pass that divides what is left, and in it by this reader: whether it ended, its records, and their
        # checksum or, once it ended, that of the first.
        self._before: dict[int, list[Any]] = {}
        self._read: dict[int, list[Any]] = {}
        self._resumes = False

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch of the shards that have one."""
        for shard in self.shards:
            if hasattr(shard, "set_epoch"):
                shard.set_epoch(epoch)

    def __iter__(self) -> Iterator[Any]:
        self.ranks.check("Shards")
        if not self._resumes:
            self._before, self._read = {}, {}
        self._resumes = False
        info, (ranks, rank, _) = get_worker_info(), self.ranks
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        over = sorted(number for number, mark in self._before.items() if mark[0])
        left = [number for number in range(len(self.shards)) if number not in over]
        # Those that ended first: where the shards come in another order than before, nothing is to be served.
        share = slice(worker * ranks + rank, None, workers * ranks)
        return self._records([*over[share], *left[share]])

    def _records(self, numbers: list[int]) -> Iterator[Any]:
        for number in numbers:
            over, skip, known = self._read.get(number, self._before.get(number, [False, 0, 0]))
            skip = min(skip, 1) if over else skip
            count = checksum = first = 0
            for count, record in enumerate(_whole(self.shards[number]), 1):
                if count <= COMPARED or not count % COMPARED:
                    checksum = zlib.crc32(content_of(record).to_bytes(8, "little"), checksum)
                first = first or checksum
                if over or (count == skip and checksum != known):
                    break
                if count > skip:
                    self._read[number] = [False, count, checksum]
                    yield record
            if count < skip or (count == skip and checksum != known):
                raise ValueError(
                    f"shard {number} does not begin with the records that it gave before the state was stored, so some would be lost and "
                    "others come twice: use the same shards in the same order, whose records come in one order, or a state of an epoch's end"
                )
            if not over:
                self._read[number] = [True, count, first]

    def state_dict(self) -> dict[str, Any]:
        """Return how far this process, and those before it, have read each shard."""
        return {"of": len(self.shards), "before": self._before, "read": dict(self._read)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Leave out in the next pass what was read before."""
        if state["of"] != len(self.shards):
            raise ValueError(
                f"the state is of {state['of']} shards, and there are {len(self.shards)}: use the same shards"
            )
        self._before, self._read = (
            {int(number): mark for number, mark in state[name].items()} for name in ("before", "read")
        )
        self._resumes = True

    def joined(self, states: Any) -> Any:
        """Return one state of a loader or stream from those of all ranks after one step, or from that of a run without ranks.

        Raises:
            ValueError: they are not of all ranks, or of several epochs.
        """
        found = states if isinstance(states, list | tuple) else [states]
        if not all(isinstance(state, dict) and "epoch" in state for state in found):
            return states
        ranks = sorted(list(state.get("rank", (0, 1))) for state in found)
        epochs = {state["epoch"] for state in found}
        if ranks != [[rank, len(found)] for rank in range(len(found))] or len(epochs) != 1:
            raise ValueError(
                f"states must come from all ranks after the same step, got those of ranks {ranks}, as [rank, ranks], in epochs {sorted(epochs)}: "
                "store the state of each rank, and load the list of them on every rank"
            )
        if all(state.get("ended") for state in found):
            return {"epoch": found[0]["epoch"] + 1}
        parts = [
            part
            for state in found
            for part in state.get("sources") or [state.get("source", state.get("shards"))]
            if part
        ]
        if not parts:
            return {name: value for name, value in found[0].items() if name not in ("rank", "ended")}
        # Perhaps of one of StatefulDataLoader's workers, which goes on with its own share.
        if len(parts) == 1:
            return {"epoch": found[0]["epoch"], "shards": parts[0]}
        read: dict[int, Any] = {}
        for number, mark in chain(*(part[name].items() for part in parts for name in ("before", "read"))):
            read[int(number)] = max(read.get(int(number), mark), mark)
        return {"epoch": found[0]["epoch"], "shards": {**parts[0], "before": read, "read": {}}}


def _whole(shard: Iterable[Any]) -> Iterator[Any]:
    """Yield the records of a shard as the only worker would get them, so that it is not divided again."""
    info = get_worker_info()
    place = {} if info is None else {"id": info.id, "num_workers": info.num_workers}
    alone = dict(zip(place, (0, 1), strict=False))
    records: Any = None
    while True:
        tell_worker(**alone)
        try:
            records = iter(shard) if records is None else records
            record = next(records, _END)
        finally:
            tell_worker(**place)
        if record is _END:
            return
        yield record


def content_of(record: Any) -> int:
    """Return a hash of a record's content, or 0 if it has none that can be compared."""
    with suppress(TypeError, ValueError):
        return record_index(content_id(record))
    return 0
