"""Parts that would not follow the image.

Their form is one that no target takes. Each would stay as it is while the image moves: objects in lists of dicts, polygons in lists of numbers, and maps or images of another
size. The errors say what to write instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from seedsafe.ground.info import TARGETS
from seedsafe.pipeline.unnamed import SCALARS, shape_of

__all__ = ["are_points", "is_picture", "require_movable", "require_still"]

_ALONE: Final = 'or pass targets="image" to augment the image alone'
_LABELS: Final = ("category_id", "category", "label", "class_id", "class", "name")
_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")
_POLYGONS: Final = frozenset(
    ("polygon", "polygons", "contour", "contours", "segmentation", "segmentations", "outline", "outlines")
)
_POINTS: Final = frozenset((
    "kp", "kps", "kpt", "kpts", "keypoint", "keypoints", "pt", "pts", "point", "points", "joint", "joints", "landmark",
    "landmarks", "corner", "corners", "vertex", "vertices", "coord", "coords", "coordinate", "coordinates", "xy", "uv",
    "centers", "centres",
))  # fmt: skip
"""Words in the names of points."""
_LEAST: Final = 8
"""The least height and width of a map, which a small matrix lacks."""
_SIDE: Final = 16
"""The least height and width of a mask that is told by its dtype."""
_DEPTH: Final = 3
_SEVERAL: Final = 4
_WIDE: Final = 64
"""Pairs of integers are points if there are several, in an image of at least that width and height."""
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
            if isinstance(path[-1], int) or _says_points(path[-1]):
                _refuse_shares(sample, path, part, size)
            _refuse_rows(path, part, size)
            _refuse_marks(sample, path, part, size)
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


def are_points(part: Any, size: tuple[int, int] | None, name: Any = 0) -> bool:
    """Return whether a part is an array or a tensor (N, 2) of floats that may be points in the image, in pixels.

    Values outside of the image are other numbers, but for -1, which says that a point is missing. Under a name that says nothing of
    points, beginnings and ends of spans are other numbers too.
    """
    pairs = _pairs(part)
    if pairs is None or not (
        isinstance(name, int) or _says_points(name) or (pairs[:, 0] > pairs[:, 1]).any()
    ):
        return False
    present = pairs[np.isfinite(pairs).all(axis=1)]
    limit = np.inf if size is None else max(size)
    return bool(len(present) and present.min() >= -1 and 1 < present.max() <= limit)


def _says_points(name: Any) -> bool:
    return isinstance(name, str) and not _POINTS.isdisjoint(name.lower().replace("-", "_").split("_"))


def _pairs(part: Any) -> np.ndarray[Any, Any] | None:
    """Return an array or a tensor of pairs of floats as an array (N, 2), or None for anything else."""
    shape = shape_of(part)
    if len(shape) != 2 or shape[1] != 2 or not shape[0] or not hasattr(part, "dtype"):
        return None
    array = np.asarray(part.detach().cpu() if hasattr(part, "detach") else part)
    return array if array.dtype.kind == "f" else None


def _refuse_shares(sample: Any, path: tuple[Any, ...], part: Any, size: tuple[int, int]) -> None:
    """Raise an error for points in shares of the image's sides: floats in [0, 1], neither labels of two classes nor 0 and 1 alone."""
    pairs = _pairs(part)
    if pairs is None or len(pairs) < 2 or not (pairs.min() >= 0 and pairs.max() <= 1):
        return
    if np.isin(pairs, (0, 1)).all() or np.allclose(pairs.sum(axis=1), 1, atol=1e-3):
        return
    kind = "numpy.array" if isinstance(part, np.ndarray) else "torch.tensor"
    raise ValueError(
        f"the sample's {_keys(path)} looks like points in shares of the image's width and height, and would stay as it is while the image "
        f"moves: return points * {kind}([{size[1]}, {size[0]}]) for it, name it with targets={_named(sample, path, 'keypoints')!r}, and "
        f"divide the result again, {_ALONE}"
    )


