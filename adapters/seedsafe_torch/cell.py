"""An epoch in shared memory, for loaders that only know the dataset."""

from __future__ import annotations

import warnings
from typing import Any, cast

import torch

__all__ = ["EpochCell"]


class EpochCell:
    """The current epoch, and which indices were read in it, shared with worker processes.

    Some trainers build a loader of their own around the dataset and tell nothing but the dataset of the epoch. The
    cell reaches their workers under every start method, persistent ones too. Pickled outside of a worker's
    start, or copied, it becomes a cell of its own.

    Args:
        length: of the dataset, or None if it has none.
    """

    def __init__(self, length: int | None) -> None:
        self._share(torch.zeros(1, dtype=torch.int64), torch.zeros(length or 0, dtype=torch.uint8))
        self._warned = False

    def _share(self, epoch: torch.Tensor, served: torch.Tensor) -> None:
        self._epoch, self._served = _shared(epoch), _shared(served)
        self._epoch_view: memoryview[int] = memoryview(cast(Any, self._epoch.numpy()))
        self._served_view: memoryview[int] = memoryview(cast(Any, self._served.numpy()))

    @property
    def epoch(self) -> int:
        """The current epoch."""
        epoch: int = self._epoch_view[0]
        return epoch

    @epoch.setter
    def epoch(self, epoch: int) -> None:
        self._epoch_view[0] = epoch

    def serve(self, index: int) -> int:
        """Return the epoch for a read of an index; warn once if it was read in this epoch before."""
        epoch: int = self._epoch_view[0]
        if index < len(self._served_view):
            mark = epoch % 255 + 1
            if self._served_view[index] == mark and not self._warned:
                self._warned = True
                warnings.warn(
                    f"index {index} is read a second time in epoch {epoch}, with the same augmentation: nothing tells "
                    "the dataset of the epoch. Use seedsafe_torch.loader or KeyedSampler, or call "
                    "dataset.set_epoch(epoch) before each epoch",
                    stacklevel=4,
                )
            self._served_view[index] = mark
        return epoch

    def __getstate__(self) -> dict[str, Any]:
        return {"epoch": self._epoch, "served": self._served, "warned": self._warned}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._warned = state["warned"]
        self._share(state["epoch"], state["served"])


def _shared(tensor: torch.Tensor) -> torch.Tensor:
    anything: Any = tensor  # torch leaves these two methods untyped
    if not len(tensor) or anything.is_shared():
        return tensor
    return cast(torch.Tensor, anything.clone().share_memory_())
