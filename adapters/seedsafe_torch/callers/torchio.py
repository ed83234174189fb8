"""TorchIO's Queue, known by frames.

It reads its sampler to the end each time that its length is asked for. As of TorchIO 1.2.
"""

from __future__ import annotations

from typing import Any

from seedsafe_torch import frames
from seedsafe_torch.callers.caller import Caller

__all__ = ["QueueLength", "caller_of"]


class QueueLength(Caller):
    """A Queue that adds up the patches of its subjects."""

    only_counts = True


def caller_of(sampler: Any) -> QueueLength | None:
    """Return the Queue that counts what this sampler yields, or None."""
    counting = frames.objects_in("iterations_per_epoch")
    return (
        QueueLength() if any(getattr(one, "subject_sampler", None) is sampler for one in counting) else None
    )
