"""The modules of albumentations, and helpers in them.

Every name can be imported from each module. The helpers, which users' own transforms call, are in albumentations' ``core.utils``
and ``core.bbox_utils``.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Final

import numpy as np

__all__ = [
    "denormalize_bbox",
    "denormalize_bboxes",
    "normalize_bbox",
    "normalize_bboxes",
    "register",
    "to_tuple",
]

_PATHS: Final = (
    *("augmentations", "augmentations.blur", "augmentations.blur.transforms", "augmentations.crops"),
    *("augmentations.crops.functional", "augmentations.crops.transforms"),
    *("augmentations.domain_adaptation", "augmentations.domain_adaptation.transforms"),
    *("augmentations.dropout", "augmentations.dropout.channel_dropout", "augmentations.dropout.cutout"),
    *("augmentations.dropout.coarse_dropout", "augmentations.dropout.functional"),
    *("augmentations.dropout.grid_dropout", "augmentations.dropout.mask_dropout"),
    *("augmentations.dropout.transforms", "augmentations.mixing", "augmentations.mixing.domain_adaptation"),
    *("augmentations.dropout.xy_masking", "augmentations.functional", "augmentations.geometric"),
    *("augmentations.geometric.distortion", "augmentations.geometric.flip"),
    *("augmentations.geometric.functional", "augmentations.geometric.pad"),
    *("augmentations.geometric.resize", "augmentations.geometric.rotate"),
    *("augmentations.geometric.transforms", "augmentations.mixing.transforms", "augmentations.other"),
    *("augmentations.other.lambda_transform", "augmentations.other.type_transform", "augmentations.pixel"),
    *("augmentations.pixel.functional", "augmentations.pixel.transforms", "augmentations.spectrogram"),
    *("augmentations.spectrogram.transform", "augmentations.text", "augmentations.text.transforms"),
    *("augmentations.transforms", "augmentations.utils", "core", "core.bbox_utils"),
    *("core.composition", "core.keypoints_utils", "core.serialization", "core.transforms_interface"),
    *("core.utils", "imgaug", "imgaug.transforms", "pytorch.transforms"),
)
"""Modules of albumentations 1.x and 2.x, besides those that are files here; each after its parent, whose attribute it becomes."""


def register(package: str) -> None:
    """Add the modules to ``sys.modules``, with all names of the package."""

    def name_of(name: str) -> Any:
        return globals()[name] if name in __all__ else getattr(sys.modules[package], name)

    for path in _PATHS:
        result = ModuleType(f"{package}.{path}", __doc__)
        result.__getattr__ = name_of  # type: ignore[method-assign]  # a module's hook
        result.__path__ = []
        sys.modules[result.__name__] = result
        parent, _, name = result.__name__.rpartition(".")
        setattr(sys.modules[parent], name, result)


def to_tuple(param: Any, low: Any = None, bias: Any = None) -> tuple[Any, Any]:
    """Return a range. One number x is -x to x, or `low` to x. `bias` is added to both ends."""
    if isinstance(param, int | float):
        ends = (-param, param) if low is None else (low, param)
        param = min(ends), max(ends)
    return param[0] + (bias or 0), param[1] + (bias or 0)


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