def _refuse_rows(path: tuple[Any, ...], part: Any, size: tuple[int, int]) -> None:
    """Raise an error for rows of a box and a class, (N, 5): in shares of the image's sides, as YOLO's files have them, or in pixels."""
    rows = _rows(part, 5)
    if rows is None:
        return
    found = ((form, first) for form, fits in _ROWS for first in (1, 0) if fits(rows, first, size))
    form, first = next(found, ("", 0))
    if not form:
        return
    array = "rows" if hasattr(part, "dtype") else "numpy.asarray(rows)"
    boxes, label = (f"{array}[:, 1:]", f"{array}[:, 0]") if first else (f"{array}[:, :4]", f"{array}[:, 4]")
    raise ValueError(
        f"the sample's {_keys(path)} looks like rows of a class and a box, {_LIKE[form]}, and would stay as it is while the image "
        f'moves: return image, rows from your __getitem__ as {{"image": image, "boxes": numpy.asarray({boxes}, numpy.float32), "labels": '
        f'numpy.asarray({label})}}, and pass Compose(..., boxes=ss.Boxes("{form}", labels="labels")), {_ALONE}'
    )


_LIKE: Final = {
    "yolo": "as in YOLO's files",
    "pascal_voc": "with its edges in pixels",
    "coco": "with a corner and a size in pixels",
}


def _rows(part: Any, length: int) -> np.ndarray[Any, Any] | None:
    """Return an array, a tensor or a list of rows of numbers, (N, length), as an array, or None for anything else."""
    shape = shape_of(part)
    if len(shape) != 2 or shape[1] != length or not shape[0]:
        return None
    if not hasattr(part, "dtype") and any(len(row) != length for row in part):
        return None
    rows = np.asarray(part.detach().cpu() if hasattr(part, "detach") else part)
    return rows if rows.dtype.kind in "fiu" and np.isfinite(rows).all() else None


def _are_classes(values: np.ndarray[Any, Any]) -> bool:
    return bool((values % 1 == 0).all() and (values >= 0).all())


def _in_shares(rows: np.ndarray[Any, Any], first: int, size: tuple[int, int]) -> bool:
    """Return whether rows begin with a class, and go on with a centre, a width and a height in shares of the image's sides."""
    boxes = rows[:, 1:]
    return bool(
        first
        and rows.dtype.kind == "f"
        and _are_classes(rows[:, 0])
        and (boxes >= 0).all()
        and (boxes <= 1).all()
        and (boxes[:, 2:] > 0).all()
        and not np.isin(boxes, (0, 1)).all()
    )


def _in_pixels(rows: np.ndarray[Any, Any], first: int, size: tuple[int, int]) -> bool:
    """Return whether rows begin or end with a class, and the rest are two corners of a box of several pixels in the image."""
    boxes, classes = rows[:, first : first + 4], rows[:, 0 if first else 4]
    low, high = boxes[:, :2].astype(np.float64), boxes[:, 2:].astype(np.float64)
    return bool(
        _are_classes(classes)
        and (low >= 0).all()
        and (high - low > 1).all()
        and (high <= (size[1], size[0])).all()
    )


def _in_sizes(rows: np.ndarray[Any, Any], first: int, size: tuple[int, int]) -> bool:
    """Return whether rows begin or end with a class, and the rest are a corner and a size of a box of several pixels in the image."""
    boxes, classes = rows[:, first : first + 4].astype(np.float64), rows[:, 0 if first else 4]
    return bool(
        _are_classes(classes)
        and (boxes[:, :2] >= 0).all()
        and (boxes[:, 2:] >= _LEAST).all()
        and (boxes[:, :2] + boxes[:, 2:] <= (size[1], size[0])).all()
    )


def _array_of(pairs: Any) -> Any:
    """Return a list of pairs of integers as an array, or None for anything else."""
    alike = all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs)
    return np.array(pairs) if alike and all(type(one) is int for pair in pairs for one in pair) else None


_ROWS: Final = (("yolo", _in_shares), ("pascal_voc", _in_pixels), ("coco", _in_sizes))


def _refuse_marks(sample: Any, path: tuple[Any, ...], part: Any, size: tuple[int, int]) -> None:
    """Raise an error for points with their visibility, (N, 3), and for points in whole pixels, (N, 2)."""
    rows, pairs = _rows(part, 3), _rows(part, 2)
    if pairs is None and isinstance(part, list | tuple) and shape_of(part)[1:] == (2,):
        pairs = _rows(_array_of(part), 2)
    if rows is not None and _have_visibility(rows, size):
        kind = "points with their visibility"
    elif pairs is not None and _are_whole_points(pairs, size):
        kind = "points in pixels"
    else:
        return
    raise ValueError(
        f"the sample's {_keys(path)} looks like {kind}, and would stay as it is while the image moves: return "
        f"numpy.asarray(part, numpy.float32) for it, and name it with targets={_named(sample, path, 'keypoints')!r}, {_ALONE}"
    )


