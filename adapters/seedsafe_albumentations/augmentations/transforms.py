"""Every transform under the path ``albumentations.augmentations.transforms``."""

from seedsafe_albumentations.augmentations import __getattr__

__all__ = ["__getattr__"]
