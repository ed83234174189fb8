"""Parts of a sample that nobody has named.

They would not follow the image.

Whether a part must be named follows from its axes alone. Its shape only suggests a target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, Final

import numpy as np

from seedsafe.ground.info import TARGETS
from seedsafe.pipeline.rules import Rules

__all__ = [
    "SCALARS",
    "Untouched",
    "check_names",
    "described_part",
    "likely_target",
    "must_be_named",
    "shape_of",
    "size_of",
]

SCALARS: Final[frozenset[type]] = frozenset({
    int, float, complex, str, bytes, bool, type(None), *np.sctypeDict.values()
})  # fmt: skip
"""The types of most labels, none of which has axes."""


class Untouched(dict[Any, Any]):
    """A dict of parts that nobody has to name, because they belong to no image."""


_NAMES: Final = {
    name: target
    for target, names in {
        "boxes": "box bbox bboxes bounding_box bounding_boxes boundingbox boundingboxes boxes_2d gt_boxes gt_bboxes",
        "keypoints": "keypoint kp kps kpt kpts gt_keypoints pts points joints landmark landmarks corners vertices polygon polygons "
        "contour contours outline outlines segmentation segmentations",
    }.items()
    for name in names.split()
}
"""Names of boxes and points elsewhere. They must be named with one axis too: one box is (4,), and flat corners are (2 N,)."""


def must_be_named(name: Any, part: Any) -> bool:
    """Return whether a part of a sample may point into its image, so that the user must say what it is.

    It may if it has two axes or more, is a list of dicts, or has the name of a box or a point. A dict may if an entry of it may.

    Args:
        name: the part's name, or its position.
        part: the part.

    Example:
        >>> must_be_named(1, np.zeros((5, 4))), must_be_named(1, [[1, 2], [3]]), must_be_named(1, [{"bbox": 3}])
        (True, True, True)
        >>> must_be_named(1, np.zeros(10)), must_be_named(1, [3, 7]), must_be_named("bbox", [3, 7, 9, 9])
        (False, False, True)
    """
    if type(part) in SCALARS or type(part) is Untouched:
        return False
    if isinstance(part, Mapping):
        return any(map(_entry_must_be_named, part, part.values()))
    return _has_axes(part, 1 if isinstance(name, str) and name.lower() in _NAMES else 2)


def _entry_must_be_named(name: Any, part: Any) -> bool:
    """Return whether an entry of a dict inside a sample must be named: also one with a target's name, which counts at the top alone."""
    return must_be_named(name, part) or (name in TARGETS and type(part) not in SCALARS)


def _has_axes(part: Any, least: int) -> bool:
    """Return whether a part has at least this number of axes, one or two. A dict in a list counts as one."""
    if type(part) in SCALARS:
        return False
    if isinstance(part, list | tuple):
        few = least > 1 and SCALARS.issuperset(map(type, part))  # a list may have thousands of numbers
        return not few and (least == 1 or any(_has_axes(entry, least - 1) for entry in part))
    shape: Any = getattr(part, "shape", None)
    if hasattr(type(shape), "__len__"):  # a tuple, or the shape of a TensorFlow tensor
        axes = len(shape)
        return axes >= least or (axes == 1 and _has_axes(_objects(part), least))
    if isinstance(part, Mapping):
        return True
    if is_dataclass(part) and not isinstance(part, type):
        return any(must_be_named(name, entry) for name, entry in vars(part).items())
    return _is_picture(part)


def _objects(array: Any) -> list[Any]:
    """Return the entries of an array of objects, which may have axes of their own."""
    return list(array) if getattr(getattr(array, "dtype", None), "hasobject", False) else []


def _is_picture(part: Any) -> bool:
    """Return whether a part is an image of PIL."""
    return callable(getattr(part, "getbands", None))


def check_names(sample: dict[Any, Any], rules: Rules) -> None:
    """Raise an error if an entry that is not a target must be one: it would stay unchanged while the image is moved.

    Raises:
        ValueError: there is such an entry.
    """
    for name, part in sample.items():
        if name in TARGETS or type(part) in SCALARS or name in rules.labels or not must_be_named(name, part):
            continue
        target = likely_target(name, part, sample.get("image"), sample.get("video"))
        call_it = "" if target is None else f"call it {target!r} if it is one, or "
        raise ValueError(
            f"the sample's {name!r}, {described_part(part)}, would stay unchanged while the image is moved: {call_it}leave it out, as in "
            "augment(image=image, key=key)"
        )


