"""ThreeCrop, FiveCrop and TenCrop: one window per view."""

from __future__ import annotations

from typing import Any, NamedTuple

from seedsafe.ground.checks import flag, pair
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.cut import CropTransform
from seedsafe.image.flip import HORIZONTAL, VERTICAL, Mirror
from seedsafe.image.options import SMALLER, cannot_crop
from seedsafe.image.window import Window
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Pair, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["FiveCrop", "Mirrored", "TenCrop", "ThreeCrop", "view_of"]


@primitive()
class _FixedCrop(CropTransform):
    """A window of a fixed size in a corner or in the middle.

    Raises:
        ValueError: when applied, the window is larger than the image.
    """

    size: Pair = option(
        pair,
        "pass the height and width of the crops in pixels",
        doc="the window's size in pixels, one number or (height, width).",
    )

    def corner(self, view: int, info: Info) -> Window:
        """Return the upper left (0), upper right (1), lower left (2), lower right (3) or middle (4) window."""
        height, width = self.size
        rows, columns = self.free(info)
        if view == 4:
            return Window(round(rows / 2), round(columns / 2), height, width)
        down, right = divmod(view, 2)
        return Window(rows * down, columns * right, height, width)

    def free(self, info: Info) -> tuple[int, int]:
        """Return how many more rows and columns the image has than the window."""
        rows, columns = info.image_size()
        height, width = self.size
        if height > rows or width > columns:
            raise cannot_crop(height, width, info, SMALLER)
        return rows - height, columns - width


@primitive(exact=EVERYWHERE, opencv=False)
class ThreeCrop(_FixedCrop):
    """Cut out one end or the middle of the longer side, chosen by the view.

    View 0 is the left window, 1 the middle, 2 the right, 3 the left again; in an image higher than wide, the top, the
    middle and the bottom. Along the shorter side, the window is in the middle. A dataset with ``views=3`` returns all
    three. Draws only whether it fires.

    Follows SlowFast's ``uniform_crop``, used to test the networks of its paper and later ones; the number of its crop is
    the view. mmaction2's ``ThreeCrop`` has the same crops in the order left, right, middle.

    Example:
        >>> image = np.array([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]], np.uint8)
        >>> [ThreeCrop(2)(image, key=SampleKey(42, 0, 0, view=view))[0].tolist() for view in range(3)]
        [[1, 2], [3, 4], [4, 5]]
    """

    size: Pair = option()

    def draw(self, rng: Draws, info: Info) -> Window:
        height, width = self.size
        rows, columns = self.free(info)
        top, left = (rows + 1) // 2, (columns + 1) // 2
        view = view_of(rng) % 3
        if view != 1 and info.shape[0] > info.shape[1]:
            top = rows * (view // 2)
        elif view != 1:
            left = columns * (view // 2)
        return Window(top, left, height, width)


@primitive(exact=EVERYWHERE, opencv=False)
class FiveCrop(_FixedCrop):
    """Cut out one corner or the middle, chosen by the view.

    View 0 is the upper left window, 1 the upper right, 2 the lower left, 3 the lower right, 4 the middle, 5 the upper
    left again. A dataset with ``views=5`` returns all five. Draws only whether it fires.

    Follows ``torchvision.transforms.FiveCrop``, which returns a tuple of the views.

    Example:
        >>> image = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.uint8)
        >>> [int(FiveCrop(1)(image, key=SampleKey(42, 0, 0, view=view))[0, 0]) for view in range(5)]
        [1, 3, 7, 9, 5]
    """

    size: Pair = option()

    def draw(self, rng: Draws, info: Info) -> Window:
        return self.corner(view_of(rng) % 5, info)


def view_of(rng: Draws) -> int:
    """Return the view of a stream's key."""
    return rng.address.moment & 0xFFFF


class Mirrored(NamedTuple):
    """A window of the image, and whether it is mirrored left and right."""

    window: tuple[int, int, int, int]
    mirrored: bool


@primitive(exact=EVERYWHERE, opencv=False)
class TenCrop(_FixedCrop):
    """Cut out one corner or the middle, mirrored or not, chosen by the view.

    Views 0 to 4 are those of FiveCrop, views 5 to 9 the same in the mirrored image. A dataset with ``views=10``
    returns all ten. Draws only whether it fires.

    Args:
        vertical_flip: mirror top and bottom instead of left and right.

    Follows ``torchvision.transforms.TenCrop``, which returns a tuple of the views.

    Example:
        >>> image = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.uint8)
        >>> [int(TenCrop(1)(image, key=SampleKey(42, 0, 0, view=view))[0, 0]) for view in range(10)]
        [1, 3, 7, 9, 5, 3, 1, 9, 7, 5]
    """

    @property
    def place_in_pass(self) -> None:
        """None: a view may be a mirrored corner."""

    size: Pair = option()
    vertical_flip: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Mirrored:
        view = view_of(rng) % 10
        top, left, height, width = self.corner(view % 5, info)
        if view < 5:
            return Mirrored((top, left, height, width), False)
        rows, columns = info.image_size()
        if self.vertical_flip:
            top = rows - height - top
        else:
            left = columns - width - left
        return Mirrored((top, left, height, width), True)

    def window(self, params: Any) -> Any:
        return params[0]

    def apply_image(self, image: Array, params: Any) -> Array:
        window = CropTransform.apply_image(self, image, params[0])
        return self._mirror().image(window) if params[1] else window

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return TenCrop.apply_image(self, mask, params)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        points, mirror = CropTransform.apply_keypoints(self, keypoints, params[0]), self._mirror()
        return mirror.points(points, params[0][2 + mirror.axis]) if params[1] else points

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        edges, mirror = CropTransform.apply_boxes(self, boxes, params[0]), self._mirror()
        return mirror.boxes(edges, params[0][2 + mirror.axis]) if params[1] else edges

    def _mirror(self) -> Mirror:
        return VERTICAL if self.vertical_flip else HORIZONTAL
