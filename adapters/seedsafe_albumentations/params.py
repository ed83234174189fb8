"""BboxParams and KeypointParams: how boxes and keypoints are written, and what is kept of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import seedsafe as ss
from seedsafe_albumentations.arguments import check_only
from seedsafe_albumentations.points import FORMATS

__all__ = ["BboxParams", "KeypointParams"]


@dataclass(frozen=True)
class BboxParams:
    """Boxes, as albumentations describes them.

    Args:
        format: "coco", "pascal_voc", "albumentations" or "yolo".
        label_fields: names of the call's other arguments with one element for each box.
        min_area: in pixels, of what is left of a box.
        min_visibility: the least share of a box that a transform must leave.
        min_width: in pixels.
        min_height: in pixels.
        check_each_transform: True; boxes are always looked at after each transform.
        clip: cut boxes off at the image's edges before the first transform.
        filter_invalid_bboxes: leave out boxes of which nothing is in the image, instead of raising an error.
        max_accept_ratio: None; seedsafe has no limit on a box's shape.

    Raises:
        ValueError: an argument is out of its range, or is not supported.
    """

    format: str
    label_fields: Sequence[str] | None = None
    min_area: float = 0.0
    min_visibility: float = 0.0
    min_width: float = 0.0
    min_height: float = 0.0
    check_each_transform: bool = field(default=True, kw_only=True)
    clip: bool = field(default=False, kw_only=True)
    filter_invalid_bboxes: bool = field(default=False, kw_only=True)
    max_accept_ratio: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_only(
            self.check_each_transform,
            "check_each_transform",
            True,
            "boxes are looked at after each transform",
        )
        check_only(self.max_accept_ratio, "max_accept_ratio", None, "leave out such boxes before")
        self.boxes()

    def boxes(self, *labels: str) -> ss.Boxes:
        """Return seedsafe's description, with its labels."""
        return ss.Boxes(
            self.format,
            labels=labels,
            min_area=self.min_area,
            min_visibility=self.min_visibility,
            min_width=self.min_width,
            min_height=self.min_height,
            clip=self.clip or self.filter_invalid_bboxes,
        )


@dataclass(frozen=True)
class KeypointParams:
    """Keypoints, as albumentations describes them.

    Args:
        format: the columns, x and y, perhaps an angle and a scale: "xy", "yx", "xya", "xys", "xyas" or "xysa". An angle
            counts from the direction of x to that of y; a scale is multiplied by the larger of the factors along x and y.
        label_fields: names of the call's other arguments with one element for each keypoint.
        remove_invisible: leave out keypoints outside the image.
        angle_in_degrees: whether angles are in degrees, or in radians.
        check_each_transform: True; keypoints are always looked at after each transform.

    Raises:
        ValueError: an argument is not supported.
    """

    format: str
    label_fields: Sequence[str] | None = None
    remove_invisible: bool = True
    angle_in_degrees: bool = True
    check_each_transform: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.format, str) or self.format not in FORMATS:
            raise ValueError(
                f"format must be one of {', '.join(map(repr, FORMATS))}, got {self.format!r}: put further columns behind these"
            )
        check_only(
            self.check_each_transform,
            "check_each_transform",
            True,
            "keypoints are looked at after each transform",
        )

    @property
    def posed(self) -> bool:
        """Whether keypoints have an angle or a scale."""
        return "a" in self.format or "s" in self.format

    def keypoints(self) -> ss.Keypoints:
        """Return seedsafe's description; what is outside is marked, and left out at the end."""
        return ss.Keypoints(outside="mark" if self.remove_invisible else "keep")
