"""Image transforms: uint8 or float32, (H, W) or (H, W, C), RGB."""

from seedsafe.image.flip import HorizontalFlip, VerticalFlip
from seedsafe.image.noise import GaussianNoise
from seedsafe.image.values import Normalize, ToCHW, ToFloat
from seedsafe.image.window import CenterCrop, Pad, RandomCrop

__all__ = [
    "CenterCrop",
    "GaussianNoise",
    "HorizontalFlip",
    "Normalize",
    "Pad",
    "RandomCrop",
    "ToCHW",
    "ToFloat",
    "VerticalFlip",
]
