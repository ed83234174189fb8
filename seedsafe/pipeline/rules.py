"""Rules of a pipeline for boxes and keypoints: what happens to them on the way in, after each transform, and on the way out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from seedsafe.ground.info import Array, Info, Infos
from seedsafe.pipeline.boxes import Boxes, area, from_edges, to_edges
from seedsafe.pipeline.keypoints import Keypoints
from seedsafe.pipeline.labels import joined_rows, of_rows, require_labels

__all__ = ["Ruled", "Rules", "image_info", "mirrors", "with_boxes"]

Move = Callable[[Array], Array]
"""Moves points (N, 2), float64, as a transform moves keypoints."""


class Rules:
    """The Boxes and the Keypoints of a pipeline: of the Compose that has them, wherever it stands in it."""

    __slots__ = ("boxes", "keypoints", "keys", "last", "mixed", "mixes", "side", "some", "spatial", "video")

    def __init__(self) -> None:
        self.boxes: Boxes | None = None
        self.keypoints: Keypoints | None = None
        self.some = False
        """Whether there are any."""
        self.spatial = False
        """Whether a transform of the pipeline moves pixels."""
        self.video = False
        """Whether a transform of the pipeline takes videos alone, so that an array by itself is one."""
        self.last = False
        """Whether images have their channels last, whatever their shapes look like."""
        self.side = 0
        """Images with fewer rows need a look whether these are channels."""
        self.keys: frozenset[Any] = frozenset()
        """Of the dict that was looked at last; see `unnamed.look`."""
        self.mixes = False
        """Whether a transform of the pipeline mixes samples."""
        self.mixed: dict[str, int | None] = {}
        """The entries with labels that are mixed, and the number of their classes, if it was given."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The entries of a sample that belong to it: they may get shorter, or are mixed."""
        parts = (self.boxes, self.keypoints)
        return (*(name for part in parts if part is not None for name in part.labels), *self.mixed)

    def mix(self, label: str | None, classes: int | None) -> None:
        """Note that a transform mixes samples, and their labels.

        Raises:
            ValueError: another one has another number of classes, or the label belongs to boxes or keypoints.
        """
        self.mixes = True
        if label is None:
            return
        known = self.mixed.setdefault(label, classes)
        if None not in (known, classes) and known != classes:
            raise ValueError(
                f"classes must be one number for the label {label!r} in the whole pipeline, got {known} and {classes}"
            )
        self.mixed[label] = classes if known is None else known
        self.check_labels()

    def look(self, *, spatial: bool = False, last: bool = False) -> None:
        """Note that a transform moves pixels, or that images have their channels last."""
        self.spatial |= spatial
        self.last |= last
        self.side = 5 if self.spatial and not self.last else 0

    def add(self, boxes: Boxes | None, keypoints: Keypoints | None) -> None:
        """Take what a Compose has.

        Raises:
            ValueError: another Compose of the pipeline has something else.
        """
        self.boxes = _one("boxes", self.boxes, boxes)
        self.keypoints = _one("keypoints", self.keypoints, keypoints)
        self.some = self.boxes is not None or self.keypoints is not None
        self.check_labels()

    def check_labels(self) -> None:
        """Raise an error if an entry is a label of two things."""
        twice = {name for name in self.labels if self.labels.count(name) > 1}
        if twice:
            raise ValueError(
                f"labels must belong to boxes or to keypoints or to the whole sample, got {sorted(twice)} for two of these: use two "
                "entries"
            )

    def entered(self, sample: dict[Any, Any], info: Info | None) -> dict[Any, Any]:
        """Return a sample on its way in; `info` is that of its image, for one without.

        Raises:
            ValueError: boxes or keypoints cannot be what the rules say, or the image's size is not known.
        """
        if not ((self.boxes and "boxes" in sample) or (self.keypoints and "keypoints" in sample)):
            return sample
        return Ruled(self, sample, _size(sample, info))

    def infos_entered(self, infos: Infos) -> Infos:
        """Return the description of a sample on its way in."""
        if self.video and isinstance(infos, Info):
            infos = {"video": infos}
        info = image_info(infos)
        if self.boxes is None or info is None or info.given_boxes is None:
            return infos
        edges, keep = self.boxes.entered(info.given_boxes, info.image_size())
        return with_boxes(infos, edges[keep])

    def boxes_moved(
        self, before: Array, after: Array, size: tuple[int, int], move: Move | None
    ) -> tuple[Array, Array]:
        """Return boxes that a transform has moved, cut off at the image's edges, and which of them are kept.

        Args:
            before: (N, 4 or more) float64, as they were.
            after: the same as the transform has left them, perhaps cut off.
            size: the height and width of the image that the transform has made.
            move: see Move; None where that is not known, and nothing is cut off.
        """
        assert self.boxes is not None
        cut = move is not None and self.boxes.min_visibility > 0
        whole = area(_uncut(before, after, size, move) if cut else after)  # type: ignore[arg-type]  # not None
        return self.boxes.kept(after, whole, size)


