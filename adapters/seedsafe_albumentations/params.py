"""BboxParams and KeypointParams: how boxes and keypoints are written, and what is kept of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import seedsafe as ss
from seedsafe_albumentations.arguments import only

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
        only(
            "check_each_transform",
            self.check_each_transform,
            True,
            "boxes are looked at after each transform",
        )
        only("max_accept_ratio", self.max_accept_ratio, None, "leave out such boxes before")
        self.boxes()

    def boxes(self, *labels: str) -> ss.Boxes:
        """Return seedsafe's description, with further labels."""
        return ss.Boxes(
            self.format,
            labels=(*(self.label_fields or ()), *labels),
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
        format: "xy", or "yx".
        label_fields: names of the call's other arguments with one element for each keypoint.
        remove_invisible: leave out keypoints outside the image.
        angle_in_degrees: not used, since a keypoint has no angle here.
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
        if self.format not in ("xy", "yx"):
            raise ValueError(
                f"format must be 'xy' or 'yx', got {self.format!r}: seedsafe does not change the angles and sizes of "
                "keypoints; pass these as a label"
            )
        only(
            "check_each_transform",
            self.check_each_transform,
            True,
            "keypoints are looked at after each transform",
        )

    def keypoints(self, *labels: str) -> ss.Keypoints:
        """Return seedsafe's description, with further labels."""
        outside = "drop" if self.remove_invisible else "keep"
        return ss.Keypoints(outside=outside, labels=(*(self.label_fields or ()), *labels))
