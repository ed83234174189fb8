"""AugmentedIterable: a stream of records, augmented by (seed, epoch, record id)."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, SupportsIndex

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from seedsafe import KeyedMap, SampleKey, keyed_map

__all__ = ["AugmentedIterable", "StreamLoader"]


class AugmentedIterable(IterableDataset[Any]):
    """An iterable source whose records are augmented as a pure function of (seed, epoch, record id).

    What a record becomes depends on no shard, worker, rank or order. The epoch comes from `set_epoch`, or by itself
    from ``seedsafe_torch.loader``; a plain DataLoader that sets no epoch would repeat its augmentations, and warns.

    Args:
        source: any iterable that yields records: webdataset, Hugging Face's streaming datasets, MosaicML streaming,
            litdata. It divides itself among workers and ranks, as these do, unless `split` is true.
        augment: a Compose, a Transform, or a function of a record.
        seed: of the run, 0 ≤ seed < 2**128.
        id: the record's entry that holds its id, or a function of the record that returns it; see ``seedsafe.keyed_map``. With
            ``split=True`` it may be None: then a record's position in the source is its index.
        epoch: a fixed epoch for every pass, such as ``seedsafe.VALIDATION_EPOCH`` for validation.
        targets: the parts of a record; see AugmentedDataset.
        split: whether every worker reads the whole source, in one order, and keeps each n-th record of its own.

    Raises:
        TypeError: an argument is of another type.
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
        id: str | int | Callable[[Any], Any] | None = "__key__",  # the field's word
        epoch: SupportsIndex | None = None,
        targets: Any = None,
        split: bool = False,
    ) -> None:
        if not hasattr(source, "__iter__"):
            raise TypeError(f"source must be iterable, got {type(source).__qualname__}")
        if hasattr(source, "__next__"):
            raise TypeError(
                f"source must be iterable once for each epoch, got {type(source).__qualname__}, which can be read only "
                "once: pass what it was made of"
            )
        if not isinstance(split, bool):
            raise TypeError(f"split must be True or False, got {split!r}")
        if id is None and not split:
            raise ValueError(
                "id=None counts positions, which a worker knows only if it reads the whole source: pass id=, or "
                "split=True if every worker reads all of the source"
            )
        self.source = source
        self.augment = augment
        self.seed = SampleKey(seed, 0, 0).seed
        self.id = id
        self.epoch = None if epoch is None else SampleKey(0, epoch, 0).epoch
        self.targets = targets
        self.split = split
        told: Any = torch.zeros(2, dtype=torch.int64)  # torch leaves share_memory_ untyped
        self._told = told.share_memory_()  # the epoch; the last that a pass began in, + 1
        self._yielded = self._skip = 0
        self._resumed: int | None = None  # the epoch of a state that was loaded and not read yet
        self._map(0)  # what is wrong with the arguments is said here

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of the passes that begin from now on, in this process and in its workers, and of the source."""
        self._told[0] = SampleKey(0, epoch, 0).epoch
        if hasattr(self.source, "set_epoch"):
            self.source.set_epoch(int(self._told[0]))

    def __iter__(self) -> Iterator[Any]:
        epoch = self._begin()
        keyed = self._map(epoch)
        self._yielded, self._skip = self._skip, 0
        for position, record in islice(self._share(), self._yielded, None):
            made = (
                keyed(record)
                if self.id is not None
                else keyed.at(record, SampleKey(self.seed, epoch, position))
            )
            self._yielded += 1
            yield made
        self._yielded = 0

    def _share(self) -> Iterator[tuple[int, Any]]:
        """Yield this worker's records of the source, with their positions in what it yields here."""
        info = get_worker_info() if self.split else None
        if info is None:
            return enumerate(self.source)
        return islice(enumerate(self.source), info.id, None, info.num_workers)

    def _begin(self) -> int:
        if self.epoch is not None:
            return self.epoch
        epoch = int(self._told[0])
        info = get_worker_info()
        if info is None or info.id == 0:
            if self._told[1] == epoch + 1:
                warnings.warn(
                    f"a second pass begins in epoch {epoch}, with the same augmentation: call set_epoch(epoch) before each "
                    "pass, or read the stream with seedsafe_torch.loader",
                    stacklevel=3,
                )
            self._told[1] = epoch + 1
        return epoch

    def _map(self, epoch: int) -> KeyedMap:
        name = "__key__" if self.id is None else self.id
        return keyed_map(self.augment, seed=self.seed, epoch=epoch, id=name, targets=self.targets)

    def __len__(self) -> int:
        return len(self.source)

    def state_dict(self) -> dict[str, Any]:
        """Return where this process stands in the stream: its epoch, and the source's own state or the records yielded."""
        state = {"epoch": int(self._told[0])}
        if _has_state(self.source):
            return state | {"source": self.source.state_dict()}
        return state | {"yielded": self._yielded}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume where `state_dict` stood: by the source's own means, else by reading over the records yielded."""
        self.set_epoch(state["epoch"])
        self._resumed = int(self._told[0])
        self._told[1] = 0  # the pass that goes on is no second one
        if "source" in state:
            self.source.load_state_dict(state["source"])
        self._skip = state.get("yielded", 0)


def _has_state(source: Any) -> bool:
    """Return whether a source tells its state by itself; one that has to be told how far it was read does not."""
    if not (hasattr(source, "state_dict") and hasattr(source, "load_state_dict")):
        return False
    try:
        inspect.signature(source.state_dict).bind()
    except (TypeError, ValueError):
        return False
    return True


class StreamLoader(DataLoader[Any]):
    """What ``seedsafe_torch.loader`` returns for an AugmentedIterable: a DataLoader whose passes are the epochs, one by one.

    Args:
        dataset: the stream.
        options: DataLoader's arguments.
    """

    def __init__(self, dataset: AugmentedIterable, **options: Any) -> None:
        super().__init__(dataset, **options)
        self._next = 0

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of the next pass, and count on from there."""
        self._next = SampleKey(0, epoch, 0).epoch
        stream: Any = self.dataset
        stream._resumed = None

    def __iter__(self) -> Any:
        stream: Any = self.dataset
        if stream.epoch is None:
            if stream._resumed is not None:
                self._next, stream._resumed = stream._resumed, None
            stream.set_epoch(self._next)
            self._next += 1
        if stream._skip and (self.num_workers > 1 or self._iterator is not None):
            raise ValueError(
                f"a state after {stream._skip} records of one process cannot be resumed by {self.num_workers} workers that each "
                "read a part, or that already run: use torchdata's StatefulDataLoader, or at most one new worker"
            )
        batches = super().__iter__()
        if self.num_workers:
            stream._skip = 0  # the worker has it
        return batches
