"""Folders of images: an index and a dataset."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seedsafe.data.folder.images import IMAGE_EXTENSIONS, FolderIndex, ImageFolder
    from seedsafe.data.folder.read import read_image, read_image_as_stored

__all__ = ["IMAGE_EXTENSIONS", "FolderIndex", "ImageFolder", "read_image", "read_image_as_stored"]


def __getattr__(name: str) -> Any:
    # Imported on first use, so that the help of a command, whose options are in here, does not wait for NumPy.
    if name in __all__:
        return getattr(import_module(f"{__name__}.{'read' if name.startswith('read') else 'images'}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
