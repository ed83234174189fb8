"""prepare_data_loader: Ray Train's, without a new sampler."""

from __future__ import annotations

from typing import Any

import ray.train
import ray.train.torch

__all__ = ["prepare_data_loader"]


def prepare_data_loader(loading: Any, **options: Any) -> Any:
    """Prepare a loader from ``seedsafe_torch`` for Ray Train: it moves batches to the device, and keeps its sampler.

    Call this instead of ``ray.train.torch.prepare_data_loader``. With several workers, that one replaces the loader's sampler
    and with it the epochs: each pass would be augmented as epoch 0.

    Args:
        loading: a loader from ``seedsafe_torch.loader``; for several training workers, with a sampler that gives each its share:
            ``sampler=DistributedKeyedSampler(dataset, seed=42)``.
        options: options of ``ray.train.torch.prepare_data_loader``: move_to_device, auto_transfer.

    Raises:
        ValueError: there are several workers, and the sampler does not divide the samples among them.

    Example:
        >>> batches = loader(dataset, batch_size=8, sampler=DistributedKeyedSampler(dataset, seed=42))  # doctest: +SKIP
        >>> batches = prepare_data_loader(batches)  # doctest: +SKIP
    """
    if "add_dist_sampler" in options:
        raise ValueError("add_dist_sampler would replace the loader's sampler: leave it out")
    workers = ray.train.get_context().get_world_size()
    shares = _shares(loading)
    if shares != workers and (workers > 1 or shares is not None):
        what = "divides no samples" if shares is None else f"divides the samples among {shares}"
        raise ValueError(
            f"the loader's sampler {what}, but there are {workers} training workers: make the loader with "
            "sampler=DistributedKeyedSampler(dataset, seed=...)"
        )
    return ray.train.torch.prepare_data_loader(loading, add_dist_sampler=False, **options)


def _shares(loading: Any) -> int | None:
    """Return the number of ranks among which a loader's sampler divides the samples, or None if it does not."""
    sampler = loading.batch_sampler if loading.batch_sampler is not None else loading.sampler
    while sampler is not None:
        shares = getattr(sampler, "num_replicas", None)
        if shares is not None:
            return int(shares)
        sampler = getattr(sampler, "sampler", None)
    return None
