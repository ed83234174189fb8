"""Folders of images, and exact channel statistics."""

__all__: list[str] = []
