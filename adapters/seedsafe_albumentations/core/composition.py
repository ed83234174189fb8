"""Compose and its kin, and the parameters of boxes and keypoints, under the path that albumentations has for them."""

from seedsafe_albumentations.choices import OneOf, OneOrOther, RandomOrder, SomeOf
from seedsafe_albumentations.composition import Compose, ReplayCompose, Sequential
from seedsafe_albumentations.params import BboxParams, KeypointParams

__all__ = [
    "BboxParams",
    "Compose",
    "KeypointParams",
    "OneOf",
    "OneOrOther",
    "RandomOrder",
    "ReplayCompose",
    "Sequential",
    "SomeOf",
]
