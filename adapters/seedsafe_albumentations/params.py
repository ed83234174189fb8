"""BboxParams and KeypointParams, as in albumentations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import check_only
from seedsafe_albumentations.rows import FORMATS

__all__ = ["BboxParams", "KeypointParams"]


@dataclass(frozen=True)
class BboxParams:
    """Describe boxes, as in albumentations.

    Args:
        format: "coco", "pascal_voc", "albumentations" or "yolo".
        label_fields: the names of arguments that hold one label for each box.
        min_area: the least area that must be left of a box, in pixels.
        min_visibility: the least share of a box that a transform must leave.
        min_width: the least width that must be left, in pixels.
        min_height: the least height that must be left, in pixels.
        check_each_transform: False checks boxes only after the last transform, so one that left the image and came back is kept.
        clip: cut boxes off at the image's edges before the first transform.
        filter_invalid_bboxes: drop boxes that lie outside the image, instead of raising an error.
        max_accept_ratio: None, because seedsafe does not limit a box's shape.

    Raises:
        ValueError: an argument is out of its range, or is not supported.
    """

    format: str
    label_fields: Sequence[str] | None = None
    min_area: float = 0.0
    min_visibility: float = 0.0
    min_width: float = 0.0
    min_height: float = 0.0
    check_each_transform: bool = True
    clip: bool = False
    filter_invalid_bboxes: bool = False
    max_accept_ratio: float | None = None

    def __post_init__(self) -> None:
        check_only(self.max_accept_ratio, "max_accept_ratio", None, "drop such boxes from the data")
        self.boxes()

    def boxes(self, *labels: str) -> ss.Boxes:
        """Return these parameters as ``seedsafe.Boxes``, with labels."""
        names = ("min_area", "min_visibility", "min_width", "min_height", "check_each_transform")
        limits: Any = {name: getattr(self, name) for name in names}
        return ss.Boxes(self.format, labels=labels, clip=self.clip or self.filter_invalid_bboxes, **limits)


@dataclass(frozen=True)
class KeypointParams:
    """Describe keypoints, as in albumentations.

    Args:
        format: the columns, x and y, perhaps an angle and a scale: "xy", "yx", "xya", "xys", "xyas" or "xysa". An angle
            counts from the direction of x to that of y. A scale is multiplied by the larger of the factors along x and y.
        label_fields: the names of arguments that hold one label for each keypoint.
        remove_invisible: drop keypoints outside the image.
        angle_in_degrees: whether angles are in degrees, or in radians.
        check_each_transform: False checks keypoints only after the last transform, so one that left the image and came back is kept.

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
                f"format must be one of {', '.join(map(repr, FORMATS))}, got {self.format!r}: append other columns to one of these"
            )

    def keypoints(self) -> ss.Keypoints:
        """Return these parameters as ``seedsafe.Keypoints``. Keypoints outside are marked, and dropped at the end."""
        outside = "mark" if self.remove_invisible else "keep"
        return ss.Keypoints(outside=outside, check_each_transform=self.check_each_transform)
