"""Reading a tree of folders from disk, with what is already known of them put to use."""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from seedsafe.data.folder.progress import Report
from seedsafe.data.folder.tree import Listing, Problem, Stamp

__all__ = ["Filter", "is_unchanged", "scan", "stamp_of"]

# A folder that changed this shortly before it was read may change again within the same tick of the file system's
# clock (2 seconds on FAT), which its time of change would not show. Such a folder is read again the next time.
_TICK = 2_000_000_000

_NOWHERE = (0, 0, -1)

_Found = list[tuple[bytes, Listing]]
_Identity = tuple[int, int]


class Filter(NamedTuple):
    """Which files count: those with certain endings, in lower case, or those that a function of the path accepts."""

    endings: tuple[bytes, ...]
    is_valid_file: Callable[[str], bool] | None

    def choose(self, folder: bytes, names: list[bytes]) -> list[bytes]:
        """Return the names that count."""
        if self.is_valid_file is not None:
            return [name for name in names if self.is_valid_file(os.fsdecode(folder + name))]
        if not names:
            return names
        usual = b"." + names[0].rpartition(b".")[2].lower() + b"\0"
        if usual[:-1] in self.endings and b"\0".join([*names, b""]).lower().count(usual) == len(names):
            return names  # all names end alike: the usual case, five times as fast
        return [name for name in names if name.lower().endswith(self.endings)]


def stamp_of(path: bytes) -> Stamp:
    """Return a folder's device, inode and time of change."""
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_mtime_ns


def is_unchanged(path: bytes, stamp: Stamp) -> bool:
    """Return whether a folder is there and has this stamp."""
    try:
        return stamp_of(path) == stamp
    except OSError:
        return False


def scan(
    root: bytes, which: Filter, *, known: Mapping[bytes, Listing], threads: int, report: Report
) -> dict[bytes, Listing]:
    """Read a root and all folders below it.

    Args:
        root: its path, followed by a slash.
        which: the files that count.
        known: listings of an earlier time, by relative path: used where the stamp is still the same.
        threads: folders directly below the root are read by this many threads.
        report: called with the number of files found so far.

    Returns:
        The listings by relative path; the root's is empty. Links to folders are followed, except to one that the
        link lies in.

    Raises:
        OSError: the root itself cannot be read.
    """
    before = time.time_ns() - _TICK
    top = _read(root, b"", which, known, before)
    if top.stamp == _NOWHERE:
        os.listdir(root)  # raises what the system says of it
    chain = (top.stamp[:2],)
    found: dict[bytes, Listing] = {b"": top}
    files = 0

    def below(name: bytes) -> _Found:
        return list(_walk(root, name + b"/", which, known, before, chain, top))

    with ThreadPoolExecutor(threads) as pool:
        names = [name for name, _ in top.children]
        for part in pool.map(below, names) if threads > 1 else map(below, names):
            found.update(part)
            files += sum(len(listing.ends) for _, listing in part)
            report(files, None)
    return found


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
            parent.stamp = _doubted(parent.stamp)
            continue
        yield path, listing
        stack.extend((path + name + b"/", (*above, identity), listing) for name, _ in listing.children)


def _read(root: bytes, path: bytes, which: Filter, known: Mapping[bytes, Listing], before: int) -> Listing:
    full = root + path
    try:
        stamp = stamp_of(full)
        if path in known and known[path].stamp == stamp:
            return known[path]
        names, folders, problems = _entries(full, path, which)
    except OSError as error:
        kind = "vanished" if isinstance(error, FileNotFoundError) else "unreadable"
        problem = Problem(kind, os.fsdecode(path[:-1]) or ".", error.strerror or str(error))
        return Listing(_NOWHERE, problems=[problem])
    listing = Listing.of(stamp if stamp[2] < before and not problems else _doubted(stamp), names, folders)
    listing.problems = problems
    return listing


def _doubted(stamp: Stamp) -> Stamp:
    return stamp[0], stamp[1], -1


def _entries(full: bytes, path: bytes, which: Filter) -> tuple[list[bytes], list[bytes], list[Problem]]:
    with os.scandir(full) as entries:
        found = list(entries)
    names = [entry.name for entry in found if entry.is_file(follow_symlinks=False)]
    others = []
    if len(names) < len(found):
        others = [entry for entry in found if not entry.is_file(follow_symlinks=False)]
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
    problems = [
        Problem(kind, os.fsdecode(path + name), message)
        for name, (kind, message) in ((name, suspects[name]) for name in relevant)
    ]
    return which.choose(full, names), folders, problems
