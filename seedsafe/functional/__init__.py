"""The plain functions under the transforms: arrays in, arrays out, no randomness.

Inputs are never changed. Where a function says so, its result is a view of the input.
"""

from seedsafe.functional.affine import warp, warp_boxes, warp_points
from seedsafe.functional.flip import (
    horizontal_flip,
    horizontal_flip_boxes,
    horizontal_flip_points,
    vertical_flip,
    vertical_flip_boxes,
    vertical_flip_points,
)
from seedsafe.functional.noise import add_gaussian_noise, gaussian_noise
from seedsafe.functional.resize import resize, resize_boxes, resize_points
from seedsafe.functional.sound import amplify, invert_polarity, segment
from seedsafe.functional.values import normalize, normalize_chw, to_chw, to_float
from seedsafe.functional.window import crop, pad, shift_boxes, shift_points

__all__ = [
    "add_gaussian_noise",
    "amplify",
    "crop",
    "gaussian_noise",
    "horizontal_flip",
    "horizontal_flip_boxes",
    "horizontal_flip_points",
    "invert_polarity",
    "normalize",
    "normalize_chw",
    "pad",
    "resize",
    "resize_boxes",
    "resize_points",
    "segment",
    "shift_boxes",
    "shift_points",
    "to_chw",
    "to_float",
    "vertical_flip",
    "vertical_flip_boxes",
    "vertical_flip_points",
    "warp",
    "warp_boxes",
    "warp_points",
]
