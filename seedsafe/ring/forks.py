"""What a fork means for rings: they stay with the process that made or mapped them, and held slots stay as they are.

A child inherits the arrays that its parent holds, over the same memory. Before a fork each slot that is held is locked
in a description of its file that the child inherits: as long as the child, or one of its own, lives, no writer uses the
slot again.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable
from typing import Protocol

from seedsafe.ring.mapping import close, hold, opened_again

__all__ = ["Shared", "lock", "watch"]

lock = threading.RLock()
"""Held while a slot is taken or opened, and while the process forks."""


class Shared(Protocol):
    """A ring, as its writer or its reader has it."""

    @property
    def file(self) -> int:
        """The descriptor of its memory file."""
        ...

    def held(self) -> Iterable[int]:
        """Return the numbers of the slots that this process holds arrays over."""
        ...

    def spoil(self, number: int) -> None:
        """Never use a slot again."""
        ...


_shared: weakref.WeakSet[Shared] = weakref.WeakSet()
_descriptions: list[int] = []


def watch(ring: Shared) -> None:
    """Protect what is held of a ring when this process forks."""
    _shared.add(ring)


def _before() -> None:
    lock.acquire()
    for ring in list(_shared):
        numbers = list(ring.held())
        if not numbers:
            continue
        try:
            description = opened_again(ring.file)
        except OSError:
            for number in numbers:
                ring.spoil(number)
            continue
        _descriptions.append(description)
        for number in numbers:
            hold(description, number)


def _after_in_parent() -> None:
    while _descriptions:
        close(_descriptions.pop())
    lock.release()


def _after_in_child() -> None:
    _descriptions.clear()  # they stay open as long as this process lives
    _shared.clear()
    lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
