"""Hue, saturation and value of images.

HSV is the hexagonal model of A. R. Smith, 1978.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from seedsafe.functional.carrier import in_memory, opencv
from seedsafe.functional.hsv import multiply_shares, to_hsv
from seedsafe.functional.kinds import in_uint8, is_rgb, is_uint8, new
from seedsafe.functional.scratch import scratch_planes
from seedsafe.functional.tables import VALUES, look_up, look_up_into, table
from seedsafe.ground.exactness import EVERYWHERE, exact
from seedsafe.ground.info import Array

__all__ = ["adjust_hsv", "rotate_hue", "turn_hue"]

_BLOCK: Final = 65536
"""Pixels processed at once, so that intermediate values stay in the cache (python -m benchmarks --only Hue)."""

_SMALL: Final = 8192
"""Below this number of values, a few steps over all channels are cheaper than many over each
(python -m benchmarks --only ColorJitter)."""


@exact(EVERYWHERE)
def rotate_hue(image: Array, turn: float) -> Array:
    """Return an RGB image with its hue turned and its saturation and value kept.

    The hue itself is not computed: the greatest and the least value of a pixel are kept, and each channel moves between them
    by the share of the turn. uint8 is rounded once, and within 1 of HSV in real numbers.

    Args:
        image: uint8 or float32, (H, W, 3), RGB; grey images have no hue and are copied.
        turn: a share of the circle; 1/3 turns red into green.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> rotate_hue(np.array([[[200, 50, 50]]], np.uint8), 1 / 6).tolist()
        [[[200, 200, 50]]]
    """
    is_uint8(image)
    if not is_rgb(image, "hue"):
        return image.copy()
    return turn_hue(image, turn, new(image))


def turn_hue(image: Array, turn: float, out: Array) -> Array:
    """Write the result of `rotate_hue` for an RGB image into `out`, which may be the image itself, and return it."""
    image = in_memory(image)
    whole = image.dtype == np.uint8
    thirds = round(turn * 3.0)
    share = turn * 6.0 - 2.0 * thirds  # of a sixth of the circle, in [-1, 1]
    rows = max(1, _BLOCK // image.shape[1])
    scale = table(VALUES - VALUES * abs(share)) if whole else np.float32(1.0 - abs(share))
    if whole and image.size < _SMALL:
        return _turn_small(image, thirds, np.asarray(scale, np.int16), share < 0, out)
    planes = scratch_planes(10, image[:rows])
    for top in range(0, image.shape[0], rows):
        block = image[top : top + rows]
        parts = [plane[: len(block)] for plane in planes]
        opencv().split(block, parts[:3])
        colours = [parts[(channel - thirds) % 3] for channel in range(3)]
        results = _turn_planes(colours, parts[3:], scale, share < 0)
        opencv().merge(results, out[top : top + rows])
    return out


def _turn_small(image: Array, thirds: int, scale: Array, back: bool, out: Array) -> Array:
    """Turn like `_turn_planes`, with all three channels in each step."""
    planes = np.empty((5, image.shape[0] * image.shape[1]), np.int16)
    colours = planes[:3]
    source = image.reshape(-1, 3).T
    for channel in range(3):
        colours[channel] = source[(channel - thirds) % 3]
    # The first two again, so that the neighbours of all three channels are slices.
    planes[3:] = planes[:2]
    top = np.maximum(np.maximum(planes[0], planes[1]), planes[2])
    low = np.minimum(np.minimum(planes[0], planes[1]), planes[2])
    chroma = scale.take(top - low)
    down = planes[2:5] - planes[1:4] if back else planes[1:4] - planes[2:5]
    up = -down
    down -= chroma
    up -= chroma
    results: Array = colours - np.maximum(down, 0, out=down)
    np.maximum(results, low, out=results)
    results += np.maximum(up, 0, out=up)
    np.minimum(results, top, out=results)
    out.reshape(-1, 3)[...] = results.T
    return out


def _turn_planes(colours: list[Array], spare: list[Array], scale: Any, back: bool) -> list[Array]:
    """Return three planes, turned by at most a sixth; `scale` is the table or the factor of the remaining chroma."""
    cv2 = opencv()
    top, low, chroma, excess, *results = spare
    cv2.max(cv2.max(colours[0], colours[1], top), colours[2], top)
    cv2.min(cv2.min(colours[0], colours[1], low), colours[2], low)
    cv2.subtract(top, low, chroma)
    whole = chroma.dtype == np.uint8
    if whole:
        look_up_into(chroma, scale, chroma)
    else:
        np.multiply(chroma, scale, out=chroma)

    def beyond(more: Array, less: Array) -> None:
        cv2.subtract(more, less, excess)
        cv2.subtract(excess, chroma, excess)
        if not whole:  # uint8 stops at 0 by itself
            np.maximum(excess, 0, out=excess)

    for channel, result in enumerate(results):
        after, before = colours[(channel + 1) % 3], colours[(channel + 2) % 3]
        if back:
            after, before = before, after
        beyond(after, before)
        cv2.subtract(colours[channel], excess, result)
        cv2.max(result, low, result)
        beyond(before, after)
        cv2.add(result, excess, result)
        cv2.min(result, top, result)
    return results


@exact(EVERYWHERE)
def adjust_hsv(image: Array, hue: Array, saturation: Array, value: Array) -> Array:
    """Return an RGB image with its hue, saturation and value looked up in tables.

    OpenCV converts to HSV (hue in steps of 2°, 0 to 179; saturation and value in 0 to 255). The way back is computed in
    integers, within 2 of OpenCV's result. float32 is converted to uint8 and back.

    Args:
        image: uint8 or float32, (H, W, 3), RGB; in grey images only the value changes.
        hue: uint8, shape (256,); its first 180 entries are below 180.
        saturation: uint8, shape (256,).
        value: uint8, shape (256,).

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> same = np.arange(256, dtype=np.uint8)
        >>> adjust_hsv(np.array([[[200, 50, 50]]], np.uint8), same, same // 2, same).tolist()
        [[[200, 125, 125]]]
    """
    if not is_rgb(image, "hue"):
        return in_uint8(image, lambda grey: look_up(grey, value))
    return in_uint8(image, lambda colours: _adjust_hsv(colours, hue, saturation, value))


def _adjust_hsv(image: Array, hue: Array, saturation: Array, value: Array) -> Array:
    cv2 = opencv()
    result = new(image)
    away = [hue_table[hue] for hue_table in _AWAY]
    rows = max(1, _BLOCK // image.shape[1])
    planes = scratch_planes(6, result[:rows])
    for first in range(0, image.shape[0], rows):
        block = result[first : first + rows]
        to_hsv(image[first : first + rows], block)
        hues, chroma, top, *colours = (plane[: len(block)] for plane in planes)
        cv2.split(block, [hues, chroma, top])
        look_up_into(chroma, saturation, chroma)
        look_up_into(top, value, top)
        multiply_shares(chroma, top, chroma)
        for colour, shares in zip(colours, away, strict=True):
            look_up_into(hues, shares, colour)
            multiply_shares(colour, chroma, colour)
            cv2.subtract(top, colour, colour)
        cv2.merge(colours, block)
    return result


def _shares(channel: int) -> Array:
    """Return the share of the chroma by which a channel lies below the value, in 0 to 255, for each hue in steps of 2°."""
    sixths = (np.arange(256) / 30 + (5, 3, 1)[channel]) % 6
    return table(255 * np.clip(np.minimum(sixths, 4 - sixths), 0, 1))


_AWAY: Final = tuple(_shares(channel) for channel in range(3))
