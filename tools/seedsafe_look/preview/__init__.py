"""A sheet of what a pipeline makes of images: ``seedsafe preview``."""
