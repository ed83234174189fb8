"""Stamp: a sampler's index becomes a SampleIndex."""

from __future__ import annotations

from typing import Any

from seedsafe import SampleIndex
from seedsafe.reading import checked_int
from seedsafe_torch.inner import chain_of

__all__ = ["Stamp", "numbering"]


class Stamp:
    """Stamp the items of a sampler, indices or batches of them, with the epoch and occurrence of one pass.

    Args:
        epoch: the epoch of the pass.
        numbers: the number of a sample's first occurrence, and the step to the next one.
        single: whether an item must be one index.
        span: an index below it takes one bit of memory; any other, and one that comes again, a hundred bytes.

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
