"""Helpers that the user's own transforms import.

albumentations has them in ``core.utils`` and ``core.bbox_utils``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["denormalize_bbox", "denormalize_bboxes", "normalize_bbox", "normalize_bboxes", "to_tuple"]


def to_tuple(param: Any, low: Any = None, bias: Any = None) -> tuple[Any, Any]:
    """Return a range. One number x is -x to x, or `low` to x. `bias` is added to both ends."""
    if isinstance(param, int | float):
        ends = (-param, param) if low is None else (low, param)
        param = min(ends), max(ends)
    first, second = param
    return (first, second) if bias is None else (first + bias, second + bias)


def normalize_bboxes(bboxes: Any, shape: Any) -> Any:
    """Convert boxes (N, 4 or more) from pixels of an image of this shape to [0, 1]."""
    result = np.array(bboxes, np.float64)
    result[:, :4] /= (shape[1], shape[0]) * 2
    return result


def denormalize_bboxes(bboxes: Any, shape: Any) -> Any:
    """Convert boxes (N, 4 or more) from [0, 1] to pixels of an image of this shape."""
    result = np.array(bboxes, np.float64)
    result[:, :4] *= (shape[1], shape[0]) * 2
    return result


def normalize_bbox(bbox: Any, rows: int, cols: int) -> tuple[Any, ...]:
    """Convert a box from pixels to [0, 1] (1.x)."""
    return (*(one / side for one, side in zip(bbox, (cols, rows) * 2, strict=False)), *bbox[4:])


def denormalize_bbox(bbox: Any, rows: int, cols: int) -> tuple[Any, ...]:
    """Convert a box from [0, 1] to pixels (1.x)."""
    return (*(one * side for one, side in zip(bbox, (cols, rows) * 2, strict=False)), *bbox[4:])
