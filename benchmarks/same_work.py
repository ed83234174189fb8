"""Checks that contenders do the same work.

They check shapes, dtypes and pixels, and that each result owns its memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.scene import AUDIO, GAIN, MEAN, NOISE, PADDING, SEGMENT, STD, USUAL, Array, Scene
from benchmarks.timing import Call

__all__ = ["check", "with_copy"]

CALLS = 12
"""The number of checked results. Random ones must differ."""


def with_copy(call: Call, scene: Scene) -> tuple[Call, bool]:
    """Return the call, with a copy added if its results are not contiguous or share memory, and whether one was added."""
    results = [call() for _ in range(CALLS)]
    if isinstance(results[0], np.ndarray):
        inputs = (scene.uint8, scene.float32, scene.audio)
        shared = any(np.shares_memory(result, one) for result in results for one in inputs)
        if shared or not all(result.flags.c_contiguous for result in results):
            return lambda: np.array(call(), order="C"), True
        return call, False
    if not all(result.is_contiguous() for result in results):
        return lambda: call().contiguous(), True
    if len({result.data_ptr() for result in results}) < len(results):  # equal while all are alive
        return lambda: call().clone(), True
    return call, False


def check(case: str, call: Call, scene: Scene, dtype: str) -> None:
    """Raise AssertionError if a call does not do the work of its case."""
    results = [_as_array(call(), case) for _ in range(CALLS)]
    _CHECKS.get(case, _form(case))(results, scene, scene.image(dtype))


def _as_array(result: Any, case: str) -> Array:
    """Return a result as an array with channels last, or first if the case ends in ToCHW."""
    if isinstance(result, np.ndarray):
        return result
    array: Array = result.numpy()
    if array.ndim == 4:
        array = array[0]
    return array if case.endswith("ToCHW") else array.transpose(1, 2, 0)


def _equal(compute: Callable[[Array], Array], tolerance: float = 0) -> Any:
    def check(results: list[Array], scene: Scene, image: Array) -> None:
        expected = compute(image)
        for result in results:
            _same_form(result, expected.shape, expected.dtype)
            assert _near(result, expected, tolerance), "other values"

    return check


def _window(canvas_of: Callable[[Array], Array], tolerance: float = 0, axis: int = 0) -> Any:
    """Return a check that results are different windows of a canvas, whose rows are at `axis`."""

    def check(results: list[Array], scene: Scene, image: Array) -> None:
        canvas = np.moveaxis(canvas_of(image), 0, -1) if axis else canvas_of(image)
        for result in results:
            window = np.moveaxis(result, 0, -1) if axis else result
            _same_form(window, (scene.crop, scene.crop, 3), canvas.dtype)
            assert _is_window(window, canvas, tolerance), "not a window of the image"
        assert len({result.tobytes() for result in results}) > 1, "always the same window"

    return check


def _is_window(window: Array, canvas: Array, tolerance: float) -> bool:
    side = window.shape[0]
    free = canvas.shape[0] - side + 1
    middle = side // 2  # the corner may be padding, which is not unique
    pixels = canvas[middle : middle + free, middle : middle + free]
    corners = np.argwhere(np.abs(pixels - window[middle, middle].astype(np.float64)).max(-1) <= tolerance)
    return any(_near(canvas[y : y + side, x : x + side], window, tolerance) for y, x in corners)


def _near(one: Array, other: Array, tolerance: float) -> bool:
    if not tolerance:
        return bool(np.array_equal(one, other))
    return bool(np.abs(one - other).max() <= tolerance)


def _noise(kind: str) -> Any:
    def check(results: list[Array], scene: Scene, image: Array) -> None:
        original: Array = getattr(scene, kind)
        for result in results:
            _same_form(result, original.shape, original.dtype)
            difference = result.astype(np.float64) - original
            low, high = NOISE[kind]
            error = 4 / np.sqrt(original.size)
            step = (
                0.6 if kind == "uint8" else 0.0
            )  # peers truncate the noise or the result instead of rounding
            std = difference.std()
            assert low * (1 - error) - step <= std <= high * (1 + error) + step, f"noise of std {std}"
            assert abs(difference.mean()) <= error * high + step, "biased noise"
            if original.ndim == 3:
                between = np.corrcoef(difference[..., 0].ravel(), difference[..., 1].ravel())[0, 1]
                assert abs(between) < 0.2, "the same noise in each channel"
        assert len({result.tobytes() for result in results}) == len(results), "noise comes again"

    return check


def _form(case: str) -> Any:
    """Return a check of the shape and dtype, and that pixels change, for transforms that libraries define differently."""

    def check(results: list[Array], scene: Scene, image: Array) -> None:
        crop, side = scene.crop, image.shape[0]
        dtype, shape = image.dtype, {"PadIfNeeded": (side + 8, side + 8, 3)}.get(case, image.shape)
        if case in _CROPPED:
            shape = (crop, crop, 3)
        elif case == USUAL:
            shape, dtype = (3, crop, crop), np.dtype(np.float32)
        for result in results:
            _same_form(result, result.shape if case in _ANY_SIZE else shape, dtype)
        assert any(result.shape != image.shape or (result != image).any() for result in results), "no change"

    return check


_CROPPED = (
    *("RandomResizedCrop", "RandomResizedCrop, antialias", "Resize", "Resize, antialias"),
    *("SmallestMaxSize", "LongestMaxSize", "Crop", "RandomSizedCrop"),
)
_ANY_SIZE = ("RandomScale", "RandomCropFromBorders", "RandomZoomOut")


def _gain(results: list[Array], scene: Scene, image: Array) -> None:
    loudest = np.abs(scene.audio).argmax()
    gains = [float(result[loudest] / scene.audio[loudest]) for result in results]
    for result, gain in zip(results, gains, strict=True):
        _same_form(result, scene.audio.shape, scene.audio.dtype)
        assert GAIN[0] - 1e-5 <= gain <= GAIN[1] + 1e-5, f"gain {gain}"
        assert _near(result, scene.audio * np.float32(gain), 1e-6), "not one gain"
    assert len(set(gains)) > 1, "always the same gain"


def _inverted(results: list[Array], scene: Scene, image: Array) -> None:
    for result in results:
        _same_form(result, scene.audio.shape, scene.audio.dtype)
        assert np.array_equal(result, -scene.audio), "other values"


def _segment(results: list[Array], scene: Scene, image: Array) -> None:
    for result in results:
        _same_form(result, (SEGMENT,), scene.audio.dtype)
        starts = np.flatnonzero(scene.audio[: len(scene.audio) - SEGMENT + 1] == result[0])
        assert any(np.array_equal(scene.audio[s : s + SEGMENT], result) for s in starts), "not a segment"
    assert len({float(result[0]) for result in results}) > 1, "always the same segment"


def _heard(results: list[Array], scene: Scene, image: Array) -> None:
    for result in results:
        _same_form(result, scene.audio.shape, scene.audio.dtype)
    changed = [not np.array_equal(result, scene.audio) for result in results]
    assert any(changed), "the audio as it was"  # the least strength of a random one may change nothing


def _peak(results: list[Array], scene: Scene, image: Array) -> None:
    for result in results:
        assert _near(result, scene.audio / np.abs(scene.audio).max(), 1e-6), "other values"


def _reversed(results: list[Array], scene: Scene, image: Array) -> None:
    for result in results:
        assert np.array_equal(result, scene.audio[::-1]), "other values"


def _noisy(results: list[Array], scene: Scene, image: Array) -> None:
    _heard(results, scene, image)
    for result in results:
        ratio = np.log10(scene.audio.std() / (result - scene.audio).std()) * 20
        assert 2.5 < ratio < 40.5, f"noise {ratio} dB softer"


def _same_form(result: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    assert result.shape == shape, f"shape {result.shape} instead of {shape}"
    assert result.dtype == dtype, f"dtype {result.dtype} instead of {dtype}"


def _normalized(image: Array) -> Array:
    values = image / np.float64(255) if image.dtype == np.uint8 else image.astype(np.float64)
    return ((values - MEAN) / STD).astype(np.float32)


def _padded(image: Array) -> Array:
    return np.pad(image, ((PADDING, PADDING), (PADDING, PADDING), (0, 0)))


def _centre(image: Array) -> Array:
    side = image.shape[0]
    edge = (side - side * 7 // 8) // 2
    return image[edge : side - edge, edge : side - edge]


_CHECKS: dict[str, Callable[[list[Array], Scene, Array], None]] = {
    "RandomCrop": _window(lambda image: image),
    "RandomCrop, padding 4": _window(_padded),
    "CenterCrop": _equal(_centre),
    "Pad 4": _equal(_padded),
    "HorizontalFlip": _equal(lambda image: image[:, ::-1]),
    "VerticalFlip": _equal(lambda image: image[::-1]),
    "GaussianNoise uint8": _noise("uint8"),
    "GaussianNoise float32": _noise("float32"),
    "Normalize": _equal(_normalized, 2e-6),
    "ToFloat": _equal(lambda image: image / np.float32(255), 1e-7),
    "ToCHW": _equal(lambda image: image.transpose(2, 0, 1)),
    "RandomCrop + HorizontalFlip + Normalize + ToCHW": _window(
        lambda image: _normalized(image[:, ::-1]).transpose(2, 0, 1), 2e-6, axis=1
    ),
    "Amplitude": _gain,
    "PolarityInversion": _inverted,
    "RandomSegment": _segment,
    "GaussianNoise audio": _noise("audio"),
    **dict.fromkeys(AUDIO[4:], _heard),
    "PeakNormalize": _peak,
    "Reverse": _reversed,
    **dict.fromkeys(("AddNoise white", "AddNoise pink", "AddBackground"), _noisy),
}
