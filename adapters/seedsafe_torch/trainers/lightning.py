"""Lightning: a callback that resumes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torch.utils.data import DataLoader

from seedsafe_torch.callers import passes_of
from seedsafe_torch.trainers import Callback, holding_datasets, resume

__all__ = ["ResumeCallback"]


class ResumeCallback(Callback):
    """Set the epoch and position of a Lightning run on a KeyedSampler, before the workers of a plain DataLoader read ahead.

    Without it they begin with the sampler's own next epoch and its first sample: after a resume, and in each loader that
    ``reload_dataloaders_every_n_epochs`` makes again. Loaders from `loader` need it only with ``overfit_batches``: Lightning then
    replaces the sampler, and the callback sets the epoch on the dataset.

    Raises:
        ValueError: from the training: several processes would serve the same samples, or a loader cannot resume at the
            checkpoint's batch.

    Example:
        >>> trainer_arguments = {"callbacks": [ResumeCallback()]}
    """

    state_key = "seedsafe_torch.lightning.ResumeCallback"
    _legacy_state_key = state_key

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Set epoch and position on each train loader as soon as it is made."""
        if stage != "fit":
            return
        source = trainer.fit_loop._data_source
        make = type(source).dataloader

        def make_and_set() -> Any:
            result = make(source)
            for loading in _loaders(result):
                _set_position(trainer, loading)
            return result

        source.dataloader = make_and_set

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Restore Lightning's own function."""
        vars(trainer.fit_loop._data_source).pop("dataloader", None)

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Set the epoch again, because Lightning may begin a new loader twice."""
        epoch = int(trainer.fit_loop.epoch_progress.current.completed)
        for loading in _loaders(trainer.train_dataloader):
            if trainer.overfit_batches > 0:
                _hold(loading, epoch)
            else:
                resume(loading, epoch * passes_of(trainer.fit_loop, loading), 0)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Allow the epoch to be set by others again."""
        if trainer.overfit_batches > 0:
            for loading in _loaders(trainer.train_dataloader):
                _hold(loading, None)

    def state_dict(self) -> dict[str, Any]:
        """Return an empty state: Lightning's own checkpoint has the run's position."""
        return {}


def _loaders(loaders: Any) -> Iterator[DataLoader[Any]]:
    """Yield the DataLoaders that train_dataloader() returned, as one, a collection, or a CombinedLoader."""
    if isinstance(loaders, DataLoader):
        yield loaders
        return
    inside = loaders.values() if isinstance(loaders, dict) else getattr(loaders, "flattened", loaders)
    for loading in inside if isinstance(inside, Iterable) else ():
        yield from _loaders(loading)


def _set_position(trainer: Any, loading: DataLoader[Any]) -> None:
    """Set epoch and position of a loader that is about to be read."""
    count = getattr(loading, "__len__", lambda: 0)()
    epoch, batches = _position(trainer, count)
    if trainer.overfit_batches > 0:
        if 0 < batches < count:
            raise ValueError(
                f"overfit_batches replaces the sampler, so no run can resume after batch {batches} of epoch {epoch}: use a "
                "checkpoint from the end of an epoch"
            )
        _hold(loading, epoch)
    else:
        resume(loading, epoch, batches, trainer.world_size)


def _position(trainer: Any, count: int) -> tuple[int, int]:
    """Return the epoch that is read next, and how many of its batches were served."""
    loop = trainer.fit_loop
    epochs, progress = loop.epoch_progress.current, loop.epoch_loop.batch_progress
    epoch = int(epochs.processed)
    if loop.restarting and epochs.completed < epoch:
        # With max_steps, Lightning repeats the end of the epoch.
        return int(epochs.completed), count if progress.is_last_batch else int(progress.current.ready)
    if epochs.started <= epoch:  # between two epochs
        return epoch if trainer.max_steps == -1 else int(epochs.completed), 0
    if not progress.is_last_batch:
        return epoch, int(progress.current.ready)
    if progress.current.completed < progress.current.processed:
        return epoch + 1, 0  # stored as the last batch ended: Lightning begins the next epoch
    return epoch, count  # stored in the validation after it: Lightning ends the epoch once more


def _hold(loading: DataLoader[Any], epoch: int | None) -> None:
    for dataset in holding_datasets(loading.dataset):
        dataset.hold_epoch(epoch)
