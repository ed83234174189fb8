"""The kind of this process: worker or not."""

import os
import sys
import threading
from typing import Any

__all__ = ["check_main", "child", "importing", "is_starting", "is_worker"]

importing = threading.RLock()
"""The lock for late imports. A process that is forked while a thread imports would wait for that thread forever, so a fork waits
for this lock."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=importing.acquire, after_in_parent=importing.release, after_in_child=importing.release
    )


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
