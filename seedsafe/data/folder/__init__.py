"""Folders of images: an index and a dataset."""

from seedsafe.data.folder.images import ImageFolder
from seedsafe.data.folder.index import IMAGE_EXTENSIONS, FolderIndex
from seedsafe.data.folder.read import read_image, read_image_as_stored

__all__ = ["IMAGE_EXTENSIONS", "FolderIndex", "ImageFolder", "read_image", "read_image_as_stored"]
