"""A tree in a file that is mapped into memory: opened without reading, shared by all processes.

The file, little-endian: 16 bytes of magic; the header's length and a sum of all 64-bit words behind these, 8 bytes
each; the header, JSON; the arrays and names, each from a multiple of 64 bytes. The sum, modulo 2^64, finds any one
damaged word, a file cut short and blocks of zeros.
"""

import json
import mmap
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from seedsafe.folder.files import write_atomically
from seedsafe.folder.tree import Names, Problem, Tree

__all__ = ["load", "save"]

_MAGIC = b"seedsafe index 1"
_START = 32
_ALIGN = 64
_DTYPES = ("<i8", "<u8", "<i8", "<i4")


def save(tree: Tree, path: str, options: dict[str, Any]) -> None:
    """Write a tree and the options that it was made with."""
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
    body = [_padded(text, _START), *(_padded(section) for section in sections)]
    total = sum(int(np.frombuffer(piece, "<u8").sum(dtype=np.uint64)) for piece in body) % 2**64
    write_atomically(path, [_MAGIC, len(text).to_bytes(8, "little"), total.to_bytes(8, "little"), *body])


def _padded(data: bytes, before: int = 0) -> bytes:
    return data + bytes(-(before + len(data)) % _ALIGN)


def load(path: str, options: dict[str, Any]) -> Tree | None:
    """Map a file that `save` wrote.

    Returns:
        The tree; None if there is no file, if it is damaged, or if it was made with other options.

    Raises:
        ValueError: the file is something else, which is not to be overwritten.
    """
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return None
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        return None
    if data[: len(_MAGIC)] != _MAGIC:
        raise ValueError(f"cache={path!r} is no index of seedsafe: pass another path, or remove the file")
    try:
        return _tree(data, options)
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def _tree(data: mmap.mmap, options: dict[str, Any]) -> Tree | None:
    length, total = (int.from_bytes(data[place : place + 8], "little") for place in (16, 24))
    if int(np.frombuffer(data, "<u8", offset=_START).sum(dtype=np.uint64)) != total:
        return None
    header = json.loads(data[_START : _START + length])
    if header["options"] != options:
        return None
    places = list(_places(_START + length, header["sizes"]))
    if places.pop() != len(data):
        return None
    arrays = [
        np.frombuffer(data, dtype, int(np.prod(shape)), place).reshape(shape)
        for dtype, shape, place in zip(_DTYPES, header["shapes"], places, strict=False)
    ]
    folders, files = places[len(arrays) :]
    problems = tuple(Problem(*problem) for problem in header["problems"])
    return Tree(
        Names(data, folders, arrays[0]), arrays[1], Names(data, files, arrays[2]), arrays[3], problems, total
    )


def _places(end: int, sizes: list[int]) -> Iterator[int]:
    """Give where each section starts, and where the file ends."""
    for size in sizes:
        end += -end % _ALIGN
        yield end
        end += size
    yield end + -end % _ALIGN
