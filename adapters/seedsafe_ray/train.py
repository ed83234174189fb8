"""prepare_data_loader: Ray Train's, which leaves the order, the epochs and the ranks' shares as they are."""

from __future__ import annotations

from typing import Any

import ray.train
import ray.train.torch

__all__ = ["prepare_data_loader"]


def prepare_data_loader(loading: Any, **options: Any) -> Any:
    """Return a loader of ``seedsafe_torch`` for Ray Train: it moves batches to the device, and keeps the sampler.

    ``ray.train.torch.prepare_data_loader`` replaces the sampler of a loader where there are several workers, and with it the
    epochs: each pass is augmented as epoch 0. Call this instead of it.

    Args:
        loading: made by ``seedsafe_torch.loader``; with several training workers, of a sampler that gives each its share:
            ``sampler=DistributedKeyedSampler(dataset, seed=42)``.
        options: of ``ray.train.torch.prepare_data_loader``: move_to_device, auto_transfer.

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
            f"the loader's sampler {what}, and there are {workers} training workers: make the loader with "
            "sampler=DistributedKeyedSampler(dataset, seed=...)"
        )
    return ray.train.torch.prepare_data_loader(loading, add_dist_sampler=False, **options)


def _shares(loading: Any) -> int | None:
    """Return among how many ranks a loader's sampler divides the samples; None if it does not."""
    sampler = loading.batch_sampler if loading.batch_sampler is not None else loading.sampler
    while sampler is not None:
        shares = getattr(sampler, "num_replicas", None)
        if shares is not None:
            return int(shares)
        sampler = getattr(sampler, "sampler", None)
    return None
