"""The classes for tf-keras 2."""

from __future__ import annotations

from typing import Any

import tf_keras

from seedsafe_keras.epoch import EpochCallback
from seedsafe_keras.sequence import AugmentedSequence

__all__ = ["KerasEpochCallback", "KerasSequence"]


class KerasSequence(AugmentedSequence, tf_keras.utils.Sequence):  # type: ignore[misc]  # tf_keras has no types
    """An AugmentedSequence that is a ``tf_keras.utils.Sequence``.

    ``model.fit`` of tf-keras has its own ``workers``, ``use_multiprocessing`` and ``max_queue_size`` and ignores those of the
    sequence; ``seedsafe_keras.fit`` passes them on.
    """

    _own = AugmentedSequence


class KerasEpochCallback(EpochCallback, tf_keras.callbacks.Callback):  # type: ignore[misc]
    """An EpochCallback that is a ``tf_keras.callbacks.Callback``."""

    _fresh = False

    def on_train_begin(self, logs: Any = None) -> None:
        """Check the steps."""
        super().on_train_begin(logs)
        steps = self._steps
        if steps != len(self.sequence):
            raise ValueError(
                f"tf-keras reads {len(self.sequence)} batches of the sequence for {steps} steps: "
                "with repeat=True, train with seedsafe_keras.fit"
            )

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Set the sequence's epoch. tf-keras reads each epoch from batch 0, even if the sequence repeats."""
        super().on_epoch_begin(epoch)
        steps = self._steps or 0
        self.sequence.begin_epoch(epoch, epoch * steps if self.sequence.repeat else 0)
        self._fresh = True

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Refuse an epoch that tf-keras resumes midway, because it reads the data from the beginning."""
        if self._fresh and batch:
            raise RuntimeError(
                f"tf-keras resumes this epoch at step {batch}, but reads the data from batch 0: "
                "pass save_freq='epoch' to BackupAndRestore"
            )
        self._fresh = False
