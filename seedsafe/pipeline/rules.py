"""Rules of a pipeline for boxes and keypoints.

They apply on the way in, after each transform, and on the way out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from seedsafe.ground.info import Array, Info, Infos
from seedsafe.pipeline.boxes import Boxes, area, from_edges, to_edges
from seedsafe.pipeline.keypoints import Keypoints
from seedsafe.pipeline.labels import concatenate, require_labels, select

__all__ = ["RuledSample", "Rules", "image_info", "mirrors", "with_boxes"]

Move = Callable[[Array], Array]
"""Moves points (N, 2), float64, like a transform moves keypoints."""


@dataclass(slots=True, eq=False)
class Rules:
    """The Boxes and Keypoints of a pipeline, from whichever of its Composes has them, and its other properties."""

    boxes: Boxes | None = None
    keypoints: Keypoints | None = None
    some: bool = False
    """Whether there are Boxes or Keypoints."""
    spatial: bool = False
    """Whether a transform of the pipeline moves pixels."""
    may_move: bool = False
    """Whether a transform of another library may move pixels."""
    video: bool = False
    """Whether a transform of the pipeline takes only videos, so a sample that is an array is one."""
    last: bool = False
    """Whether images have their channels last, whatever their shapes look like."""
    hears: bool = False
    """Whether a transform of the pipeline takes audio."""
    shifts: str = ""
    """The name of the first transform that moves audio in time."""
    bands: float = inf
    """If an image has more channels, `check_last` must check that they are not columns."""
    checks: tuple[Callable[[dict[Any, Any]], None], ...] = ()
    """What to check of a dict besides its single targets."""
    unchecked_calls: int = 0
    """How many of the calls inside reads are still to be checked for the values of floats."""
    mixer: str | None = None
    """The name of the first transform of the pipeline that mixes samples."""
    mixing_root: Callable[..., Any] | None = None
    """Makes the root of a pipeline that mixes samples, from its chain, its rules, the samples to mix with, and whether it is part of
    another."""
    mixed_labels: dict[str, int | None] = field(default_factory=dict[str, int | None])
    """The entries with labels that are mixed, and the number of their classes, or None."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The entries of a sample with labels, of boxes and keypoints or of the sample itself."""
        parts = (self.boxes, self.keypoints)
        return (*(name for part in parts if part is not None for name in part.labels), *self.mixed_labels)

    @property
    def asks(self) -> bool:
        """Whether pixels or frames move, or may move, so that parts must be named to follow."""
        return self.spatial or self.video or self.may_move

    def mix(self, name: str, root: Callable[..., Any], label: str | None, classes: int | None) -> None:
        """Note that a transform mixes samples and their label.

        Args:
            name: the transform's name.
            root: see `mixing_root`.
            label: the entry with the label, or None.
            classes: the number of its classes, or None.

        Raises:
            ValueError: another transform has a different number of classes, or the label belongs to boxes or keypoints.
        """
        self.mixer, self.mixing_root = self.mixer or name, root
        if label is None:
            return
        before = self.mixed_labels.setdefault(label, classes)
        if None not in (before, classes) and before != classes:
            raise ValueError(
                f"classes must be one number for the label {label!r} in the whole pipeline, got {before} and {classes}: "
                "pass the same to all transforms"
            )
        self.mixed_labels[label] = classes if before is None else before
        self.check_labels()

    def look(self, *, spatial: bool = False, last: bool = False) -> None:
        """Note that a transform moves pixels, or that images have their channels last."""
        self.spatial |= spatial
        self.last |= last
        self.bands = 4 if self.spatial and not self.last else inf

    def add(self, boxes: Boxes | None, keypoints: Keypoints | None) -> None:
        """Add the Boxes and Keypoints of a Compose.

        Raises:
            ValueError: another Compose of the pipeline has different ones.
        """
        self.boxes = _agreed("boxes", self.boxes, boxes)
        self.keypoints = _agreed("keypoints", self.keypoints, keypoints)
        self.some = self.boxes is not None or self.keypoints is not None
        self.check_labels()

    def check_labels(self) -> None:
        """Raise an error if an entry has two roles."""
        repeated = {name for name in self.labels if self.labels.count(name) > 1}
        if repeated:
            raise ValueError(
                f"labels must belong to boxes, to keypoints or to the whole sample, got {sorted(repeated)} for two of these: use two "
                "entries"
            )

    def enter(self, sample: dict[Any, Any], info: Info | None) -> dict[Any, Any]:
        """Apply the rules to a sample on its way in. `info` describes its image, if it has none.

        Raises:
            ValueError: boxes or keypoints break the rules, or the image's size is unknown.
        """
        if not ((self.boxes and "boxes" in sample) or (self.keypoints and "keypoints" in sample)):
            return sample
        return RuledSample(self, sample, _size(sample, info))

    def enter_infos(self, infos: Infos) -> Infos:
        """Apply the rules to the description of a sample on its way in."""
        if self.video and isinstance(infos, Info):
            infos = {"video": infos}
        info = image_info(infos)
        if self.boxes is None or info is None or info.given_boxes is None:
            return infos
        edges, keep = self.boxes.entered(info.given_boxes, info.image_size())
        return with_boxes(infos, edges[keep])

    def check_infos(self, infos: Infos) -> Infos:
        """Drop boxes below the limits from the description of a sample."""
        info = image_info(infos)
        if self.boxes is None or not self.boxes.limited or info is None or info.given_boxes is None:
            return infos
        return with_boxes(infos, info.given_boxes[self.boxes.large(info.given_boxes, info.image_size())])

    def keep_boxes(
        self, before: Array, after: Array, size: tuple[int, int], move: Move | None
    ) -> tuple[Array, Array]:
        """Return boxes that a transform has moved, cut off at the image's edges, and a mask of those to keep.

        Args:
            before: the boxes before the transform, (N, 4 or more) float64.
            after: the boxes after the transform, which may have cut them off.
            size: the height and width of the image after the transform.
            move: see Move; None if the transform cannot tell, and has cut off nothing.
        """
        assert self.boxes is not None
        checked = self.boxes.check_each_transform
        uncut = after
        if move is not None and (self.boxes.min_visibility > 0 or not checked):
            uncut = np.concatenate([_uncut(before, after, size, move), after[:, 4:]], axis=1)
        return (
            self.boxes.kept(after, area(uncut), size) if checked else (uncut, np.ones(len(after), np.bool_))
        )


