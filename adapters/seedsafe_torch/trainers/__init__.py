"""Support for trainers, one file for each."""

from __future__ import annotations

from typing import Any, SupportsIndex

from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, SequentialSampler

from seedsafe.reading import outermost
from seedsafe_torch.dataset import AugmentedDataset
from seedsafe_torch.delivery import KeyedLoader
from seedsafe_torch.distributed import DistributedKeyedSampler
from seedsafe_torch.loading import loader
from seedsafe_torch.order import chain_of, items_of_a_batch
from seedsafe_torch.sampler import keyed_of

__all__ = ["Callback", "holding_datasets", "keyed_like", "resume"]

_OPTIONS = (
    "batch_size",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
    "worker_init_fn",
    "prefetch_factor",
)
"""The options to copy from a trainer's own loader."""


class Callback:
    """A trainer's callback that ignores the events for which it has no method."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("on_", "load_state_dict")):
            return lambda *arguments, **others: None
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


def resume(loading: DataLoader[Any], epoch: int, batches: int, ranks: int = 1) -> None:
    """Begin the next pass of a plain loader with a KeyedSampler after some batches of an epoch. Leave other loaders alone.

    Raises:
        ValueError: all ranks would serve the same samples, or the loader cannot resume after that batch.
    """
    keyed = keyed_of(loading)  # a loader from `loader` stores its progress and gets the epoch from it
    if keyed is None:
        return
    if ranks > 1 and not any(getattr(inside, "num_replicas", 1) == ranks for inside in chain_of(keyed)):
        raise ValueError(
            f"{ranks} processes would all serve the samples of one {type(keyed).__name__}: pass sampler="
            "DistributedKeyedSampler(dataset, seed=…)"
        )
    if hasattr(loading, "take_epoch") or keyed.epoch is not None:
        return
    items = items_of_a_batch(loading, keyed)
    if batches and (not items or batches > len(loading)):
        raise ValueError(
            f"this loader of {len(loading)} batches cannot resume after batch {batches} of epoch {epoch}: make it with "
            "seedsafe_torch.loader, which stores its progress, or use a checkpoint from the end of an epoch"
        )
    keyed.resume(epoch, batches * items)


def keyed_like(loading: DataLoader[Any], seed: SupportsIndex, **options: Any) -> KeyedLoader:
    """Return a keyed loader with the options of a trainer's own, over its dataset, whose own augmentation a bridge keys unless it is ours."""
    keyed: Any = loading.dataset
    sampler = loading.sampler
    if not any(outermost(keyed)):
        keyed = AugmentedDataset(keyed, seed=seed, bridge=True)
        # A validation set is read in turn.
        keyed.reader.must_draw = not isinstance(sampler, SequentialSampler)
        keyed.reader.renew()
    if isinstance(sampler, RandomSampler):
        options |= {"shuffle": True, "seed": seed}
    elif type(sampler) is DistributedSampler:
        options["sampler"] = DistributedKeyedSampler(keyed, seed=seed, shuffle=sampler.shuffle)
    else:
        options |= {"sampler": sampler, "seed": seed}
    return loader(keyed, **{name: getattr(loading, name) for name in _OPTIONS}, **options)


def holding_datasets(dataset: Any) -> list[Any]:
    """Return the AugmentedDatasets in a dataset: they can hold an epoch, whatever their samplers set."""
    return [inside for inside in outermost(dataset) if hasattr(inside, "hold_epoch")]
