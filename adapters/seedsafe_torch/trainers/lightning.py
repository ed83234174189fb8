"""Lightning: the epoch that its fit loop means, and ResumeCallback, the place of a checkpoint for a plain DataLoader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, SupportsIndex

from torch.utils.data import DataLoader

from seedsafe_torch.trainers.loaders import Callback, go_on, told_alone

__all__ = ["ResumeCallback", "epoch_meant"]


def epoch_meant(teller: Any, told: SupportsIndex) -> SupportsIndex:
    """Return the epoch that Lightning's fit loop serves next; what was told if it is not the loop that tells it.

    With ``max_steps`` Lightning goes once more through the end of an epoch that a checkpoint was made at. It counts that epoch as
    processed twice, which is the number that it tells, but as completed once.

    Raises:
        ValueError: Lightning would go on behind ``limit_train_batches``.
    """
    if not hasattr(teller, "epoch_progress"):
        return told
    epochs, batches = teller.epoch_progress.current, teller.epoch_loop.batch_progress
    # a step of the epoch is taken for its end
    again = teller.restarting and epochs.completed < epochs.processed
    stepped = batches.is_last_batch and batches.current.completed < batches.current.processed
    limited = any(
        hasattr(one, "__len__") and len(one) > teller.max_batches for one in teller._combined_loader.flattened
    )
    if again and stepped and limited:
        raise ValueError(
            f"Lightning would serve more than the {teller.max_batches} batches of epoch {epochs.completed} that limit_train_batches "
            "allows, because of max_steps and a checkpoint of its last step in a run that was resumed at an epoch's end: resume from "
            "the checkpoint of another step"
        )
    return int(epochs.completed)


class ResumeCallback(Callback):
    """Tells a KeyedSampler where Lightning's run stands, before the workers of a plain DataLoader read ahead.

    Without it they begin with the sampler's own next epoch and its first sample: after a resume, and in each loader that
    ``reload_dataloaders_every_n_epochs`` makes again. The loaders of `loader` need it only with ``overfit_batches``, where Lightning
    replaces the sampler: the callback tells the dataset the epoch there.

    Raises:
        ValueError: from the training: several processes would serve the same samples, or the place of a checkpoint
            cannot be found again.

    Example:
        >>> trainer_arguments = {"callbacks": [ResumeCallback()]}
    """

    state_key = "seedsafe_torch.lightning.ResumeCallback"
    _legacy_state_key = state_key

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Look at each train loader as soon as it is made."""
        if stage != "fit":
            return
        source = trainer.fit_loop._data_source
        make = type(source).dataloader

        def told() -> Any:
            result = make(source)
            for loading in _loaders(result):
                _tell(trainer, loading)
            return result

        source.dataloader = told

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Leave Lightning as it was."""
        vars(trainer.fit_loop._data_source).pop("dataloader", None)

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Say the epoch once more: Lightning may begin a loader that it has just made again a second time."""
        epoch = int(trainer.fit_loop.epoch_progress.current.completed)
        for loading in _loaders(trainer.train_dataloader):
            if trainer.overfit_batches > 0:
                _hold(loading, epoch)
            else:
                go_on(loading, epoch, 0)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Let others set the epoch again."""
        if trainer.overfit_batches > 0:
            for loading in _loaders(trainer.train_dataloader):
                _hold(loading, None)

    def state_dict(self) -> dict[str, Any]:
        """Return nothing: Lightning's own checkpoint says where the run stands."""
        return {}


def _loaders(made: Any) -> Iterator[DataLoader[Any]]:
    """Yield the DataLoaders of what train_dataloader() returns: one, a collection, or a CombinedLoader."""
    if isinstance(made, DataLoader):
        yield made
        return
    inside = made.values() if isinstance(made, dict) else getattr(made, "flattened", made)
    for one in inside if isinstance(inside, Iterable) else ():
        yield from _loaders(one)


def _tell(trainer: Any, loading: DataLoader[Any]) -> None:
    """Set epoch and position of a loader that is about to be read."""
    count = getattr(loading, "__len__", lambda: 0)()
    epoch, batches = _standing(trainer, count)
    if trainer.overfit_batches > 0:
        if 0 < batches < count:
            raise ValueError(
                f"overfit_batches replaces the sampler, so that no run can go on after batch {batches} of epoch {epoch}: resume "
                "from a checkpoint of an epoch's end"
            )
        _hold(loading, epoch)
    else:
        go_on(loading, epoch, batches, trainer.world_size)


def _standing(trainer: Any, count: int) -> tuple[int, int]:
    """Return the epoch that is read next, and the batches of it that were served."""
    loop = trainer.fit_loop
    epochs, progress = loop.epoch_progress.current, loop.epoch_loop.batch_progress
    epoch = int(epochs.processed)
    if loop.restarting and epochs.completed < epoch:
        # with max_steps it goes through the end of the epoch once more
        return int(epochs.completed), count if progress.is_last_batch else int(progress.current.ready)
    if epochs.started <= epoch:  # between two epochs
        return epoch if trainer.max_steps == -1 else int(epochs.completed), 0
    if not progress.is_last_batch:
        return epoch, int(progress.current.ready)
    if progress.current.completed < progress.current.processed:
        return epoch + 1, 0  # stored as the last batch ended: Lightning begins the next
    return epoch, count  # stored in the validation after it: Lightning comes to its end once more


def _hold(loading: DataLoader[Any], epoch: int | None) -> None:
    for dataset in told_alone(loading.dataset):
        dataset.hold_epoch(epoch)
