"""timm: the train loader of its ``create_loader``, keyed on (seed, epoch, index)."""

from __future__ import annotations

import copy
from typing import Any, SupportsIndex

from torch.utils.data import BatchSampler, DistributedSampler, RandomSampler

from seedsafe.reading import outermost
from seedsafe_torch.dataset import AugmentedDataset
from seedsafe_torch.distributed import DistributedKeyedSampler
from seedsafe_torch.loading import loader
from seedsafe_torch.trainers.loaders import KEPT

__all__ = ["keyed_loader"]


def keyed_loader(loading: Any, *, seed: SupportsIndex) -> Any:
    """Return what to train on in place of the loader of timm's ``create_loader(..., is_training=True)``.

    Each sample's augmentation, timm's own, follows from (seed, epoch, index), and each epoch's order from (seed, epoch), for any number
    of workers and ranks. Each pass is the next epoch.

    Args:
        loading: what ``create_loader`` returned, with or without its prefetcher.
        seed: of the run; an AugmentedDataset that was given to ``create_loader`` keeps its own for the augmentation.

    Raises:
        ValueError: the prefetcher would erase in the training process, or batches are scheduled or made for several epochs.

    Example:
        >>> loading = keyed_loader(create_loader(dataset, 224, 64, is_training=True), seed=42)  # doctest: +SKIP
    """
    inside: Any = getattr(loading, "loader", loading)
    if getattr(loading, "random_erasing", None) is not None:
        raise ValueError(
            "timm's prefetcher draws what it erases in the training process, where no key is at hand: pass use_prefetcher=False "
            "to create_loader, which erases in each sample, or re_prob=0"
        )
    if type(inside.batch_sampler) is not BatchSampler:
        raise ValueError(
            f"loading has batches of its own, of a {type(inside.batch_sampler).__name__}: leave out use_multi_epochs_loader and "
            "input_size_choices"
        )
    dataset, options = inside.dataset, {name: getattr(inside, name) for name in KEPT}
    keyed = dataset if any(outermost(dataset)) else AugmentedDataset(dataset, seed=seed, bridge=True)
    if isinstance(inside.sampler, RandomSampler):
        options |= {"shuffle": True, "seed": seed}
    elif type(inside.sampler) is DistributedSampler:
        options["sampler"] = DistributedKeyedSampler(keyed, seed=seed, shuffle=inside.sampler.shuffle)
    else:
        options |= {"sampler": inside.sampler, "seed": seed}
    result = loader(keyed, persistent_workers=inside.persistent_workers, **options)
    if inside is loading:
        return result
    prefetching = copy.copy(loading)
    prefetching.loader = result
    return prefetching
