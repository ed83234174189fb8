"""Which process this is: a dedicated worker, or one that belongs to the user."""

import sys

__all__ = ["is_worker"]


def is_worker() -> bool:
    """Return whether this is a daemonic process of `multiprocessing`: a worker of torch's, Keras's, or of a Pool.

    Not counted: threads, processes without a daemon flag (training ranks, `ProcessPoolExecutor`), and a plain
    `os.fork()` of a process that is not a worker.
    """
    # Without this module no process of multiprocessing runs here, so it need not be imported to ask.
    process = sys.modules.get("multiprocessing.process")
    return (
        process is not None
        and process.parent_process() is not None
        and bool(process.current_process().daemon)
    )
