"""Count how often readings ask for their key.

A pipeline, `generator()` and `keyed()` ask for the key of the current sample when they get none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from seedsafe.bridging.entropy import SeedLog
from seedsafe.keys.ambient import Read
from seedsafe.reading.inside import entered

__all__ = ["KeyCounter", "record_seeds"]


class KeyCounter:
    """Counts the uses of the current key in this process, from now on.

    Args:
        note: a function to call at each use.
    """

    def __init__(self, note: Callable[[], None] | None = None) -> None:
        self.count, self._note = 0, note
        for kind in (Read, entered):
            setattr(kind, "key", property(self._count_uses(vars(kind)["key"].fget)))  # noqa: B010  # a property

    def _count_uses(self, get_key: Any) -> Any:
        def key(read: Any) -> Any:
            self.count += 1
            if self._note is not None:
                self._note()
            return get_key(read)

        return key


@contextmanager
def record_seeds(alone: bool) -> Iterator[set[str]]:
    """Collect the seeds of NumPy's, Python's and torch's generators, if this thread is the only one that reads."""
    if not alone:
        yield set()
        return
    torch: Any = sys.modules.get("torch")
    before = getattr(torch, "manual_seed", None)
    with SeedLog() as seeds:
        if before is None:
            yield seeds
            return

        def manual_seed(seed: int) -> Any:
            seeds.add(str(seed)[:60])
            return before(seed)

        torch.manual_seed = manual_seed
        try:
            yield seeds
        finally:
            torch.manual_seed = before