def image_info(infos: Infos) -> Info | None:
    """Return the info of a sample's image, of its mask, or of one frame of its video."""
    if isinstance(infos, Info):
        return infos
    video = infos.get("video")
    return infos.get("image", infos.get("mask", None if video is None else video.frame()))


def with_boxes(infos: Infos, boxes: Array | None) -> Infos:
    """Return a description with other boxes."""
    if isinstance(infos, Info):
        return infos.with_boxes(boxes)
    return {name: info.with_boxes(boxes) for name, info in infos.items()}


def mirrors(move: Move, size: tuple[int, int]) -> bool:
    """Return whether a transform mirrors an image of this height and width: whether axes in its middle change handedness."""
    x, y = (size[1] - 1) / 2, (size[0] - 1) / 2
    middle, right, below = move(np.array([[x, y], [x + 1, y], [x, y + 1]], np.float64))[:, :2]
    across, down = right - middle, below - middle
    return bool(across[0] * down[1] - across[1] * down[0] < 0)


def _agreed(name: str, old: Any, new: Any) -> Any:
    if old is not None and new is not None and old != new:
        raise ValueError(
            f"{name}= must be one for the whole pipeline, got {old!r} and {new!r} in two of its Composes: "
            f"pass {name}= to the outermost alone"
        )
    return new if old is None else old


