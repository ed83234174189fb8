"""Parts that would not follow the image.

Their form is one that no target takes. Each would stay as it is while the image moves: objects in lists of dicts, polygons in
lists of numbers, coordinates, and maps or images of another size. The errors say what to write instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from seedsafe.ground.info import TARGETS
from seedsafe.pipeline.unnamed import SCALARS, shape_of
from seedsafe.reading.coordinates import ALONE, are_points, keys_of, refuse_coordinates, targets_naming

__all__ = ["is_picture", "require_movable", "require_still"]

_LABELS: Final = ("category_id", "category", "label", "class_id", "class", "name")
_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")
_POLYGONS: Final = frozenset(
    ("polygon", "polygons", "contour", "contours", "segmentation", "segmentations", "outline", "outlines")
)
_LEAST: Final = 8
"""The least height and width of a map, which a small matrix lacks."""
_SIDE: Final = 16
"""The least height and width of a mask that is told by its dtype."""
_DEPTH: Final = 3
_SHORT: Final = 256
"""Sound has more samples than a label has classes."""


def require_movable(sample: Any, size: tuple[int, int] | None) -> None:
    """Raise an error if a part of a sample belongs to the image in a form that no target takes.

    Args:
        sample: a tuple, a list or a dict.
        size: the height and width of its image, if they are known.

    Raises:
        ValueError: there is such a part.

    Example:
        >>> require_movable((np.zeros((64, 48, 3)), np.zeros((32, 24))), (64, 48))
        Traceback (most recent call last):
        ValueError: the sample's [1] has the shape (32, 24), 1/2 of the image's height and width, and would stay as it is while the \
image moves: return numpy.repeat(numpy.repeat(part, 2, 0), 2, 1) for it, name it with targets=('image', 'mask'), and take \
part[::2, ::2] of the result, or pass targets="image" to augment the image alone
    """
    for path, part in _entries(sample):
        for deeper, objects in _objects(part, path):
            _refuse_objects(deeper, objects)
        if _are_polygons(path, part, size):
            _refuse_polygons(sample, path, part)
        if size is not None:
            refuse_coordinates(sample, path, part, size)
            _refuse_other_size(sample, path, part, size)


def _entries(sample: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield each part of a sample that is no target by its position or name, at any depth of dicts, with its path."""
    is_dict = isinstance(sample, dict)
    for key, part in sample.items() if is_dict else enumerate(sample):
        if type(part) in SCALARS or (key in TARGETS if is_dict else key == 0):
            continue
        yield from _within(part, (key,))


def _within(part: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if not isinstance(part, Mapping):
        yield path, part
    elif len(path) <= _DEPTH:
        for key, entry in part.items():
            if key not in TARGETS and type(entry) not in SCALARS:
                yield from _within(entry, (*path, key))


def require_still(sample: Any, shifts: str) -> None:
    """Raise an error if a part of a sample is as long as its sound, which a transform moves in time.

    Args:
        sample: the sample.
        shifts: the name of the transform.

    Example:
        >>> require_still((np.zeros(16000), np.ones(16000)), "RandomSegment")
        Traceback (most recent call last):
        ValueError: the sample's [1] is as long as its sound, and would stay as it is while RandomSegment moves that in time: return \
numpy.stack([sound, part]), whose channels get one augmentation, or pass targets=('audio', None) to augment the sound alone
    """
    is_dict = isinstance(sample, dict)
    if not (is_dict or isinstance(sample, tuple | list)) or not sample:
        return
    sound = shape_of(sample.get("audio") if is_dict else sample[0])
    if not 1 <= len(sound) <= 2 or sound[-1] < _SHORT:
        return
    for key, part in sample.items() if is_dict else enumerate(sample):
        if type(part) in SCALARS or (key in TARGETS if is_dict else key == 0) or not hasattr(part, "dtype"):
            continue
        shape = shape_of(part)
        if 1 <= len(shape) <= 2 and shape[-1] == sound[-1]:
            targets = {"audio": "audio"} if is_dict else ("audio", *[None] * (len(sample) - 1))
            raise ValueError(
                f"the sample's [{key!r}] is as long as its sound, and would stay as it is while {shifts} moves that in time: return "
                f"numpy.stack([sound, part]), whose channels get one augmentation, or pass targets={targets!r} to augment the sound alone"
            )


def is_picture(part: Any) -> bool:
    """Return whether a part of a sample is a picture of 3 or 4 channels, and so hardly a mask."""
    if hasattr(part, "mode") and hasattr(part, "getbands"):  # an image of PIL
        return len(part.getbands()) >= 3 and min(part.size) >= 16
    shape = shape_of(part)
    channels = shape[-1] if isinstance(part, np.ndarray) else shape[:1] and shape[0]
    return len(shape) == 3 and channels in (3, 4) and sorted(shape)[1] >= 16


def _objects(part: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Mapping[Any, Any]]]:
    """Yield the path of a list of dicts, with its first dict."""
    if isinstance(part, list | tuple) and part and isinstance(part[0], Mapping):
        yield path, part[0]


