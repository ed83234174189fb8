"""The kind of this process: worker or not."""

import gc
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["check_main", "child", "frames_of_threads", "importing", "is_starting", "is_worker", "uncollected"]

importing = threading.RLock()
"""The lock for late imports. A process that is forked while a thread imports would wait for that thread forever, so a fork waits
for this lock."""
_uncollected = threading.RLock()
"""Held while the garbage collector is off."""
if hasattr(os, "register_at_fork"):
    for lock in (importing, _uncollected):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


def child() -> Any:
    """Return the current process of multiprocessing, or None if multiprocessing did not start it."""
    # If multiprocessing started this process, its module is already imported.
    process = sys.modules.get("multiprocessing.process")
    return None if process is None or process.parent_process() is None else process.current_process()


def is_worker() -> bool:
    """Return whether this is a daemonic process of `multiprocessing`: a worker of torch, Keras or a Pool.

    `seedsafe.opencv.guard` lists the processes that are not workers.
    """
    process = child()
    return process is not None and bool(process.daemon)


def is_starting() -> bool:
    """Return whether this is a spawned process that still imports the main module: its kind is not known yet."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and getattr(process.current_process(), "_inheriting", False)


def check_main() -> None:
    """Raise RuntimeError if a script that starts processes is being imported by one of them."""
    if is_starting():
        raise RuntimeError(
            "a script must not start workers where it is imported, since each worker that is spawned imports it (the default on macOS and "
            'Windows): put its last part below `if __name__ == "__main__":`'
        )


@contextmanager
def uncollected() -> Generator[None, None, None]:
    """Turn the garbage collector off inside a with statement that looks at the frames of other threads.

    Before Python 3.12 the collector may run wherever an object is created, and a finalizer may switch to another thread. If that thread
    leaves the frame being read, the process crashes; if it is about to end, the two wait for each other forever
    (https://github.com/python/cpython/issues/106883, mended in Python 3.11.9).
    """
    with _uncollected:
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


def frames_of_threads() -> dict[int, FrameType]:
    """Return the innermost frame of each thread by the thread's number. Walk further up inside `uncollected` only."""
    with uncollected():
        return sys._current_frames()  # pyright: ignore[reportPrivateUsage]
