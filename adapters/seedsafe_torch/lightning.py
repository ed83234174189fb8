"""ResumeCallback: epoch and position of Lightning's checkpoints, for a plain DataLoader with a KeyedSampler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch.utils.data import DataLoader

from seedsafe.reading import outermost
from seedsafe_torch.delivery import KeyedLoader, items_of_a_batch, keyed_of
from seedsafe_torch.inner import chain_of
from seedsafe_torch.sampler import KeyedSampler

__all__ = ["ResumeCallback"]


class ResumeCallback:
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
            made = make(source)
            for loading in _loaders(made):
                _tell(trainer, loading)
            return made

        source.dataloader = told

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Leave Lightning as it was."""
        vars(trainer.fit_loop._data_source).pop("dataloader", None)

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Say the epoch once more: Lightning may begin a loader that it has just made again a second time."""
        epoch = int(trainer.fit_loop.epoch_progress.current.completed)
        for loading in _loaders(trainer.train_dataloader):
            keyed = keyed_of(loading)
            if trainer.overfit_batches > 0:
                _hold(loading, epoch)
            elif keyed is not None and not isinstance(loading, KeyedLoader):
                keyed.load_state_dict({"epoch": epoch, "yielded": 0})

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Let others set the epoch again."""
        if trainer.overfit_batches > 0:
            for loading in _loaders(trainer.train_dataloader):
                _hold(loading, None)

    def state_dict(self) -> dict[str, Any]:
        """Return nothing: Lightning's own checkpoint says where the run stands."""
        return {}

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith(("on_", "load_state_dict")):  # of a Trainer's other events
            return _nothing
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


def _nothing(*arguments: Any, **others: Any) -> None:
    return None


def _loaders(made: Any) -> Iterator[DataLoader[Any]]:
    """Yield the DataLoaders of what train_dataloader() returns: one, a collection, or a CombinedLoader."""
    if isinstance(made, DataLoader):
        yield made
    elif hasattr(made, "flattened"):
        yield from _loaders(made.flattened)
    elif isinstance(made, dict):
        yield from _loaders(list(made.values()))
    elif isinstance(made, list | tuple):
        for one in made:
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
        return
    keyed = keyed_of(loading)
    if keyed is None:
        return
    _check_ranks(keyed, trainer.world_size)
    if isinstance(loading, KeyedLoader) or keyed.epoch is not None:
        return
    items = items_of_a_batch(loading, keyed)
    if batches and (not items or batches > count):
        raise ValueError(
            f"the place after batch {batches} of epoch {epoch} cannot be found in this loader of {count}: make it with "
            "seedsafe_torch.loader, which stores its own, or resume from a checkpoint of an epoch's end"
        )
    yielded = min(batches * items, len(keyed)) * keyed.stride
    keyed.load_state_dict({"epoch": epoch, "yielded": yielded})


def _standing(trainer: Any, count: int) -> tuple[int, int]:
    """Return the epoch that is read next, and the batches of it that were served."""
    loop = trainer.fit_loop
    epochs, progress = loop.epoch_progress.current, loop.epoch_loop.batch_progress
    epoch = int(epochs.processed)
    if (
        loop.restarting and epochs.completed < epoch
    ):  # with max_steps it goes through the end of the epoch once more
        return int(epochs.completed), count if progress.is_last_batch else int(progress.current.ready)
    if epochs.started <= epoch:  # between two epochs
        return epoch if trainer.max_steps == -1 else int(epochs.completed), 0
    if not progress.is_last_batch:
        return epoch, int(progress.current.ready)
    if (
        progress.current.completed < progress.current.processed
    ):  # stored as the last batch ended: Lightning begins the next
        return epoch + 1, 0
    return epoch, count  # stored in the validation after it: Lightning comes to its end once more


def _hold(loading: DataLoader[Any], epoch: int | None) -> None:
    for dataset in outermost(loading.dataset):
        if hasattr(dataset, "hold_epoch"):
            dataset.hold_epoch(epoch)


def _check_ranks(keyed: KeyedSampler, ranks: int) -> None:
    if ranks > 1 and not any(getattr(one, "num_replicas", 1) == ranks for one in chain_of(keyed)):
        raise ValueError(
            f"{ranks} processes would all serve the samples of one {type(keyed).__name__}: pass sampler="
            "DistributedKeyedSampler(dataset, seed=…)"
        )
