"""The parts of a call, as albumentations names and writes them, as a sample for seedsafe, and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.params import BboxParams, KeypointParams
from seedsafe_albumentations.pytorch import ToTensorV2

__all__ = ["Parts"]

_BOXES_MORE: Final = "bboxes, further columns"
_POINTS_MORE: Final = "keypoints, further columns"
_KINDS: Final = ("image", "mask")


class Parts:
    """What a pipeline is called with.

    Args:
        bbox_params: of its boxes; None if it takes none.
        keypoint_params: of its keypoints; None if it takes none.
        additional: further arguments, by what they are.

    Raises:
        ValueError: an additional target is neither an image nor a mask.
    """

    def __init__(
        self,
        bbox_params: BboxParams | None,
        keypoint_params: KeypointParams | None,
        additional: dict[str, str],
    ) -> None:
        for name, kind in additional.items():
            if kind not in _KINDS:
                raise ValueError(
                    f"additional_targets must be 'image' or 'mask', got {name!r}: {kind!r}: put all boxes into bboxes, and all "
                    "keypoints into keypoints, with a label that tells them apart"
                )
        self.bbox_params = bbox_params
        self.keypoint_params = keypoint_params
        self.boxes = None if bbox_params is None else bbox_params.boxes(_BOXES_MORE)
        self.keypoints = None if keypoint_params is None else keypoint_params.keypoints(_POINTS_MORE)
        self.asks_boxes = False
        self._images = [name for name, kind in additional.items() if kind == "image"]
        self._masks = ["mask", *(name for name, kind in additional.items() if kind == "mask")]

    def entered(self, data: dict[str, Any]) -> Entered:
        """Return the parts of a call as a sample for seedsafe.

        Raises:
            ValueError: there is no image, or there are boxes or keypoints without their parameters.
        """
        if "image" not in data:
            raise ValueError(f"a call needs image=, got {sorted(data)}")
        sample: dict[str, Any] = {"image": data["image"]}
        found = Entered(self, sample)
        self._add_masks(data, sample, found)
        self._add_boxes(data, sample)
        self._add_keypoints(data, sample)
        found.images = [data[name] for name in self._images if name in data]
        found.infos = {
            name: ss.Info(part.shape, part.dtype)
            for name, part in sample.items()
            if name in ("image", "mask")
        }
        if "boxes" in sample:
            found.infos["image"] = ss.Info(sample["image"].shape, sample["image"].dtype, sample["boxes"])
        return found

    def _add_masks(self, data: dict[str, Any], sample: dict[str, Any], found: Entered) -> None:
        """Put all masks into one, channel by channel: what moves one moves all."""
        masks = [data[name] for name in self._masks if data.get(name) is not None]
        masks += list(data["masks"]) if data.get("masks") is not None else []
        if len(masks) == 1:
            sample["mask"] = np.asarray(masks[0])
        elif masks:
            arrays = [np.asarray(mask) for mask in masks]
            size = arrays[0].shape[:2]
            if any(array.shape[:2] != size for array in arrays):
                raise ValueError(
                    f"masks must have one height and width, got {[array.shape for array in arrays]}"
                )
            together = np.result_type(*[np.uint8 if array.dtype == bool else array.dtype for array in arrays])
            sample["mask"] = np.concatenate(
                [array.reshape(*size, -1).astype(together, copy=False) for array in arrays], axis=2
            )
        found.masks = [(mask.dtype, mask.shape[2:]) for mask in map(np.asarray, masks)]

    def _add_boxes(self, data: dict[str, Any], sample: dict[str, Any]) -> None:
        params = self.bbox_params
        if "bboxes" not in data:
            if self.asks_boxes:
                sample["boxes"], sample[_BOXES_MORE] = _columns([], 4)
            return
        if params is None:
            raise ValueError(
                "bboxes were passed to a Compose without bbox_params: pass bbox_params=BboxParams(format)"
            )
        sample["boxes"], sample[_BOXES_MORE] = _columns(data["bboxes"], 4)
        _add_labels(params.label_fields, data, sample, "bboxes")

    def _add_keypoints(self, data: dict[str, Any], sample: dict[str, Any]) -> None:
        params = self.keypoint_params
        if "keypoints" not in data:
            return
        if params is None:
            raise ValueError(
                "keypoints were passed to a Compose without keypoint_params: pass keypoint_params=KeypointParams(format)"
            )
        points, sample[_POINTS_MORE] = _columns(data["keypoints"], 2)
        sample["keypoints"] = points[:, ::-1].copy() if params.format == "yx" else points
        _add_labels(params.label_fields, data, sample, "keypoints")


def _columns(rows: Any, count: int) -> tuple[Any, list[Any]]:
    """Return the first columns of boxes or keypoints as floats, and what else is in each row."""
    if isinstance(rows, np.ndarray):
        rows = rows.reshape(-1, rows.shape[-1] if rows.ndim > 1 else count)
        return rows[:, :count].astype(np.float64), [tuple(row[count:].tolist()) for row in rows]
    given = [tuple(row) for row in rows]
    return np.array([row[:count] for row in given], np.float64).reshape(-1, count), [
        row[count:] for row in given
    ]


def _add_labels(names: Any, data: dict[str, Any], sample: dict[str, Any], what: str) -> None:
    for name in names or ():
        if name not in data:
            raise ValueError(f"{name!r} is a label field of {what}, but was not passed: pass {name}=")
        sample[name] = data[name]


@dataclass
class Entered:
    """The parts of one call, as a sample for seedsafe."""

    parts: Parts
    sample: dict[str, Any]
    images: list[Any] = field(default_factory=list)
    masks: list[tuple[Any, tuple[int, ...]]] = field(default_factory=list)
    infos: dict[str, Any] = field(default_factory=dict)

    def returned(
        self, data: dict[str, Any], made: Any, others: list[Any], to_tensor: ToTensorV2 | None
    ) -> dict[str, Any]:
        """Return the result in the form of the call."""
        out = dict(data)
        image = to_tensor.image if to_tensor else _same
        out["image"] = image(made["image"])
        for name, other in zip([n for n in self.parts._images if n in data], others, strict=True):
            out[name] = image(other)
        masks = self._split(made)
        mask = to_tensor.mask if to_tensor else _same
        for name in self.parts._masks:
            if data.get(name) is not None:
                out[name] = mask(masks.pop(0))
        if data.get("masks") is not None:
            whole = isinstance(data["masks"], np.ndarray)
            out["masks"] = np.stack(masks) if whole and to_tensor is None else [mask(one) for one in masks]
        if "bboxes" in data:
            out["bboxes"] = _rows(made["boxes"], made[_BOXES_MORE], data["bboxes"])
            self._return_labels(self.parts.bbox_params, out, made)
        if "keypoints" in data:
            points = made["keypoints"]
            params = self.parts.keypoint_params
            points = points[:, ::-1] if params is not None and params.format == "yx" else points
            out["keypoints"] = _rows(points, made[_POINTS_MORE], data["keypoints"])
            self._return_labels(params, out, made)
        return out

    def _split(self, made: Any) -> list[Any]:
        """Return the masks that one mask was made of."""
        if len(self.masks) < 2:
            return [made["mask"]] if self.masks else []
        found, begin = [], 0
        for dtype, channels in self.masks:
            count = int(np.prod(channels, dtype=int))
            part = made["mask"][:, :, begin : begin + count].astype(dtype)
            found.append(np.ascontiguousarray(part.reshape(*part.shape[:2], *channels)))
            begin += count
        return found

    @staticmethod
    def _return_labels(params: Any, out: dict[str, Any], made: Any) -> None:
        for name in params.label_fields or ():
            out[name] = made[name]


def _same(array: Any) -> Any:
    return array


def _rows(first: Any, more: list[Any], given: Any) -> Any:
    """Return boxes or keypoints in the form in which they were given: an array, or a list of tuples."""
    if isinstance(given, np.ndarray):
        rest = np.array(more, np.float64).reshape(len(first), -1)
        return np.concatenate([first, rest], axis=1).astype(
            given.dtype if given.dtype.kind == "f" else np.float64
        )
    return [(*row, *rest) for row, rest in zip(first.tolist(), more, strict=True)]
