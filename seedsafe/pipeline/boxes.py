"""Boxes: formats, and limits for dropping boxes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from seedsafe.ground.checks import flag, real
from seedsafe.ground.info import Array
from seedsafe.pipeline.labels import label_names
from seedsafe.pipeline.option import Option, option
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["FORMATS", "Boxes", "Edges", "area", "clipped", "from_edges", "require_format", "to_edges"]

FORMATS: Final = ("pascal_voc", "coco", "cxcywh", "yolo", "albumentations")
"""The formats of boxes: edges; corner and size; centre and size; centre and size, and edges, in shares of the image."""

_ALIASES: Final = {
    "xyxy": "pascal_voc",
    "voc": "pascal_voc",
    "pascal": "pascal_voc",
    "ltrb": "pascal_voc",
    "xywh": "coco",
    "ltwh": "coco",
    "cxcywhn": "yolo",
    "xywhn": "yolo",
    "xyxyn": "albumentations",
}
"""Names of the formats in other libraries."""

SLACK: Final = 1e-5
"""How far a box may lie outside the image, as a share of its size: files hold rounded numbers."""

EPSILON: Final = 1e-7
"""How far a box may fall short of a limit, for the same reason."""

_MINIMUM: Final = "pass the minimum to keep"


def _format_or_none(name: str, value: Any) -> str | None:
    return None if value is None else _format(name, value)


def _format(name: str, value: Any) -> str:
    if value in FORMATS:
        return str(value)
    formats = ", ".join(map(repr, FORMATS))
    own_name = _ALIASES.get(str(value).lower())
    way_out = f": write {own_name!r}" if own_name else ""
    raise ValueError(f"{name} must be one of {formats}, got {value!r}{way_out}")


@primitive()
class Boxes:
    """The format of a sample's boxes, and which to keep: for ``Compose(..., boxes=Boxes(...))``.

    On the way in, boxes become x0, y0, x1, y1 of pixel edges in float64. On the way out they get their own format and dtype
    back (integers come back as float64); a box that nothing has moved has exactly the same numbers. After each transform that
    moves boxes, they are cut off at the image's edges. A box is dropped, together with its labels, if nothing is left of
    it or it is below a limit by more than 1e-7, after each transform, whether that fires or not.

    Args:
        format: "pascal_voc": x0, y0, x1, y1 of pixel edges. "coco": x0, y0, width, height. "cxcywh": the centre's x and y,
            width, height. "yolo": the same as shares of the image's width and height. "albumentations": the four edges as
            such shares.
        labels: names of the sample's other entries with one element for each box: lists, tuples or arrays.
        min_area: the least area to keep, in pixels, after cutting off.
        min_visibility: the least share of a box that a transform must leave, in [0, 1].
        min_width: the least width to keep, in pixels.
        min_height: the least height to keep, in pixels.
        clip: whether to cut boxes off at the image's edges on the way in as well, and drop those with nothing left, instead
            of raising an error.
        out: the format on the way out, if it is another one: detectors want "pascal_voc" of annotations in "coco".
        check_each_transform: False cuts off and drops boxes only after the last transform, so one that left the image and came back is kept whole.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the format is unknown, or a limit is out of its range.

    Follows the ``BboxParams`` of albumentations 2.0.8.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> augment = ss.Compose([ss.CenterCrop(10)], boxes=ss.Boxes("coco", labels="names", min_visibility=0.5))
        >>> boxes = np.array([[0, 0, 8, 8], [8, 8, 4, 4]], np.float32)
        >>> sample = {"image": np.zeros((20, 20), np.uint8), "boxes": boxes, "names": ["cat", "dog"]}
        >>> out = augment(sample, key=ss.SampleKey(42, 0, 0))
        >>> out["boxes"].tolist(), out["names"]
        ([[3.0, 3.0, 4.0, 4.0]], ['dog'])
    """

    format: str
    labels: Option[str | tuple[str, ...], tuple[str, ...]] = option(label_names, default=(), kw_only=True)
    min_area: float = option(real, 0.0, 1e30, _MINIMUM, default=0.0, kw_only=True)
    min_visibility: float = option(real, 0.0, 1.0, _MINIMUM, default=0.0, kw_only=True)
    min_width: float = option(real, 0.0, 1e30, _MINIMUM, default=0.0, kw_only=True)
    min_height: float = option(real, 0.0, 1e30, _MINIMUM, default=0.0, kw_only=True)
    clip: bool = option(flag, default=False, kw_only=True)
    check_each_transform: bool = option(flag, default=True, kw_only=True)
    out: str | None = option(_format_or_none, default=None, kw_only=True)

    def __post_init__(self) -> None:
        _format("format", self.format)
        check_options(self)

    def entered(self, boxes: Array, size: tuple[int, int]) -> tuple[Array, Array]:
        """Return boxes of this format as edges, (N, 4 or more) float64, and a mask of those to keep.

        Raises:
            ValueError: a box is not finite or, without clip, empty or not in the image.
        """
        edges = to_edges(boxes, self.format, size)
        if not np.isfinite(edges[:, :4]).all():
            raise ValueError(f"boxes must be finite, got {boxes.tolist()}: leave such boxes out")
        if self.clip:
            edges = clipped(edges, size)
            return edges, area(edges) > 0
        wrong = np.flatnonzero(~_inside(edges, size))
        if wrong.size:
            fits = [one for one in FORMATS if _inside(to_edges(boxes, one, size), size).all()]
            raise ValueError(
                f"boxes must have a width and a height, and lie in the image, of size {size[0]}×{size[1]}, but box {wrong[0]} is "
                f"{boxes[wrong[0]].tolist()} as {self.format!r}: check the format (valid: {fits or 'none'}), or pass Boxes(clip=True)"
            )
        return edges, np.ones(len(edges), np.bool_)

    def kept(self, edges: Array, whole: Array, size: tuple[int, int]) -> tuple[Array, Array]:
        """Return moved boxes, cut off at the image's edges, and a mask of those to keep.

        Args:
            edges: (N, 4 or more) float64.
            whole: the areas of the boxes before they were cut off, in pixels.
            size: the image's height and width.
        """
        edges = clipped(edges, size)
        return edges, self.large(edges, size) & (area(edges) >= (self.min_visibility - EPSILON) * whole)

    @property
    def limited(self) -> bool:
        """Whether boxes that nothing moved may be dropped after each transform."""
        return self.check_each_transform and max(self.min_area, self.min_width, self.min_height) > 0

    def large(self, edges: Array, size: tuple[int, int]) -> Array:
        """Return a mask of the boxes of which enough is in the image; see `kept`."""
        edges = clipped(edges, size)
        areas = area(edges)
        keep: Array = (areas > 0) & (areas >= self.min_area - EPSILON)
        keep &= edges[:, 2] - edges[:, 0] >= self.min_width - EPSILON
        keep &= edges[:, 3] - edges[:, 1] >= self.min_height - EPSILON
        return keep


def area(edges: Array) -> Array:
    """Return the areas of boxes x0, y0, x1, y1; an empty box has area 0."""
    sides = np.maximum(edges[:, 2:4] - edges[:, :2], 0.0)
    areas: Array = sides[:, 0] * sides[:, 1]
    return areas


def clipped(edges: Array, size: tuple[int, int]) -> Array:
    """Return boxes x0, y0, x1, y1, cut off at the edges of an image."""
    cut = edges.copy()
    cut[:, :4] = np.clip(edges[:, :4], 0.0, _scale(size))
    return cut


def _inside(edges: Array, size: tuple[int, int]) -> Array:
    """Return which boxes have a width and a height, and lie in an image."""
    (first, last), ends = (edges[:, :2], edges[:, 2:4]), np.array(size[::-1])
    inside: Array = ((first >= -SLACK * ends) & (last <= ends + SLACK * ends) & (first < last)).all(axis=1)
    return inside


class Edges(np.ndarray[Any, Any]):
    """Boxes that are known to be x0, y0, x1, y1 of pixel edges, as tv_tensors say of theirs. They need no format."""


def require_format(boxes: Any) -> None:
    """Raise an error for boxes of a sample whose pipeline has no format for them.

    The numbers do not show the format: 10, 10, 20, 20 may be a corner and a size, two corners, or a centre and a size.
    """
    if not isinstance(boxes, Edges):
        raise ValueError(
            'boxes have no default format: pass Compose([...], boxes=ss.Boxes("pascal_voc")) for x0, y0, x1, y1 of pixel edges, '
            'ss.Boxes("coco") for x0, y0, width, height, ss.Boxes("cxcywh") for the centre, width, height, ss.Boxes("yolo") for the same '
            'in shares of the image, or ss.Boxes("albumentations") for edges in shares; with labels=, if other entries belong to the boxes'
        )


def to_edges(boxes: Array, format: str, size: tuple[int, int]) -> Array:  # the usual name
    """Convert boxes of a format to x0, y0, x1, y1 of pixel edges, float64; other columns are kept.

    Example:
        >>> to_edges(np.array([[0.5, 0.5, 0.5, 1.0]]), "yolo", (10, 20)).tolist()
        [[5.0, 0.0, 15.0, 10.0]]
    """
    edges = boxes.astype(np.float64)
    if format in ("yolo", "albumentations"):
        edges[:, :4] *= _scale(size)
    first, second = edges[:, :2].copy(), edges[:, 2:4].copy()
    if format in ("cxcywh", "yolo"):
        edges[:, :2], edges[:, 2:4] = first - second / 2, first + second / 2
    elif format == "coco":
        edges[:, 2:4] = first + second
    return edges


def from_edges(edges: Array, format: str, size: tuple[int, int]) -> Array:  # the usual name
    """Convert boxes x0, y0, x1, y1 of pixel edges to a format, float64; other columns are kept.

    Example:
        >>> from_edges(np.array([[5.0, 0.0, 15.0, 10.0]]), "yolo", (10, 20)).tolist()
        [[0.5, 0.5, 0.5, 1.0]]
    """
    boxes = edges.astype(np.float64)
    first, second = edges[:, :2], edges[:, 2:4]
    if format in ("cxcywh", "yolo"):
        boxes[:, :2], boxes[:, 2:4] = (first + second) / 2, second - first
    elif format == "coco":
        boxes[:, 2:4] = second - first
    if format in ("yolo", "albumentations"):
        boxes[:, :4] /= _scale(size)
    return boxes


def _scale(size: tuple[int, int]) -> Array:
    height, width = size
    return np.array([width, height, width, height], np.float64)
