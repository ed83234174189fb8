"""Named parts as a sample, and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe.reading import Edges, Untouched
from seedsafe_albumentations.params import BboxParams, KeypointParams
from seedsafe_albumentations.pytorch import ToTensorV2, stacked, tensor
from seedsafe_albumentations.rows import Rows, labels_of, split, to_points, to_rows

__all__ = ["OTHERS", "Call", "Parts"]

OTHERS: Final = "other arguments of the call"
"""The entry of a sample with a call's other arguments, which the user's own transforms may read."""

_NUMBERS: Final = "bboxes, numbers of rows"
_VOLUMES: Final = frozenset(("volume", "volumes", "mask3d", "masks3d"))
_KINDS: Final = ("image", "mask", "bboxes", "keypoints")


@dataclass
class Parts:
    """The parts that a pipeline takes.

    Args:
        bbox_params: the parameters of its boxes, or None if it takes none.
        keypoint_params: the parameters of its keypoints, or None if it takes none.
        additional: the names of further arguments, and what each is.
        asks_boxes: whether a transform chooses its window by the boxes; it gets an empty list of them from a call without boxes.
        own: whether a transform is the user's own, which may read the call's other arguments.
        check_shapes: whether further images must be as large as the first.

    Raises:
        ValueError: an additional target has an unknown kind.
    """

    bbox_params: BboxParams | None
    keypoint_params: KeypointParams | None
    additional: dict[str, str]
    asks_boxes: bool
    own: bool
    check_shapes: bool

    def __post_init__(self) -> None:
        self.kinds = {kind: kind for kind in _KINDS} | self.additional
        for name, kind in self.kinds.items():
            if kind not in _KINDS or (name == "image" and kind != "image"):
                raise ValueError(
                    f"additional_targets must be 'image', 'mask', 'bboxes' or 'keypoints', got {name!r}: {kind!r}: pass the "
                    "one that the argument is like"
                )
        self.boxes = None if self.bbox_params is None else self.bbox_params.boxes(_NUMBERS)
        self.keypoints = None if self.keypoint_params is None else self.keypoint_params.keypoints()
        self.names = {kind: [name for name, own in self.kinds.items() if own == kind] for kind in _KINDS}

    def call_of(self, data: dict[str, Any]) -> Call:
        """Return the parts of a call as a sample for seedsafe.

        Raises:
            ValueError: there is no image, or there are boxes or keypoints without their parameters.
        """
        for name in _VOLUMES & data.keys():
            if data[name] is not None and name not in self.kinds:
                raise ValueError(
                    f"{name}= holds volumes, which are not supported: pass slices as images= and masks="
                )
        images = [(name, data[name]) for name in self._named("image", data) if name != "image"]
        if data.get("images") is not None and "images" not in self.kinds:
            images += [("images", one) for one in data["images"]]
        first = data.get("image")
        if first is None:
            if not images:
                raise ValueError(f"a call needs image=, got {sorted(data)}: pass an image by that name")
            first = images[0][1]
        call = Call(self, {"image": first}, images)
        sizes = [one.shape[:2] for name, one in images if name == "images" or self.check_shapes]
        if any(size != first.shape[:2] for size in sizes):
            raise ValueError(
                f"images must have one height and width, got {[first.shape[:2], *sizes]}: resize them, or pass "
                "is_check_shapes=False to the Compose if the further ones of a call may differ"
            )
        self._add_masks(data, call)
        self._add_boxes(data, call)
        self._add_keypoints(data, call)
        if self.own:
            parts = {"image", "images", "masks", *self.kinds, *call.labels}
            call.sample[OTHERS] = Untouched((name, part) for name, part in data.items() if name not in parts)
        return call

    def _named(self, kind: str, data: dict[str, Any]) -> list[str]:
        """Return the names of a call's arguments of a kind."""
        return [name for name in self.names[kind] if data.get(name) is not None]

    def _add_masks(self, data: dict[str, Any], call: Call) -> None:
        """Add one mask as it is, and several as a list."""
        masks = [np.asarray(data[name]) for name in self._named("mask", data)]
        masks += [np.asarray(mask) for mask in data["masks"]] if data.get("masks") is not None else []
        if len({mask.shape[:2] for mask in masks}) > 1:
            raise ValueError(
                f"masks must have one height and width, got {[mask.shape for mask in masks]}: resize them"
            )
        if len(masks) == 1:
            call.sample["mask"] = masks[0]
        elif masks:
            call.sample["masks"] = masks

    def _rows(self, kind: str, data: dict[str, Any], params: Any, count: int, call: Call) -> Any:
        """Return the boxes or the keypoints of a call, or None."""
        names = self._named(kind, data)
        if not names:
            return None
        if params is None:
            which = "bbox" if kind == "bboxes" else "keypoint"
            raise ValueError(
                f"{names[0]} were passed to a Compose without {which}_params: pass "
                f"{which}_params={which.capitalize()}Params(format)"
            )
        rows = Rows(data, names, count)
        call.labels |= labels_of(params.label_fields, data, kind, rows)
        return rows

    def _add_boxes(self, data: dict[str, Any], call: Call) -> None:
        rows = call.boxes = self._rows("bboxes", data, self.bbox_params, 4, call)
        if rows is not None or self.asks_boxes:
            boxes = np.zeros((0, 4)).view(Edges) if rows is None else rows.first
            call.sample |= {"boxes": boxes, _NUMBERS: np.arange(len(boxes))}

    def _add_keypoints(self, data: dict[str, Any], call: Call) -> None:
        params = self.keypoint_params
        rows = call.points = self._rows("keypoints", data, params, len(params.format) if params else 2, call)
        if rows is not None and params is not None:
            call.posed = split(rows.first, params.format, params.angle_in_degrees)
            call.sample["keypoints"] = to_points(*call.posed, params.remove_invisible)


