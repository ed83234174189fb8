"""Which epoch a Keras sequence is read in, and in which order; and views of it for one run."""

from __future__ import annotations

from functools import cache
from typing import Any, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from seedsafe import VALIDATION_EPOCH, SampleKey, epoch_order
from seedsafe_keras import framework as frameworks
from seedsafe_keras.base import length

__all__ = ["Passes", "own_class", "sequence_class"]

_NO_EPOCH = (
    "an AugmentedSequence was read without an epoch: train with seedsafe_keras.fit(model, sequence), or give "
    "model.fit callbacks=[EpochCallback(sequence)], or construct the sequence with epoch= (validation, a look at "
    "single batches)"
)


def own_class(cls: type) -> type:
    """Return the class that a sequence was made of: the user's own, or one of this package's."""
    return vars(cls).get("_own", cls)  # type: ignore[no-any-return]


@cache
def sequence_class(own: Any, framework: str) -> Any:
    """Return the class of a framework's that does what a class of sequences does, with all that it overrides."""
    kind = frameworks.adapted(framework).KerasSequence
    if issubclass(kind, own):
        return kind
    if issubclass(own, kind):
        return own
    named = {
        "_own": own,
        "__module__": own.__module__,
        "__qualname__": own.__qualname__,
        "__doc__": own.__doc__,
    }
    return type(own.__name__, (own, kind), named)


class Passes:
    """A sequence that is read pass by pass, each in the epoch that was set last, or in a fixed one."""

    base: Any
    batch_size: int
    epoch: int | None
    repeat: bool
    seed: int
    shuffle: bool
    workers: int
    use_multiprocessing: bool
    max_queue_size: int
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
                f"the base had the length {self._units} when the sequence was made, and has {now} in epoch {epoch}: make a "
                "new sequence when the data change"
            )
        if self.shuffle and not self.repeat:
            self._order(epoch)  # once here, not once in each worker that is forked now
        self._now = (epoch, first_step)

    def end_epochs(self) -> None:
        """Forget the epoch: what is read after training has none."""
        self._now = None

    def has_epoch(self) -> bool:
        """Return whether the epoch is fixed or has been set."""
        return self.epoch is not None or self._now is not None

    def require_epoch(self) -> None:
        """Raise an error unless there is an epoch, or an EpochCallback that will set it."""
        if not (self.has_epoch() or self._expecting):
            raise RuntimeError(_NO_EPOCH)

    def at_epoch(self, epoch: SupportsIndex) -> Self:
        """Return a sequence over the same data whose epoch is fixed.

        Args:
            epoch: 0 for the first; ``VALIDATION_EPOCH`` shares no stream with training.
        """
        return self.view(epoch=SampleKey(0, epoch, 0).epoch)

    def view(
        self, *, framework: str | None = None, epoch: int | None = None, limit: int | None = None
    ) -> Self:
        """Return a copy for one run: with a class of the framework, an epoch, and another length, where given."""
        same = framework in (None, frameworks.framework_of(self))
        cls = type(self) if same else sequence_class(own_class(type(self)), frameworks.checked(framework))
        new: Self = object.__new__(cls)
        new.__dict__.update(self.__dict__)
        new.workers, new.use_multiprocessing = self.workers, self.use_multiprocessing
        new.max_queue_size = self.max_queue_size
        new._now, new._expecting = None, False
        new._limit = limit
        if epoch is not None:
            new.epoch, new.repeat = epoch, False
        return new

    def uses_pool(self) -> bool:
        """Return whether Keras reads this sequence in a pool of threads or processes."""
        return self.workers > 1 or (self.workers > 0 and self.use_multiprocessing)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_order_made": None}

    def _batches(self) -> int:
        return self._units if self._ready else -(-self._units // self.batch_size)

    def _place(self, batch: int) -> tuple[int, int]:
        """Return the epoch and the number of the batch that Keras asks for."""
        now = self._now
        if batch < 0 or (batch >= len(self) and not self.repeat):
            raise IndexError(f"batch {batch} is out of range: the AugmentedSequence has {len(self)} batches")
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
        result = self._order_made
        if result is None or result[0] != epoch:
            result = self._order_made = epoch, epoch_order(self.seed, epoch, self._units)
        return result[1]
