"""How often a reading asks for the key of the sample under way: a pipeline, generator() or keyed() without a key does."""

from __future__ import annotations

import sys
from typing import Any

from seedsafe.keys.ambient import Read
from seedsafe.reading.inside import entered

__all__ = ["Asked", "seeds_of_torch"]


class Asked:
    """Counts, from the moment when it is made and in this process alone, how often the key under way is asked for.

    Args:
        count: where it begins.
    """

    def __init__(self, count: int = 0) -> None:
        self.count = count
        for kind in (Read, entered):
            setattr(kind, "key", property(self._counting(vars(kind)["key"].fget)))  # noqa: B010  # a property

    def _counting(self, told: Any) -> Any:
        def key(read: Any) -> Any:
            self.count += 1
            return told(read)

        return key


def seeds_of_torch() -> int | None:
    """Return what torch's CPU generator was seeded with last, None without torch."""
    torch: Any = sys.modules.get("torch")
    return torch.initial_seed() if hasattr(torch, "initial_seed") else None
