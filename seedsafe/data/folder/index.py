"""`FolderIndex`: a folder's images in little memory."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seedsafe.data.folder import cache as cachefile
from seedsafe.data.folder.cache import Tree
from seedsafe.data.folder.scan import is_unchanged, native, scan
from seedsafe.ground.checks import explain_arguments, flag
from seedsafe.ground.warning import warn

__all__ = ["IMAGE_EXTENSIONS", "FolderIndex", "ListingIndex"]

IMAGE_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")
"""The extensions of image files, in upper or lower case: those of torchvision."""


@explain_arguments
class FolderIndex:
    """The images below a folder, ordered bytewise by relative path on every file system and in every locale.

    With labels, each folder in the root is a class, as in torchvision's `ImageFolder`. The index follows links to folders.
    A link to a folder above itself is a problem, not a hang. The index takes 13 bytes and the name for each file, in
    arrays that worker processes share; mapped from a cache, it takes no memory of its own. On Windows each process has its own.

    A cache is valid as long as the device, inode and time of change of each folder stay the same. Otherwise it is built again, and
    so is one that is damaged or belongs to another folder or other options.

    Args:
        root: the folder.
        labelled: take the root's folders as classes and leave out files in the root itself. If False, take all files,
            with the label -1.
        cache: a file for the index, outside the root (writing it would change the root's time).

    Attributes:
        root: the folder, as passed.
        classes: the names of the class folders, sorted.

    Raises:
        FileNotFoundError: the folder does not exist.
        OSError: there are unreadable folders, loops or broken links; the message counts each kind, and `seedsafe index` lists
            them.
        ValueError: an option is invalid, or `cache` is a file of another kind.

    Example:
        >>> import pathlib, tempfile, seedsafe as ss
        >>> root = pathlib.Path(tempfile.mkdtemp())
        >>> for name in ("cat/2.png", "cat/1.png", "dog/1.png"):
        ...     (root / name).parent.mkdir(exist_ok=True)
        ...     (root / name).touch()
        >>> index = ss.FolderIndex(root)
        >>> [index.relative(i) for i in range(len(index))], index.targets.tolist(), index.classes
        (['cat/1.png', 'cat/2.png', 'dog/1.png'], [0, 0, 1], ['cat', 'dog'])
    """

    _raises: ClassVar[bool] = True

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        labelled: bool = True,
        cache: str | os.PathLike[str] | None = None,
    ) -> None:
        self.root = os.fspath(root)
        if not os.path.isdir(self.root):
            raise FileNotFoundError(f"root must be a folder that exists, got {self.root!r}: pass a folder")
        if cache is not None and Path(cache).resolve().is_relative_to(Path(root).resolve()):
            raise ValueError(
                f"cache must lie outside root, got {os.fspath(cache)!r}: pass a path outside {self.root!r}, which writing the cache "
                "would change"
            )
        flag("labelled", labelled)
        self._prefix = os.path.join(os.fsencode(self.root), b"")
        self._options: dict[str, Any] = {
            "endings": sorted(IMAGE_EXTENSIONS),
            "labelled": labelled,
        }
        self._cache = None if cache is None else os.fspath(cache)
        self._tree = self._open()
        self.problems = self._tree.problems
        if self._raises:
            self.raise_problems()
        first = [path.partition(b"/")[0] for path in self._tree.folders]
        self.classes = sorted({os.fsdecode(name) for name in first if name}) if labelled else []
        numbers = {os.fsencode(name): number for number, name in enumerate(self.classes)}
        self._labels = np.array([numbers.get(name, -1) for name in first], np.int64)

    def _open(self) -> Tree:
        old = None if self._cache is None else cachefile.load(self._cache, self._options)
        if old is not None and self._is_current(old):
            return old
        endings = tuple(ending.encode() for ending in IMAGE_EXTENSIONS)
        tree = scan(self._prefix, endings, labelled=self._options["labelled"])
        if self._cache is None:
            return tree
        try:
            cachefile.save(tree, self._cache, self._options)
            return cachefile.load(self._cache, self._options) or tree
        except OSError as error:
            warn(
                f"the index could not be written to {self._cache!r} ({error}): pass a path that is writable, and that no other "
                "program has open"
            )
            return tree

    def _is_current(self, tree: Tree) -> bool:
        stamped = zip(tree.folders, tree.stamps.tolist(), strict=True)
        return all(is_unchanged(self._prefix + native(path), tuple(stamp)) for path, stamp in stamped)

    def raise_problems(self) -> None:
        """Raise an error if there are entries that could not be indexed."""
        if not self.problems:
            return
        counts = Counter(problem.kind for problem in self.problems)
        kinds = ", ".join(f"{kind}: {count}" for kind, count in sorted(counts.items()))
        kind, path, message = self.problems[0]
        raise OSError(
            f"{len(self.problems)} {'entry' if len(self.problems) == 1 else 'entries'} below {self.root!r} could not be indexed "
            f"({kinds}); the first is {path!r}: {kind}, {message}. Fix or remove them; "
            f"`seedsafe index{'' if self._options['labelled'] else ' --flat'}` lists them"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out arrays that are in a cache: the other process maps it too."""
        state = self.__dict__.copy()
        if self._tree.seal:
            state["_tree"] = self._tree.seal
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        tree = state["_tree"]
        if isinstance(tree, int):
            seal, tree = tree, cachefile.load(str(self._cache), self._options)
            if tree is None or tree.seal != seal:
                raise RuntimeError(
                    f"the cache {self._cache!r} changed or vanished while the index was being sent to another process: start again"
                )
            self._tree = tree

    def __len__(self) -> int:
        return len(self._tree.files)

    def relative_bytes(self, position: int) -> bytes:
        """Return a file's path relative to the root, with slashes, in the bytes of the file system.

        Args:
            position: 0 to len - 1.

        Raises:
            IndexError: there is no such position.
        """
        if 0 <= position < len(self):
            return self._tree.folders[self._tree.parents.item(position)] + self._tree.files[position]
        raise IndexError(
            f"position must be in [0, {len(self) - 1}], got {position}: pass the position of a file"
        )

    def relative(self, position: int) -> str:
        """Return a file's path relative to the root, with slashes."""
        return os.fsdecode(self.relative_bytes(position))

    def path(self, position: int) -> str:
        """Return a file's path, with the separators of the system."""
        return os.fsdecode(self._prefix + native(self.relative_bytes(position)))

    def target(self, position: int) -> int:
        """Return a file's label: the position of its class in `classes`."""
        return int(self._labels[self._tree.parents[position]])

    @cached_property
    def targets(self) -> NDArray[np.int64]:
        """The labels of all files: int64 (files,), read-only. The first use takes 8 bytes of memory a file."""
        targets = self._labels[self._tree.parents]
        targets.flags.writeable = False
        return targets

    @cached_property
    def record_ids(self) -> NDArray[np.uint64]:
        """`seedsafe.record_index` of each relative path: uint64 (files,), read-only. It takes 8 bytes of memory a file.

        An augmentation keyed by these does not change for a file when others appear or vanish.

        Raises:
            ValueError: two paths have the same id (of 100 trees with 10^9 files each, about 3 have such a pair).
        """
        folders = list(self._tree.folders)
        digests = b"".join(
            _digest(folders[parent] + name)
            for parent, name in zip(self._tree.parents.tolist(), self._tree.files, strict=True)
        )
        ids = np.frombuffer(digests, "<u8")
        order = np.argsort(ids, kind="stable")
        same = np.flatnonzero(ids[order][1:] == ids[order][:-1])
        if same.size:
            first, second = (self.relative(int(order[same[0] + step])) for step in (0, 1))
            raise ValueError(f"{first!r} and {second!r} have the same 64-bit record id: rename one of them")
        return ids

    @property
    def fingerprint(self) -> str:
        """A digest of all relative paths, as 32 hexadecimal digits: the same for equal trees on any machine."""
        digest = hashlib.blake2b(digest_size=16)
        for array in (self._tree.folders.blob, self._tree.parents.astype("<i4"), self._tree.files.blob):
            digest.update(array.data)
        return digest.hexdigest()

    @property
    def nbytes(self) -> int:
        """The size of its arrays and names in memory or in the mapped cache, in bytes."""
        return sum(array.nbytes for array in self._tree.arrays)

    def __repr__(self) -> str:
        return f"FolderIndex({self.root!r}): {len(self)} files, {len(self.classes)} classes"


class ListingIndex(FolderIndex):
    """An index that keeps `problems` and raises nothing, for the commands, which list them."""

    _raises = False


def _digest(path: bytes) -> bytes:
    return hashlib.blake2b(path, digest_size=8).digest()