def _size(sample: dict[Any, Any], info: Info | None) -> tuple[int, int]:
    infos = {name: Info(sample[name].shape) for name in ("image", "mask", "video") if name in sample}
    if not infos and len(sample.get("masks", ())):
        infos = {"mask": Info(sample["masks"][0].shape)}
    found = image_info(infos) or info
    if found is None:
        raise ValueError(
            f"boxes and keypoints need an image or a mask in the sample, got {list(sample)}: pass the whole sample, or info="
        )
    return found.image_size()


def _uncut(before: Array, after: Array, size: tuple[int, int], move: Move) -> Array:
    """Return moved boxes without the cut at the image's edges: beyond an edge, they reach as far as their moved corners."""
    x0, y0, x1, y1 = before[:, :4].T
    corners = np.stack([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]).transpose(2, 0, 1)  # (N, 4 corners, 2)
    # Boxes end at the edges of pixels, and keypoints lie at their centres.
    moved = (move(corners.reshape(-1, 2) - 0.5) + 0.5).reshape(-1, 4, 2)
    whole = after[:, :4].copy()
    low, high = moved.min(axis=1), moved.max(axis=1)
    limit = np.array([size[1], size[0]], np.float64)
    # A side that was cut off lies exactly on an edge of the image.
    whole[:, :2] = np.where(after[:, :2] == 0, np.minimum(low, 0.0), after[:, :2])
    whole[:, 2:4] = np.where(after[:, 2:4] == limit, np.maximum(high, limit), after[:, 2:4])
    empty = area(after) == 0  # their edges say nothing
    whole[empty] = np.concatenate([low, high], axis=1)[empty]
    return whole


