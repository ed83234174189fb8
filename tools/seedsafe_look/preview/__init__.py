"""A sheet of augmented images: ``seedsafe preview``."""

__all__: list[str] = []