def likely_target(name: Any, part: Any, image: Any, video: Any = None) -> str | None:
    """Return the target to suggest for a part of a sample; None for a small square matrix and for a list of dicts.

    It may be wrong, but the reader of the suggestion knows what the part is.

    Args:
        name: the part's name, or its position.
        part: the part, which must be named.
        image: the sample's image, or None.
        video: the sample's video, or None.

    Example:
        >>> image = np.zeros((4, 6, 3))
        >>> likely_target("x", np.zeros((4, 6)), image), likely_target("x", np.zeros((9, 4)), image), likely_target("K", np.eye(3), image)
        ('mask', 'boxes', None)
    """
    if name in TARGETS:
        return str(name)
    shape = shape_of(part)
    if not _frames_of(part).isdisjoint(_frames_of(video)):
        colours = len(shape) == 4 and shape[3 if isinstance(part, np.ndarray) else 1] in (3, 4)
        return "video" if colours else "video_mask"
    size = size_of(image) or size_of(None if video is None else video[0])
    if _is_picture(part) or (hasattr(part, "dtype") and len(shape) == 3):
        channels = (
            len(part.getbands()) if _is_picture(part) else shape[-1 if isinstance(part, np.ndarray) else 0]
        )
        if channels in (3, 4) and (size_of(part) == size or size not in (shape[:2], shape[-2:])):
            return "image"
    if len(shape) >= 2 and size in (shape[:2], shape[-2:]):
        return "masks" if len(shape) > 2 and shape[:2] != size else "mask"
    if isinstance(name, str) and name.lower() in _NAMES:
        return _NAMES[name.lower()]
    if isinstance(part, list | tuple) and any(isinstance(entry, Mapping) for entry in part):
        return None
    if len(shape) < 2:
        return "masks"
    if len(shape) == 2 and shape[0] == shape[1] <= 4:
        return None
    are_pairs = isinstance(part, list | tuple) and len(shape) == 2 and shape[1] not in (4, 5)
    if shape[-1:] in ((2,), (3,)) or are_pairs:
        return "keypoints"
    if shape[-1:] in ((4,), (5,)):
        return "boxes"
    return "masks" if len(shape) > 2 else "mask"


def _frames_of(part: Any) -> set[tuple[int, ...]]:
    """Return what the number, height and width of frames may be, whichever side its channels are on."""
    shape = shape_of(part)
    return {shape[:3], (shape[0], *shape[-2:])} if 3 <= len(shape) <= 4 else set()


def described_part(part: Any) -> str:
    """Return what a part is, in words.

    Example:
        >>> described_part(np.zeros((5, 4))), described_part([{}]), described_part([[1, 2]])
        ('an array of shape (5, 4)', 'a list of dicts', 'a list of shape (1, 2)')
    """
    if isinstance(part, list | tuple) and any(isinstance(entry, Mapping) for entry in part):
        return f"a {type(part).__name__} of dicts"
    if isinstance(part, Mapping):
        found = next(name for name, entry in part.items() if _entry_must_be_named(name, entry))
        return f"a {type(part).__name__} with {found!r}"
    kind = "array" if isinstance(part, np.ndarray) else type(part).__name__
    article, shape = "an" if kind[0] in "AEIOUaeio" else "a", shape_of(part)
    return f"{article} {kind} of shape {shape}" if shape else f"{article} {kind}"


def size_of(image: Any) -> tuple[int, ...] | None:
    """Return the height and width of an image, an array (H, W) or (H, W, C), a tensor (C, H, W) or a PIL image."""
    shape = shape_of(image)
    if not 2 <= len(shape) <= 3:
        return None
    return shape[:2] if len(shape) == 2 or isinstance(image, np.ndarray) else shape[1:]


def shape_of(part: Any) -> tuple[int, ...]:
    """Return the shape of an array, a tensor, an image of PIL, or a list of these or of numbers; otherwise ()."""
    if hasattr(part, "shape"):
        shape = part.shape
        return tuple(shape) if isinstance(shape, tuple) else ()
    if _is_picture(part):
        return part.size[::-1]  # type: ignore[no-any-return]
    if isinstance(part, list | tuple):
        return (len(part), *(shape_of(part[0]) if part else ()))
    return ()
