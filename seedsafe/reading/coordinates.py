"""Coordinates that would not follow the image.

They are points, or rows with a box and its class, in arrays or lists of a form that no target takes.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from seedsafe.pipeline.unnamed import shape_of

__all__ = ["ALONE", "are_points", "keys_of", "refuse_coordinates", "targets_naming"]

ALONE: Final = 'or pass targets="image" to augment the image alone'
"""The last way out of each error."""
_POINTS: Final = frozenset((
    "kp", "kps", "kpt", "kpts", "keypoint", "keypoints", "pt", "pts", "point", "points", "joint", "joints", "landmark",
    "landmarks", "corner", "corners", "vertex", "vertices", "coord", "coords", "coordinate", "coordinates", "xy", "uv",
    "centers", "centres",
))  # fmt: skip
"""Words in the names of points."""
_LEAST: Final = 8
"""The least sides of a box of a corner and a size."""
_SEVERAL: Final = 4
_WIDE: Final = 64
"""Pairs of integers are points if there are several, in an image of at least that width and height."""


def refuse_coordinates(sample: Any, path: tuple[Any, ...], part: Any, size: tuple[int, int]) -> None:
    """Raise an error if a part of a sample has coordinates in its image in a form that no target takes.

    Args:
        sample: the tuple, list or dict.
        path: the keys and positions that lead to the part.
        part: the part.
        size: the height and width of the image.

    Raises:
        ValueError: it has.
    """
    if isinstance(path[-1], int) or _says_points(path[-1]):
        _refuse_shares(sample, path, part, size)
    _refuse_rows(path, part, size)
    _refuse_marks(sample, path, part, size)


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
        f"the sample's {keys_of(path)} looks like points in shares of the image's width and height, and would stay as it is while the image "
        f"moves: return points * {kind}([{size[1]}, {size[0]}]) for it, name it with targets={targets_naming(sample, path, 'keypoints')!r}, and "
        f"divide the result again, {ALONE}"
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
        f"the sample's {keys_of(path)} looks like rows of a class and a box, {_LIKE[form]}, and would stay as it is while the image "
        f'moves: return image, rows from your __getitem__ as {{"image": image, "boxes": numpy.asarray({boxes}, numpy.float32), "labels": '
        f'numpy.asarray({label})}}, and pass Compose(..., boxes=ss.Boxes("{form}", labels="labels")), {ALONE}'
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
        f"the sample's {keys_of(path)} looks like {kind}, and would stay as it is while the image moves: return "
        f"numpy.asarray(part, numpy.float32) for it, and name it with targets={targets_naming(sample, path, 'keypoints')!r}, {ALONE}"
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


def keys_of(path: tuple[Any, ...]) -> str:
    """Return the keys and positions that lead to a part, as a user writes them."""
    return "".join(f"[{key!r}]" for key in path)


def targets_naming(sample: Any, path: tuple[Any, ...], target: str) -> Any:
    """Return the argument `targets` that names the image and one part."""
    key, *deeper = path
    argument: Any = target
    for name in reversed(deeper):
        argument = {name: argument}
    if isinstance(sample, dict):
        return {"image": "image", key: argument}
    return tuple(
        "image" if position == 0 else argument if position == key else None for position in range(len(sample))
    )
