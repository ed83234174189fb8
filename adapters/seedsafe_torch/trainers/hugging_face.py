"""Hugging Face's Trainer: its epoch, for a dataset that it makes a loader of by itself."""

from __future__ import annotations

from typing import Any

from seedsafe_torch.trainers.loaders import Callback, told_alone

__all__ = ["EpochCallback", "keyed"]


class EpochCallback(Callback):
    """Tells an AugmentedDataset the epoch of a Trainer, also of a run that is resumed in the middle of one.

    Without it a Trainer that is resumed there reads the rest of its epoch as epoch 0: the loader that it makes to leave out the
    batches that were seen counts passes from 0 again.

    Args:
        dataset: the ``train_dataset`` of the Trainer: an AugmentedDataset, or one with one inside.

    Raises:
        TypeError: there is no AugmentedDataset in it.

    Example:
        >>> import numpy as np
        >>> from seedsafe_torch import AugmentedDataset
        >>> dataset = AugmentedDataset([np.zeros(2)] * 4, seed=42)
        >>> trainer_arguments = {"train_dataset": dataset, "callbacks": [EpochCallback(dataset)]}
    """

    def __init__(self, dataset: Any) -> None:
        self._datasets = told_alone(dataset)
        if not self._datasets:
            raise TypeError(f"dataset must have an AugmentedDataset in it, got {type(dataset).__qualname__}")

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Set the epoch before its first batch is read."""
        for dataset in self._datasets:
            dataset.hold_epoch(int(state.epoch or 0))

    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Let others set the epoch again."""
        for dataset in self._datasets:
            dataset.hold_epoch(None)


def keyed(trainer: Any) -> Any:
    """Return a Trainer after adding the EpochCallback of its ``train_dataset``.

    Raises:
        TypeError: there is no AugmentedDataset in the dataset.

    Example:
        >>> trainer = keyed(Trainer(model, arguments, train_dataset=dataset))  # doctest: +SKIP
    """
    trainer.add_callback(EpochCallback(trainer.train_dataset))
    return trainer
