"""Samples as pictures, drawn with NumPy alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.ground.info import Array
from seedsafe.pipeline.boxes import to_edges

__all__ = ["Cell", "picture_of", "rgb"]

_COLOURS = np.array(
    [[0, 255, 120], [255, 90, 60], [60, 160, 255], [255, 220, 0], [230, 80, 255], [0, 230, 230]], np.uint8
)
_HEIGHT, _WIDTH = 120, 240


class Cell(NamedTuple):
    """One picture of a figure or page.

    Attributes:
        title: above the picture.
        image: uint8 (H, W, 3), or None if there is an error.
        lines: the parameters, a line for each transform, or the error.
        applied: the parameters as plain data.
    """

    title: str
    image: Any
    lines: list[str]
    applied: Any = None


def rgb(image: Any) -> Array:
    """Return an image as uint8 (H, W, 3). It may be an array of any dtype, channels first or last, a tensor, or a PIL image.

    Floats within [0, 1] or [0, 255] keep their brightness. Others, such as normalized ones, are stretched to the full range.

    Raises:
        ValueError: it does not have the shape of an image.

    Example:
        >>> rgb(np.array([[0.0, 0.5, 1.0]])).tolist()
        [[[0, 0, 0], [128, 128, 128], [255, 255, 255]]]
    """
    if hasattr(image, "detach"):  # a tensor
        image = image.detach().cpu().numpy()
    array = np.asarray(image)
    if array.ndim == 3 and array.shape[0] in (1, 3, 4) and array.shape[2] not in (1, 3, 4):
        array = np.moveaxis(array, 0, -1)
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim != 3 or not array.size:
        raise ValueError(
            f"an image must have the shape (H, W), (H, W, C) or (C, H, W), got {array.shape}: reshape it"
        )
    array = _bytes(array[..., :1] if array.shape[2] < 3 else array[..., :3])
    return np.ascontiguousarray(np.broadcast_to(array, (*array.shape[:2], 3)))


def _bytes(array: Array) -> Array:
    if array.dtype == np.uint8:
        return array
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * 255
    if array.dtype == np.uint16:
        return (array >> 8).astype(np.uint8)
    values = np.nan_to_num(array.astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = float(values.min()), float(values.max())
    if low >= 0 and high <= 255:
        low, high = 0.0, 1.0 if high <= 1 and array.dtype.kind == "f" else 255.0
    result: Array = np.rint((values - low) * (255 / (high - low or 1.0))).astype(np.uint8)
    return result


def waveform(audio: Array) -> Array:
    """Return a picture of audio (samples,) or (channels, samples), as uint8 (H, W, 3)."""
    wave = np.nan_to_num(np.asarray(audio, np.float64).reshape(-1, np.shape(audio)[-1])[0])
    canvas = np.full((_HEIGHT, _WIDTH, 3), 245, np.uint8)
    top = max(1.0, float(np.abs(wave).max(initial=0)))
    for column, part in enumerate(np.array_split(wave, _WIDTH)):
        if part.size:
            low, high = (round((1 - value / top) * (_HEIGHT - 1) / 2) for value in (part.max(), part.min()))
            canvas[low : high + 1, column] = (40, 110, 200)
    return canvas


def picture_of(parts: Any, *, boxes: str = "pascal_voc", scale: Any = None) -> Array:
    """Return the picture of a sample, with its other targets drawn on its image, or on up to four frames of its video.

    Args:
        parts: the sample, an array or a dict of targets.
        boxes: the format of its boxes; see Boxes.
        scale: a function that resizes an image before anything is drawn on it.

    Raises:
        ValueError: the sample has no image, video or audio.

    Example:
        >>> sample = {"image": np.zeros((4, 6), np.uint8), "boxes": np.array([[1.0, 1.0, 4.0, 4.0]])}
        >>> picture_of(sample)[1, :, 1].tolist()
        [0, 255, 255, 255, 0, 0]
    """
    if not isinstance(parts, dict):
        parts = {"image" if np.ndim(parts) >= 2 and np.shape(parts)[0] > 2 else "audio": parts}
    if "image" not in parts and "video" in parts:
        return _film(parts, boxes, scale)
    if "image" not in parts:
        if "audio" not in parts:
            raise ValueError(
                f"a sample needs an image, video or audio, got {list(parts)}: add one by that name"
            )
        return waveform(parts["audio"])
    image = rgb(parts["image"])
    size = image.shape[:2]
    image = image.copy() if scale is None else np.array(scale(image))
    ratio = np.array([image.shape[1] / size[1], image.shape[0] / size[0]])
    masks = [parts["mask"]] if "mask" in parts else []
    for number, mask in enumerate([*masks, *parts.get("masks", ())]):
        _tint(image, np.asarray(mask), number)
    for number, row in enumerate(_rows(parts.get("boxes"), lambda rows: to_edges(rows, boxes, size))):
        _frame(image, row[:4] * np.tile(ratio, 2), _COLOURS[number % len(_COLOURS)])
    for number, row in enumerate(_rows(parts.get("keypoints"), lambda rows: rows)):
        _dot(image, (row[:2] + 0.5) * ratio, _COLOURS[number % len(_COLOURS)])
    return image


def _film(parts: dict[str, Any], boxes: str, scale: Any) -> Array:
    """Return up to four evenly spaced frames of a video, side by side."""
    video, masks = parts["video"], parts.get("video_mask")
    count = min(len(video), 4)
    frames = []
    for number in (k * len(video) // count for k in range(count)):
        own = {} if masks is None else {"mask": masks[number]}
        frames.append(picture_of({**parts, **own, "image": video[number]}, boxes=boxes, scale=scale))
    return np.concatenate(frames, axis=1)


def _rows(values: Any, convert: Any) -> Array:
    rows = np.asarray(() if values is None else values, np.float64)
    result: Array = convert(rows) if rows.ndim == 2 and rows.size else np.empty((0, 4))
    return result[np.isfinite(result[:, :2]).all(axis=1)]


def _tint(image: Array, mask: Array, number: int) -> None:
    """Tint the image with a colour for each label of a mask other than 0."""
    if mask.ndim == 3:
        mask = mask[..., 0] if mask.shape[2] == 1 else mask.argmax(axis=2)
    if mask.ndim != 2 or not mask.size:
        return
    labels = np.rint(np.nan_to_num(mask.astype(np.float64))).astype(np.int64)
    rows, columns = (
        np.arange(wanted) * had // wanted for wanted, had in zip(image.shape[:2], labels.shape, strict=True)
    )
    labels = labels[rows[:, None], columns]
    inside = labels != 0
    colour = _COLOURS[(labels[inside] + number) % len(_COLOURS)]
    image[inside] = (image[inside].astype(np.uint16) * 3 + colour.astype(np.uint16) * 2) // 5


def _frame(image: Array, edges: Array, colour: Array) -> None:
    height, width = image.shape[:2]
    limits = np.array([width, height, width, height])
    x0, y0, x1, y1 = np.clip(np.rint(edges), 0, limits).astype(int).tolist()
    thick = max(1, min(height, width) // 100)
    image[y0 : y0 + thick, x0:x1] = image[max(y1 - thick, 0) : y1, x0:x1] = colour
    image[y0:y1, x0 : x0 + thick] = image[y0:y1, max(x1 - thick, 0) : x1] = colour


def _dot(image: Array, point: Array, colour: Array) -> None:
    radius = max(1.5, min(image.shape[:2]) / 70)
    x, y = point.tolist()
    rows, columns = np.ogrid[: image.shape[0], : image.shape[1]]
    far = (rows + 0.5 - y) ** 2 + (columns + 0.5 - x) ** 2
    image[far <= (radius + 1) ** 2] = 0
    image[far <= radius**2] = colour
