"""OpenCV in workers: one thread, no OpenCL.

OpenCV starts a pool of threads in every process that uses it. Eight workers on eight cores then run
64 threads, which is slower than one thread each. Only workers are changed: in the training process the user decides.

The only value ever set is 0 ("run in the calling thread"). `cv2.setNumThreads(1)` in a forked process hangs, or
crashes, if its parent has used OpenCV's pool: it joins threads that the fork did not copy. The number of
threads changes no result.
"""

import os
import sys
from types import ModuleType

from seedsafe.ground.process import importing, is_starting, is_worker

__all__ = ["guard", "load", "worker_init"]

done = False
"""Whether `guard` has nothing left to do. Reading it for every sample takes half the time of a call: benchmarks/opencv_guard.py."""


def guard() -> None:
    """Set OpenCV to a single thread if this process is a worker.

    It acts once per process, only in daemonic processes of `multiprocessing` (the workers of torch's `DataLoader`
    and of Keras, a `multiprocessing.Pool`), and only after `cv2` has been imported. In other processes, and before
    `cv2` is imported, it does nothing and checks again at the next call. Call it before each use of OpenCV: the adapters
    and `ImageFolder` do so for every sample.

    These are not workers: threads, processes without a daemon flag (training ranks, `ProcessPoolExecutor`), and
    a plain `os.fork()` of a process that is not a worker.

    Example:
        >>> import seedsafe.opencv
        >>> class Photos:
        ...     def __getitem__(self, index):
        ...         import cv2
        ...         seedsafe.opencv.guard()
        ...         return cv2.imread(f"{index}.png")
    """
    if not done and "cv2" in sys.modules:
        _act()


def load() -> ModuleType:
    """Import `cv2` and query its number of threads, while no other thread can fork a process. Return `cv2`.

    A process that is forked while another thread imports OpenCV, or while OpenCV finds out how many threads it may use,
    waits for that thread forever. Use this function instead of `import cv2` if a thread may read the first image.

    Raises:
        ImportError: OpenCV is not installed.

    Example:
        >>> cv2 = load()
    """
    with importing:
        import cv2

        cv2.getNumThreads()
    return cv2


def worker_init(worker_id: int = 0) -> None:
    """Call `guard`. Pass this function as the `worker_init_fn` of a `DataLoader`.

    It runs before the first sample. In spawned workers, a dataset that imports `cv2` only in `__getitem__` imports it
    later than this: let it call `guard` itself.

    Args:
        worker_id: the worker's number, which `DataLoader` passes. It is not used.

    Example:
        >>> import seedsafe.opencv
        >>> seedsafe.opencv.worker_init(0)  # not a worker: nothing happens
        >>> loader_options = {"num_workers": 4, "worker_init_fn": seedsafe.opencv.worker_init}
    """
    guard()


def _act() -> None:
    global done
    cv2 = sys.modules["cv2"]
    if not is_worker():
        done = not is_starting()
        if hasattr(cv2, "getNumThreads"):
            load()
        return
    set_threads = getattr(cv2, "setNumThreads", None)
    use_opencl = getattr(getattr(cv2, "ocl", None), "setUseOpenCL", None)
    if (
        set_threads is None or use_opencl is None
    ):  # another thread is still importing it, and fills it piece by piece
        return
    # Two threads at once set the same values twice, which is harmless.
    set_threads(0)
    use_opencl(False)
    done = True


def _forget() -> None:
    global done
    done = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
