"""The regions under way: one thread at once."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import Any

from seedsafe.bridging.sources import renew_numpy

__all__ = ["PATIENCE", "Regions", "regions"]

PATIENCE = 2.0
"""Seconds that a fork waits for the thread inside a region, which might itself wait for the forking thread."""

WAITS = 40
"""Into how many short waits that time is cut, so that a machine which stops for a while takes one of them, not all."""


class Regions:
    """Lets one thread at a time into a region, because all threads share the generators, and none during a fork.

    A lock that another thread holds during a fork stays locked in the child forever. This includes the locks of bit
    generators, and that of torch's generator, which cannot be replaced. So a fork shuts the door and waits until no thread
    is inside. If that takes too long, or if this module was imported during the fork and a thread enters, the child restores
    the generators that the other thread had keyed, and replaces those that it was using.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.door = threading.Lock()
        self.setting = threading.RLock()
        """Held while generators are in other states for some reads, which a child would keep."""
        self._holds_setting = False
        self.inside: list[Any] = []
        """The current regions, the outermost first."""
        self.entries = 0
        """How many times a region was entered."""
        self.process = 0
        """A number that differs in a forked process."""
        self._forking: int | None = None
        self._empty = False

    def wait(self) -> None:
        """Wait for the door to open, unless this thread is inside."""
        if not self.lock._is_owned():  # type: ignore[attr-defined]  # threading.Condition uses it too
            with self.door:
                pass

    def before_fork(self) -> None:
        """Shut the door and wait until no thread is inside."""
        self._holds_setting = self.setting.acquire(timeout=PATIENCE)
        if self.lock._is_owned():  # type: ignore[attr-defined]  # then no other thread is inside
            return
        self.door.acquire()
        self._forking = threading.get_ident()
        self._empty = any(self.lock.acquire(timeout=PATIENCE / WAITS) for _ in range(WAITS))

    def after_fork_in_parent(self) -> None:
        """Open the door."""
        if self._holds_setting:
            self.setting.release()
        if self._forking != threading.get_ident():
            return
        self._forking = None
        if self._empty:
            self.lock.release()
        self.door.release()

    def after_fork_in_child(self) -> None:
        """Open the door, and leave no lock to a thread that the child does not have."""
        self.process += 1
        self.setting = threading.RLock()
        self._forking = None
        self.door = threading.Lock()
        if self.lock._is_owned() and self.inside:  # type: ignore[attr-defined]  # a fork inside a region
            return
        self.lock = threading.RLock()
        if not self.inside:
            return
        renew_numpy()
        while self.inside:
            for source, state in reversed(self.inside.pop().states):
                with suppress(Exception):  # the fork may have interrupted a save or a restore
                    source.restore(state)
        renew_numpy()


regions = Regions()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=regions.before_fork,
        after_in_parent=regions.after_fork_in_parent,
        after_in_child=regions.after_fork_in_child,
    )
