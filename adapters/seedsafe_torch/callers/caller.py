"""Caller: who calls a sampler, and what follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsIndex
from weakref import ref

from seedsafe_torch import frames
from seedsafe_torch.inner import chain_of

__all__ = ["Caller", "sharing_error"]


class Caller:
    """Who sets a sampler's epoch or draws its indices. This one is a plain loop; a trainer's overrides what differs.

    Example:
        >>> caller = Caller()
        >>> caller.counts_passes, caller.epoch(3, latest=2), caller.iterator(None) is None
        (False, 3, True)
    """

    counts_passes = False
    """Whether the numbers that it sets count its own passes, from 0 in each process, whatever state was loaded."""

    only_counts = False
    """Whether it reads the entries to know their number, and delivers none of them."""

    leaves_passes = False
    """Whether it may leave a pass after any batch because another loader has ended."""

    def epoch(self, number: SupportsIndex, latest: int | None) -> SupportsIndex:
        """Return the epoch of the next pass for the number that it sets.

        Args:
            number: the argument of ``set_epoch``.
            latest: the epoch of the latest pass, if that has ended.
        """
        return number

    def has_read(self, epoch: int, loaded: int) -> bool:
        """Return whether it had read a pass of this epoch to its end when it stored the state, which is of the beginning of epoch `loaded`."""
        return False

    def check_shares(self, ranks: int, *, fixed: bool) -> None:
        """Raise a ValueError if it shares the sampler's indices out in a way that loses or repeats samples.

        Args:
            ranks: how many ranks the sampler itself shares its indices out to.
            fixed: whether all its passes have one epoch.
        """

    def resumed(self, sampler: Any) -> tuple[int, int] | None:
        """Return the epoch and the number of entries in it at which it resumes, or None if it does not know or begins anew.

        The entries are those of this rank, without those that it will itself draw and drop.
        """

    def iterator(self, sampler: Any) -> Callable[[], Any] | None:
        """Return a weak reference to the DataLoader iterator that draws the indices, whose workers may read ahead, or None."""
        drawing = frames.objects_in("_next_index")
        found = (one for one in drawing if hasattr(one, "_num_yielded") and not _draws_others(one, sampler))
        return next((ref(one) for one in found), None)


def _draws_others(iterator: Any, sampler: Any) -> bool:
    """Return whether a DataLoader iterator draws from torch's own samplers alone, such as one that reads a dataset with a loader inside."""
    chain = list(chain_of(iterator._index_sampler))
    plain = all(type(inside).__module__.startswith("torch.utils.data.") for inside in chain)
    return plain and not any(inside is sampler for inside in chain)


def sharing_error(sampler: Any) -> ValueError:
    """Return the error for a sampler that shares the indices of a KeyedSampler out to ranks."""
    return ValueError(
        f"{type(sampler).__name__} shares out a KeyedSampler, so that ranks may serve one key twice and no run can be resumed "
        "within an epoch: give the loader sampler=DistributedKeyedSampler(dataset, seed=…), which trainers leave alone, or for "
        "validation epoch=seedsafe.VALIDATION_EPOCH"
    )
