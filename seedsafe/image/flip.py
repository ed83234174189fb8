"""HorizontalFlip and VerticalFlip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, NamedTuple

from seedsafe.functional import flip
from seedsafe.ground.checks import probability
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import InPass
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import SpatialTransform

__all__ = ["HORIZONTAL", "VERTICAL", "Flip", "HorizontalFlip", "Mirror", "VerticalFlip"]


class Flip(NamedTuple):
    """The length of the mirrored axis in pixels."""

    size: int


class Mirror(NamedTuple):
    """The axis to mirror, and the functions for images and masks, keypoints, and boxes."""

    axis: int
    image: Callable[[Array], Array]
    points: Callable[[Array, int], Array]
    boxes: Callable[[Array, int], Array]


HORIZONTAL: Final = Mirror(1, flip.horizontal_flip, flip.horizontal_flip_points, flip.horizontal_flip_boxes)
VERTICAL: Final = Mirror(0, flip.vertical_flip, flip.vertical_flip_points, flip.vertical_flip_boxes)


@primitive()
class _Flip(InPass, SpatialTransform):
    p: float = option(probability, default=0.5)

    mirror: ClassVar[Mirror]

    def add_to_pass(self, work: Any, params: Any) -> Any:
        """Return the work of a pass with the result mirrored."""
        mirrors = tuple(turned != (axis == self.mirror.axis) for axis, turned in enumerate(work.mirrors))
        return work._replace(mirrors=mirrors)

    def draw(self, rng: Draws, info: Info) -> Flip:
        return Flip(info.image_size()[self.mirror.axis])

    def apply_image(self, image: Array, params: Any) -> Array:
        return self.mirror.image(image)

    def _apply_many(self, images: Array, params: Any) -> Array:
        return flip.flip_each(images, self.mirror.axis)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return self.mirror.image(mask)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the mirrored keypoints, in the same order."""
        return self.mirror.points(keypoints, params[0])

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        return self.mirror.boxes(boxes, params[0])


@primitive(exact=EVERYWHERE, random=False, ignores_params=True, opencv=False)
class HorizontalFlip(_Flip):
    """Mirror left and right with probability p. Draws only whether it fires.

    Example:
        >>> HorizontalFlip(p=1)(np.array([[1, 2]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[2, 1]]
    """

    mirror: ClassVar[Mirror] = HORIZONTAL


@primitive(exact=EVERYWHERE, random=False, ignores_params=True, opencv=False)
class VerticalFlip(_Flip):
    """Mirror top and bottom with probability p. Draws only whether it fires.

    Example:
        >>> VerticalFlip(p=1)(np.array([[1], [2]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[2], [1]]
    """

    mirror: ClassVar[Mirror] = VERTICAL
