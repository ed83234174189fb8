"""Samples as pictures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional.carrier import opencv
from seedsafe.ground.info import Array
from seedsafe.pipeline.boxes import to_edges

__all__ = ["Cell", "picture_of", "rgb"]

_COLOURS = [(0, 255, 120), (255, 90, 60), (60, 160, 255), (255, 220, 0), (230, 80, 255), (0, 230, 230)]
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

    Bytes and floats within [0, 1] keep their brightness. All others, such as normalized ones, are stretched to the full range.

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
    values = np.nan_to_num(array.astype(np.float64), posinf=0.0, neginf=0.0)
    limits = min(0.0, values.min()), max(1.0, values.max())
    return np.rint(np.interp(values, limits, (0, 255))).astype(np.uint8)


def _waveform(audio: Array) -> Array:
    """Return a picture of audio (samples,) or (channels, samples), as uint8 (H, W, 3)."""
    wave = np.nan_to_num(np.asarray(audio, np.float64).reshape(-1, np.shape(audio)[-1])[0])
    canvas = np.full((_HEIGHT, _WIDTH, 3), 245, np.uint8)
    top = max(1.0, float(np.abs(wave).max(initial=0)))
    points = np.linspace(0, _WIDTH - 1, len(wave)), (1 - wave / top) * (_HEIGHT - 1) / 2
    opencv().polylines(canvas, [np.stack(points, -1).round().astype(np.int32)], False, (40, 110, 200))
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
        return _waveform(parts["audio"])
    image = rgb(parts["image"])
    size = image.shape[:2]
    image = image.copy() if scale is None else np.array(scale(image))
    ratio = np.array([image.shape[1] / size[1], image.shape[0] / size[0]])
    masks = [parts["mask"]] if "mask" in parts else []
    for number, mask in enumerate([*masks, *parts.get("masks", ())]):
        _tint(image, np.asarray(mask), number)
    cv2, thick = opencv(), max(1, min(image.shape[:2]) // 100)
    for number, row in enumerate(_rows(parts.get("boxes"), lambda rows: to_edges(rows, boxes, size))):
        edges = np.rint(row[:4] * np.tile(ratio, 2)).astype(int)
        cv2.rectangle(
            image, edges[:2].tolist(), (edges[2:] - 1).tolist(), _COLOURS[number % len(_COLOURS)], thick
        )
    radius = max(2, min(image.shape[:2]) // 70)
    for number, row in enumerate(_rows(parts.get("keypoints"), lambda rows: rows)):
        point = np.floor((row[:2] + 0.5) * ratio).astype(int).tolist()
        cv2.circle(image, point, radius + 1, (0, 0, 0), cv2.FILLED)
        cv2.circle(image, point, radius, _COLOURS[number % len(_COLOURS)], cv2.FILLED)
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
    height, width = image.shape[:2]
    whole = np.rint(np.nan_to_num(mask.astype(np.float64))).astype(np.int32)
    labels = opencv().resize(whole, (width, height), interpolation=opencv().INTER_NEAREST)
    inside = labels != 0
    colour = np.array(_COLOURS)[(labels[inside] + number) % len(_COLOURS)]
    image[inside] = (image[inside] * 0.6 + colour * 0.4).astype(np.uint8)
