"""A tree of files in a few arrays."""

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
"""A folder's device, inode and time of change in nanoseconds. With a time of -1, the folder is read again."""


class Problem(NamedTuple):
    """An entry that could not be indexed: the kind of problem, the path relative to the root, the system's message."""

    kind: str
    path: str
    message: str


@dataclass(slots=True)
class Listing:
    """One folder: the names of its files, sorted, and the folders in it.

    `blob` has the names, each followed by a NUL, and `ends` the offset after each. `children` are the names of the folders,
    with the number of files that sort before each name and its slash.
    """

    stamp: Stamp
    blob: bytes = b""
    ends: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    children: list[tuple[bytes, int]] = field(default_factory=list[tuple[bytes, int]])
    problems: list[Problem] = field(default_factory=list[Problem])

    @classmethod
    def of(cls, stamp: Stamp, names: list[bytes], folders: list[bytes]) -> Listing:
        """Make a listing from names in any order."""
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
        buffer: has the strings, each followed by a NUL.
        base: the offset of the first string.
        offsets: int64 (n + 1,), the offset of each string and of the end, from `base`.
    """

    def __init__(self, buffer: bytes | mmap, base: int, offsets: NDArray[np.int64]) -> None:
        self.buffer = buffer
        self.base = base
        self.offsets = offsets
        self._ints = offsets.data  # a memoryview returns Python integers, faster than an array

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, position: int) -> bytes:
        base = self.base
        return self.buffer[base + self._ints[position] : base + self._ints[position + 1] - 1]

    def __iter__(self) -> Iterator[bytes]:
        return (self[position] for position in range(len(self)))

    @property
    def blob(self) -> bytes:
        """The strings with their NULs."""
        return self.between(0, len(self))

    def between(self, start: int, stop: int) -> bytes:
        """Return the strings from `start` to `stop`, with their NULs."""
        return self.buffer[self.base + self._ints[start] : self.base + self._ints[stop]]

    def __getstate__(self) -> tuple[bytes, NDArray[np.int64]]:
        return self.blob, np.array(self.offsets)

    def __setstate__(self, state: tuple[bytes, NDArray[np.int64]]) -> None:
        Names.__init__(self, state[0], 0, state[1])


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
        """The arrays, in the order of the cache file."""
        return self.folders.offsets, self.stamps, self.files.offsets, self.parents


def assemble(listings: Mapping[bytes, Listing], *, skip_root: bool) -> Tree:
    """Make a tree of the listings of a root and of all folders below it.

    Args:
        listings: the listings by relative path; the path of the root is empty.
        skip_root: leave out the files in the root itself.
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
        for position, (start, stop) in enumerate(pairwise(cuts)):
            if stop > start and not skip:
                todo.append((number, listing, start, stop))
            if position < len(listing.children):
                todo.append(task + listing.children[position][0] + b"/")
        stack.extend(child for child in reversed(todo) if isinstance(child, tuple) or child in listings)
    stamps = [[word & (2**64 - 1) for word in listings[path].stamp] for path in folders]
    return Tree(
        _names(b"\0".join([*folders, b""]), [np.cumsum([len(path) + 1 for path in folders])]),
        np.array(stamps, np.uint64).reshape(-1, 3),
        *_join(runs),
        tuple(problem for path in folders for problem in listings[path].problems),
    )


def _join(runs: list[tuple[int, Listing, int, int]]) -> tuple[Names, NDArray[np.int32]]:
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
    parents = np.repeat(numbers, [stop - start for *_, start, stop in runs]) if runs else numbers
    return _names(b"".join(blobs), ends), parents


def _names(blob: bytes, ends: list[NDArray[np.int64]]) -> Names:
    return Names(blob, 0, np.concatenate([np.zeros(1, np.int64), *ends]))


def listing_of(tree: Tree) -> dict[bytes, Listing]:
    """Return the listing of each folder by relative path, without problems."""
    paths = list(tree.folders)
    children: dict[bytes, list[bytes]] = {path: [] for path in paths}
    for path in paths[1:]:
        start = path.rfind(b"/", 0, -1) + 1  # of the name: b"a/b/" is b"b" in b"a/"
        children[path[:start]].append(path[start:-1])
    order = np.argsort(tree.parents, kind="stable")
    bounds = np.searchsorted(tree.parents[order], np.arange(len(paths) + 1))
    listings: dict[bytes, Listing] = {}
    for number, path in enumerate(paths):
        own = order[bounds[number] : bounds[number + 1]]
        device, inode, changed = (int(word) for word in tree.stamps[number])
        stamp = device, inode, -1 if changed == 2**64 - 1 else changed
        if len(own) and own[-1] - own[0] == len(own) - 1 and not children[path]:
            start, stop = int(own[0]), int(own[-1]) + 1
            ends = tree.files.offsets[start + 1 : stop + 1] - tree.files.offsets[start]
            listings[path] = Listing(stamp, tree.files.between(start, stop), ends)
        else:
            listings[path] = Listing.of(
                stamp, [tree.files[int(position)] for position in own], children[path]
            )
    return listings
