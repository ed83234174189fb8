"""Read a tree of folders from disk."""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from seedsafe.data.folder.progress import Report
from seedsafe.data.folder.tree import Listing, Problem, Stamp

__all__ = ["Filter", "is_unchanged", "native", "scan"]

# A folder that changed just before it was read may change again within the same tick of the file system's clock
# (2 seconds on FAT), and its time of change would not show it. Such a folder is read again the next time.
_TICK = 2_000_000_000

_NO_STAMP = (0, 0, -1)
_WORD = 2**64 - 1
_SEPARATOR = os.sep.encode()

_Identity = tuple[int, int]


class Filter(NamedTuple):
    """Accepts files with certain endings, in lower case, or those that a function of the path accepts."""

    endings: tuple[bytes, ...]
    is_valid_file: Callable[[str], bool] | None

    def choose(self, folder: bytes, names: list[bytes]) -> list[bytes]:
        """Return the accepted names."""
        if self.is_valid_file is not None:
            return [name for name in names if self.is_valid_file(os.fsdecode(folder + name))]
        if not names:
            return names
        usual = b"." + names[0].rpartition(b".")[2].lower() + b"\0"
        # All names usually end alike, and this is the fast way: benchmarks/folder_index.py.
        if usual[:-1] in self.endings and b"\0".join([*names, b""]).lower().count(usual) == len(names):
            return names
        return [name for name in names if name.lower().endswith(self.endings)]


def _stamp_of(path: bytes) -> Stamp:
    """Return a folder's device, inode (64 bits of it: those of Windows' ReFS have 128) and time of change."""
    status = os.stat(path)
    return status.st_dev & _WORD, status.st_ino & _WORD, status.st_mtime_ns


def native(path: bytes) -> bytes:
    """Return a relative path with the separators of the system; Windows takes no others behind its prefix for long paths."""
    return path if _SEPARATOR == b"/" else path.replace(b"/", _SEPARATOR)


def is_unchanged(path: bytes, stamp: Stamp) -> bool:
    """Return whether a folder exists and has this stamp."""
    try:
        return _stamp_of(path) == stamp
    except OSError:
        return False


def scan(
    root: bytes, which: Filter, *, known: Mapping[bytes, Listing], threads: int, report: Report
) -> dict[bytes, Listing]:
    """Read a root and all folders below it.

    Args:
        root: its path, with a slash at the end.
        which: the files to accept.
        known: earlier listings by relative path, which are used if the stamp is still the same.
        threads: the number of threads that read the folders directly below the root.
        report: called with the number of files so far.

    Returns:
        The listings by relative path; the path of the root is empty. Links to folders are followed, except to a folder above
        the link.

    Raises:
        OSError: the root itself cannot be read.
    """
    before = time.time_ns() - _TICK
    top = _read(root, b"", which, known, before)
    if top.stamp == _NO_STAMP:
        os.listdir(root)  # raises the system's error
    chain = (top.stamp[:2],)
    listings: dict[bytes, Listing] = {b"": top}
    files = 0

    def below(name: bytes) -> list[tuple[bytes, Listing]]:
        return list(_walk(root, name + b"/", which, known, before, chain, top))

    with ThreadPoolExecutor(threads) as pool:
        names = [name for name, _ in top.children]
        for part in pool.map(below, names) if threads > 1 else map(below, names):
            listings.update(part)
            files += sum(len(listing.ends) for _, listing in part)
            report(files, None)
    return listings


def _walk(
    root: bytes,
    start: bytes,
    which: Filter,
    known: Mapping[bytes, Listing],
    before: int,
    chain: tuple[_Identity, ...],
    parent: Listing,
) -> Iterator[tuple[bytes, Listing]]:
    stack = [(start, chain, parent)]
    while stack:
        path, above, parent = stack.pop()
        listing = _read(root, path, which, known, before)
        identity = listing.stamp[:2]
        if identity in above:
            distance = len(above) - above.index(identity)
            message = f"a link to the folder {distance} levels above it"
            parent.problems.append(Problem("loop", os.fsdecode(path[:-1]), message))
            parent.stamp = _expire(parent.stamp)
            continue
        yield path, listing
        stack.extend((path + name + b"/", (*above, identity), listing) for name, _ in listing.children)


def _read(root: bytes, path: bytes, which: Filter, known: Mapping[bytes, Listing], before: int) -> Listing:
    full = root + native(path)
    try:
        stamp = _stamp_of(full)
        if path in known and known[path].stamp == stamp:
            return known[path]
        names, folders, problems = _entries(full, path, which)
    except OSError as error:
        kind = "vanished" if isinstance(error, FileNotFoundError) else "unreadable"
        problem = Problem(kind, os.fsdecode(path[:-1]) or ".", error.strerror or str(error))
        return Listing(_NO_STAMP, problems=[problem])
    listing = Listing.of(stamp if stamp[2] < before and not problems else _expire(stamp), names, folders)
    listing.problems = problems
    return listing


def _expire(stamp: Stamp) -> Stamp:
    return stamp[0], stamp[1], -1


def _entries(full: bytes, path: bytes, which: Filter) -> tuple[list[bytes], list[bytes], list[Problem]]:
    with os.scandir(full) as iterator:
        entries = list(iterator)
    names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    others = []
    if len(names) < len(entries):
        others = [entry for entry in entries if not entry.is_file(follow_symlinks=False)]
    folders: list[bytes] = []
    suspects: dict[bytes, tuple[str, str]] = {}
    for entry in others:
        try:
            mode = entry.stat().st_mode
        except OSError as error:
            suspects[entry.name] = "broken link", error.strerror or str(error)
            continue
        if stat.S_ISDIR(mode):
            folders.append(entry.name)
        elif stat.S_ISREG(mode):
            names.append(entry.name)
        else:
            suspects[entry.name] = "not a file", "neither a file nor a folder"
    relevant = Filter(which.endings, None).choose(full, sorted(suspects))
    problems = [Problem(suspects[name][0], os.fsdecode(path + name), suspects[name][1]) for name in relevant]
    return which.choose(full, names), folders, problems