@dataclass
class Call:
    """The parts of one call, as a sample for seedsafe."""

    parts: Parts
    sample: dict[str, Any]
    images: list[tuple[str, Any]]
    boxes: Any = None
    points: Any = None
    posed: tuple[Any, Any, Any] = (None, None, None)
    labels: dict[str, Any] = field(default_factory=dict)

    def infos(self) -> dict[str, Any]:
        """Return the infos from which transforms draw."""
        image, mask = self.sample["image"], self.sample.get("mask")
        infos = {"image": ss.Info(image.shape, image.dtype, self.sample.get("boxes"))}
        return infos if mask is None else infos | {"mask": ss.Info(mask.shape, mask.dtype)}

    def result_of(
        self,
        data: dict[str, Any],
        result: Any,
        others: list[Any],
        to_tensor: ToTensorV2 | None,
        *,
        planes: bool = False,
    ) -> dict[str, Any]:
        """Return the result in the form of the call; with `planes`, the image's channels already come first."""
        image, mask = (to_tensor.image, to_tensor.mask) if to_tensor else (np.asarray, np.asarray)
        out: dict[str, Any] = data | result.get(OTHERS, {})
        further = [(name, image(other)) for (name, _), other in zip(self.images, others, strict=True)]
        out |= dict(further)
        if series := [other for name, other in further if name == "images"]:
            out["images"] = stacked(series, data["images"])
        if data.get("image") is not None:
            out["image"] = tensor(result["image"]) if planes and to_tensor else image(result["image"])
        masks = list(result["masks"]) if "masks" in result else [result.get("mask")]
        for name in self.parts.names["mask"]:
            if data.get(name) is not None:
                out[name] = mask(masks.pop(0))
        if data.get("masks") is not None:
            out["masks"] = stacked([mask(one) for one in masks if one is not None], data["masks"])
        if self.boxes is not None:
            self._return_rows(out, self.boxes, result["boxes"], result[_NUMBERS], self.parts.bbox_params)
        params = self.parts.keypoint_params
        if self.points is not None and params is not None:
            points = result["keypoints"]
            before, angles, scales = self.posed
            first = to_rows(points, before, angles, scales, params.format, params.angle_in_degrees)
            inside = points[: len(first), 2] != 0 if params.remove_invisible else np.ones(len(first), bool)
            self._return_rows(out, self.points, first[inside], np.flatnonzero(inside), params)
        return out

    def _return_rows(self, out: dict[str, Any], rows: Rows, first: Any, numbers: Any, params: Any) -> None:
        by_name, kept = rows.select(first, numbers)
        out |= by_name
        out |= {name: _pick(self.labels[name], kept) for name in params.label_fields or ()}


def _pick(values: Any, rows: list[int]) -> Any:
    """Return the labels of these rows, as a list, a tuple or an array as before."""
    if isinstance(values, list | tuple):
        return type(values)([values[row] for row in rows])
    return values[rows]
