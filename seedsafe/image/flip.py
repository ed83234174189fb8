"""HorizontalFlip and VerticalFlip."""

from __future__ import annotations

from typing import Any, NamedTuple

from seedsafe.functional import flip
from seedsafe.ground.checks import probability
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import SpatialTransform

__all__ = ["Flip", "HorizontalFlip", "VerticalFlip"]


class Flip(NamedTuple):
    """The length of the mirrored axis in pixels."""

    size: int


@primitive()
class _Flip(SpatialTransform):
    p: float = option(probability, default=0.5)


@primitive(random=False, blind=True)
class HorizontalFlip(_Flip):
    """Mirror left and right with probability p. Draws nothing but its chance. Exact on every machine.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> HorizontalFlip(p=1)(np.array([[1, 2]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[2, 1]]
    """

    def draw(self, rng: Draws, info: Info) -> Flip:
        """Return the image's width."""
        return Flip(info.image_size()[1])

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the image, mirrored."""
        return flip.horizontal_flip(image)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        """Return the mask, mirrored."""
        return flip.horizontal_flip(mask)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the keypoints, mirrored; their order stays."""
        return flip.horizontal_flip_points(keypoints, params[0])

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return the boxes, mirrored."""
        return flip.horizontal_flip_boxes(boxes, params[0])


@primitive(random=False, blind=True)
class VerticalFlip(_Flip):
    """Mirror top and bottom with probability p. Draws nothing but its chance. Exact on every machine.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> VerticalFlip(p=1)(np.array([[1], [2]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[2], [1]]
    """

    def draw(self, rng: Draws, info: Info) -> Flip:
        """Return the image's height."""
        return Flip(info.image_size()[0])

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the image, mirrored."""
        return flip.vertical_flip(image)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        """Return the mask, mirrored."""
        return flip.vertical_flip(mask)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the keypoints, mirrored; their order stays."""
        return flip.vertical_flip_points(keypoints, params[0])

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return the boxes, mirrored."""
        return flip.vertical_flip_boxes(boxes, params[0])
