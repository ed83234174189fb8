"""albumentations' base classes under the path that it has for them."""

from seedsafe_albumentations.absent import BasicTransform, DualTransform, ImageOnlyTransform
from seedsafe_albumentations.geometry import NoOp

__all__ = ["BasicTransform", "DualTransform", "ImageOnlyTransform", "NoOp"]
