"""EpochOrder: an epoch's order as a sampler."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import SupportsIndex

from torch.utils.data import Sampler

from seedsafe import SampleKey, epoch_order
from seedsafe.reading import checked_int

__all__ = ["EpochOrder"]

_CHUNK = 4096


class EpochOrder(Sampler[int]):
    """Every index of a dataset once, in an order that follows from (seed, epoch).

    Args:
        length: the length of the dataset; or the dataset itself, whose length is read in each pass.
        seed: the seed of the run.

    Raises:
        TypeError: an argument has the wrong type.
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
        order = epoch_order(self.seed, self.epoch, len(self))
        for begin in range(0, len(order), _CHUNK):  # one list would take five times the memory
            yield from order[begin : begin + _CHUNK].tolist()

    def __len__(self) -> int:
        return len(self._dataset)
