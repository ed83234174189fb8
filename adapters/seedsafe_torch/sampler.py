"""KeyedSampler: stamps every index with its epoch and occurrence, in the parent process."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sized
from typing import Any, SupportsIndex

import torch
from torch.utils.data import Sampler

from seedsafe import VALIDATION_EPOCH, SampleIndex, SampleKey, epoch_order, op_of
from seedsafe.key import address, checked_int, philox

__all__ = ["EpochOrder", "KeyedSampler"]


class EpochOrder(Sampler[int]):
    """Every index of a dataset once, in an order that follows from (seed, epoch).

    Args:
        length: of the dataset; or the dataset, whose length is asked for in each pass.
        seed: of the run.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range.

    Example:
        >>> order = EpochOrder(5, seed=42)
        >>> list(order)
        [0, 1, 4, 3, 2]
    """

    def __init__(self, length: int | Sized, *, seed: SupportsIndex) -> None:
        way_out = "pass the dataset or its length"
        self._dataset = (
            length if isinstance(length, Sized) else range(checked_int("length", length, 0, 2**48, way_out))
        )
        self.seed = SampleKey(seed, 0, 0).seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch of the next pass."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        return iter(epoch_order(self.seed, self.epoch, len(self)).tolist())

    def __len__(self) -> int:
        return len(self._dataset)


class KeyedSampler(Sampler[Any]):
    """Any sampler, its indices stamped with the epoch and their occurrence.

    Each pass is the epoch after the one before, without anybody's help; `set_epoch` overrides the next. A pass counts
    from its first index on. A sampler that has a ``generator`` is given a new one for each epoch, keyed on (seed,
    epoch), and ``set_epoch`` is passed on; a sampler with neither keeps an order of its own.

    Args:
        sampler: yields indices, or batches of them as a BatchSampler does.
        seed: of the run.
        epoch: a fixed epoch for every pass, or None to count them.
        offset: is added to what `set_epoch` is given, for trainers that count from another number.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range.

    Example:
        >>> sampler = KeyedSampler(range(2), seed=42)
        >>> list(sampler), list(sampler)[0]
        ([SampleIndex(0, epoch=0, occurrence=0, view=0), SampleIndex(1, epoch=0, occurrence=0, view=0)], SampleIndex(0, epoch=1, occurrence=0, view=0))
    """  # the example's output is one line

    def __init__(
        self, sampler: Any, *, seed: SupportsIndex, epoch: SupportsIndex | None = None, offset: int = 0
    ) -> None:
        if not hasattr(sampler, "__iter__"):
            raise TypeError(f"sampler must be iterable, got {type(sampler).__qualname__}")
        if hasattr(sampler, "__next__"):
            raise TypeError(
                f"sampler must be iterable once for each epoch, got {type(sampler).__qualname__}, which ends with the first: "
                "pass a list or a Sampler"
            )
        self.sampler = sampler
        self.seed = SampleKey(seed, 0, 0).seed
        self.epoch = None if epoch is None else SampleKey(0, epoch, 0).epoch
        self.offset = checked_int(
            "offset", offset, -(2**31), 2**31, "pass what the trainer's first epoch lacks to 0"
        )
        self.lead = 0
        self._next = 0
        self._skip = 0
        self._now = (0, 0)
        self._under_way: Counter[int] = Counter()
        self._peeking = False
        self._warned = False

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of the next pass, and of those after it. A pass under way keeps its own.

        It warns if that pass has this very epoch: the call came too late, and the next pass would repeat it.
        """
        number = checked_int("epoch", epoch, 0, 2**32, "pass the epoch's number, 0 for the first")
        wanted = checked_int(
            "epoch + offset", number + self.offset, 0, VALIDATION_EPOCH, "the last one is reserved"
        )
        if self._under_way[wanted]:
            warnings.warn(
                f"set_epoch({number}) came when the pass of epoch {wanted} had begun, and the next pass will have that epoch "
                "again: call it before iter(loader), or leave it out",
                stacklevel=2,
            )
        if (wanted, 0) != (self._next, self._skip) and not (self._skip and wanted == self._next):
            self._skip = 0
        self._next = wanted

    def __len__(self) -> int:
        return len(self.sampler)

    def __iter__(self) -> Iterator[Any]:
        epoch, skip, peeking = self._begin()
        counts: Counter[int] = Counter()
        yielded = 0
        counted = not peeking and self.epoch is None
        self._under_way[epoch] += counted
        try:
            for item in self._pass(epoch):
                stamped = _stamp(item, epoch, counts)
                yielded += 1
                if yielded <= skip:
                    continue
                if not peeking:
                    self._now = (epoch, yielded)
                yield stamped
        except GeneratorExit:
            self._abandoned(yielded - skip, peeking)
            raise
        finally:
            self._under_way[epoch] -= counted
        if yielded < skip:
            raise ValueError(
                f"the state says that {skip} items of epoch {epoch} were yielded, and the pass has {yielded}: load it into a "
                "sampler like the one that it came from, or change its 'yielded'"
            )
        if not peeking:
            self._now = (epoch + 1, 0)

    def _begin(self) -> tuple[int, int, bool]:
        """Return the epoch of a pass whose first index is drawn, and how many indices it leaves out."""
        epoch = self._next if self.epoch is None else self.epoch
        skip = self._skip
        if not self._peeking:
            if self.epoch is None:
                if epoch >= VALIDATION_EPOCH:
                    raise ValueError(f"epoch {epoch} is reserved for validation: there are no more")
                self._next = epoch + 1
            self._skip = 0
        return epoch, skip, self._peeking

    def _pass(self, epoch: int) -> Iterator[Any]:
        for one in _chain(self.sampler):
            if hasattr(one, "set_epoch"):
                one.set_epoch(epoch)
            elif hasattr(one, "generator"):
                one.generator = _generator(self.seed, epoch)
        return iter(self.sampler)

    def _abandoned(self, yielded: int, peeking: bool) -> None:
        if peeking or self._warned or self.epoch is not None or not 0 < yielded <= self.lead:
            return
        self._warned = True
        warnings.warn(
            "a pass over the loader was left before its second batch, and counts as an epoch: "
            "use seedsafe_torch.peek(loader) to look at a batch",
            stacklevel=2,
        )

    def state_dict(self) -> dict[str, int]:
        """Return where the run stands: the epoch under way, and how many items of it were yielded.

        Workers are fed ahead of training: a plain DataLoader has yielded more than training has seen, so that
        ``yielded`` is to be replaced by the number seen. StatefulDataLoader does that by itself.
        """
        epoch, yielded = self._now
        if yielded == 0:
            return {"epoch": self._next, "yielded": self._skip}
        return {"epoch": epoch, "yielded": yielded}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go on in the next pass where `state_dict` stood."""
        way_out = "pass what state_dict returned"
        for name in ("epoch", "yielded"):
            if name not in state:
                raise ValueError(f"state must have {name!r}, got {state!r}: {way_out}")
        self._next = checked_int("epoch", state["epoch"], 0, 2**32, way_out)
        self._skip = checked_int("yielded", state["yielded"], 0, 2**63, way_out)
        self._now = (self._next, self._skip)


def _chain(sampler: Any) -> Iterator[Any]:
    """Yield a sampler and those inside it."""
    while sampler is not None:
        yield sampler
        sampler = getattr(sampler, "sampler", None)


def _generator(seed: int, epoch: int) -> torch.Generator:
    word = philox(address(SampleKey(seed, epoch, 0), op_of("seedsafe/sampler"))).random_raw()
    return torch.Generator().manual_seed(word % 2**63)


def _stamp(item: Any, epoch: int, counts: Counter[int]) -> Any:
    if type(item) is int and 0 <= item < 2**63:
        occurrence = counts.get(item, 0)
        counts[item] = occurrence + 1
        return SampleIndex(item, epoch, occurrence)
    if isinstance(item, list | tuple):
        return [_stamp(one, epoch, counts) for one in item]
    index = checked_int(
        "the sampler's index", item, 0, 2**64, "it must yield the samples' positions, or lists of them"
    )
    occurrence = counts[index]
    counts[index] = occurrence + 1
    view = item.view if isinstance(item, SampleIndex) else 0
    return SampleIndex(index, epoch, occurrence, view)
