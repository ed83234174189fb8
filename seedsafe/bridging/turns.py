"""Turns: one thread at a time is inside a region, and nobody is while the process forks."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import Any

from seedsafe.bridging.sources import renew_numpy

__all__ = ["PATIENCE", "Turns", "turns"]

PATIENCE = 2.0
"""Seconds that a fork waits for the thread that is inside: it might itself wait for the thread that forks."""


class Turns:
    """The generators belong to the process, so regions take turns.

    A lock that another thread holds during a fork stays locked in the child for ever: that of a bit generator, too, and
    that of torch's generator, which cannot be renewed. So a fork shuts the door, and waits until nobody is inside.
    Where that takes too long, or a thread goes in at the last moment because this module was only imported after the
    fork had begun, the child sets back what the other thread had keyed, and renews what was in its hands.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.door = threading.Lock()
        self.inside: list[Any] = []
        """The regions that have been entered, the outermost first."""
        self.entered = 0
        """How often a region was entered."""
        self.process = 0
        """A number that is another one in a forked process."""
        self._forking: int | None = None
        self._empty = False

    def wait(self) -> None:
        """Wait before a shut door, unless this thread is inside already."""
        if not self.lock._is_owned():  # type: ignore[attr-defined]  # as threading.Condition asks
            with self.door:
                pass

    def before_fork(self) -> None:
        """Shut the door, and wait until nobody is inside."""
        if self.lock._is_owned():  # type: ignore[attr-defined]  # then no other thread is inside
            return
        self.door.acquire()
        self._forking = threading.get_ident()
        self._empty = self.lock.acquire(timeout=PATIENCE)

    def after_fork_in_parent(self) -> None:
        """Open the door."""
        if self._forking != threading.get_ident():
            return
        self._forking = None
        if self._empty:
            self.lock.release()
        self.door.release()

    def after_fork_in_child(self) -> None:
        """Begin with an open door, nobody inside but this thread, and no lock of another's."""
        self.process += 1
        self._forking = None
        self.door = threading.Lock()
        if self.lock._is_owned() and self.inside:  # type: ignore[attr-defined]  # forked from inside a region
            return
        self.lock = threading.RLock()
        if not self.inside:
            return
        renew_numpy()
        while self.inside:
            for source, state in reversed(self.inside.pop().saved):
                with suppress(Exception):  # it may have been saved or restored halfway
                    source.restore(state)
        renew_numpy()


turns = Turns()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=turns.before_fork,
        after_in_parent=turns.after_fork_in_parent,
        after_in_child=turns.after_fork_in_child,
    )
