"""Calls of transforms written for albumentations."""

from __future__ import annotations

from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe.reading import Untouched
from seedsafe_albumentations.parts import OTHERS

__all__ = ["RUNNING", "Caller", "bridge", "is_original"]

RUNNING: Final[ContextVar[bool]] = ContextVar("running", default=False)
"""Whether the current call comes from a pipeline, which has set the generators."""

_PROCESSORS: Final = {
    "bboxes": SimpleNamespace(params=SimpleNamespace(min_area=0.0, min_visibility=0.0)),
    "keypoints": SimpleNamespace(params=SimpleNamespace(remove_invisible=False)),
}
"""What albumentations' transforms read of their Compose: no limits, because the Compose here checks them after each transform."""


class Caller:
    """The function of a bridge: it calls the user's own transform, or one of albumentations, with the parts that it expects."""

    def __init__(self, transform: Any) -> None:
        self.transform = transform
        self.__name__ = type(transform).__name__
        self.__module__ = type(transform).__module__
        self.own_draws = getattr(transform, "own_draws", False)
        if hasattr(transform, "set_processors"):
            transform.set_processors(_PROCESSORS)

    def __call__(self, sample: dict[Any, Any]) -> dict[Any, Any]:
        """Return the changed sample."""
        token = RUNNING.set(True)
        try:
            parts = _as_theirs(sample)
            _refuse_labels(self.transform, parts)
            result = self.transform(**parts) if _decides(self.transform) else self.transform.applied(parts)
        finally:
            RUNNING.reset(token)
        return _as_ours(result, sample, self.__name__)

    def __repr__(self) -> str:
        return repr(self.transform)


def bridge(transform: Any, **options: Any) -> Any:
    """Return the user's own transform, or one of albumentations, as a transform of seedsafe."""
    returns: Any = getattr(transform, "returns", None)
    result = ss.bridge(Caller(transform), call="dict", **{"returns": returns} | options)
    always = _decides(transform) or transform.p == 1
    return result if always else ss.RandomApply([result], p=transform.p)


def _decides(transform: Any) -> bool:
    """Return whether a transform's own ``__call__`` decides when it fires, as it does in all transforms of albumentations."""
    return bool(getattr(transform, "decides", True))


def _refuse_labels(transform: Any, parts: dict[str, Any]) -> None:
    """Raise an error if a transform of albumentations would read labels, which its own Compose alone has for it."""
    others = [one for one in parts.get(getattr(transform, "metadata_key", ""), ()) if isinstance(one, dict)]
    found = {"bboxes", "keypoints"} & set().union(parts, *others)
    name = type(transform).__name__
    if found and (name == "Mosaic" or getattr(transform, "bbox_labels", None)):
        raise ValueError(
            f"{name} of albumentations reads the labels of {' and '.join(sorted(found))}, which a bridge does not have: "
            "pass images and masks alone, or use seedsafe.Mosaic or CoarseDropout"
        )


def _as_theirs(sample: dict[Any, Any]) -> dict[str, Any]:
    """Return a sample as named parts: boxes in [0, 1], keypoints with angle and scale, both followed by their row numbers."""
    parts = dict(sample.get(OTHERS, {}))
    parts |= {name: sample[name] for name in ("image", "mask", "masks") if name in sample}
    rows, columns = sample["image"].shape[:2]
    if "boxes" in sample:
        boxes = sample["boxes"]
        edges = boxes[:, :4] / (columns, rows, columns, rows)
        parts["bboxes"] = np.column_stack([edges, np.arange(len(boxes))])
    if "keypoints" in sample:
        points = sample["keypoints"]
        parts["keypoints"] = np.column_stack(
            [points[:, :2], np.zeros((len(points), 3)), np.arange(len(points))]
        )
    return parts


def _as_ours(result: Any, sample: dict[Any, Any], name: str) -> dict[Any, Any]:
    """Return the sample with the parts of a result. Boxes that were left out become empty."""
    if not isinstance(result, dict) or "image" not in result:
        raise TypeError(
            f"{name} must return a dict with the parts of the sample, got {result!r}: return all of them"
        )
    out = sample | {part: result[part] for part in ("image", "mask", "masks") if part in sample}
    rows, columns = out["image"].shape[:2]
    if "boxes" in sample:
        kept = _rows_of(result["bboxes"], 5, name, "bboxes")
        boxes = np.zeros((len(sample["boxes"]), 4))
        boxes[kept[:, 4].astype(int)] = kept[:, :4] * (columns, rows, columns, rows)
        out["boxes"] = boxes
    if "keypoints" in sample:
        kept = _rows_of(result["keypoints"], 6, name, "keypoints")
        points = np.array(sample["keypoints"], np.float64)
        numbers = kept[:, 5].astype(int)
        lost = np.setdiff1d(np.arange(len(points)), numbers)
        if len(lost) and points.shape[1] < 3:
            raise ValueError(
                f"{name} left out keypoints, which remove_invisible=False keeps: return all of them, or leave it True"
            )
        points[lost, :2] = -1.0  # outside every image
        points[numbers, :2] = kept[:, :2]
        out["keypoints"] = points
    if OTHERS in sample:
        out[OTHERS] = Untouched((part, result.get(part)) for part in sample[OTHERS])
    return out


def _rows_of(rows: Any, count: int, name: str, target: str) -> Any:
    array = np.array(rows, np.float64)
    if not array.size:
        return np.zeros((0, count))
    if array.ndim != 2 or array.shape[1] != count:
        raise ValueError(
            f"{name} must return {target} of {count} columns, as it gets them, got the shape {array.shape}: return the columns "
            "after the coordinates unchanged"
        )
    return array


def is_original(thing: Any) -> bool:
    """Return whether a thing is a transform of albumentations itself, but no container."""
    return any(
        one.__name__ == "BasicTransform" and one.__module__.startswith("albumentations.")
        for one in type(thing).__mro__
    )
