"""Memory files: made without a name, mapped without a descriptor for each part, locked for what forked children hold."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import mmap
import os
import struct
import weakref
from typing import Any, Final

__all__ = ["NAME", "PROC", "close", "give_back", "hold", "is_held", "mapped", "named", "opened_again"]

NAME: Final = "seedsafe-ring"
PROC: Final = "/proc"
_LOCK: Final = "@hhqqi0q"  # struct flock of a 64-bit system: type, whence, start, length, process


@functools.cache
def _library() -> ctypes.CDLL:
    """Return the C library: Python's mmap keeps a descriptor for each mapping, its own does not."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_long,
    ]
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


def give_back(memory: Any) -> None:
    """Hand the pages of a mapped part back to the system, for every process; they are zeros when touched again."""
    _library().madvise(ctypes.addressof(memory), ctypes.sizeof(memory), mmap.MADV_REMOVE)


def named(process: int, file: int) -> str:
    """Return the path by which another process may open a descriptor of this one."""
    return f"{PROC}/{process}/fd/{file}"


def opened_again(file: int) -> int:
    """Return a new description of an open file; its locks are kept by each child that inherits it."""
    return os.open(named(os.getpid(), file), os.O_RDWR | os.O_CLOEXEC)


def hold(file: int, number: int) -> None:
    """Mark a slot as held for as long as any process has this description open."""
    import fcntl  # which not every system has

    fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack(_LOCK, fcntl.F_RDLCK, os.SEEK_SET, number, 1, 0))


def is_held(file: int, number: int) -> bool:
    """Return whether another description of the file holds a slot."""
    import fcntl

    asked = struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, number, 1, 0)
    kind: int = struct.unpack(_LOCK, fcntl.fcntl(file, fcntl.F_OFD_GETLK, asked))[0]
    return kind != fcntl.F_UNLCK


def close(file: int) -> None:
    """Close a descriptor that may be closed already."""
    with contextlib.suppress(OSError):
        os.close(file)