class RuledSample(dict[Any, Any]):
    """A sample under rules in a pipeline."""

    __slots__ = ("_edges", "_follow", "_indices", "_own_boxes", "_rules", "_size", "size")

    def __init__(self, rules: Rules, sample: dict[Any, Any], size: tuple[int, int]) -> None:
        super().__init__(sample)
        self._rules = rules
        self._size = self.size = size
        boxes, points = rules.boxes, rules.keypoints
        if boxes is not None and "boxes" in sample:
            own = self["boxes"]
            require_labels(sample, boxes.labels, "boxes", len(own))
            self._own_boxes, self._edges = own, to_edges(own, boxes.format, size)
            self._indices = np.arange(len(own))
            # Transforms that mix samples combine their objects, so the masks follow the boxes.
            instances = rules.mixer is not None and len(sample.get("masks", ())) == len(own)
            self._follow = (*boxes.labels, "masks") if instances and "masks" in sample else boxes.labels
            self._set_boxes(*boxes.entered(own, size))
        if points is not None and "keypoints" in sample:
            require_labels(sample, points.labels, "keypoints", len(sample["keypoints"]))
            if points.check_each_transform:
                self._set_points(*points.kept(self["keypoints"], size))

    def copy(self) -> dict[Any, Any]:
        """Return the parts as a plain dict, without the rules."""
        return dict(self)

    def after_move(self, name: str, before: dict[Any, Any], size: tuple[int, int], move: Move | None) -> None:
        """Apply the rules after a transform has moved boxes and keypoints.

        Args:
            name: the transform's name.
            before: the sample before the transform.
            size: the height and width of the image after the transform.
            move: see Move; None if the transform cannot tell.

        Raises:
            ValueError: the transform removed rows, so their labels would no longer match.
        """
        old_size, self.size = self.size, size
        boxes, points = self._rules.boxes, self._rules.keypoints
        if boxes is not None and "boxes" in before:
            _require_rows(name, "boxes", self, before)
            after = np.asarray(self["boxes"], np.float64)
            self._set_boxes(*self._rules.keep_boxes(before["boxes"], after, size, move))
        if points is not None and "keypoints" in before:
            _require_rows(name, "keypoints", self, before)
            if points.pairs:
                self._mirror(name, points, before, old_size, move)
            if points.check_each_transform:
                self._set_points(*points.kept(self["keypoints"], size))

    def check(self) -> None:
        """Drop boxes below the limits, also where no transform has moved them."""
        boxes = self._rules.boxes
        if boxes is not None and boxes.limited and "boxes" in self:
            self._set_boxes(self["boxes"], boxes.large(self["boxes"], self.size))

    def leave(self) -> dict[Any, Any]:
        """Return the sample on its way out."""
        boxes, points = self._rules.boxes, self._rules.keypoints
        self.check()
        if points is not None and "keypoints" in self and not points.check_each_transform:
            self._set_points(*points.kept(self["keypoints"], self.size))
        if boxes is not None and "boxes" in self:
            if not boxes.check_each_transform:
                self._set_boxes(*boxes.kept(self["boxes"], area(self["boxes"]), self.size))
            edges, indices, own = self["boxes"], self._indices, self._own_boxes
            result = from_edges(edges, boxes.out or boxes.format, self.size)
            has_format = boxes.out in (None, boxes.format)
            if self.size == self._size and has_format:
                # a box that nothing moved gets exactly its own numbers back
                same = (edges[:, :4] == self._edges[indices, :4]).all(axis=1)
                result[same, :4] = own[indices[same], :4]
            self["boxes"] = result.astype(own.dtype if own.dtype.kind == "f" else np.float64)
        return dict(self)

    def _set_boxes(self, edges: Array, keep: Array) -> None:
        assert self._rules.boxes is not None
        self["boxes"] = edges[keep]
        self._indices = self._indices[keep]
        for name in self._follow:
            self[name] = select(self[name], keep)

    def join(
        self, others: Sequence[Mapping[Any, Any]], edges: Array, whole: Array, size: tuple[int, int]
    ) -> None:
        """Add the boxes of other samples, and their labels.

        Args:
            others: the other samples, with the labels to add.
            edges: the boxes of this sample and all others after the mix, (N, 4 or more) float64.
            whole: their areas before anything was cut off.
            size: the height and width of the image.
        """
        assert self._rules.boxes is not None
        more = len(edges) - len(self["boxes"])
        blank = np.full((more, edges.shape[1]), np.nan)  # equal to nothing: `leave` then converts these boxes
        self._indices = np.concatenate([self._indices, np.arange(len(self._edges), len(self._edges) + more)])
        self._edges = np.concatenate([self._edges, blank])
        self._own_boxes = np.concatenate([self._own_boxes, np.zeros(blank.shape, self._own_boxes.dtype)])
        for name in self._rules.boxes.labels:
            self[name] = concatenate([self[name], *(partner[name] for partner in others)])
        self.size = size
        self._set_boxes(*self._rules.boxes.kept(edges, whole, size))

    def _set_points(self, points: Array, keep: Array) -> None:
        assert self._rules.keypoints is not None
        self["keypoints"] = points if keep.all() else points[keep]
        for name in self._rules.keypoints.labels:
            self[name] = select(self[name], keep)

    def _mirror(
        self, name: str, points: Keypoints, before: dict[Any, Any], size: tuple[int, int], move: Move | None
    ) -> None:
        if move is None:
            if not np.array_equal(self["keypoints"], before["keypoints"]):
                raise ValueError(
                    f"{name} moved keypoints and may have mirrored them: use a transform of this library, or leave pairs= out"
                )
        elif mirrors(move, size):
            if points.labels:
                self[points.labels[0]] = points.mirrored_names(self[points.labels[0]])
            else:
                self["keypoints"] = points.mirrored_rows(self["keypoints"])


def _require_rows(name: str, target: str, after: RuledSample, before: dict[Any, Any]) -> None:
    if len(after[target]) != len(before[target]):
        raise ValueError(
            f"{name} must keep all {len(before[target])} {target}, so that labels match, got {len(after[target])}: "
            "return all rows; those with nothing left are dropped afterwards"
        )
