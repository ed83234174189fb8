"""A folder's files in a few arrays: names in one block of bytes, in order, each with the number of its folder."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from mmap import mmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Listing", "Names", "Problem", "Stamp", "Tree", "assemble", "listing_of"]

Stamp = tuple[int, int, int]
"""A folder's device, inode and time of change in nanoseconds; a time of -1 is never believed."""


class Problem(NamedTuple):
    """Something that could not be indexed: what it is, where (relative to the root), and what the system said."""

    kind: str
    path: str
    message: str


@dataclass(slots=True)
class Listing:
    """One folder: its files' names, sorted, and the folders in it.

    `blob` holds the names, each followed by a NUL, and `ends` where each ends. `children` are the folders' names with
    the number of files that come before each of them, where a folder's place is that of its name and a slash.
    """

    stamp: Stamp
    blob: bytes = b""
    ends: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    children: list[tuple[bytes, int]] = field(default_factory=list[tuple[bytes, int]])
    problems: list[Problem] = field(default_factory=list[Problem])

    @classmethod
    def of(cls, stamp: Stamp, names: list[bytes], folders: list[bytes]) -> Listing:
        """Make one from names in any order."""
        names.sort()
        blob = b"\0".join([*names, b""])
        ends = np.flatnonzero(np.frombuffer(blob, np.uint8) == 0) + 1
        children = [
            (name, bisect_left(names, name + b"/")) for name in sorted(folders, key=lambda n: n + b"/")
        ]
        return cls(stamp, blob, ends, children)


class Names:
    """A sequence of byte strings without NUL, in one buffer (bytes, or a file mapped into memory).

    Args:
        buffer: holds the strings, each followed by a NUL.
        base: where the first one starts.
        offsets: int64 (n + 1,), from `base`.
    """

    def __init__(self, buffer: bytes | mmap, base: int, offsets: NDArray[np.int64]) -> None:
        self.buffer = buffer
        self.base = base
        self.offsets = offsets
        self._at = offsets.data  # gives Python integers, faster than the array

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, position: int) -> bytes:
        base = self.base
        return self.buffer[base + self._at[position] : base + self._at[position + 1] - 1]

    def __iter__(self) -> Iterator[bytes]:
        return (self[position] for position in range(len(self)))

    @property
    def blob(self) -> bytes:
        """The strings with their NULs."""
        return self.between(0, len(self))

    def between(self, start: int, stop: int) -> bytes:
        """Return the strings from `start` to `stop`, with their NULs."""
        return self.buffer[self.base + self._at[start] : self.base + self._at[stop]]

    def __getstate__(self) -> tuple[bytes, NDArray[np.int64]]:
        return self.blob, np.array(self.offsets)

    def __setstate__(self, state: tuple[bytes, NDArray[np.int64]]) -> None:
        Names.__init__(self, state[0], 0, state[1])


@dataclass(frozen=True, slots=True)
class Tree:
    """All files below a root, ordered bytewise by relative path.

    Attributes:
        folders: their paths relative to the root, each followed by a slash except the root's own, which is empty.
        stamps: uint64 (folders, 3).
        files: their names.
        places: int32 (files,): the folder of each file.
        problems: what could not be indexed.
        seal: the sum in the file that it was mapped from; 0 if it is in memory.
    """

    folders: Names
    stamps: NDArray[np.uint64]
    files: Names
    places: NDArray[np.int32]
    problems: tuple[Problem, ...]
    seal: int = 0

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays, in the order in which a file holds them."""
        return self.folders.offsets, self.stamps, self.files.offsets, self.places


def assemble(listings: Mapping[bytes, Listing], *, skip_root: bool) -> Tree:
    """Put the listings of a root (whose path is empty) and of all folders below it in order.

    Args:
        listings: by the folders' relative paths.
        skip_root: leave out the files that lie in the root itself.
    """
    folders: list[bytes] = []
    runs: list[tuple[int, Listing, int, int]] = []
    stack: list[bytes | tuple[int, Listing, int, int]] = [b""]
    while stack:
        task = stack.pop()
        if isinstance(task, tuple):
            runs.append(task)
            continue
        number, listing = len(folders), listings[task]
        folders.append(task)
        skip = skip_root and number == 0
        cuts = [0, *(position for _, position in listing.children), len(listing.ends)]
        todo: list[bytes | tuple[int, Listing, int, int]] = []
        for turn, (start, stop) in enumerate(pairwise(cuts)):
            if stop > start and not skip:
                todo.append((number, listing, start, stop))
            if turn < len(listing.children):
                todo.append(task + listing.children[turn][0] + b"/")
        stack.extend(child for child in reversed(todo) if isinstance(child, tuple) or child in listings)
    stamps = [[word & (2**64 - 1) for word in listings[path].stamp] for path in folders]
    return Tree(
        _names(b"\0".join([*folders, b""]), [np.cumsum([len(path) + 1 for path in folders])]),
        np.array(stamps, np.uint64).reshape(-1, 3),
        *_joined(runs),
        tuple(problem for path in folders for problem in listings[path].problems),
    )


def _joined(runs: list[tuple[int, Listing, int, int]]) -> tuple[Names, NDArray[np.int32]]:
    blobs: list[bytes] = []
    ends: list[NDArray[np.int64]] = []
    size = 0
    for _, listing, start, stop in runs:
        first = int(listing.ends[start - 1]) if start else 0
        last = int(listing.ends[stop - 1])
        blobs.append(listing.blob[first:last])
        ends.append(listing.ends[start:stop] + (size - first))
        size += last - first
    numbers = np.array([number for number, *_ in runs], np.int32)
    places = np.repeat(numbers, [stop - start for *_, start, stop in runs]) if runs else numbers
    return _names(b"".join(blobs), ends), places


def _names(blob: bytes, ends: list[NDArray[np.int64]]) -> Names:
    return Names(blob, 0, np.concatenate([np.zeros(1, np.int64), *ends]))


def listing_of(tree: Tree) -> dict[bytes, Listing]:
    """Return the listing of each folder again, by its relative path, without their problems."""
    paths = list(tree.folders)
    children: dict[bytes, list[bytes]] = {path: [] for path in paths}
    for path in paths[1:]:
        parent, name = _split(path)
        children[parent].append(name)
    order = np.argsort(tree.places, kind="stable")
    bounds = np.searchsorted(tree.places[order], np.arange(len(paths) + 1))
    found: dict[bytes, Listing] = {}
    for number, path in enumerate(paths):
        own = order[bounds[number] : bounds[number + 1]]
        device, inode, changed = (int(word) for word in tree.stamps[number])
        stamp = device, inode, -1 if changed == 2**64 - 1 else changed
        if len(own) and own[-1] - own[0] == len(own) - 1 and not children[path]:
            start, stop = int(own[0]), int(own[-1]) + 1
            ends = tree.files.offsets[start + 1 : stop + 1] - tree.files.offsets[start]
            found[path] = Listing(stamp, tree.files.between(start, stop), ends)
        else:
            found[path] = Listing.of(stamp, [tree.files[int(position)] for position in own], children[path])
    return found


def _split(path: bytes) -> tuple[bytes, bytes]:
    """Split b"a/b/" into b"a/" and b"b"."""
    cut = path.rfind(b"/", 0, -1) + 1
    return path[:cut], path[cut:-1]
