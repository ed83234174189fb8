"""DistributedKeyedSampler: one global order, shared among ranks."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sized
from typing import Any, Literal, SupportsIndex

import numpy as np
from torch.utils.data import DistributedSampler, SequentialSampler

from seedsafe import SampleIndex, epoch_order
from seedsafe.reading import checked_int, flag
from seedsafe_torch.order import EpochOrder, Stamp
from seedsafe_torch.passes import Progress
from seedsafe_torch.ranks import ranks_of
from seedsafe_torch.sampler import KeyedSampler

__all__ = ["DistributedKeyedSampler"]

_CHUNK = 1024


class DistributedKeyedSampler(KeyedSampler, DistributedSampler[Any]):  # type: ignore[misc]  # epoch may be None
    """The share of one rank in a global order that follows from (seed, epoch) alone.

    Rank r of R takes entries r, r + R, r + 2R … of the order, so a step of all ranks takes the next entries, whatever R is. The
    state counts entries of the global order. Stored on any rank after a step, it can be loaded on all ranks of a run with another
    number of ranks: every sample not yet served is served once. Pass the sampler to `loader` as ``sampler=``. It subclasses torch's
    DistributedSampler, because trainers wrap any other sampler in one of their own.

    Args:
        dataset: the dataset, or its length.
        seed: the seed of the run.
        num_replicas: the number of ranks; by default from torch.distributed. If neither torch.distributed nor the variable
            WORLD_SIZE of the environment has ranks, this process is the only one.
        rank: the rank of this process, 0 ≤ rank < num_replicas; by default from torch.distributed.
        shuffle: order each epoch by (seed, epoch).
        drop_last: at the end of an epoch, if fewer entries are left than there are ranks, leave them out. By default they are
            filled up with further occurrences of the epoch's first entries.
        repeats: how often each sample comes in an epoch, one copy after the other: as occurrences 0, 1, … of the whole epoch,
            so that no two ranks serve the same one (repeated augmentation).
        epoch: a fixed epoch for every pass, or None to count them.
        offset: a number to add to the argument of `set_epoch`.
        order: "addressed" computes each entry by itself, so that no rank keeps the order of an epoch; see ``seedsafe.epoch_order``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range; num_replicas or rank is missing, and torch.distributed, which would have
            them, is not initialised. From a pass: torch.distributed had its ranks only after the sampler was made for one.

    Example:
        One process is one rank, and takes the whole order of the epoch:

        >>> [int(index) for index in DistributedKeyedSampler(5, seed=42)]
        [0, 1, 4, 3, 2]

        Two ranks take turns. The last step is filled up with the first entry again:

        >>> ranks = [DistributedKeyedSampler(5, seed=42, num_replicas=2, rank=rank) for rank in range(2)]
        >>> [[int(index) for index in rank] for rank in ranks]
        [[0, 4, 2], [1, 3, 0]]

        Each sample twice, as occurrences 0 and 1:

        >>> repeated = DistributedKeyedSampler(2, seed=42, num_replicas=2, rank=1, repeats=2)
        >>> [(int(index), index.occurrence) for index in repeated]
        [(0, 1), (1, 1)]
    """

    def __init__(
        self,
        dataset: int | Sized,
        *,
        seed: SupportsIndex,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        drop_last: bool = False,
        repeats: int = 1,
        epoch: SupportsIndex | None = None,
        offset: int = 0,
        order: Literal["stored", "addressed"] = "stored",
    ) -> None:
        flag("shuffle", shuffle)
        flag("drop_last", drop_last)
        self._entries = EpochOrder(dataset, seed=seed, order=order)
        super().__init__(
            self._entries if shuffle else SequentialSampler(self._entries),
            seed=seed,
            epoch=epoch,
            offset=offset,
        )
        self._ranks = ranks_of("sampler", num_replicas, rank)
        self.num_replicas, self.rank, _ = self._ranks
        self.repeats = checked_int("repeats", repeats, 1, 2**15, "pass the number of copies in an epoch")
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.stride = self.num_replicas

    def __len__(self) -> int:
        return self._share(0)

    @property
    def _total(self) -> int:
        return len(self._entries) * self.repeats

    def _share(self, start: int) -> int:
        """Return how many entries each rank has from a position of the global order on."""
        left = max(self._total - start, 0)
        return left // self.num_replicas if self.drop_last else -(-left // self.num_replicas)

    @property
    def order_name(self) -> Any:
        """What a state has as its order."""
        if self.shuffle and self._entries.name:
            return self._entries.name + f", repeats {self.repeats}" * (self.repeats > 1)
        words = (self.seed, len(self._entries), self.repeats, self.shuffle)
        return zlib.crc32(repr(words).encode())

    def _state(self, progress: Progress | None) -> dict[str, Any]:
        state = super()._state(progress)
        state["yielded"] = min(state["yielded"], self._total)
        return state | {"order": self.order_name} if state["yielded"] else state

    def _begin(self, state: dict[str, Any] | None) -> Progress:
        self._ranks.check("DistributedKeyedSampler")
        return super()._begin(state)

    def _pass(self, progress: Progress, stamp: Stamp) -> Iterator[Any]:
        self.inner.set(self.sampler, progress.epoch, self.seed)
        self.check_position(
            progress,
            self._total,
            f"{len(self._entries)} samples with seed={self.seed}, repeats={self.repeats}, shuffle={self.shuffle} and "
            f"order={self._entries.order!r}",
        )
        return self._items_from(progress.epoch, progress.start)

    def _items_from(self, epoch: int, start: int) -> Iterator[Any]:
        length, kind = len(self._entries), self._entries.order
        order = epoch_order(self.seed, epoch, length, order=kind) if self.shuffle else None
        count, total = self._share(start), self._total
        for begin in range(0, count, _CHUNK):
            steps = np.arange(begin, min(begin + _CHUNK, count))
            rounds, positions = np.divmod(start + self.rank + self.num_replicas * steps, total)
            indices, copies = np.divmod(positions, self.repeats)
            if order is not None:
                indices = order[indices]
            copies += rounds * self.repeats
            for index, copy in zip(indices.tolist(), copies.tolist(), strict=True):
                yield SampleIndex(index, epoch, copy) if copy else index
