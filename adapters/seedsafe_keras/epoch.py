"""EpochCallback: sets the epoch of a sequence."""

from __future__ import annotations

import io
import multiprocessing
import pickle
from typing import Any, Final, Self
from weakref import WeakKeyDictionary

from seedsafe.reading import identity, warn
from seedsafe_keras import framework as frameworks
from seedsafe_keras.sequence import AugmentedSequence

__all__ = ["EpochCallback"]


_trained: Final[WeakKeyDictionary[Any, tuple[Any, list[int]]]] = WeakKeyDictionary()
"""For each model, the base and options of its latest fit, and the epochs that it has begun there."""

_TOLD: Final = -1


class EpochCallback:
    """Set a sequence's epoch during ``model.fit``. ``seedsafe_keras.fit`` adds one automatically.

    Of all that Keras calls, only a callback's ``on_epoch_begin`` gets the epoch's number before a worker of that epoch starts.
    Keras creates its process pools after that, so forked and spawned workers get the sequence with its epoch. The hooks of a
    Sequence do not get the number, and Keras calls them at other times.

    Args:
        sequence: the training data, an AugmentedSequence.

    Raises:
        TypeError: the sequence is not an AugmentedSequence.
        ValueError: the sequence has a fixed epoch; and from ``model.fit``: ``steps_per_epoch`` does not fit the sequence.

    Example:
        >>> import keras
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(1)])
        >>> model.compile(loss="mse")
        >>> base = [(np.full((4, 4), i, np.uint8), i) for i in range(5)]
        >>> sequence = AugmentedSequence(base, ss.Compose([ss.RandomCrop(2)]), seed=42, batch_size=3)
        >>> model.fit(sequence, epochs=2, shuffle=False, callbacks=[EpochCallback(sequence)], verbose=0).epoch
        [0, 1]
    """

    params: dict[str, Any] | None
    _begins = False

    def __new__(cls, sequence: AugmentedSequence) -> Self:
        """Make a callback of the sequence's framework."""
        if not isinstance(sequence, AugmentedSequence):
            raise TypeError(
                f"sequence must be an AugmentedSequence, got {type(sequence).__name__}: wrap it in AugmentedSequence(base, augment, seed=...)"
            )
        if cls is not EpochCallback:
            return super().__new__(cls)
        framework = frameworks.check(frameworks.framework_of(sequence))
        result: Self = super().__new__(frameworks.module_of(framework).KerasEpochCallback)
        return result

    def __init__(self, sequence: AugmentedSequence) -> None:
        super().__init__()
        self.sequence = sequence
        sequence.expect_epochs()  # now, because Keras reads a batch before it calls any callback

    def on_train_begin(self, logs: Any = None) -> None:
        """Check that Keras will read whole passes, and that its workers can load the sequence."""
        self._begins = True
        batches = len(self.sequence)
        if self.sequence.repeat:
            if self._steps is None:
                raise ValueError("a sequence with repeat=True has no end: pass steps_per_epoch to fit")
        elif self._steps not in (None, batches):
            raise ValueError(
                f"steps_per_epoch must be {batches}, the sequence's length, got {self._steps}, so Keras would carry batches of one "
                "epoch into the next, or run out of them: pass repeat=True to the sequence"
            )
        _check_pickles(self.sequence)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Set the sequence's epoch, and warn once if it is epoch 0 again after a fit of that epoch alone."""
        model: Any = self.model  # type: ignore[attr-defined]  # of Keras's Callback
        sequence = self.sequence
        if model is None:
            return
        read = (*identity(sequence.base), sequence.seed, sequence.batch_size, repr(sequence.augment))
        before, began = _trained.get(model, ((), []))
        if self._begins:
            self._begins, repeats = False, began == [0] and epoch == 0 and before == read
            began = [_TOLD] if repeats or _TOLD in began else []
            if repeats:
                warn(
                    "epoch 0 is served again, in the same order and with the same augmentation, because each fit of this model begins with "
                    "it. Train all epochs in one call, `fit(model, sequence, epochs=n)`, or in a loop pass `initial_epoch=epoch, "
                    "epochs=epoch + 1`",
                    beyond=("keras", "tf_keras"),
                )
        _trained[model] = read, [*began, epoch]

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Report the epoch's failed samples."""
        self.sequence.report_failures()

    def on_train_end(self, logs: Any = None) -> None:
        """Remove the epoch."""
        self.sequence.end_epochs()

    @property
    def _steps(self) -> int | None:
        return (self.params or {}).get("steps")


class _Nowhere(io.RawIOBase):
    """A file that keeps nothing, because a base in memory may be large."""

    def write(self, data: Any) -> int:
        return len(data)


def _check_pickles(sequence: AugmentedSequence) -> None:
    """Raise an error now instead of later, in a Keras thread that starts workers by a method other than fork."""
    method = multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]
    if method == "fork" or not (sequence.use_multiprocessing and sequence.workers):
        return
    try:
        pickle.Pickler(_Nowhere()).dump(sequence)
    except Exception as error:
        raise TypeError(
            f"the sequence must be picklable for workers started by {method!r}, but is not ({error}): define the classes and "
            "functions of its base and augmentation at the top level of a module, without lambdas"
        ) from error
