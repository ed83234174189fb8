"""Keypoints: outside the image, and in mirrored images."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from seedsafe.ground.checks import choice, flag
from seedsafe.ground.info import Array
from seedsafe.pipeline.labels import label_names
from seedsafe.pipeline.option import Option, option, store
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["OUTSIDE", "Keypoints"]

OUTSIDE: Final = ("keep", "mark", "drop")
"""The ways to handle keypoints outside the image."""

Pairs = tuple[tuple[Any, Any], ...]


@primitive()
class Keypoints:
    """How to handle keypoints outside the image and in mirrored images: for ``Compose(..., keypoints=Keypoints(...))``.

    A keypoint is outside if its pixel is: x below -½ or above width - ½, y likewise. This is checked on the way in
    and after each transform that moves it, so a keypoint that was cut off does not come back when the image is padded.

    Args:
        outside: "keep" keypoints outside the image; "mark" them with a 0 in the third column, their visibility; or
            "drop" them together with their labels.
        labels: names of the sample's other entries with one element for each keypoint: lists, tuples or arrays.
        pairs: the pairs of keypoints that swap names when a transform mirrors the image, such as
            ``[("left eye", "right eye")]``: values of the first of `labels` or, without labels, row numbers.
        check_each_transform: False checks keypoints only after the last transform, so one that left the image and came back is kept.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: outside is unknown, an element of pairs is not a pair, or pairs are row numbers and outside is "drop".

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> eyes = ss.Keypoints(labels="names", pairs=[("left", "right")])
        >>> augment = ss.Compose([ss.HorizontalFlip(p=1)], keypoints=eyes)
        >>> points = np.array([[2.0, 3.0], [7.0, 3.0]])
        >>> sample = {"image": np.zeros((9, 10), np.uint8), "keypoints": points, "names": ["right", "left"]}
        >>> out = augment(sample, key=ss.SampleKey(42, 0, 0))
        >>> out["keypoints"].tolist(), out["names"]
        ([[7.0, 3.0], [2.0, 3.0]], ['left', 'right'])
    """

    outside: str = option(choice, OUTSIDE, default="keep", kw_only=True)
    labels: Option[str | tuple[str, ...], tuple[str, ...]] = option(label_names, default=(), kw_only=True)
    pairs: Option[Iterable[Iterable[Any]], Pairs] = option(default=(), kw_only=True)
    check_each_transform: bool = option(flag, default=True, kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        store(self, pairs=_pairs(self.pairs, by_row=not self.labels))
        if self.pairs and not self.labels and self.outside == "drop":
            raise ValueError(
                f"pairs must be names of labels when outside='drop' removes rows, got row numbers {self.pairs!r}: pass labels=, "
                "or outside='mark'"
            )

    def kept(self, points: Array, size: tuple[int, int]) -> tuple[Array, Array]:
        """Return keypoints in an image of this height and width, marked if asked for, and a mask of those to keep."""
        height, width = size
        inside = (points[:, 0] >= -0.5) & (points[:, 0] <= width - 0.5)
        inside &= (points[:, 1] >= -0.5) & (points[:, 1] <= height - 0.5)
        if self.outside == "drop":
            return points, inside
        if self.outside == "mark":
            if points.shape[1] < 3:
                raise ValueError(
                    f"outside='mark' writes to the third column of keypoints, got the shape {points.shape}: add a column, or "
                    "pass outside='drop'"
                )
            points = points.copy()
            points[~inside, 2] = 0
        return points, np.ones(len(points), np.bool_)

    def mirrored_rows(self, points: Array) -> Array:
        """Return keypoints with the rows of each pair swapped.

        Raises:
            ValueError: pairs name a row that does not exist.
        """
        order = np.arange(len(points))
        for left, right in self.pairs:
            if max(left, right) >= len(points):
                raise ValueError(
                    f"pairs name the row {max(left, right)}, but the sample has {len(points)} keypoints: correct pairs=, "
                    "or give every sample all keypoints"
                )
            order[[left, right]] = right, left
        return points[order]

    def mirrored_names(self, values: Any) -> Any:
        """Return the values of a label with the names of each pair swapped, of the same type."""
        opposite = {a: b for pair in self.pairs for a, b in (pair, pair[::-1])}
        if isinstance(values, np.ndarray):
            return np.array([opposite.get(value, value) for value in values.tolist()]).reshape(values.shape)
        return type(values)(opposite.get(value, value) for value in values)


def _pairs(value: Any, *, by_row: bool) -> Pairs:
    way_out = "pass [(left, right), ...]"
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"pairs must be a list of pairs, got {value!r}: {way_out}")
    entries: list[Any] = list(value)
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in entries):
        raise ValueError(f"pairs must be a list of pairs, got {value!r}: {way_out}")
    pairs: Pairs = tuple((first, second) for first, second in entries)
    names = [name for pair in pairs for name in pair]
    if len(set(names)) != len(names):
        raise ValueError(f"pairs must name each keypoint at most once, got {value!r}: leave the repeats out")
    if by_row and not all(type(name) is int and name >= 0 for name in names):
        raise ValueError(f"pairs must be row numbers if there are no labels, got {value!r}: pass labels=")
    return pairs
