"""The classes for Keras 3."""

from __future__ import annotations

import sys
import traceback
from typing import Any

import keras

from seedsafe_keras.epoch import EpochCallback
from seedsafe_keras.sequence import AugmentedSequence

__all__ = ["KerasEpochCallback", "KerasSequence", "build"]

_BUILDERS = {"_symbolic_build", "_maybe_symbolic_build"}


class KerasSequence(AugmentedSequence, keras.utils.PyDataset):  # type: ignore[misc]  # keras has no types
    """An AugmentedSequence that is a ``keras.utils.PyDataset``."""

    _own = AugmentedSequence

    @property
    def num_batches(self) -> int | None:
        """The number of batches in an epoch, or None if the sequence repeats without end.

        Keras reads it before it starts anything, so a missing epoch raises its error here.
        """
        self.require_epoch()
        return None if self.repeat else len(self)

    def on_epoch_begin(self) -> None:
        """Refuse the workers that Keras starts before training to build the model from their first batch.

        Keras would keep the batches of these workers, start again at batch 0 and deliver both.
        """
        if not self.uses_pool():
            return
        # By the names of its functions: Keras does not say why it starts workers.
        calls = [frame for frame, _ in traceback.walk_stack(sys._getframe(1))]
        if self.has_epoch() and not any(frame.f_code.co_name in _BUILDERS for frame in calls):
            return
        objects = (frame.f_locals.get("self") for frame in calls)
        adapter = next(
            (adapter for adapter in objects if getattr(adapter, "enqueuer", None) is not None), None
        )
        if adapter is not None:
            adapter.enqueuer.stop()  # left running, workers can hang the program at its end
        raise RuntimeError(
            "Keras started this sequence's workers to build the model, and would deliver their batches twice: use "
            "seedsafe_keras.fit or seedsafe_keras.evaluate, which build the model first. Under a tf.distribute "
            "strategy, and with layers that the model never calls, pass workers=1 to the sequence"
        )


class KerasEpochCallback(EpochCallback, keras.callbacks.Callback):  # type: ignore[misc]
    """An EpochCallback that is a ``keras.callbacks.Callback``."""

    _started = False

    def on_train_begin(self, logs: Any = None) -> None:
        """Check the steps."""
        super().on_train_begin(logs)
        execution = self.model.steps_per_execution if self.sequence.repeat else 1
        if (self._steps or 0) % execution:
            raise ValueError(
                "steps_per_epoch must be a multiple of the model's steps_per_execution if the sequence repeats, got "
                f"{self._steps} and {execution}, so Keras would do more steps: change one of them"
            )
        self._started = False

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Set the sequence's epoch. If the sequence repeats, its step numbers run on through the epochs."""
        super().on_epoch_begin(epoch)
        repeats = self.sequence.repeat
        # If it repeats, Keras reads on with the same workers, which have a copy of the first epoch's sequence.
        if not (repeats and self._started):
            self.sequence.begin_epoch(epoch, epoch * (self._steps or 0) if repeats else 0)
        self._started = True


def build(model: Any, sequence: AugmentedSequence) -> None:
    """Build the model from a batch that is read here, if Keras would start the sequence's workers to read one.

    Keras makes the same call on the torch and JAX backends, in ``fit`` and in ``test_on_batch``. It runs no step of the
    model, so models with their own training steps work too.
    """
    # TensorFlow's backend builds the model in its first step, from a batch of training.
    if keras.backend.backend() != "tensorflow" and sequence.uses_pool():
        model._symbolic_build(data_batch=keras.utils.unpack_x_y_sample_weight(sequence[0]))
