"""Orders: EpochOrder, stamps, and samplers inside."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from contextlib import suppress
from typing import Any, Literal, SupportsIndex

import torch
from torch.utils.data import Sampler

from seedsafe import SampleIndex, SampleKey, epoch_order, op_of
from seedsafe.reading import address, checked_int, philox

__all__ = [
    "EpochOrder",
    "InnerEpochs",
    "Stamp",
    "chain_of",
    "items_of_a_batch",
    "numbering",
    "samplers_of",
]

_CHUNK = 4096


class EpochOrder(Sampler[int]):
    """Every index of a dataset once, in an order that follows from (seed, epoch).

    Args:
        length: the length of the dataset; or the dataset itself, whose length is read in each pass.
        seed: the seed of the run.
        order: "stored", or "addressed" for an order that takes no memory; see ``seedsafe.epoch_order``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range, or an addressed order has no samples.

    Example:
        >>> order = EpochOrder(5, seed=42)
        >>> list(order)
        [0, 1, 4, 3, 2]
    """

    def __init__(
        self, length: int | Sized, *, seed: SupportsIndex, order: Literal["stored", "addressed"] = "stored"
    ) -> None:
        way_out = "pass the dataset or its length"
        self._dataset = (
            length if isinstance(length, Sized) else range(checked_int("length", length, 0, 2**63, way_out))
        )
        self.seed = SampleKey(seed, 0, 0).seed
        self.epoch = 0
        self.order: Literal["stored", "addressed"] = order
        epoch_order(
            0, 0, len(self) if order == "addressed" else 0, order=order
        )  # raises for a wrong argument

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch of the next pass."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        return self.items_from(0)

    def items_from(self, start: int) -> Iterator[int]:
        """Yield the indices of the epoch from a position of its order on."""
        order = epoch_order(self.seed, self.epoch, len(self), order=self.order)
        for begin in range(start, len(order), _CHUNK):  # one list would take five times the memory
            yield from order[begin : begin + _CHUNK].tolist()

    @property
    def name(self) -> str | None:
        """What a state calls the order if it is addressed, else None."""
        return f"addressed order of {len(self)}, seed {self.seed}" if self.order == "addressed" else None

    def __len__(self) -> int:
        return len(self._dataset)


class _Epoch(int):
    """An epoch set here. The same number set by other code is another object."""


class InnerEpochs:
    """The epochs last set on the samplers inside, to notice when other code calls their ``set_epoch``.

    It reads their attribute ``epoch``, as torch's DistributedSampler and those modelled on it have.

    Example:
        >>> from torch.utils.data import DistributedSampler
        >>> sampler = DistributedSampler(range(4), num_replicas=2, rank=0)
        >>> epochs = InnerEpochs()
        >>> sampler.set_epoch(5)
        >>> epochs.changed(sampler)
        [5]
        >>> epochs.set(sampler, 5, 42)
        >>> epochs.changed(sampler)
        []
    """

    def __init__(self) -> None:
        self._epochs: dict[int, Any] = {}

    def changed(self, sampler: Any) -> list[int]:
        """Return the epochs that others set since `set` was called, each once."""
        found = []
        for position, inside in enumerate(chain_of(sampler)):
            epoch, before = _epoch_of(inside), self._epochs.get(position, 0)
            if epoch is None or (epoch is before if isinstance(before, _Epoch) else epoch == before):
                continue
            found.append(int(epoch))
        return sorted(set(found))

    def set(self, sampler: Any, epoch: int, seed: int) -> None:
        """Set the epoch of each sampler that has ``set_epoch``. Replace the torch generator of any other that has one."""
        for position, inside in enumerate(chain_of(sampler)):
            if hasattr(inside, "set_epoch"):
                inside.set_epoch(_Epoch(epoch))
                self._epochs[position] = _epoch_of(inside)
            else:
                _rekey(inside, seed, epoch)


def chain_of(sampler: Any) -> Iterator[Any]:
    """Yield a sampler and those inside it, the outermost first."""
    while sampler is not None:
        yield sampler
        sampler = getattr(sampler, "sampler", getattr(sampler, "batch_sampler", None))


def samplers_of(loading: Any) -> Iterator[Any]:
    """Yield the samplers of a DataLoader, the outermost first. For None, yield nothing."""
    batches = getattr(loading, "batch_sampler", None)
    return chain_of(getattr(loading, "sampler", None) if batches is None else batches)


def items_of_a_batch(loading: Any, sampler: Any) -> int:
    """Return how many indices of a sampler a batch of a DataLoader takes, or 0 if unknown."""
    batches: Any = loading.batch_sampler
    if batches is None or batches is sampler:
        return 1
    return int(getattr(batches, "batch_size", 0) or 0) if getattr(batches, "sampler", None) is sampler else 0


def _epoch_of(sampler: Any) -> int | None:
    epoch = getattr(sampler, "epoch", None)
    counts = hasattr(sampler, "set_epoch") and isinstance(epoch, int) and not isinstance(epoch, bool)
    return epoch if counts else None


def _rekey(sampler: Any, seed: int, epoch: int) -> None:
    """Set a new generator on a sampler that draws from a torch generator, unless that is read-only."""
    generator = getattr(sampler, "generator", ())
    if isinstance(generator, torch.Generator) or (generator is None and isinstance(sampler, Sampler)):
        word = philox(address(SampleKey(seed, epoch, 0), op_of("seedsafe/sampler"))).random_raw()
        with suppress(AttributeError):
            sampler.generator = torch.Generator().manual_seed(word % 2**63)


class Stamp:
    """Stamp what a sampler yields, indices or batches of them, with the epoch and occurrence of one pass.

    Args:
        epoch: the epoch of the pass.
        numbers: the number of a sample's first occurrence, and the step to the next one.
        single: whether that must be one index each time.
        span: an index below it takes one bit of memory; any other, and one that comes again, a hundred bytes. None counts nothing,
            because no index comes twice.

    Example:
        >>> stamp = Stamp(3, (0, 1), single=True)
        >>> [stamp(index).occurrence for index in (7, 7, 5)]
        [0, 1, 0]
    """

    def __init__(self, epoch: int, numbers: tuple[int, int], single: bool, span: int | None = 0) -> None:
        self.epoch = epoch
        self.first, self.step = numbers
        self.single = single
        self._next: dict[int, int] = {}
        self._span = span
        self._seen = bytearray(-(-(span or 0) // 8))

    def __call__(self, item: Any) -> Any:
        """Return the stamped item: a SampleIndex, or a list of them."""
        if type(item) is int and 0 <= item < 2**63:
            return SampleIndex(item, self.epoch, self._occurrence(item))
        if not isinstance(item, list | tuple):
            return self._stamp(item)
        if self.single:
            raise TypeError(
                f"the sampler must yield indices, got {item!r}: pass a sampler of batches as batch_sampler=. A sampler that yields "
                "more than indices cannot be keyed"
            )
        for index in item:
            if isinstance(index, list | tuple):
                raise TypeError(
                    f"the sampler's batch {item!r} must hold indices, got {index!r}: let the sampler yield indices alone, because "
                    "nothing else can be keyed"
                )
        return [self._stamp(index) for index in item]

    def _stamp(self, item: Any) -> SampleIndex:
        index = checked_int(
            "the sampler's index", item, 0, 2**64, "it must yield the samples' positions, or lists of them"
        )
        view = item.view if isinstance(item, SampleIndex) else 0
        if isinstance(item, SampleIndex) and item.occurrence:
            return SampleIndex(index, self.epoch, item.occurrence, view)
        return SampleIndex(index, self.epoch, self._occurrence(index), view)

    def _occurrence(self, index: int) -> int:
        """Count an occurrence of an index, and return its number."""
        if self._span is None:
            return self.first
        if index < self._span:
            byte, bit = index >> 3, 1 << (index & 7)
            if not self._seen[byte] & bit:
                self._seen[byte] |= bit
                return self.first
            occurrence = self._next.get(index, self.first + self.step)
        else:
            occurrence = self._next.get(index, self.first)
        self._next[index] = occurrence + self.step
        return occurrence


def numbering(sampler: Any, occurrence: Any) -> tuple[int, int]:
    """Return the number of a sample's first occurrence on this rank, and the step to the next one.

    Args:
        sampler: its rank and number of ranks count, or those of a sampler inside it.
        occurrence: "rank", or None to number by rank only for samplers that are known to give several ranks the same
            sample: timm's RepeatAugSampler, DeiT's and torchvision's RASampler, which have ``num_selected_samples``.

    Raises:
        ValueError: occurrence is "rank" and no sampler has a rank.
    """
    if occurrence not in (None, "rank"):
        raise ValueError(f'occurrence must be None or "rank", got {occurrence!r}')
    for inside in chain_of(sampler):
        ranks = getattr(inside, "num_replicas", getattr(inside, "world_size", None))
        if (occurrence or hasattr(inside, "num_selected_samples")) and ranks and hasattr(inside, "rank"):
            return int(inside.rank), int(ranks)
    if occurrence:
        raise ValueError(
            f'occurrence="rank" needs a sampler with rank and num_replicas, got {type(sampler).__qualname__}: number the '
            "occurrences in the sampler, as SampleIndex(index, 0, occurrence)"
        )
    return 0, 1