def image_info(infos: Infos) -> Info | None:
    """Return the info of a sample's image, of its mask, or of each frame of its video."""
    if isinstance(infos, Info):
        return infos
    video = infos.get("video")
    return infos.get("image", infos.get("mask", None if video is None else video.frame()))


def with_boxes(infos: Infos, boxes: Array | None) -> Infos:
    """Return a description with other boxes."""
    if isinstance(infos, Info):
        return infos.with_boxes(boxes)
    return {name: one.with_boxes(boxes) for name, one in infos.items()}


def mirrors(move: Move, size: tuple[int, int]) -> bool:
    """Return whether a transform mirrors an image of this height and width: right-angled axes in its middle turn about."""
    x, y = (size[1] - 1) / 2, (size[0] - 1) / 2
    middle, right, below = move(np.array([[x, y], [x + 1, y], [x, y + 1]], np.float64))[:, :2]
    across, down = right - middle, below - middle
    return bool(across[0] * down[1] - across[1] * down[0] < 0)


def _one(name: str, old: Any, new: Any) -> Any:
    if old is not None and new is not None and old != new:
        raise ValueError(
            f"{name}= describes the samples of the whole pipeline, but two of its Composes differ, {old!r} and {new!r}: "
            f"pass {name}= to the outermost alone"
        )
    return new if old is None else old


def _size(sample: dict[Any, Any], info: Info | None) -> tuple[int, int]:
    for target in ("image", "mask"):
        if target in sample:
            return Info(sample[target].shape).image_size()
    if "video" in sample:
        return Info(sample["video"].shape).frame().image_size()
    if len(sample.get("masks", ())):
        return Info(sample["masks"][0].shape).image_size()
    if info is None:
        raise ValueError(
            f"boxes and keypoints need an image or a mask beside them, got {list(sample)}: give the whole sample, or pass info="
        )
    return info.image_size()


def _uncut(before: Array, after: Array, size: tuple[int, int], move: Move) -> Array:
    """Return moved boxes as they would be if they had not been cut off at the image's edges: where they end at an edge, the
    moved corners say how far they reached.
    """
    x0, y0, x1, y1 = before[:, :4].T
    corners = np.stack([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]).transpose(2, 0, 1)  # (N, 4 corners, 2)
    # Boxes end at the edges of pixels, and keypoints are at their centres.
    moved = (move(corners.reshape(-1, 2) - 0.5) + 0.5).reshape(-1, 4, 2)
    whole = after[:, :4].copy()
    low, high = moved.min(axis=1), moved.max(axis=1)
    limit = np.array([size[1], size[0]], np.float64)
    whole[:, :2] = np.where(after[:, :2] == 0, np.minimum(low, 0.0), after[:, :2])
    whole[:, 2:4] = np.where(after[:, 2:4] == limit, np.maximum(high, limit), after[:, 2:4])
    empty = area(after) == 0  # of which the edges say nothing
    whole[empty] = np.concatenate([low, high], axis=1)[empty]
    return whole


