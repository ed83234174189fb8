"""Epochs, order and copies of a Keras sequence."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any, Literal, Self, SupportsIndex

from seedsafe import VALIDATION_EPOCH, SampleKey, epoch_order
from seedsafe_keras import framework as frameworks
from seedsafe_keras.base import length

__all__ = ["Passes", "own_class", "sequence_class"]

_NO_EPOCH = (
    "an AugmentedSequence was read without an epoch: train with seedsafe_keras.fit(model, sequence), or pass "
    "callbacks=[EpochCallback(sequence)] to model.fit, or epoch= to the sequence for validation and for single batches"
)


def own_class(cls: type) -> type:
    """Return the class of a sequence without a framework: the user's own, or one of this package's."""
    return vars(cls).get("_own", cls)  # type: ignore[no-any-return]


@cache
def sequence_class(own: Any, framework: str) -> Any:
    """Return a class of the framework with all methods of a sequence class."""
    kind = frameworks.module_of(framework).KerasSequence
    if issubclass(kind, own):
        return kind
    if issubclass(own, kind):
        return own
    attributes = {
        "_own": own,
        "__module__": own.__module__,
        "__qualname__": own.__qualname__,
        "__doc__": own.__doc__,
    }
    return type(own.__name__, (own, kind), attributes)


class Passes:
    """A sequence that is read in passes, each at the epoch that was set last, or at a fixed epoch."""

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
    _expecting = False  # an EpochCallback will set the epoch
    order: Literal["stored", "addressed"]
    _last_order: tuple[int, Any] | None = None  # an epoch and its order

    def __len__(self) -> int:
        """Return the number of batches in one pass over the data."""
        return self._batches() if self._limit is None else self._limit

    def expect_epochs(self) -> None:
        """Allow reads before the first epoch, because Keras looks at the shapes of one or two batches then."""
        if self.epoch is not None:
            raise ValueError(
                f"the sequence has the fixed epoch {self.epoch}: to train on it, leave epoch= out"
            )
        self._expecting = True

    def begin_epoch(self, epoch: int, first_step: int = 0) -> None:
        """Set the epoch of all batches read from now on, and the number of steps before Keras's batch 0."""
        if (now := length(self.base)) != self._units:
            raise ValueError(
                f"the base had the length {self._units} when the sequence was made, but {now} in epoch {epoch}: make a new "
                "sequence when the data change"
            )
        if self.shuffle and not self.repeat:
            self._order(epoch)  # once here, not once in each worker that forks now
        self._now = (epoch, first_step)

    def end_epochs(self) -> None:
        """Remove the epoch after training."""
        self._now = None

    def has_epoch(self) -> bool:
        """Return whether the epoch is fixed or has been set."""
        return self.epoch is not None or self._now is not None

    def require_epoch(self) -> None:
        """Raise a RuntimeError unless there is an epoch, or an EpochCallback that will set it."""
        if not (self.has_epoch() or self._expecting):
            raise RuntimeError(_NO_EPOCH)

    def at_epoch(self, epoch: SupportsIndex) -> Self:
        """Return a sequence over the same data with a fixed epoch.

        Args:
            epoch: the epoch, from 0; ``VALIDATION_EPOCH`` shares no stream with training.
        """
        new = copy(self)
        new.epoch, new.repeat = SampleKey(0, epoch, 0).epoch, False
        new._now, new._expecting, new._limit = None, False, None
        return new

    def view(
        self, *, framework: str | None = None, epoch: int | None = None, limit: int | None = None
    ) -> Self:
        """Return a view of this sequence for one run, with another framework, a fixed epoch or another length unless these are None.

        The view has epochs of its own. It shares all else with this sequence, including what is set during the run.
        """
        same = framework in (None, frameworks.framework_of(self))
        cls = type(self) if same else sequence_class(own_class(type(self)), frameworks.check(framework))
        new: Self = object.__new__(cls)
        vars(new).update(_viewed=self, _now=None, _expecting=False, _limit=limit, _last_order=None)
        for name in () if same else ("workers", "use_multiprocessing", "max_queue_size"):
            vars(new)[name] = vars(new)[f"_{name}"] = getattr(
                self, name
            )  # Keras 3 and tf-keras name them differently
        if epoch is not None:
            vars(new).update(epoch=epoch, repeat=False)
        return new

    def __getattr__(self, name: str) -> Any:
        viewed = vars(self).get("_viewed")
        if viewed is None or name.startswith("__"):
            return super().__getattr__(name)  # type: ignore[misc]  # of Forwarding
        return getattr(viewed, name)

    def __setattr__(self, name: str, value: Any) -> None:
        viewed = vars(self).get("_viewed")
        own = viewed is None or name in vars(self)
        super().__setattr__(name, value) if own else setattr(viewed, name, value)

    def uses_pool(self) -> bool:
        """Return whether Keras reads this sequence in a pool of threads or processes."""
        return self.workers > 1 or (self.workers > 0 and self.use_multiprocessing)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last_order": None}

    def _batches(self) -> int:
        return self._units if self._ready else -(-self._units // self.batch_size)

    def _locate(self, batch: int) -> tuple[int, int]:
        """Return the epoch, and the number in it, of a batch that Keras asks for."""
        now = self._now
        if batch < 0 or (batch >= len(self) and not self.repeat):
            raise IndexError(f"batch {batch} is out of range: the AugmentedSequence has {len(self)} batches")
        if self.epoch is not None:
            return self.epoch, batch
        if now is None:
            self.require_epoch()
            return VALIDATION_EPOCH, batch % self._batches()  # Keras looks at shapes and drops the batch
        epoch, first_step = now
        return divmod(first_step + batch, self._batches()) if self.repeat else (epoch, batch)

    def _position(self, epoch: int, entry: int) -> int:
        """Return the position in the base of an entry of an epoch's order."""
        return int(self._order(epoch)[entry]) if self.shuffle else entry

    def _order(self, epoch: int) -> Any:
        result = self._last_order
        if result is None or result[0] != epoch:
            result = self._last_order = epoch, epoch_order(self.seed, epoch, self._units, order=self.order)
        return result[1]
