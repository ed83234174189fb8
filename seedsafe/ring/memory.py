"""Memory files of Linux, mapped and locked.

They have no name, a mapping needs no descriptor of its own, and locks protect the slots that forked children hold. All of it
exists on Linux alone: memory files, /proc, MADV_REMOVE, and locks that belong to an open file instead of a process. On macOS
and Windows `impossible` returns the reason, none of this runs, and batches are made and sent in the framework's way. That was
tried only on Linux with these calls removed.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import importlib
import mmap
import os
import struct
import sys
import weakref
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

fcntl: Any = importlib.import_module("fcntl") if hasattr(os, "fork") else None  # not on Windows

__all__ = [
    "Handle",
    "close",
    "close_all",
    "give_back",
    "impossible",
    "is_locked",
    "is_open",
    "lock_slot",
    "map_file",
    "new_file",
    "open_file",
    "watch",
]

PROC: Final = "/proc"
_LOCK: Final = "@hhqqi0q"  # struct flock of a 64-bit system: type, whence, start, length, process
_OPEN: Final = getattr(os, "O_CLOEXEC", 0) | os.O_RDWR

_ours: Final[set[int]] = set()
"""The descriptors that this process must close. A forked child closes its copies at once, before their numbers are reused."""


class Handle(NamedTuple):
    """The path of a file that another process has open, and the file's device and inode.

    The path has the numbers of a process and a descriptor, which the system gives out again. It does not give an inode's number out
    again, so the inode shows whether the path still leads to the same file.
    """

    path: str
    inode: tuple[int, int]


def impossible() -> str | None:
    """Return the reason why no batch can travel in place on this system, or None if batches can.

    Example:
        >>> import sys
        >>> impossible() is None or sys.platform != "linux"
        True
    """
    if not hasattr(os, "memfd_create") or sys.maxsize < 2**32:
        return f"memory files need 64-bit Linux, but this is {sys.platform}"
    if not os.path.isdir(f"{PROC}/self/fd"):
        return f"{PROC} is not mounted: a process cannot open another's memory file"
    return None


@functools.cache
def _library() -> ctypes.CDLL:
    """Return the C library, whose mmap keeps no descriptor for each mapping, unlike Python's."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    memory: list[Any] = [ctypes.c_void_p, ctypes.c_size_t]
    library.mmap.argtypes = [*memory, *[ctypes.c_int] * 3, ctypes.c_long]
    library.munmap.argtypes, library.madvise.argtypes = memory, [*memory, ctypes.c_int]
    return library


def map_file(file: int, size: int, offset: int = 0) -> Any:
    """Return a part of a file as a writable buffer of bytes, unmapped when the last array over it dies."""
    library = _library()
    pointer = library.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, file, offset)
    if pointer in (None, ctypes.c_void_p(-1).value):
        code = ctypes.get_errno() or errno.ENOMEM
        raise OSError(code, f"{size} bytes of a memory file cannot be mapped: {os.strerror(code)}")
    memory = (ctypes.c_ubyte * size).from_address(pointer)
    # Not at the program's end, when other threads may still read the memory; the system unmaps it then.
    weakref.finalize(memory, library.munmap, pointer, size).atexit = False
    return memory


def watch(buffer: Any, nbytes: int, when_dead: Callable[..., Any], *arguments: Any) -> npt.NDArray[np.uint8]:
    """Return an array over the first bytes of a buffer, and call a function when it and all its views have died.

    The function may run in any thread, between any two lines of this package's code, even while this thread holds the
    lock. So it must take no lock, and each of its steps must be atomic.
    """
    array: npt.NDArray[np.uint8] = np.frombuffer(buffer, np.uint8, nbytes)
    weakref.finalize(array, when_dead, *arguments).atexit = False
    return array


def give_back(memory: Any) -> None:
    """Hand the pages of a mapped buffer back to the system, for every process. They are zeros when next touched."""
    _library().madvise(ctypes.addressof(memory), ctypes.sizeof(memory), mmap.MADV_REMOVE)


def new_file(size: int) -> tuple[int, Handle]:
    """Return the descriptor of a new memory file, and the handle by which others open it."""
    file = os.memfd_create("seedsafe-ring", os.MFD_CLOEXEC)
    _ours.add(file)
    os.ftruncate(file, size)
    return file, Handle(f"{PROC}/{os.getpid()}/fd/{file}", _inode(os.fstat(file)))


def open_file(handle: Handle) -> int:
    """Open a file that another process has open, and return the new descriptor.

    Raises:
        OSError: the process is gone, or its descriptor is another file now, or there are too many open files.
    """
    # Not opened to look at it: that may have effects, for instance on a device.
    if _inode(os.stat(handle.path)) != handle.inode:
        raise OSError(f"{handle.path} is now another file")
    file = os.open(handle.path, _OPEN)
    _ours.add(file)
    return file


def is_open(handle: Handle) -> bool:
    """Return whether the process still has the file open."""
    with contextlib.suppress(OSError):
        return _inode(os.stat(handle.path)) == handle.inode
    return False


def _inode(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def close(file: int) -> None:
    """Close a descriptor, unless it is closed already."""
    with contextlib.suppress(KeyError, OSError):
        _ours.remove(file)
        os.close(file)


def lock_slot(file: int, number: int) -> Any:
    """Lock a slot of a file until this process, and each child forked in between, have dropped the result.

    The lock belongs to a separate opening of the file, which a mapping keeps open. So a child keeps the lock even if it
    closes all its descriptors, as a daemon does.
    """
    descriptor = os.open(f"{PROC}/self/fd/{file}", _OPEN)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _lock(fcntl.F_RDLCK, number))
        return map_file(descriptor, mmap.PAGESIZE)
    finally:
        os.close(descriptor)


def is_locked(file: int, number: int) -> bool:
    """Return whether a forked child holds a slot."""
    found = fcntl.fcntl(file, fcntl.F_OFD_GETLK, _lock(fcntl.F_WRLCK, number))
    return bool(struct.unpack(_LOCK, found)[0] != fcntl.F_UNLCK)


def _lock(kind: int, number: int) -> bytes:
    return struct.pack(_LOCK, kind, os.SEEK_SET, number, 1, 0)


def close_all() -> None:
    """Close what a forked child has inherited."""
    for file in list(_ours):
        close(file)