def _have_visibility(rows: np.ndarray[Any, Any], size: tuple[int, int]) -> bool:
    """Return whether rows are x, y and 0, 1 or 2, as in COCO: neither colours nor a matrix."""
    seen = rows[rows[:, 2] > 0]
    return bool(
        rows.dtype.char != "B"
        and np.isin(rows[:, 2], (0, 1, 2)).all()
        and len(seen)
        and (seen[:, :2] >= 0).all()
        and (seen[:, :2] <= (size[1], size[0])).all()
        and (seen[:, :2].max(axis=0) > 2).all()
    )


def _are_whole_points(pairs: np.ndarray[Any, Any], size: tuple[int, int]) -> bool:
    """Return whether pairs of integers are points all over an image: neither small numbers, nor the beginnings and ends of spans."""
    sides = np.array((size[1], size[0]))
    return bool(
        pairs.dtype.kind in "iu"
        and len(pairs) >= _SEVERAL
        and sides.min() >= _WIDE
        and (pairs >= -1).all()
        and (pairs < sides).all()
        and (pairs.max(axis=0) > sides / 2).all()
        and (pairs[:, 0] > pairs[:, 1]).any()
    )


def _keys(path: tuple[Any, ...]) -> str:
    return "".join(f"[{key!r}]" for key in path)


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
            f'{{"image": image, "keypoints": numpy.concatenate({corners}).astype(numpy.float32)}}, {_ALONE}'
        )
    else:
        return
    label = next((name for name in _LABELS if name in first), None)
    labels = "" if label is None else f', "labels": [each["{label}"] for each in objects]'
    with_labels = "" if label is None else ', labels="labels"'
    raise ValueError(
        f"{_has_objects(path)} return image, objects from your __getitem__ as "
        f'{{"image": image, "boxes": numpy.array([{boxes} for each in objects], numpy.float32).reshape(-1, 4){labels}}}, and pass '
        f'Compose(..., boxes=ss.Boxes("{form}"{with_labels})), {_ALONE}'
    )


def _has_objects(path: tuple[Any, ...]) -> str:
    return (
        f"the sample has a list of objects in {_keys(path)}, as torchvision's CocoDetection and VOCDetection return it, which would stay "
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
        f"the sample's {_keys(path)} looks like points or the corners of polygons, and would stay as it is while the image moves: return "
        f"{corners}.astype(numpy.float32) for it, and name it with targets={_named(sample, path, 'keypoints')!r}, {_ALONE}"
    )


def _named(sample: Any, path: tuple[Any, ...], target: str) -> Any:
    """Return the argument `targets` that names the image and one part."""
    key, *deeper = path
    named: Any = target
    for name in reversed(deeper):
        named = {name: named}
    if isinstance(sample, dict):
        return {"image": "image", key: named}
    return tuple(
        "image" if position == 0 else named if position == key else None for position in range(len(sample))
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
            f"the sample's {_keys(path)} is {'an image' if picture else 'a mask'} of another size than the {'first one' if picture else 'image'}, "
            f"and would stay as it is while that moves: resize both to one size where the dataset reads them, and name them with "
            f"targets={_named(sample, path, target)!r}, so that both get one augmentation, {_ALONE}"
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
        f"the sample's {_keys(path)} has the shape {shape_of(part)}, {share} the image's height and width, and would stay as it is while the "
        "image moves:"
    )
    if picture:
        times = abs(factor)
        return (
            f"{has} return the larger one alone, and make the smaller one of its augmentation, "
            f"seedsafe.functional.resize(image, image.shape[0] // {times}, image.shape[1] // {times}), {_ALONE}"
        )
    several = len(shape_of(part)) == 3 and first == 1
    target = _named(sample, path, "masks" if several else "mask")
    if factor < 0:
        return f"{has} resize the image to that size, name the parts with targets={target!r}, {_ALONE}"
    rows, columns, before = (1, 2, ":, ") if several else (0, 1, "")
    is_even = all(many % factor == 0 for many in size)
    cut = "" if is_even else f"[{before}:{size[0]}, :{size[1]}]"
    array = "part" if isinstance(part, np.ndarray) else "numpy.asarray(part)"
    return (
        f"{has} return numpy.repeat(numpy.repeat({array}, {factor}, {rows}), {factor}, {columns}){cut} for it, name it "
        f"with targets={target!r}, and take part[{before}::{factor}, ::{factor}] of the result, {_ALONE}"
    )
