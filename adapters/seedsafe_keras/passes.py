"""Which epoch a Keras sequence is read in, and in which order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from seedsafe import VALIDATION_EPOCH, epoch_order
from seedsafe_keras.base import length

__all__ = ["Passes"]

_NO_EPOCH = (
    "an AugmentedSequence was read without an epoch: train with seedsafe_keras.fit(model, sequence), or give "
    "model.fit callbacks=[EpochCallback(sequence)], or construct the sequence with epoch= (validation, a look at "
    "single batches)"
)


class Passes:
    """A sequence that is read pass by pass, each in the epoch that it was told last, or in a fixed one."""

    base: Any
    batch_size: int
    epoch: int | None
    repeat: bool
    seed: int
    shuffle: bool
    _ready: bool
    _units: int
    _limit: int | None = None
    _now: tuple[int, int] | None = None  # the epoch, and the steps before Keras's batch 0
    _expecting = False  # an EpochCallback will tell the epoch
    _order_made: tuple[int, npt.NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        """Return the number of batches in one pass over the data."""
        return self._batches() if self._limit is None else self._limit

    def expect_epochs(self) -> None:
        """Allow reading before the first epoch: Keras looks at the shapes of one or two batches then."""
        if self.epoch is not None:
            raise ValueError(
                f"the sequence has the fixed epoch {self.epoch}: leave epoch= out to train on it"
            )
        self._expecting = True

    def begin_epoch(self, epoch: int, first_step: int = 0) -> None:
        """Set the epoch of all batches read from now on, and the steps that were done before Keras's batch 0."""
        if (now := length(self.base)) != self._units:
            raise ValueError(
                f"the base had {self._units} items when the sequence was made, and has {now} in epoch {epoch}: make the "
                "sequence anew when the data change"
            )
        if self.shuffle and not self.repeat:
            self._order(epoch)  # once here, not once in each worker that is forked now
        self._now = (epoch, first_step)

    def end_epochs(self) -> None:
        """Forget the epoch: what is read after training has none."""
        self._now = None

    def has_epoch(self) -> bool:
        """Return whether the epoch is fixed or has been told."""
        return self.epoch is not None or self._now is not None

    def require_epoch(self) -> None:
        """Raise an error unless there is an epoch, or an EpochCallback that will tell it."""
        if not (self.has_epoch() or self._expecting):
            raise RuntimeError(_NO_EPOCH)

    def _batches(self) -> int:
        return self._units if self._ready else -(-self._units // self.batch_size)

    def _place(self, batch: int) -> tuple[int, int]:
        """Return the epoch and the number of the batch that Keras asks for."""
        now = self._now
        if batch < 0 or (batch >= len(self) and not self.repeat):
            raise IndexError(f"batch {batch} of an AugmentedSequence of {len(self)} batches")
        if self.epoch is not None:
            return self.epoch, batch
        if now is None:
            self.require_epoch()
            return VALIDATION_EPOCH, batch % self._batches()  # a look at shapes, which Keras drops
        epoch, first_step = now
        return divmod(first_step + batch, self._batches()) if self.repeat else (epoch, batch)

    def _position(self, epoch: int, place: int) -> int:
        """Return the position in the base of what stands at a place of an epoch's order."""
        return int(self._order(epoch)[place]) if self.shuffle else place

    def _order(self, epoch: int) -> npt.NDArray[np.int64]:
        made = self._order_made
        if made is None or made[0] != epoch:
            made = self._order_made = epoch, epoch_order(self.seed, epoch, self._units)
        return made[1]