def _refuse_objects(path: tuple[Any, ...], first: Mapping[Any, Any]) -> None:
    """Raise an error for a list of objects with boxes or outlines."""
    of_polygons = next(
        (name for name in first if name in _POLYGONS and isinstance(first[name], list | tuple)), None
    )
    form = "pascal_voc"
    if "bbox" in first:
        form, boxes = "coco", 'each["bbox"]'
    elif isinstance(first.get("bndbox"), Mapping):
        boxes = f'[float(each["bndbox"][side]) for side in {_SIDES}]'
    elif all(side in first for side in _SIDES):
        boxes = f"[float(each[side]) for side in {_SIDES}]"
    elif of_polygons is not None:
        corners = f'[numpy.reshape(one, (-1, 2)) for each in objects for one in each["{of_polygons}"]]'
        if first[of_polygons] and isinstance(first[of_polygons][0], int | float):
            corners = f'[numpy.reshape(each["{of_polygons}"], (-1, 2)) for each in objects]'
        raise ValueError(
            f"{_has_objects(path)} return image, objects from your __getitem__ as "
            f'{{"image": image, "keypoints": numpy.concatenate({corners}).astype(numpy.float32)}}, {ALONE}'
        )
    else:
        return
    label = next((name for name in _LABELS if name in first), None)
    labels = "" if label is None else f', "labels": [each["{label}"] for each in objects]'
    with_labels = "" if label is None else ', labels="labels"'
    raise ValueError(
        f"{_has_objects(path)} return image, objects from your __getitem__ as "
        f'{{"image": image, "boxes": numpy.array([{boxes} for each in objects], numpy.float32).reshape(-1, 4){labels}}}, and pass '
        f'Compose(..., boxes=ss.Boxes("{form}"{with_labels})), {ALONE}'
    )


def _has_objects(path: tuple[Any, ...]) -> str:
    return (
        f"the sample has a list of objects in {keys_of(path)}, as torchvision's CocoDetection and VOCDetection return it, which would stay "
        "as they are while the image moves:"
    )


def _are_polygons(path: tuple[Any, ...], part: Any, size: tuple[int, int] | None) -> bool:
    """Return whether a part is a list of polygons or points, or one polygon: lists of x and y in turn, or of pairs."""
    key = path[-1]
    named = isinstance(key, str) and key.lower() in _POLYGONS
    shape = shape_of(part)
    if isinstance(part, np.ndarray):  # (polygons, corners, 2)
        return len(shape) == 3 and shape[2] == 2 and are_points(part.reshape(-1, 2), size)
    if not isinstance(part, list | tuple) or not part:
        return False
    first = part[0]
    if isinstance(first, list | tuple | np.ndarray) and len(first):
        if isinstance(first[0], list | tuple | np.ndarray):
            return named and (len(first[0]) == 2 or shape_of(first)[1:] == (1, 2))  # the second is OpenCV's
        if len(first) == 2 and isinstance(first[0], float) and {len(pair) for pair in part} == {2}:
            return are_points(np.array(part, np.float64), size)
        return (
            len(first) >= 6 and len(first) % 2 == 0 and isinstance(first[0], (int, float) if named else float)
        )
    return named and len(part) >= 6 and len(part) % 2 == 0 and isinstance(first, int | float)


