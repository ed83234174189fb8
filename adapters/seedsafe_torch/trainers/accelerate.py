"""Accelerate: epochs, and batches shared out to processes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any, SupportsIndex

from seedsafe.reading import checked_int
from seedsafe_torch.inner import samplers_of

if TYPE_CHECKING:
    from seedsafe_torch.sampler import KeyedSampler

__all__ = ["check_shares", "epochs", "warn_of_count"]


def epochs(
    loading: Any, *, start: int = 0, skip: int = 0, stop: int | None = None
) -> Iterator[tuple[int, Any]]:
    """Yield the epochs of a run, each with its batches, from a loader that Accelerate prepared.

    Args:
        loading: the loader from ``accelerator.prepare``, with or without ``use_stateful_dataloader``, which skips nothing.
        start: the first epoch.
        skip: how many batches of it to leave out, on each rank.
        stop: the epoch after the last, or None to go on without end.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range.

    Example:
        >>> for epoch, batches in epochs(loading, start=3, skip=120, stop=90):  # doctest: +SKIP
        ...     for batch in batches:
        ...         train(batch)
    """
    start = checked_int("start", start, 0, 2**32, "pass the epoch to begin with")
    skip = checked_int("skip", skip, 0, 2**63, "pass the number of batches already trained on")
    for epoch in count(start) if stop is None else range(start, stop):
        loading.set_epoch(epoch)
        number = skip if epoch == start else 0
        yield epoch, sys.modules["accelerate"].skip_first_batches(loading, number) if number else loading


def check_shares(keyed: KeyedSampler) -> None:
    """Raise a ValueError if both a sampler and Accelerate share the samples out."""
    if keyed.stride == 1:
        return
    ranks = [getattr(one, "num_processes", 1) for one in samplers_of(_reading(keyed))]
    if ranks and max(ranks) > 1:
        raise ValueError(
            f"Accelerate itself shares a loader's batches out to its {max(ranks)} processes, so each would serve a share of a share "
            "and the rest would be lost: give the loader shuffle=True instead of a DistributedKeyedSampler"
        )


def warn_of_count(keyed: KeyedSampler, epoch: SupportsIndex, ended: int | None) -> None:
    """Warn if an Accelerate loader that begins now sets the epoch of the latest pass, which has ended."""
    one = _reading(keyed)
    ahead = getattr(one, "use_stateful_dataloader", True)  # it draws before it begins
    if not ahead and ended is not None and ended == epoch:
        warnings.warn(
            f"epoch {epoch} is served again, because a loader from Accelerate or skip_first_batches counts its own passes from 0. "
            "Call its set_epoch(epoch) before each pass",
            stacklevel=5,
        )


def _reading(keyed: KeyedSampler) -> Any:
    """Return the Accelerate loader that is being read and has this sampler inside, or None."""
    state: Any = sys.modules.get("accelerate.state")
    one = state.GradientState().active_dataloader if state else None
    return one if any(inside is keyed for inside in samplers_of(one)) else None
