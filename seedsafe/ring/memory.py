"""Memory files: made without a name, mapped without a descriptor for each part, locked for what forked children hold.

All of it is Linux's own: memory files, /proc, MADV_REMOVE, and locks that belong to an open file rather than to a process.
On macOS and Windows `impossible` returns why, none of this runs, and batches are made and sent as the frameworks do it;
that was tried only by taking these calls away on Linux.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import mmap
import os
import struct
import sys
import weakref
from collections.abc import Callable, Generator, Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

if sys.platform != "win32":
    import fcntl

__all__ = [
    "NAME",
    "close",
    "give_back",
    "impossible",
    "is_locked",
    "keep_reserve",
    "locked",
    "mapped",
    "new_file",
    "open_file",
    "path_of",
    "reserve",
    "watched",
]

NAME: Final = "seedsafe-ring"
PROC: Final = "/proc"
_LOCK: Final = "@hhqqi0q"  # struct flock of a 64-bit system: type, whence, start, length, process

_ours: Final[set[int]] = set()
"""The descriptors that are to be closed here. A forked child closes its copies at once: later, their numbers may be others'."""
_reserve: Final[list[int]] = []
"""A descriptor to give up when there are no more, so that what was sent can still be read."""


def impossible() -> str | None:
    """Return why no batch can travel in place on this system, or None if they can.

    Example:
        >>> import sys
        >>> impossible() is None or sys.platform != "linux"
        True
    """
    if not hasattr(os, "memfd_create") or sys.maxsize < 2**32:
        return f"memory files need 64-bit Linux, and this is {sys.platform}"
    if not os.path.isdir(f"{PROC}/self/fd"):
        return f"{PROC} is not mounted: a process cannot open another's memory file"
    return None


@functools.cache
def _library() -> ctypes.CDLL:
    """Return the C library: Python's mmap keeps a descriptor for each mapping, its own does not."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return library


def mapped(file: int, size: int, offset: int = 0) -> Any:
    """Return a part of a file as a writable buffer of bytes, unmapped when the last array over it dies."""
    library = _library()
    address = library.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, file, offset)
    if address in (None, ctypes.c_void_p(-1).value):
        code = ctypes.get_errno() or errno.ENOMEM
        raise OSError(code, f"{size} bytes of a memory file cannot be mapped: {os.strerror(code)}")
    memory = (ctypes.c_ubyte * size).from_address(address)
    weakref.finalize(memory, library.munmap, address, size).atexit = False
    return memory


def watched(
    buffer: Any, nbytes: int, when_dead: Callable[..., Any], *arguments: Any
) -> npt.NDArray[np.uint8]:
    """Return an array over the first bytes of a buffer, and call a function when it and all views of it have died.

    The function may be called in any thread, between any two lines of this package's code, also while this thread holds
    its lock. So it takes no lock, and each of its steps is one that no other thread can see half done.
    """
    array: npt.NDArray[np.uint8] = np.frombuffer(buffer, np.uint8, nbytes)
    weakref.finalize(array, when_dead, *arguments).atexit = False
    return array


def give_back(memory: Any) -> None:
    """Hand the pages of a mapped part back to the system, for every process; they are zeros when touched again."""
    _library().madvise(ctypes.addressof(memory), ctypes.sizeof(memory), mmap.MADV_REMOVE)


def path_of(process: int, file: int) -> str:
    """Return the path by which another process may open a descriptor of this one."""
    return f"{PROC}/{process}/fd/{file}"


def new_file(size: int) -> int:
    """Return the descriptor of a new memory file."""
    file = os.memfd_create(NAME, os.MFD_CLOEXEC)
    _ours.add(file)
    os.ftruncate(file, size)
    return file


def open_file(process: int, file: int) -> int:
    """Return a descriptor of a file that a process has open."""
    opened = os.open(path_of(process, file), os.O_RDWR | os.O_CLOEXEC)
    _ours.add(opened)
    return opened


def close(file: int) -> None:
    """Close a descriptor, unless it is closed already."""
    with contextlib.suppress(KeyError, OSError):
        _ours.remove(file)
        os.close(file)


def keep_reserve() -> bool:
    """Return whether this process keeps a descriptor for `reserve`, which it opens the first time."""
    if not _reserve:
        with contextlib.suppress(OSError):
            _reserve.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
            _ours.update(_reserve)
    return bool(_reserve)


@contextlib.contextmanager
def reserve() -> Generator[None]:
    """Close the descriptor in reserve meanwhile, so that one can be opened where there are no more."""
    with contextlib.suppress(IndexError):
        close(_reserve.pop())
    try:
        yield
    finally:
        keep_reserve()


def locked(file: int, numbers: Iterable[int]) -> Any:
    """Lock slots of a file until this process and each child that it forks meanwhile have dropped what is returned.

    The lock belongs to an opening of the file of its own, and a mapping keeps that open: a child that closes all of its
    descriptors, as a daemon does, still has it.
    """
    with reserve():
        opened = open_file(os.getpid(), file)
        try:
            for number in numbers:
                asked = struct.pack(_LOCK, fcntl.F_RDLCK, os.SEEK_SET, number, 1, 0)
                fcntl.fcntl(opened, fcntl.F_OFD_SETLK, asked)
            return mapped(opened, mmap.PAGESIZE)
        finally:
            close(opened)


def is_locked(file: int, number: int) -> bool:
    """Return whether a forked child holds a slot."""
    asked = struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, number, 1, 0)
    kind: int = struct.unpack(_LOCK, fcntl.fcntl(file, fcntl.F_OFD_GETLK, asked))[0]
    return kind != fcntl.F_UNLCK


def _close_all() -> None:
    for file in list(_ours):
        close(file)
    _reserve.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_all)