def _refuse_polygons(sample: Any, path: tuple[Any, ...], part: Any) -> None:
    several = not isinstance(part[0], int | float)
    corners = (
        "numpy.concatenate([numpy.reshape(each, (-1, 2)) for each in part])"
        if several
        else "numpy.reshape(part, (-1, 2))"
    )
    raise ValueError(
        f"the sample's {keys_of(path)} looks like points or the corners of polygons, and would stay as it is while the image moves: return "
        f"{corners}.astype(numpy.float32) for it, and name it with targets={targets_naming(sample, path, 'keypoints')!r}, {ALONE}"
    )


def _refuse_other_size(sample: Any, path: tuple[Any, ...], part: Any, size: tuple[int, int]) -> None:
    """Raise an error for a map or a picture of another size than the image."""
    shape = shape_of(part)
    if not 2 <= len(shape) <= 3 or (isinstance(part, list | tuple) and len(shape) < 3):
        return
    sides = (shape[:2], shape[-2:]) if len(shape) == 3 else (shape,)
    if size in sides:
        return
    picture = is_picture(part)
    for first, side in enumerate(sides):
        factor = _factor(size, side)
        if factor:
            raise ValueError(_of_factor(sample, path, part, size, factor, first, picture))
    target = "image" if picture else "mask"
    if picture or _is_small_mask(part):
        raise ValueError(
            f"the sample's {keys_of(path)} is {'an image' if picture else 'a mask'} of another size than the {'first one' if picture else 'image'}, "
            f"and would stay as it is while that moves: resize both to one size where the dataset reads them, and name them with "
            f"targets={targets_naming(sample, path, target)!r}, so that both get one augmentation, {ALONE}"
        )


def _is_small_mask(part: Any) -> bool:
    """Return whether a part is a picture of one channel, or a map of bytes or of truth values, of several rows and columns."""
    if hasattr(part, "getbands"):  # an image of PIL
        return bool(min(part.size) >= _SIDE)
    shape, dtype = shape_of(part), str(getattr(part, "dtype", ""))
    return len(shape) == 2 and min(shape) >= _SIDE and dtype.removeprefix("torch.") in ("uint8", "bool")


def _factor(size: tuple[int, int], side: tuple[int, ...]) -> int:
    """Return by what whole number an image is larger than a map, negative if the map is larger; 0 for none."""
    for sign, large, small in ((1, size, side), (-1, side, size)):
        if min(small) >= _LEAST:
            factor = round(large[0] / small[0])
            if factor > 1 and all(
                part in (whole // factor, -(-whole // factor))
                for whole, part in zip(large, small, strict=True)
            ):
                return sign * factor
    return 0


def _of_factor(
    sample: Any,
    path: tuple[Any, ...],
    part: Any,
    size: tuple[int, int],
    factor: int,
    first: int,
    picture: bool,
) -> str:
    """Return the message for a map that is smaller or larger than the image by a factor."""
    share = f"1/{factor} of" if factor > 0 else f"{-factor} times"
    has = (
        f"the sample's {keys_of(path)} has the shape {shape_of(part)}, {share} the image's height and width, and would stay as it is while the "
        "image moves:"
    )
    if picture:
        times = abs(factor)
        return (
            f"{has} return the larger one alone, and make the smaller one of its augmentation, "
            f"seedsafe.functional.resize(image, image.shape[0] // {times}, image.shape[1] // {times}), {ALONE}"
        )
    several = len(shape_of(part)) == 3 and first == 1
    target = targets_naming(sample, path, "masks" if several else "mask")
    if factor < 0:
        return f"{has} resize the image to that size, name the parts with targets={target!r}, {ALONE}"
    rows, columns, before = (1, 2, ":, ") if several else (0, 1, "")
    is_even = all(many % factor == 0 for many in size)
    cut = "" if is_even else f"[{before}:{size[0]}, :{size[1]}]"
    array = "part" if isinstance(part, np.ndarray) else "numpy.asarray(part)"
    return (
        f"{has} return numpy.repeat(numpy.repeat({array}, {factor}, {rows}), {factor}, {columns}){cut} for it, name it "
        f"with targets={target!r}, and take part[{before}::{factor}, ::{factor}] of the result, {ALONE}"
    )
