"""Image transforms: uint8 or float32, (H, W) or (H, W, C), RGB."""

from seedsafe.image.affine import Affine, Rotate
from seedsafe.image.flip import HorizontalFlip, VerticalFlip
from seedsafe.image.noise import GaussianNoise
from seedsafe.image.padded import LetterBox, PadIfNeeded
from seedsafe.image.resized import LongestMaxSize, RandomScale, Resize, SmallestMaxSize
from seedsafe.image.resized_crops import MultiScaleCrop, RandomResizedCrop, RandomSizedCrop
from seedsafe.image.values import Normalize, ToCHW, ToFloat
from seedsafe.image.window import CenterCrop, Pad, RandomCrop

__all__ = [
    "Affine",
    "CenterCrop",
    "GaussianNoise",
    "HorizontalFlip",
    "LetterBox",
    "LongestMaxSize",
    "MultiScaleCrop",
    "Normalize",
    "Pad",
    "PadIfNeeded",
    "RandomCrop",
    "RandomResizedCrop",
    "RandomScale",
    "RandomSizedCrop",
    "Resize",
    "Rotate",
    "SmallestMaxSize",
    "ToCHW",
    "ToFloat",
    "VerticalFlip",
]
