"""Accelerate's loaders, known by GradientState's active_dataloader."""

from __future__ import annotations

import sys
import warnings
from typing import Any, SupportsIndex

from seedsafe_torch import frames
from seedsafe_torch.callers.caller import Caller
from seedsafe_torch.inner import samplers_of

__all__ = ["AccelerateLoader", "caller_of"]


class AccelerateLoader(Caller):
    """A loader that Accelerate prepared, or that skip_first_batches made. Each counts its own passes from 0, and sets that number."""

    def __init__(self, loading: Any) -> None:
        self._loading = loading

    def epoch(self, number: SupportsIndex, latest: int | None) -> SupportsIndex:
        """Return the number, and warn if the latest pass had it, because then this loader has just begun to count."""
        draws_first = getattr(self._loading, "use_stateful_dataloader", True)  # and sets its number later
        if not draws_first and latest is not None and latest == number:
            warnings.warn(
                f"epoch {number} is served again, because a loader from Accelerate or skip_first_batches counts its own passes "
                "from 0. Call its set_epoch(epoch) before each pass",
                stacklevel=frames.users_level(),
            )
        return number

    def check_shares(self, ranks: int, *, fixed: bool) -> None:
        """Raise a ValueError if Accelerate shares out the batches of a sampler that is itself one rank's share."""
        processes = max(getattr(sampler, "num_processes", 1) for sampler in samplers_of(self._loading))
        if ranks > 1 and processes > 1:
            raise ValueError(
                f"Accelerate itself shares a loader's batches out to its {processes} processes, so each would serve a share of a "
                "share and the rest would be lost: give the loader shuffle=True instead of a DistributedKeyedSampler"
            )


def caller_of(sampler: Any) -> AccelerateLoader | None:
    """Return the Accelerate loader that is being read and has this sampler inside, or None."""
    state: Any = sys.modules.get("accelerate.state")
    loading = state.GradientState().active_dataloader if state else None
    return AccelerateLoader(loading) if any(inside is sampler for inside in samplers_of(loading)) else None
