"""An epoch in shared memory, for loaders that only know the dataset.

The memory is a tensor that torch shares, on Linux a file in /dev/shm. On macOS and Windows torch has ways of its own to
share one, on which the cell relies too; it was not run there.
"""

from __future__ import annotations

import warnings
from typing import Any, Final, cast

import torch

from seedsafe.reading import Told

__all__ = ["EpochCell"]

_MOST: Final = 2**20  # indices that are watched, a byte each
_EPOCH_TWICE: Final = 2**16  # beside what a reader tells


class EpochCell(Told):
    """The current epoch, which indices were read in it, and which warnings were given, shared with worker processes.

    Some trainers build a loader of their own around the dataset and set the epoch on the dataset alone. The cell
    reaches their workers under every start method, persistent ones too. Pickled outside a worker's start, or copied,
    it becomes a cell of its own. Of more than 2**20 samples, one of each so many is watched.

    Args:
        length: of the dataset, or None if it has none.
    """

    last: Any = None
    """The index that was read last, as the loader passed it."""

    _looks = 16
    _looked_at: int | None = None

    def __init__(self, length: int | None) -> None:
        self._step = max(-(-(length or 0) // _MOST), 1)
        watched = -(-(length or 0) // self._step)
        self._share(torch.zeros(2, dtype=torch.int64), torch.zeros(watched, dtype=torch.uint8))

    def _share(self, numbers: torch.Tensor, served: torch.Tensor) -> None:
        self._numbers, self._served = _shared(numbers), _shared(served)
        self._view: memoryview[int] = memoryview(cast(Any, self._numbers.numpy()))
        self._served_view: memoryview[int] = memoryview(cast(Any, self._served.numpy()))

    @property
    def epoch(self) -> int:
        """The current epoch."""
        epoch: int = self._view[0]
        return epoch

    @epoch.setter
    def epoch(self, epoch: int) -> None:
        self._view[0] = epoch

    def first(self, what: int) -> bool:
        """Return whether a warning is to be given now: True once in all processes."""
        if self._view[1] & what:
            return False
        self._view[1] |= what
        return True

    def may_look(self) -> bool:
        """Return whether to look at what reads one index twice: True the first few times, because looking takes time."""
        self._looks -= 1
        return self._looks >= 0

    def serve(self, index: int, *, again: bool = False) -> int:
        """Return the epoch for a read of an index; warn once if it was read in this epoch before.

        Args:
            index: the sample's position.
            again: whether one index may be read as often as one likes: only a second one that is read again warns.
        """
        epoch: int = self._view[0]
        block, rest = divmod(index, self._step)
        if block < len(self._served_view) and rest == block * 0x9E3779B1 % 2**32 % self._step:
            mark = epoch % 255 + 1
            twice = self._served_view[block] == mark
            if twice and again and self._looked_at in (None, index):
                self._looked_at, twice = index, False
            if twice and self.first(_EPOCH_TWICE):
                warnings.warn(
                    f"index {index} is read a second time in epoch {epoch}, with the same augmentation: the dataset does "
                    "not know the epoch. Use seedsafe_torch.loader or KeyedSampler, or call "
                    "dataset.set_epoch(epoch) before each epoch. A thread of your own knows no epoch: let it read "
                    "dataset.at(index, epoch=epoch), and hand it what seedsafe.current_key() gives where it is started",
                    stacklevel=3,
                )
            self._served_view[block] = mark
        return epoch

    def __getstate__(self) -> dict[str, Any]:
        return {"numbers": self._numbers, "served": self._served, "step": self._step}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._step = state["step"]
        self._share(state["numbers"], state["served"])


def _shared(tensor: torch.Tensor) -> torch.Tensor:
    anything: Any = tensor  # torch leaves these two methods untyped
    if not len(tensor) or anything.is_shared():
        return tensor
    return cast(torch.Tensor, anything.clone().share_memory_())
