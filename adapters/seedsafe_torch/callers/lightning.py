"""Lightning's loops and Fabric's loaders, known by frames.

Both call their function ``_set_sampler_epoch``, which passes on a plain integer. Only a callback gets the loop, and Fabric has no
callback around a loader. What wraps a sampler reads it by ``list(sampler)``, as anyone may. As of Lightning 2.6.
"""

from __future__ import annotations

import math
from typing import Any, SupportsIndex

from torch.utils.data import DistributedSampler

from seedsafe_torch import frames
from seedsafe_torch.callers.caller import Caller, sharing_error
from seedsafe_torch.inner import samplers_of

__all__ = ["CombinedPasses", "FabricLoader", "FitLoop", "SharingSampler", "caller_of", "passes_of"]


class FitLoop(Caller):
    """The fit loop of a Lightning Trainer. With ``max_steps`` it sets the number of the epoch after the one that it serves.

    A CombinedLoader in the mode "max_size_cycle" reads a shorter loader several times in an epoch of the Trainer. Each time is an epoch of
    that loader: if there are three, they are epochs 3 E, 3 E + 1 and 3 E + 2. In the mode "max_size" it reads such a loader once.
    """

    def __init__(self, loop: Any, sampler: Any) -> None:
        self._loop = loop
        self._sampler = sampler

    def epoch(self, number: SupportsIndex, latest: int | None) -> SupportsIndex:
        """Return the epoch that the loop serves next.

        With ``max_steps``, Lightning repeats the end of an epoch that a checkpoint was made at. It counts that epoch as processed
        twice but completed once, and sets the number processed.

        Raises:
            ValueError: Lightning would read more batches than ``limit_train_batches``.
        """
        loop = self._loop
        epochs, batches = loop.epoch_progress.current, loop.epoch_loop.batch_progress
        repeats_epoch = loop.restarting and epochs.completed < epochs.processed
        # Lightning takes a step of the epoch for its end.
        stepped = batches.is_last_batch and batches.current.completed < batches.current.processed
        limited = any(
            hasattr(loading, "__len__") and len(loading) > loop.max_batches
            for loading in loop._combined_loader.flattened
        )
        if repeats_epoch and stepped and limited:
            raise ValueError(
                f"Lightning would serve more than the {loop.max_batches} batches of epoch {epochs.completed} that limit_train_batches "
                "allows, because it repeats the end of an epoch with max_steps: resume from the checkpoint of another step"
            )
        loaders = loop._combined_loader.flattened
        passes = max(
            (passes_of(loop, one) for one in loaders if self._sampler in samplers_of(one)), default=1
        )
        first, loaded = int(epochs.completed) * passes, self._sampler.loaded_epoch
        return loaded if loaded is not None and first < loaded < first + passes else first

    def has_read(self, epoch: int, loaded: int) -> bool:
        """Return whether the loop resumes within this epoch, in which a CombinedLoader of the mode "max_size" had read this shorter loader."""
        loop = self._loop
        batches = loop.epoch_loop.batch_progress
        within = loop.restarting and batches.current.ready > 0 and not batches.is_last_batch
        return bool(
            within and getattr(loop._combined_loader, "_mode", None) == "max_size" and loaded == epoch + 1
        )


def passes_of(loop: Any, loading: Any) -> int:
    """Return how often a loader is read in an epoch of the loop."""
    combined = loop._combined_loader
    if (
        getattr(combined, "_mode", None) != "max_size_cycle"
        or len(combined.flattened) < 2
        or not len(loading)
    ):
        return 1
    return max(-(-int(loop.max_batches) // len(loading)), 1) if math.isfinite(loop.max_batches) else 1


class FabricLoader(Caller):
    """A loader that Fabric set up. It sets the number of its passes, which tells a sampler that counts its own nothing new."""

    counts_passes = True


class CombinedPasses(Caller):
    """The iterator of a CombinedLoader, which leaves shorter loaders in mid-pass when the longest one ends, or longer ones when the shortest does."""

    leaves_passes = True


class SharingSampler(Caller):
    """A DistributedSampler around a sampler, such as the one that Lightning wraps it in: it shares the indices out to ranks."""

    def __init__(self, sampler: DistributedSampler[Any]) -> None:
        self._sampler = sampler

    def check_shares(self, ranks: int, *, fixed: bool) -> None:
        """Raise the error that names the wrapper. With a fixed epoch it does no harm."""
        if not fixed:
            raise sharing_error(self._sampler)


def caller_of(sampler: Any) -> Caller | None:
    """Return the loop, loader, wrapper or iterator of Lightning or Fabric that calls a sampler now, or None."""
    for setter in frames.callers_of("_set_sampler_epoch"):
        if hasattr(setter, "epoch_progress"):
            return FitLoop(setter, sampler)
        return FabricLoader() if hasattr(setter, "_num_iter_calls") else None
    for reading in frames.objects_in("__iter__"):
        if isinstance(reading, DistributedSampler) and reading is not sampler and reading.num_replicas > 1:
            return SharingSampler(reading)
    combined = any(
        type(reading).__module__.endswith("utilities.combined_loader")
        for reading in frames.objects_in("__next__")
    )
    return CombinedPasses() if combined else None
