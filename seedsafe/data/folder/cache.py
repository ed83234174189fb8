"""A tree in a memory-mapped file.

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

import hashlib
import json
import mmap
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from seedsafe.data.folder.tree import Names, Problem, Tree

__all__ = ["load", "save", "write_atomically"]


def write_atomically(path: str | os.PathLike[str], pieces: Iterable[Any]) -> None:
    """Write the pieces (bytes or arrays) to a new file in the same folder, then rename it to `path`.

    A process that has the old file open, or mapped into memory, keeps the old contents.

    Raises:
        PermissionError: on Windows, a process has the old file open.
        OSError: the folder does not exist, or is not writable.
    """
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(handle, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


_MAPS: Final = sys.platform != "win32"
_MAGIC = b"seedsafe index 2"
_OURS = b"seedsafe index "
_LINE = 512
_START = 32
_ALIGN = 64
_DTYPES = ("<i8", "<u8", "<i8", "<i4")


def save(tree: Tree, path: str, options: dict[str, Any]) -> None:
    """Write a tree and its options.

    Raises:
        OSError: as in `write_atomically`, unless another process has just written the same.
    """
    sections = [
        *(np.ascontiguousarray(array).tobytes() for array in tree.arrays),
        tree.folders.blob,
        tree.files.blob,
    ]
    header = {
        "options": options,
        "shapes": [array.shape for array in tree.arrays],
        "sizes": [len(section) for section in sections],
        "problems": tree.problems,
    }
    text = json.dumps(header).encode()
    body = b"".join([_padded(text, _START), *(_padded(section) for section in sections)])
    seal = _seal(np.frombuffer(body, "<u8"))
    head = b"".join([_MAGIC, len(text).to_bytes(8, "little"), seal.to_bytes(8, "little")])
    try:
        write_atomically(path, [head, body])
    except PermissionError:
        if not _begins(path, head):
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
        if data[: len(_OURS)] == _OURS:  # from another release
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
    offsets = list(_offsets(_START + length, header["sizes"]))
    if offsets.pop() != len(data):
        return None
    arrays = [
        np.frombuffer(data, dtype, int(np.prod(shape)), offset).reshape(shape)
        for dtype, shape, offset in zip(_DTYPES, header["shapes"], offsets, strict=False)
    ]
    folders, files = offsets[len(arrays) :]
    problems = tuple(Problem(*problem) for problem in header["problems"])
    return Tree(
        Names(data, folders, arrays[0]), arrays[1], Names(data, files, arrays[2]), arrays[3], problems, seal
    )


def _offsets(end: int, sizes: list[int]) -> Iterator[int]:
    """Yield the offset of each section, then that of the file's end."""
    for size in sizes:
        end += -end % _ALIGN
        yield end
        end += size
    yield end + -end % _ALIGN
