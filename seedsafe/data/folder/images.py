"""`ImageFolder`: a map dataset of (image, class)."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, SupportsIndex, overload

import numpy as np

from seedsafe.data.folder.index import IMAGE_EXTENSIONS, FolderIndex
from seedsafe.data.folder.read import read_image, read_image_window
from seedsafe.functional.jpeg import Place
from seedsafe.ground.checks import explain_arguments

__all__ = ["ImageFolder", "Samples"]


class Samples(Sequence[tuple[str, int]]):
    """The (path, class) pairs of an index, made on demand."""

    def __init__(self, index: FolderIndex) -> None:
        self._index = index

    def __len__(self) -> int:
        return len(self._index)

    @overload
    def __getitem__(self, position: int) -> tuple[str, int]: ...
    @overload
    def __getitem__(self, position: slice) -> list[tuple[str, int]]: ...
    def __getitem__(self, position: int | slice) -> tuple[str, int] | list[tuple[str, int]]:
        if isinstance(position, slice):
            return [self[number] for number in range(*position.indices(len(self)))]
        number = _from_start(position, len(self))
        return self._index.path(number), self._index.target(number)

    def __repr__(self) -> str:
        return f"Samples({len(self)} pairs of path and class)"


def _from_start(position: SupportsIndex, length: int) -> int:
    number = operator.index(position)
    if -length <= number < length:
        return number + length if number < 0 else number
    raise IndexError(
        f"position must be in [{-length}, {length - 1}], got {number}: pass the position of a file"
    )


@explain_arguments
class ImageFolder(FolderIndex):
    """A dataset of the images in class folders, like torchvision's `ImageFolder`, for large folders.

    It has the same attributes, but makes `samples` and `imgs` on demand, and `targets` is an array. It works wherever a map
    dataset of torch does: `DataLoader`, `Subset`, `+`, `AugmentedDataset`. Files are ordered bytewise by relative path. If
    class folders contain no folders, this is torchvision's order, unless the name of one class begins with the name of
    another: "cat-b/1.png" comes before "cat/1.png". The numbers of the classes are always torchvision's.

    Args:
        root: the folder.
        transform: applied to the image.
        target_transform: applied to the class.
        loader: reads a path; by default `seedsafe.data.folder.read_image`, which returns RGB as uint8 (H, W, 3).
        cache: a file outside root for the index; see `FolderIndex`.

    Attributes:
        index: itself, as a `FolderIndex`.
        classes: names of the classes, sorted.
        class_to_idx: their numbers.
        targets: int64 (files,), read-only.
        samples: sequence of (path, class).
        record_ids: uint64 (files,): `seedsafe.record_index` of each path relative to the root. An augmentation keyed
            by them, instead of by position, does not change for any file when the folder grows.

    Raises:
        FileNotFoundError: the folder does not exist, or has no classes, or a class has no images.
        OSError: a folder or a link cannot be read; `seedsafe index` lists all of them.

    Example:
        >>> import cv2, numpy as np, pathlib, tempfile, seedsafe as ss
        >>> root = pathlib.Path(tempfile.mkdtemp())
        >>> for name in ("cat", "dog"):
        ...     (root / name).mkdir()
        ...     _ = cv2.imwrite(str(root / name / "1.png"), np.zeros((4, 6, 3), np.uint8))
        >>> photos = ss.ImageFolder(root)
        >>> image, target = photos[1]
        >>> image.shape, photos.classes[target]
        ((4, 6, 3), 'dog')
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[int], Any] | None = None,
        loader: Callable[[str], Any] = read_image,
        cache: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__(root, cache=cache)
        self.transform = transform
        self.target_transform = target_transform
        self.loader = loader
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}
        if not self.classes:
            raise FileNotFoundError(f"root {self.root!r} contains no folders: give each class a folder")
        counts = np.bincount(self.targets, minlength=len(self.classes))
        empty = [self.classes[number] for number in np.flatnonzero(counts == 0)]
        if empty:
            names = ", ".join(map(repr, empty[:5])) + (", …" if len(empty) > 5 else "")
            raise FileNotFoundError(
                f"{len(empty)} of {len(self.classes)} classes in {self.root!r} have no images: {names}. Add files with the extensions "
                f"{', '.join(IMAGE_EXTENSIONS)}, or remove these folders"
            )

    @property
    def index(self) -> FolderIndex:
        """Itself, as the index of its files."""
        return self

    @property
    def samples(self) -> Samples:
        """The (path, class) pairs of all files."""
        return Samples(self)

    imgs = samples

    def __getitem__(self, position: SupportsIndex) -> tuple[Any, Any]:
        """Read one image.

        Raises:
            IndexError: there is no such position.
            FileNotFoundError: the file has vanished since the folder was indexed.
            Exception: any error of the loader, with a note that names the position and the path.
        """
        return self._read(position, self.loader)

    def read_window(self, position: SupportsIndex, place: Place) -> tuple[Any, Any]:
        """Return the sample at a position, of whose image a window is enough; the pixels around may hold anything.

        Args:
            position: the position.
            place: returns the window (top, left, height, width) of an image of a size, or None for all of it.
        """
        may = self.transform is None and self.loader is read_image
        return self._read(position, partial(read_image_window, place=place) if may else self.loader)

    def _read(self, position: SupportsIndex, loader: Callable[[str], Any]) -> tuple[Any, Any]:
        number = _from_start(position, len(self))
        path = self.path(number)
        try:
            image = loader(path)
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f"sample {number}, {path!r}, has vanished since the folder was indexed: make a new ImageFolder"
            ) from error
        except Exception as error:
            error.add_note(f"while reading sample {number} of ImageFolder({self.root!r}): {path!r}")
            raise
        target = self.target(number)
        return (
            image if self.transform is None else self.transform(image),
            target if self.target_transform is None else self.target_transform(target),
        )

    def __add__(self, other: Any) -> Any:
        """Return torch's `ConcatDataset` of both. The program must have imported torch."""
        torch = sys.modules.get("torch.utils.data")
        if torch is None:
            raise TypeError("ImageFolder + dataset makes torch's ConcatDataset: import torch first")
        return torch.ConcatDataset([self, other])

    def __repr__(self) -> str:
        return f"ImageFolder({self.root!r}): {len(self)} images, {len(self.classes)} classes"
