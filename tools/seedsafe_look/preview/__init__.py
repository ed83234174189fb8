"""A sheet of what a pipeline makes of images: ``seedsafe preview``."""

__all__: list[str] = []
