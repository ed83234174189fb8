"""timm: its train loader, keyed."""

from __future__ import annotations

import copy
from typing import Any, SupportsIndex

from torch.utils.data import BatchSampler, DistributedSampler, RandomSampler, SequentialSampler

from seedsafe.reading import outermost
from seedsafe_torch.callers import UNKEYED
from seedsafe_torch.dataset import AugmentedDataset
from seedsafe_torch.distributed import DistributedKeyedSampler
from seedsafe_torch.loading import loader
from seedsafe_torch.trainers import OPTIONS

__all__ = ["keyed_loader"]


def keyed_loader(loading: Any, *, seed: SupportsIndex) -> Any:
    """Return a keyed loader to replace the one from timm's ``create_loader(..., is_training=True)``.

    Each sample gets timm's own augmentation, which follows from (seed, epoch, index). Each epoch's order follows from
    (seed, epoch). Both hold for any number of workers and ranks. Each pass is the next epoch.

    Args:
        loading: the loader from ``create_loader``, with or without its prefetcher.
        seed: the seed of the run; if ``create_loader`` got an AugmentedDataset, that keeps its own seed for the augmentation.

    Raises:
        ValueError: the prefetcher would erase in the training process, or the loader has a batch sampler of its own.

    Example:
        >>> loading = keyed_loader(create_loader(dataset, 224, 64, is_training=True), seed=42)  # doctest: +SKIP
    """
    inside: Any = getattr(loading, "loader", loading)
    if getattr(loading, "random_erasing", None) is not None:
        raise ValueError(UNKEYED)
    if type(inside.batch_sampler) is not BatchSampler:
        raise ValueError(
            f"loading must have a plain BatchSampler, got {type(inside.batch_sampler).__name__}: leave out "
            "use_multi_epochs_loader and input_size_choices"
        )
    dataset, options = inside.dataset, {name: getattr(inside, name) for name in OPTIONS}
    keyed: Any = dataset
    if not any(outermost(dataset)):
        keyed = AugmentedDataset(dataset, seed=seed, bridge=True)
        # A validation set is read in turn.
        keyed.reader.must_draw = not isinstance(inside.sampler, SequentialSampler)
        keyed.reader.renew()
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
