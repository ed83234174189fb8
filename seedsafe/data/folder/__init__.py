"""Folders of images: an index and a dataset."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seedsafe.data.folder.images import ImageFolder
    from seedsafe.data.folder.index import IMAGE_EXTENSIONS, FolderIndex
    from seedsafe.data.folder.read import read_image, read_image_as_stored

__all__ = ["IMAGE_EXTENSIONS", "FolderIndex", "ImageFolder", "read_image", "read_image_as_stored"]

# Imported on first use, so that the help of a command loads none of them.
_MODULE_OF = {
    "ImageFolder": "seedsafe.data.folder.images",
    "IMAGE_EXTENSIONS": "seedsafe.data.folder.index",
    "FolderIndex": "seedsafe.data.folder.index",
    "read_image": "seedsafe.data.folder.read",
    "read_image_as_stored": "seedsafe.data.folder.read",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value
