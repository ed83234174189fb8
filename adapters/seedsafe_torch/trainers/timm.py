"""timm: its train loader, keyed."""

from __future__ import annotations

import copy
from typing import Any, SupportsIndex

from torch.utils.data import BatchSampler

from seedsafe_torch.callers import UNKEYED
from seedsafe_torch.trainers import keyed_like

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
    result = keyed_like(inside, seed, persistent_workers=inside.persistent_workers)
    if inside is loading:
        return result
    prefetching = copy.copy(loading)
    prefetching.loader = result
    return prefetching
