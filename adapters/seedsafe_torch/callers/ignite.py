"""Ignite's engines, known by frames.

Their state counts iterations and comes back from a checkpoint, but no sampler hears of it. As of Ignite 0.5.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from seedsafe_torch import frames
from seedsafe_torch.callers.caller import Caller
from seedsafe_torch.inner import items_of_a_batch, samplers_of

__all__ = ["Engine", "caller_of"]


class Engine(Caller):
    """An engine of Ignite that begins a pass over its loader."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def resumed(self, sampler: Any) -> tuple[int, int] | None:
        """Return where its count of iterations stands. A DeterministicEngine drops the batches of the epoch by itself."""
        state = self._engine.state
        epoch, batches = divmod(int(state.iteration), len(state.dataloader))
        drops = hasattr(getattr(state.dataloader, "batch_sampler", None), "start_iteration")
        return epoch, 0 if drops else batches * items_of_a_batch(state.dataloader, sampler)


def caller_of(sampler: Any) -> Engine | None:
    """Return the engine that reads a loader with this sampler inside, or None."""
    running = chain.from_iterable(map(frames.objects_in, ("_internal_run_as_gen", "_internal_run_legacy")))
    for engine in running:
        loading = getattr(getattr(engine, "state", None), "dataloader", None)
        if any(inside is sampler for inside in samplers_of(loading)):
            return Engine(engine)
    return None