class Ruled(dict[Any, Any]):
    """A sample under rules on its way through a pipeline."""

    __slots__ = ("_entry", "_follow", "_given", "_rows", "_rules", "_written", "size")

    def __init__(self, rules: Rules, sample: dict[Any, Any], size: tuple[int, int]) -> None:
        super().__init__(sample)
        self._rules = rules
        self._entry = self.size = size
        boxes, points = rules.boxes, rules.keypoints
        if boxes is not None and "boxes" in sample:
            written = self["boxes"]
            require_labels(sample, boxes.labels, "boxes", len(written))
            self._written, self._given = written, to_edges(written, boxes.format, size)
            self._rows = np.arange(len(written))
            # What mixes samples puts objects together: their masks go with their boxes.
            instances = rules.mixes and len(sample.get("masks", ())) == len(written)
            self._follow = (*boxes.labels, "masks") if instances and "masks" in sample else boxes.labels
            self._set_boxes(*boxes.entered(written, size))
        if points is not None and "keypoints" in sample:
            require_labels(sample, points.labels, "keypoints", len(sample["keypoints"]))
            self._set_points(*points.kept(self["keypoints"], size))

    def copy(self) -> dict[Any, Any]:
        """Return the parts as they are, without the rules."""
        return dict(self)

    def moved(self, name: str, before: dict[Any, Any], size: tuple[int, int], move: Move | None) -> None:
        """Apply the rules to what a transform has moved.

        Args:
            name: the transform's.
            before: the sample as it was.
            size: the height and width of the image that it has made.
            move: see Move; None where that is not known.

        Raises:
            ValueError: rows were taken away, so that their labels would no longer fit.
        """
        entered, self.size = self.size, size
        boxes, points = self._rules.boxes, self._rules.keypoints
        if boxes is not None and "boxes" in before:
            _require_rows(name, "boxes", self, before)
            after = np.asarray(self["boxes"], np.float64)
            self._set_boxes(*self._rules.boxes_moved(before["boxes"], after, size, move))
        if points is not None and "keypoints" in before:
            _require_rows(name, "keypoints", self, before)
            if points.pairs:
                self._mirror(name, points, before, entered, move)
            self._set_points(*points.kept(self["keypoints"], size))

    def left(self) -> dict[Any, Any]:
        """Return the sample on its way out."""
        boxes = self._rules.boxes
        if boxes is not None and "boxes" in self:
            edges, rows, written = self["boxes"], self._rows, self._written
            result = from_edges(edges, boxes.format, self.size)
            if self.size == self._entry:  # what was not moved is written with the very same numbers
                same = (edges[:, :4] == self._given[rows, :4]).all(axis=1)
                result[same, :4] = written[rows[same], :4]
            self["boxes"] = result.astype(written.dtype if written.dtype.kind == "f" else np.float64)
        return dict(self)

    def _set_boxes(self, edges: Array, keep: Array) -> None:
        assert self._rules.boxes is not None
        self["boxes"] = edges[keep]
        self._rows = self._rows[keep]
        for name in self._follow:
            self[name] = of_rows(self[name], keep)

    def joined(
        self, others: Sequence[Mapping[Any, Any]], edges: Array, whole: Array, size: tuple[int, int]
    ) -> None:
        """Take the boxes of other samples, and the labels of these.

        Args:
            others: the other samples, with the boxes and labels that are taken.
            edges: of this sample's boxes and of all others', (N, 4 or more) float64, where they are now.
            whole: their areas before anything was cut off.
            size: the height and width of the image.
        """
        assert self._rules.boxes is not None
        more = len(edges) - len(self["boxes"])
        blank = np.full(
            (more, edges.shape[1]), np.nan
        )  # equal to nothing: these are not the sample's own numbers
        self._rows = np.concatenate([self._rows, np.arange(len(self._given), len(self._given) + more)])
        self._given = np.concatenate([self._given, blank])
        self._written = np.concatenate([self._written, np.zeros(blank.shape, self._written.dtype)])
        for name in self._rules.boxes.labels:
            self[name] = joined_rows([self[name], *(other[name] for other in others)])
        self.size = size
        self._set_boxes(*self._rules.boxes.kept(edges, whole, size))

    def _set_points(self, points: Array, keep: Array) -> None:
        assert self._rules.keypoints is not None
        self["keypoints"] = points if keep.all() else points[keep]
        for name in self._rules.keypoints.labels:
            self[name] = of_rows(self[name], keep)

    def _mirror(
        self, name: str, points: Keypoints, before: dict[Any, Any], size: tuple[int, int], move: Move | None
    ) -> None:
        if move is None:
            if not np.array_equal(self["keypoints"], before["keypoints"]):
                raise ValueError(
                    f"{name} moved keypoints, and may have mirrored them: use a transform of this library, or leave pairs= out"
                )
        elif mirrors(move, size):
            if points.labels:
                self[points.labels[0]] = points.mirrored_names(self[points.labels[0]])
            else:
                self["keypoints"] = points.mirrored_rows(self["keypoints"])


def _require_rows(name: str, target: str, after: Ruled, before: dict[Any, Any]) -> None:
    if len(after[target]) != len(before[target]):
        raise ValueError(
            f"{name} made {len(after[target])} {target} of {len(before[target])}, so that labels would no longer match: "
            "keep all rows; those with nothing left are dropped afterwards"
        )
