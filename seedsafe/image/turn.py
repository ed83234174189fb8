"""RandomRotate90, Transpose and D4."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional import flip, turn
from seedsafe.ground.checks import probability
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.keys.many import ManyDraws
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import SpatialTransform

__all__ = ["D4", "RandomRotate90", "Transpose", "Turn"]


class Turn(NamedTuple):
    """Quarter turns counter-clockwise, whether to mirror the image first, and the image's rows and columns."""

    turns: int
    mirrored: bool
    rows: int
    columns: int


@primitive()
class _QuarterTurn(SpatialTransform):
    """A transform by quarter turns and mirroring; its parameters are a Turn."""

    p: float = option(probability, default=1.0)

    def out_info(self, info: Info, params: Any) -> Info:
        turns, _, rows, columns = params
        return info.resized(columns, rows) if turns % 2 else info

    def apply_image(self, image: Array, params: Any) -> Array:
        return turn.quarter_turn(flip.horizontal_flip(image) if params[1] else image, params[0])

    def _apply_many(self, images: Array, params: Any) -> Array | None:
        square = images.shape[1] == images.shape[2]
        return turn.quarter_turn_each(images, *params) if square else None

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return self.apply_image(mask, params)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        turns, mirrored, rows, columns = params
        if mirrored:
            keypoints = flip.horizontal_flip_points(keypoints, columns)
        return turn.quarter_turn_points(keypoints, turns, rows, columns)

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        turns, mirrored, rows, columns = params
        if mirrored:
            boxes = flip.horizontal_flip_boxes(boxes, columns)
        return turn.quarter_turn_boxes(boxes, turns, rows, columns)


@primitive(exact=EVERYWHERE)
class RandomRotate90(_QuarterTurn):
    """Turn the image by 0, 90, 180 or 270 degrees, each as likely.

    Draws the number of quarter turns, counter-clockwise (word 1).

    Args:
        p: the probability that the transform fires, which includes turns by 0 degrees.

    Follows albumentations 2.0.8's ``RandomRotate90``.

    Example:
        >>> RandomRotate90()(np.array([[1, 2]], np.uint8), key=SampleKey(42, 0, 1)).tolist()
        [[2], [1]]
    """

    def draw(self, rng: Draws, info: Info) -> Turn:
        return Turn(rng.integer(4), False, *info.image_size())

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        return draws.integer(4), np.zeros(len(draws), np.bool_)


@primitive(exact=EVERYWHERE)
class D4(_QuarterTurn):
    """Apply one of the eight symmetries of a square, each as likely.

    Draws the symmetry (word 1): modulo 4, it is the number of quarter turns counter-clockwise; from 4 up, the image is
    first mirrored left and right.

    Args:
        p: the probability that the transform fires, which includes the symmetry that changes nothing.

    Follows albumentations 2.0.8's ``D4``.

    Example:
        >>> D4()(np.array([[1, 2]], np.uint8), key=SampleKey(42, 0, 1)).tolist()
        [[2, 1]]
    """

    def draw(self, rng: Draws, info: Info) -> Turn:
        symmetry = rng.integer(8)
        return Turn(symmetry % 4, symmetry >= 4, *info.image_size())

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        symmetries = draws.integer(8)
        return symmetries % 4, symmetries >= 4


@primitive(exact=EVERYWHERE, random=False, ignores_params=True)
class Transpose(SpatialTransform):
    """Swap rows and columns with probability p. Draws only whether it fires.

    Follows albumentations' ``Transpose``.

    Example:
        >>> Transpose(p=1)(np.array([[1, 2]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[1], [2]]
    """

    p: float = option(probability, default=0.5)

    def out_info(self, info: Info, params: Any) -> Info:
        rows, columns = info.image_size()
        return info.resized(columns, rows)

    def apply_image(self, image: Array, params: Any) -> Array:
        return turn.transpose(image)

    def _apply_many(self, images: Array, params: Any) -> Array:
        return turn.transpose_each(images)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return turn.transpose(mask)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        return turn.transpose_points(keypoints)

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        return turn.transpose_boxes(boxes)
