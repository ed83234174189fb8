"""SpeechBrain's Brain, known by frames.

It sets the epoch on a sampler of its own alone. As of SpeechBrain 1.1.
"""

from __future__ import annotations

from typing import Any

from seedsafe_torch import frames
from seedsafe_torch.callers.caller import Caller
from seedsafe_torch.inner import items_of_a_batch, samplers_of

__all__ = ["Brain", "caller_of"]


class Brain(Caller):
    """A Brain that begins an epoch of `fit` with an EpochCounter, which counts from 1.

    Args:
        brain: its ``step`` counts the batches of the epoch that a checkpoint within it has stored.
        loading: the loader that it reads.
        epoch: the number of the counter.
    """

    def __init__(self, brain: Any, loading: Any, epoch: int) -> None:
        self._brain, self._loading, self._epoch = brain, loading, epoch

    def resumed(self, sampler: Any) -> tuple[int, int] | None:
        """Return where the counter and the Brain stand. SpeechBrain's SaveableDataLoader drops the batches of the epoch by itself."""
        drops = hasattr(self._loading, "_speechbrain_recovery_skip_to")
        batches = 0 if drops else int(self._brain.step)
        return self._epoch - 1, batches * items_of_a_batch(self._loading, sampler)


def caller_of(sampler: Any) -> Brain | None:
    """Return the Brain that reads a loader with this sampler inside, or None."""
    for names in frames.names_in("_fit_train"):
        counters = (fit.get("epoch_counter") for fit in frames.names_in("fit"))
        counts = any(hasattr(counter, "current") and hasattr(counter, "limit") for counter in counters)
        loading = names.get("train_set")
        if counts and any(inside is sampler for inside in samplers_of(loading)):
            return Brain(names["self"], loading, names["epoch"])
    return None
