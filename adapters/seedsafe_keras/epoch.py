"""EpochCallback: the one source of the epoch."""

from __future__ import annotations

import io
import multiprocessing
import pickle
from typing import Any, Self

from seedsafe_keras import framework as frameworks
from seedsafe_keras.sequence import AugmentedSequence

__all__ = ["EpochCallback"]


class EpochCallback:
    """Sets a sequence's epoch, in ``model.fit``; ``seedsafe_keras.fit`` adds one by itself.

    A callback's ``on_epoch_begin`` is the only place in Keras where the epoch's number is known before any worker of
    that epoch starts: process pools are made again after it, so that forked and spawned workers get the sequence with
    its epoch. The hooks of a Sequence do not get the number, and are called out of turn.

    Args:
        sequence: the AugmentedSequence that is trained on.

    Raises:
        TypeError: it is another object.
        ValueError: it has a fixed epoch; and from ``model.fit``: ``steps_per_epoch`` does not fit the sequence.

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

    def __new__(cls, sequence: AugmentedSequence) -> Self:
        """Make a callback of the class that the sequence's framework wants."""
        if not isinstance(sequence, AugmentedSequence):
            raise TypeError(
                f"sequence must be an AugmentedSequence, got {type(sequence).__name__}: wrap it in AugmentedSequence(base, augment, seed=...)"
            )
        if cls is not EpochCallback:
            return super().__new__(cls)
        framework = frameworks.checked(frameworks.framework_of(sequence))
        result: Self = super().__new__(frameworks.adapted(framework).KerasEpochCallback)
        return result

    def __init__(self, sequence: AugmentedSequence) -> None:
        super().__init__()
        self.sequence = sequence
        sequence.expect_epochs()

    def on_train_begin(self, logs: Any = None) -> None:
        """Check that Keras will read whole passes of the sequence, and that its workers can have it."""
        steps, batches = self._steps(), len(self.sequence)
        if self.sequence.repeat:
            if steps is None:
                raise ValueError("a sequence with repeat=True has no end: pass steps_per_epoch to fit")
        elif steps is not None and steps != batches:
            raise ValueError(
                f"steps_per_epoch must be {batches}, the sequence's length, got {steps}: Keras would carry batches "
                "of one epoch into the next, or run out of them; pass repeat=True to the sequence"
            )
        _check_pickles(self.sequence)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Set the sequence's epoch."""
        raise NotImplementedError

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Report which of the epoch's samples failed."""
        self.sequence.report_failures()

    def on_train_end(self, logs: Any = None) -> None:
        """Take the epoch away."""
        self.sequence.end_epochs()

    def _steps(self) -> int | None:
        return (self.params or {}).get("steps")


class _Nowhere(io.RawIOBase):
    """Takes a pickle and keeps none of it: a base in memory may be large."""

    def write(self, data: Any) -> int:
        return len(data)


def _check_pickles(sequence: AugmentedSequence) -> None:
    """Raise here what workers that do not fork would raise from a thread of Keras's."""
    method = multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]
    if method == "fork" or not (sequence.use_multiprocessing and sequence.workers):
        return
    try:
        pickle.Pickler(_Nowhere()).dump(sequence)
    except Exception as error:
        raise TypeError(
            f"the sequence must be picklable for workers that are started by {method!r}, and is not ({error}): define "
            "the classes and functions of its base and augmentation at the top level of a module, without lambdas"
        ) from error
