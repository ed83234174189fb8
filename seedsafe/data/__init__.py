"""The data side: folders of images, and exact statistics of their channels."""

__all__: list[str] = []
