"""Count how often readings ask for their key.

A pipeline, `generator()` and `keyed()` ask for the key of the current sample when they get none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seedsafe.keys.ambient import Read
from seedsafe.reading.inside import entered

__all__ = ["KeyCounter"]


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
