"""Which process this is: a dedicated worker, or one that belongs to the user."""

import os
import sys
import threading
from typing import Any

__all__ = ["child", "importing", "is_starting", "is_worker"]

importing = threading.RLock()
"""Held by whoever imports something late: a process that is forked while a thread imports would wait for that thread for
ever, so a fork waits instead."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=importing.acquire, after_in_parent=importing.release, after_in_child=importing.release
    )


def child() -> Any:
    """Return this process as multiprocessing knows it, if another one of multiprocessing's started it, else None."""
    # Without this module no process of multiprocessing runs here, so it need not be imported to ask.
    process = sys.modules.get("multiprocessing.process")
    return None if process is None or process.parent_process() is None else process.current_process()


def is_worker() -> bool:
    """Return whether this is a daemonic process of `multiprocessing`: a worker of torch's, Keras's, or of a Pool.

    Not counted: threads, processes without a daemon flag (training ranks, `ProcessPoolExecutor`), and a plain
    `os.fork()` of a process that is not a worker.
    """
    process = child()
    return process is not None and bool(process.daemon)


def is_starting() -> bool:
    """Return whether this is a spawned process that has not been told yet what it is: it imports the main module."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and getattr(process.current_process(), "_inheriting", False)
