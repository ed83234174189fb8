"""Stamp: an index of a sampler becomes a SampleIndex, with the epoch and its occurrence."""

from __future__ import annotations

from typing import Any

from seedsafe import SampleIndex
from seedsafe.reading import checked_int
from seedsafe_torch.inner import chain_of

__all__ = ["Stamp", "numbering"]


class Stamp:
    """What an item of a sampler, an index or a batch of them, becomes in one pass.

    Args:
        epoch: of the pass.
        numbers: of a sample's first occurrence, and what each further one adds.
        single: whether an item must be one index.
        span: indices below it are noted in a bit each; others, and those that come again, take a hundred bytes.

    Example:
        >>> stamp = Stamp(3, (0, 1), single=True)
        >>> [stamp(index).occurrence for index in (7, 7, 5)]
        [0, 1, 0]
    """

    def __init__(self, epoch: int, numbers: tuple[int, int], single: bool, span: int = 0) -> None:
        self.epoch = epoch
        self.first, self.step = numbers
        self.single = single
        self._next: dict[int, int] = {}
        self._span = span
        self._seen = bytearray(-(-span // 8))

    def __call__(self, item: Any) -> Any:
        """Return the item stamped."""
        if type(item) is int and 0 <= item < 2**63:
            return SampleIndex(item, self.epoch, self._occurrence(item))
        if not isinstance(item, list | tuple):
            return self._one(item)
        if self.single:
            raise TypeError(
                f"the sampler yields {item!r}, which is not an index: pass a sampler that yields batches of indices as "
                "batch_sampler=; one that yields more than indices cannot be keyed"
            )
        for one in item:
            if isinstance(one, list | tuple):
                raise TypeError(
                    f"the sampler's batch {item!r} holds {one!r}, which is not an index: a sampler that yields more than "
                    "indices cannot be keyed; let it yield them alone"
                )
        return [self._one(one) for one in item]

    def _one(self, item: Any) -> SampleIndex:
        index = checked_int(
            "the sampler's index", item, 0, 2**64, "it must yield the samples' positions, or lists of them"
        )
        view = item.view if isinstance(item, SampleIndex) else 0
        if isinstance(item, SampleIndex) and item.occurrence:
            return SampleIndex(index, self.epoch, item.occurrence, view)
        return SampleIndex(index, self.epoch, self._occurrence(index), view)

    def _occurrence(self, index: int) -> int:
        """Return the number of this occurrence of an index, and count it."""
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
    """Return the number of a sample's first occurrence on this rank, and what each further one adds.

    Args:
        sampler: is searched, with those inside it, for its rank and the number of ranks.
        occurrence: "rank", or None to number by rank only for samplers that are known to give several ranks the same
            sample: timm's RepeatAugSampler, DeiT's and torchvision's RASampler, which have ``num_selected_samples``.

    Raises:
        ValueError: the rank is asked for and cannot be found.
    """
    if occurrence not in (None, "rank"):
        raise ValueError(f'occurrence must be None or "rank", got {occurrence!r}')
    for one in chain_of(sampler):
        ranks = getattr(one, "num_replicas", getattr(one, "world_size", None))
        if (occurrence or hasattr(one, "num_selected_samples")) and ranks and hasattr(one, "rank"):
            return int(one.rank), int(ranks)
    if occurrence:
        raise ValueError(
            f'occurrence="rank" needs a sampler with rank and num_replicas, got {type(sampler).__qualname__}: number the '
            "occurrences in the sampler, as SampleIndex(index, 0, occurrence)"
        )
    return 0, 1
