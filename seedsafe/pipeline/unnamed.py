"""Sample entries that look like misnamed targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from seedsafe.ground.info import TARGETS
from seedsafe.pipeline.rules import Rules

__all__ = ["SCALARS", "check_names", "is_of_frames", "likely_target", "shape_of", "size_of"]

_ELSEWHERE: Final = {
    name: target
    for target, names in {
        "boxes": "box bbox bboxes bounding_box bounding_boxes boundingbox boundingboxes boxes_2d gt_boxes gt_bboxes",
        "keypoints": "polygon contour keypoint kpts kps landmarks joints gt_keypoints",
        "mask": "segmentation segmentation_mask segmentation_map segmentation_masks segmentation_maps segmap seg_map seg_mask "
        "semantic_mask semantic_map gt_semantic_seg gt_seg_map gt_mask instance_mask label_map labelmap target target_mask trimap",
        "masks": "gt_masks instance_masks",
        "video": "frames clip",
    }.items()
    for name in names.split()
}
"""Names of the targets in other libraries."""

_KNOWN: Final = frozenset(TARGETS)

SCALARS: Final[frozenset[type]] = frozenset(
    {int, float, complex, str, bytes, bool, type(None), *np.sctypeDict.values()}
)
"""The types of most labels, none of which looks like a target."""


def check_names(sample: dict[Any, Any], rules: Rules) -> None:
    """Raise an error if an entry that is not a target looks like one: it would stay unchanged while the image is moved.

    Raises:
        ValueError: there is such an entry.
    """
    for name, part in sample.items():
        if name in _KNOWN or type(part) in SCALARS or name in rules.labels:
            continue
        video = () if "image" in sample else shape_of(sample.get("video"))
        size = (video[1], video[2]) if len(video) > 2 else size_of(sample.get("image"))
        target = likely_target(name, part, size)
        if target in (None, "masks") and len(video) > 2 and shape_of(part)[:3] == video[:3]:
            target = "video_mask"
        if target is not None:
            raise ValueError(
                f"the sample's {name!r} {_reason(name, size, part)}, and would stay unchanged while the image is moved: call it "
                f"{target!r}, or leave it out, as in augment(image=image, key=key)"
            )


def likely_target(name: Any, part: Any, size: tuple[int, int] | None) -> str | None:
    """Return the target that a part of a sample looks like, or None for a label.

    Args:
        name: the name of the part, or its position.
        part: a part of the sample.
        size: the height and width of the sample's image, if they are known.

    Example:
        >>> likely_target("bboxes", [[0, 0, 5, 5]], (4, 4))
        'boxes'
        >>> likely_target("target", 3, (4, 4)), likely_target("label", [0, 1], (4, 4))
        (None, None)
    """
    if isinstance(part, Mapping):
        found = [likely_target(k, v, size) or (k if k in TARGETS else None) for k, v in part.items()]
        return next((target for target in found if target), None)
    if isinstance(part, list | tuple) and part and isinstance(part[0], Mapping):
        return likely_target(name, part[0], size)
    shape = shape_of(part)
    if not shape:
        return None
    target = _ELSEWHERE.get(name.lower()) if isinstance(name, str) else None
    if target is not None and (
        len(shape) > (2 if target == "video" else 1) or target in ("boxes", "keypoints")
    ):
        return target
    if size is not None and 2 <= len(shape) <= 4 and size in (shape[:2], shape[-2:]):
        several = len(shape) > 2 and shape[:2] != size and isinstance(part, np.ndarray | list | tuple)
        return "masks" if several else "mask"
    return "boxes" if len(shape) == 2 and shape[1] == 4 else None


def is_of_frames(part: Any, video: Any) -> bool:
    """Return whether a part of a sample has a value for each pixel of each frame of a video.

    Example:
        >>> video = np.zeros((8, 4, 6, 3))
        >>> is_of_frames(np.zeros((8, 4, 6)), video), is_of_frames(np.zeros((8, 4)), video)
        (True, False)
    """
    of_part, of_video = (
        {shape[:3], (shape[0], *shape[-2:])} if 3 <= len(shape) <= 4 else set()
        for shape in map(shape_of, (part, video))
    )
    return not of_part.isdisjoint(of_video)


def _reason(name: Any, size: tuple[int, int] | None, part: Any) -> str:
    """Return why a part looks like a target."""
    if isinstance(part, Mapping | list | tuple) or (isinstance(name, str) and name.lower() in _ELSEWHERE):
        return "looks like something that belongs to the image"
    return (
        "has the image's height and width"
        if size in (shape_of(part)[:2], shape_of(part)[-2:], shape_of(part)[1:3])
        else f"has the shape {shape_of(part)} of boxes"
    )


def size_of(image: Any) -> tuple[int, int] | None:
    """Return the height and width of an image, an array (H, W) or (H, W, C), a tensor (C, H, W) or a PIL image."""
    shape = shape_of(image)
    if not 2 <= len(shape) <= 3:
        return None
    return shape[:2] if len(shape) == 2 or isinstance(image, np.ndarray) else shape[1:]  # type: ignore[return-value]


def shape_of(part: Any) -> tuple[int, ...]:
    """Return the shape of an array, a tensor, an image of PIL, or a list of these or of numbers; otherwise ()."""
    if hasattr(part, "shape"):
        shape = part.shape
        return tuple(shape) if isinstance(shape, tuple) else ()
    if hasattr(part, "mode") and hasattr(part, "size"):  # an image of PIL
        return part.size[::-1]  # type: ignore[no-any-return]
    if isinstance(part, list | tuple):
        return (len(part), *(shape_of(part[0]) if part else ()))
    return ()
