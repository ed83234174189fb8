"""EpochCallback: the one source of the epoch."""

from __future__ import annotations

from typing import Any

from seedsafe_keras import framework as frameworks
from seedsafe_keras.sequence import AugmentedSequence

__all__ = ["EpochCallback"]


class EpochCallback:
    """Tells a sequence its epoch, in ``model.fit``; ``seedsafe_keras.fit`` adds one by itself.

    A callback's ``on_epoch_begin`` is the only place in Keras where the epoch's number is known before any worker
    of that epoch starts: process pools are made anew after it, so that forked and spawned workers get the sequence
    with its epoch. The hooks of a Sequence know no number, and are called out of turn.

    Args:
        sequence: the AugmentedSequence that is trained on.

    Raises:
        TypeError: it is another object.
        ValueError: it has a fixed epoch; and from ``model.fit``: ``steps_per_epoch`` does not fit the sequence.

    Example:
        model.fit(sequence, epochs=90, shuffle=False, callbacks=[EpochCallback(sequence)])
    """

    params: dict[str, Any] | None

    def __new__(cls, sequence: AugmentedSequence) -> EpochCallback:
        """Make a callback of the class that the sequence's framework wants."""
        if not isinstance(sequence, AugmentedSequence):
            raise TypeError(f"sequence must be an AugmentedSequence, got {type(sequence).__name__}: make one")
        if cls is not EpochCallback:
            return super().__new__(cls)
        framework = frameworks.checked(frameworks.framework_of(sequence))
        chosen: type[EpochCallback] = frameworks.adapted(framework).KerasEpochCallback
        return super().__new__(chosen)

    def __init__(self, sequence: AugmentedSequence) -> None:
        super().__init__()
        self.sequence = sequence
        sequence.expect_epochs()

    def on_train_begin(self, logs: Any = None) -> None:
        """Check that Keras will read whole passes of the sequence."""
        steps, batches = self._steps(), len(self.sequence)
        if self.sequence.repeat:
            if steps is None:
                raise ValueError("a sequence with repeat=True has no end: pass steps_per_epoch to fit")
        elif steps is not None and steps != batches:
            raise ValueError(
                f"steps_per_epoch must be {batches}, the sequence's length, got {steps}: Keras would carry batches "
                "of one epoch into the next, or run out of them; pass repeat=True to the sequence"
            )

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Give the sequence its epoch."""
        raise NotImplementedError

    def on_train_end(self, logs: Any = None) -> None:
        """Take the epoch away."""
        self.sequence.end_epochs()

    def _steps(self) -> int | None:
        return (self.params or {}).get("steps")
