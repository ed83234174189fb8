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
from collections.abc import Callable, Generator, Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

fcntl: Any = None
with contextlib.suppress(ImportError):  # not on Windows
    fcntl = importlib.import_module("fcntl")

__all__ = [
    "NAME",
    "close",
    "give_back",
    "impossible",
    "is_locked",
    "keep_reserve",
    "lock_slots",
    "map_file",
    "new_file",
    "open_file",
    "path_of",
    "reserve",
    "watch",
]

NAME: Final = "seedsafe-ring"
PROC: Final = "/proc"
_LOCK: Final = "@hhqqi0q"  # struct flock of a 64-bit system: type, whence, start, length, process

_ours: Final[set[int]] = set()
"""The descriptors that this process must close. A forked child closes its copies at once, before their numbers are reused."""
_reserve: Final[list[int]] = []
"""A descriptor to give up when there are no more, so that messages under way can still be opened."""


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
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return library


def map_file(file: int, size: int, offset: int = 0) -> Any:
    """Return a part of a file as a writable buffer of bytes, unmapped when the last array over it dies."""
    library = _library()
    pointer = library.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, file, offset)
    if pointer in (None, ctypes.c_void_p(-1).value):
        code = ctypes.get_errno() or errno.ENOMEM
        raise OSError(code, f"{size} bytes of a memory file cannot be mapped: {os.strerror(code)}")
    memory = (ctypes.c_ubyte * size).from_address(pointer)
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


def path_of(process: int, file: int) -> str:
    """Return the path by which any process can open a descriptor of another."""
    return f"{PROC}/{process}/fd/{file}"


def new_file(size: int) -> int:
    """Return the descriptor of a new memory file."""
    file = os.memfd_create(NAME, os.MFD_CLOEXEC)
    _ours.add(file)
    os.ftruncate(file, size)
    return file


def open_file(process: int, file: int) -> int:
    """Open a file that a process has open, and return the new descriptor."""
    descriptor = os.open(path_of(process, file), os.O_RDWR | os.O_CLOEXEC)
    _ours.add(descriptor)
    return descriptor


def close(file: int) -> None:
    """Close a descriptor, unless it is closed already."""
    with contextlib.suppress(KeyError, OSError):
        _ours.remove(file)
        os.close(file)


def keep_reserve() -> bool:
    """Open a descriptor for `reserve` unless there is one, and return whether there is one."""
    if not _reserve:
        with contextlib.suppress(OSError):
            _reserve.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
            _ours.update(_reserve)
    return bool(_reserve)


@contextlib.contextmanager
def reserve() -> Generator[None]:
    """Close the descriptor in reserve for a while, so that a process out of descriptors can open one."""
    with contextlib.suppress(IndexError):
        close(_reserve.pop())
    try:
        yield
    finally:
        keep_reserve()


def lock_slots(file: int, numbers: Iterable[int]) -> Any:
    """Lock slots of a file until this process, and each child forked in between, have dropped the result.

    The lock belongs to a separate opening of the file, which a mapping keeps open. So a child keeps the lock even if it
    closes all its descriptors, as a daemon does.
    """
    with reserve():
        descriptor = open_file(os.getpid(), file)
        try:
            for number in numbers:
                lock = struct.pack(_LOCK, fcntl.F_RDLCK, os.SEEK_SET, number, 1, 0)
                fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, lock)
            return map_file(descriptor, mmap.PAGESIZE)
        finally:
            close(descriptor)


def is_locked(file: int, number: int) -> bool:
    """Return whether a forked child holds a slot."""
    lock = struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, number, 1, 0)
    kind: int = struct.unpack(_LOCK, fcntl.fcntl(file, fcntl.F_OFD_GETLK, lock))[0]
    return bool(kind != fcntl.F_UNLCK)


def _close_all() -> None:
    for file in list(_ours):
        close(file)
    _reserve.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_all)
