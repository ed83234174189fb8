"""Read a tree of folders from disk."""

from __future__ import annotations

import os
import stat
import time
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from seedsafe.data.folder.cache import Names, Problem, Tree

__all__ = ["is_unchanged", "native", "scan"]

Stamp = tuple[int, int, int]
"""A folder's device, inode and time of change in nanoseconds. With a time of -1, it never counts as unchanged."""

# A folder that changed just before it was read may change again within the same tick of the file system's clock
# (2 seconds on FAT), and its time of change would not show it. Such a folder is read again the next time.
_TICK = 2_000_000_000

_NO_STAMP = (0, 0, -1)
_WORD = 2**64 - 1
_SEPARATOR = os.sep.encode()


@dataclass(slots=True)
class Listing:
    """One folder.

    Attributes:
        stamp: what shows that it has not changed.
        blob: the names of its files, sorted, each followed by a NUL, in one object instead of perhaps a million.
        children: the names of the folders in it.
        problems: the entries that could not be indexed.
    """

    stamp: Stamp
    blob: bytes = b""
    children: list[bytes] = field(default_factory=list[bytes])
    problems: list[Problem] = field(default_factory=list[Problem])

    def expire(self) -> None:
        """Let the folder be read again the next time."""
        self.stamp = (*self.stamp[:2], -1)

    def runs(self) -> list[bytes]:
        """Return the blob, cut where a folder sorts between two names."""
        if not self.children:
            return [self.blob] if self.blob else []
        names = self.blob.split(b"\0")[:-1]
        # "a-b.png" sorts before what is in the folder "a", because its "-" comes before the slash
        cuts = sorted(bisect_left(names, child + b"/") for child in self.children)
        return [_blob(names[start:stop]) for start, stop in pairwise([0, *cuts, len(names)]) if start < stop]


def _blob(names: Iterable[bytes]) -> bytes:
    return b"\0".join([*names, b""])


def native(path: bytes) -> bytes:
    """Return a relative path with the separators of the system; Windows takes no others behind its prefix for long paths."""
    return path if _SEPARATOR == b"/" else path.replace(b"/", _SEPARATOR)


def is_unchanged(path: bytes, stamp: Stamp) -> bool:
    """Return whether a folder exists and has this stamp."""
    try:
        return _stamp_of(path) == stamp
    except OSError:
        return False


def _stamp_of(path: bytes) -> Stamp:
    """Return a folder's device, inode (64 bits of it: those of Windows' ReFS have 128) and time of change."""
    status = os.stat(path)
    return status.st_dev & _WORD, status.st_ino & _WORD, status.st_mtime_ns


def scan(root: bytes, endings: tuple[bytes, ...], *, labelled: bool) -> Tree:
    """Read a root and all folders below it. Links to folders are followed, except to a folder above the link.

    Args:
        root: its path, with a slash at the end.
        endings: the endings of the files to accept, in lower case.
        labelled: leave out the files in the root itself.

    Raises:
        OSError: the root itself cannot be read.
    """
    before = time.time_ns() - _TICK
    listings: dict[bytes, Listing] = {}
    # A stack, because folders may be nested more deeply than Python's calls.
    stack: list[tuple[bytes, tuple[tuple[int, int], ...], Listing]] = [(b"", (), Listing(_NO_STAMP))]
    while stack:
        path, above, parent = stack.pop()
        listing = _read(root, path, endings, before)
        identity = listing.stamp[:2]
        if not path and listing.stamp == _NO_STAMP:
            os.listdir(root)  # raises the system's error
        if not path and labelled:
            listing.blob = b""
        if identity in above:
            message = f"a link to the folder {len(above) - above.index(identity)} levels above it"
            parent.problems.append(Problem("loop", os.fsdecode(path[:-1]), message))
            parent.expire()
            continue
        listings[path] = listing
        stack += [(path + name + b"/", (*above, identity), listing) for name in reversed(listing.children)]
    return _tree_of(listings)


def _read(root: bytes, path: bytes, endings: tuple[bytes, ...], before: int) -> Listing:
    full = root + native(path)
    try:
        stamp = _stamp_of(full)
        listing = _entries(full, path, endings, stamp)
    except OSError as error:
        kind = "vanished" if isinstance(error, FileNotFoundError) else "unreadable"
        problem = Problem(kind, os.fsdecode(path[:-1]) or ".", error.strerror or str(error))
        return Listing(_NO_STAMP, problems=[problem])
    if stamp[2] >= before or listing.problems:
        listing.expire()
    return listing


def _entries(full: bytes, path: bytes, endings: tuple[bytes, ...], stamp: Stamp) -> Listing:
    with os.scandir(full) as iterator:
        entries = list(iterator)
    # The type is in an entry, so this asks the disk nothing; links and folders are rare enough for a second pass.
    names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    result = Listing(stamp)
    for entry in sorted(entries, key=lambda one: one.name) if len(names) < len(entries) else ():
        if entry.is_file(follow_symlinks=False):
            continue
        kind, message = "not a file", "neither a file nor a folder"
        try:
            mode = entry.stat().st_mode
        except OSError as error:
            mode, kind, message = 0, "broken link", error.strerror or str(error)
        if stat.S_ISDIR(mode):
            result.children.append(entry.name)
        elif stat.S_ISREG(mode):
            names.append(entry.name)
        elif entry.name.lower().endswith(endings):
            result.problems.append(Problem(kind, os.fsdecode(path + entry.name), message))
    result.blob = _blob(sorted(_with_endings(names, endings)))
    return result


def _with_endings(names: list[bytes], endings: tuple[bytes, ...]) -> list[bytes]:
    """Return the names with one of the endings."""
    usual = b"." + (names[0] if names else b"").rpartition(b".")[2].lower()
    # All names usually end alike, and one count is faster than a test of each: benchmarks/folder_index.py.
    if usual in endings and _blob(names).lower().count(usual + b"\0") == len(names):
        return names
    return [name for name in names if name.lower().endswith(endings)]


def _tree_of(listings: Mapping[bytes, Listing]) -> Tree:
    """Return the tree of the listings of a root and of all folders below it."""
    folders = sorted(listings)
    # What is in one run is consecutive among all files, so the paths of the first files give the order of all.
    runs = sorted(
        (path + run[: run.index(b"\0")], number, run)
        for number, path in enumerate(folders)
        for run in listings[path].runs()
    )
    counts = [run.count(b"\0") for *_, run in runs]
    stamps = [[word & _WORD for word in listings[path].stamp] for path in folders]
    return Tree(
        Names.of(_blob(folders)),
        np.array(stamps, np.uint64),
        Names.of(b"".join(run for *_, run in runs)),
        np.repeat(np.array([number for _, number, _ in runs], np.int32), np.array(counts, np.int64)),
        tuple(problem for path in folders for problem in listings[path].problems),
    )
