"""Hugging Face's Trainer: its epoch, for a dataset."""

from __future__ import annotations

from typing import Any

from seedsafe_torch.trainers import Callback, holding_datasets

__all__ = ["EpochCallback", "keyed"]


class EpochCallback(Callback):
    """Set the epoch of a Trainer on an AugmentedDataset, also after a resume in the middle of an epoch.

    Without it, a resumed Trainer reads the rest of its epoch as epoch 0: to leave out the batches already seen, it makes a new
    loader, which counts passes from 0 again.

    Args:
        dataset: the ``train_dataset`` of the Trainer: an AugmentedDataset, or a dataset with one inside.

    Raises:
        TypeError: there is no AugmentedDataset in the dataset.

    Example:
        >>> import numpy as np
        >>> from seedsafe_torch import AugmentedDataset
        >>> dataset = AugmentedDataset([np.zeros(2)] * 4, seed=42)
        >>> trainer_arguments = {"train_dataset": dataset, "callbacks": [EpochCallback(dataset)]}
    """

    def __init__(self, dataset: Any) -> None:
        self._datasets = holding_datasets(dataset)
        if not self._datasets:
            raise TypeError(
                f"dataset must have an AugmentedDataset in it, got {type(dataset).__qualname__}: wrap it in AugmentedDataset"
            )

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Set the epoch before its first batch is read."""
        for dataset in self._datasets:
            dataset.hold_epoch(int(state.epoch or 0))

    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Allow the epoch to be set by others again."""
        for dataset in self._datasets:
            dataset.hold_epoch(None)


def keyed(trainer: Any) -> Any:
    """Add an EpochCallback for its ``train_dataset`` to a Trainer, and return the Trainer.

    Raises:
        TypeError: there is no AugmentedDataset in the dataset.

    Example:
        >>> trainer = keyed(Trainer(model, arguments, train_dataset=dataset))  # doctest: +SKIP
    """
    trainer.add_callback(EpochCallback(trainer.train_dataset))
    return trainer
