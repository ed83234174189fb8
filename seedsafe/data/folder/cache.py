"""An index's arrays, in memory or a file.

All processes share the file, and opening it reads nothing, except on Windows, where no file can be replaced while it is
open or mapped anywhere: there each process reads it whole and closes it. Its contents, little-endian:

- 16 bytes of magic
- the header's length and the digest, 8 bytes each
- the header, JSON
- the arrays and names, each at a multiple of 64 bytes

The digest covers all 64-bit words after it, in lines of 512: it is a digest of their sums by line and by column, modulo
2^64. It detects damaged and swapped words, a truncated file and blocks of zeros, ten times faster than a digest of all
bytes.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Names", "Problem", "Tree", "load", "save"]

_MAPS: Final = sys.platform != "win32"
_MAGIC = b"seedsafe index 2"
_ANY_RELEASE = b"seedsafe index "
_LINE = 512
_START = 32
_ALIGN = 64  # a line of a processor's cache, and more than any dtype needs
_DTYPES = ("<i8", "<u8", "<i8", "<i4", "u1", "u1")


class Problem(NamedTuple):
    """An entry that could not be indexed: the kind of problem, the path relative to the root, the system's message."""

    kind: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Names:
    """A sequence of byte strings without NUL, in two arrays, which workers share and a file can hold.

    Attributes:
        blob: uint8, the strings, each followed by a NUL.
        offsets: int64 (n + 1,), where each string begins, and the end.
    """

    blob: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, blob: bytes) -> Self:
        """Return the names in a blob."""
        array = np.frombuffer(blob, np.uint8)
        return cls(array, np.concatenate([np.zeros(1, np.int64), np.flatnonzero(array == 0) + 1]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, position: int) -> bytes:
        return self.between(position, position + 1)[:-1]

    def __iter__(self) -> Iterator[bytes]:
        return map(self.__getitem__, range(len(self)))

    def between(self, start: int, stop: int) -> bytes:
        """Return the strings from `start` to `stop`, with their NULs."""
        return self.blob[self.offsets.item(start) : self.offsets.item(stop)].tobytes()


@dataclass(frozen=True, slots=True)
class Tree:
    """All files below a root, ordered bytewise by relative path.

    Attributes:
        folders: the paths of the folders relative to the root, each with a slash at the end; the root's path is empty.
        stamps: uint64 (folders, 3).
        files: the names of the files.
        parents: int32 (files,): the number of each file's folder.
        problems: the entries that could not be indexed.
        seal: the digest of the cache file; 0 if the tree is in memory.
    """

    folders: Names
    stamps: NDArray[np.uint64]
    files: Names
    parents: NDArray[np.int32]
    problems: tuple[Problem, ...]
    seal: int = 0

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays, in the order of the file."""
        offsets = self.folders.offsets, self.stamps, self.files.offsets, self.parents
        return *offsets, self.folders.blob, self.files.blob


def save(tree: Tree, path: str, options: dict[str, Any]) -> None:
    """Write a tree and its options to a new file in the same folder, which is then renamed to `path`.

    A process that has the old file open, or mapped into memory, keeps the old contents.

    Raises:
        OSError: the folder does not exist, or is not writable; on Windows, a process has the old file open, unless that
            process has just written the same.
    """
    sections = [array.tobytes() for array in tree.arrays]
    header = {
        "options": options,
        "shapes": [array.shape for array in tree.arrays[:4]],
        "sizes": [len(section) for section in sections],
        "problems": tree.problems,
    }
    text = json.dumps(header).encode()
    body = b"".join([_padded(text, _START), *(_padded(section) for section in sections)])
    seal = _seal(np.frombuffer(body, "<u8"))
    head = b"".join([_MAGIC, len(text).to_bytes(8, "little"), seal.to_bytes(8, "little")])
    folder, name = os.path.split(path)
    handle, new = tempfile.mkstemp(dir=folder or ".", prefix=f".{name}.")
    try:
        with open(handle, "wb") as file:
            file.writelines([head, body])
            file.flush()
            os.fsync(file.fileno())  # otherwise a crash may leave the new name with an empty file
        os.chmod(new, 0o644)  # mkstemp lets only its user read
        os.replace(new, path)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(new)
        if not (isinstance(error, PermissionError) and _begins(path, head)):
            raise


def _begins(path: str, head: bytes) -> bool:
    with suppress(OSError), open(path, "rb") as file:
        return file.read(len(head)) == head
    return False


def _seal(words: NDArray[np.uint64]) -> int:
    """Return a digest of 64-bit words and their order."""
    whole = len(words) // _LINE * _LINE
    lines = words[:whole].reshape(-1, _LINE)
    digest = hashlib.blake2b(digest_size=8)
    for part in (lines.sum(1, dtype="<u8"), lines.sum(0, dtype="<u8"), words[whole:]):
        digest.update(np.ascontiguousarray(part).tobytes())
    return int.from_bytes(digest.digest(), "little")


def _padded(data: bytes, before: int = 0) -> bytes:
    return data + bytes(-(before + len(data)) % _ALIGN)


def load(path: str, options: dict[str, Any]) -> Tree | None:
    """Open a file that `save` wrote.

    Returns:
        The tree, or None if the file is missing, is damaged, or belongs to other options.

    Raises:
        ValueError: the file is something else, and must not be overwritten.
    """
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return None
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if _MAPS else file.read()
    except FileNotFoundError:
        return None
    if data[: len(_MAGIC)] != _MAGIC:
        if data[: len(_ANY_RELEASE)] == _ANY_RELEASE:
            return None
        raise ValueError(f"cache={path!r} is not a seedsafe index: pass another path, or remove the file")
    try:
        return _tree(data, options)
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def _tree(data: mmap.mmap | bytes, options: dict[str, Any]) -> Tree | None:
    length, seal = (int.from_bytes(data[start : start + 8], "little") for start in (16, 24))
    if _seal(np.frombuffer(data, "<u8", offset=_START)) != seal:
        return None
    header = json.loads(data[_START : _START + length])
    if header["options"] != options:
        return None
    sizes = header["sizes"]
    offsets = list(_offsets(_START + length, sizes))
    if offsets.pop() != len(data):
        return None
    shapes = [*header["shapes"], sizes[4], sizes[5]]
    folders, stamps, files, parents, *blobs = (
        np.frombuffer(data, dtype, int(np.prod(shape)), offset).reshape(shape)
        for dtype, shape, offset in zip(_DTYPES, shapes, offsets, strict=True)
    )
    problems = tuple(Problem(*problem) for problem in header["problems"])
    return Tree(Names(blobs[0], folders), stamps, Names(blobs[1], files), parents, problems, seal)


def _offsets(end: int, sizes: list[int]) -> Iterator[int]:
    """Yield the offset of each section, then that of the file's end."""
    for size in sizes:
        end += -end % _ALIGN
        yield end
        end += size
    yield end + -end % _ALIGN
