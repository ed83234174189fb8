"""The plain functions against NumPy's own ways, for every dtype and layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from image_laws import layouts

import seedsafe as ss
from seedsafe import functional as F  # noqa: N812  # the field's name for it
from seedsafe.functional.window import MODES
from seedsafe.keys.key import address
from seedsafe.keys.words import normal_quantiles, sixteenths

DTYPES = ["bool", "uint8", "int8", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64"]
SHAPES = [(7, 9), (7, 9, 1), (7, 9, 2), (7, 9, 3), (7, 9, 4), (7, 9, 5), (3, 4, 200)]
NOISE = address(ss.SampleKey(42, 0, 1), 7)


def some(shape: tuple[int, ...], dtype: str = "uint8") -> np.ndarray:
    values = np.random.default_rng(0).integers(0, 256, shape)
    return (values % 2).astype(bool) if dtype == "bool" else (values % 127).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_moving_pixels_is_what_slicing_does(shape: tuple[int, ...], dtype: str) -> None:
    given_image = some(shape, dtype)
    for number, image in enumerate([given_image, *layouts(given_image)]):
        before = image.copy()
        for made, wanted in [
            (F.horizontal_flip(image), image[:, ::-1]),
            (F.vertical_flip(image), image[::-1]),
            (F.crop(image, 1, 2, 2, 2), image[1:3, 2:4]),
            (F.to_chw(image), np.moveaxis(image, -1, 0) if image.ndim == 3 else image[None]),
        ]:
            np.testing.assert_array_equal(made, wanted, err_msg=str(number))
            assert made.dtype == image.dtype
        np.testing.assert_array_equal(image, before)


@given(
    st.sampled_from(MODES),
    st.sampled_from([(5, 6), (5, 6, 1), (5, 6, 3), (5, 6, 150)]),
    st.tuples(*[st.integers(0, 4)] * 4),
    st.sampled_from(["uint8", "float32", "bool", "int64"]),
)
def test_pad_is_numpys(
    mode: Any, shape: tuple[int, ...], sides: tuple[int, int, int, int], dtype: str
) -> None:
    image = some(shape, dtype)
    top, bottom, left, right = sides
    width = [(top, bottom), (left, right)] + [(0, 0)] * (len(shape) - 2)
    np.testing.assert_array_equal(F.pad(image, sides, mode=mode), np.pad(image, width, mode=mode))


@given(
    st.sampled_from(MODES),
    st.integers(-4, 5),
    st.integers(-4, 6),
    st.integers(1, 9),
    st.integers(1, 9),
    st.data(),
)
def test_crop_is_a_window_of_the_padded_image(
    mode: Any, top: int, left: int, height: int, width: int, data: st.DataObject
) -> None:
    image = some((6, 7, 3))
    # How far beyond its own size an axis can be mirrored.
    inner = {"reflect": -1, "symmetric": 0}.get(mode, 20)
    if max(-top, top + height - 6) > 6 + inner or max(-left, left + width - 7) > 7 + inner:
        with pytest.raises(ValueError, match="pad less, or pass mode='edge'"):
            F.crop(image, top, left, height, width, mode=mode)
        return
    padded = np.pad(image, [(20, 20), (20, 20), (0, 0)], mode=mode)
    wanted = padded[20 + top : 20 + top + height, 20 + left : 20 + left + width]
    np.testing.assert_array_equal(F.crop(image, top, left, height, width, mode=mode), wanted)


def test_crop_fills_with_one_value_or_one_for_each_channel() -> None:
    image = some((2, 2, 3))
    assert F.crop(image, -1, 0, 1, 1, fill=9).tolist() == [[[9, 9, 9]]]
    assert F.crop(image, -1, 0, 1, 1, fill=(1, 2, 3)).tolist() == [[[1, 2, 3]]]
    assert F.crop(image, 50, 50, 2, 2, fill=4).tolist() == [[[4] * 3] * 2] * 2
    with pytest.raises(
        ValueError, match="mode must be one of constant, edge, reflect, symmetric, got 'wrap'"
    ):
        F.crop(image, -1, 0, 1, 1, mode="wrap")


@pytest.mark.parametrize("std", [0.0, 0.4, 12.0, 29.0, 29.5, 80.0, 1e6])
@pytest.mark.parametrize("shape", [(0,), (4,), (5,), (16, 16), (64, 70, 3), (100, 100)], ids=str)
def test_uint8_noise_is_the_definition(shape: tuple[int, ...], std: float) -> None:
    image = some(shape)
    z = normal_quantiles()[sixteenths(NOISE, image.size)].reshape(shape)
    wanted = np.clip(image.astype(np.int64) + np.rint(std * z).astype(np.int64), 0, 255).astype(np.uint8)
    for array in (image, np.asfortranarray(image)):
        np.testing.assert_array_equal(F.add_gaussian_noise(array, std, NOISE), wanted)


def test_float_noise_is_the_definition() -> None:
    audio = np.linspace(-1, 1, 999, dtype=np.float32)
    z = normal_quantiles()[sixteenths(NOISE, 999)].astype(np.float32)
    wanted = audio + np.float32(0.1) * z
    np.testing.assert_array_equal(F.add_gaussian_noise(audio, 0.1, NOISE), wanted)
    with pytest.raises(TypeError, match="noise needs uint8 or float32, got dtype float64"):
        F.add_gaussian_noise(audio.astype(float), 0.1, NOISE)


@pytest.mark.parametrize("shape", [(8, 9), (8, 9, 1), (8, 9, 3), (8, 9, 6)], ids=str)
def test_normalize_is_the_formula(shape: tuple[int, ...]) -> None:
    channels = shape[2] if len(shape) == 3 else 1
    mean, std = np.linspace(0.3, 0.6, channels), np.linspace(0.2, 0.3, channels)
    image = some(shape)
    wanted = (image / 255 - mean) / std if len(shape) == 3 else (image / 255 - mean[0]) / std[0]
    made = F.normalize(image, mean.tolist(), std.tolist())
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, wanted, atol=2e-6)
    real = (image / np.float32(255)).astype(np.float32)
    np.testing.assert_allclose(F.normalize(real, mean.tolist(), std.tolist()), wanted, atol=2e-6)
    with pytest.raises(ValueError, match="mean and std must have one value for each channel"):
        F.normalize(image, [0.5] * (channels + 1), [0.5] * (channels + 1))


def test_to_float() -> None:
    image = some((4, 4))
    np.testing.assert_array_equal(F.to_float(image), image.astype(np.float32) / np.float32(255))
    with pytest.raises(TypeError, match="must be uint8 or float32, got dtype int16"):
        F.to_float(image.astype(np.int16))


def test_sound() -> None:
    audio = np.linspace(-1, 1, 10, dtype=np.float32).reshape(2, 5)
    np.testing.assert_array_equal(F.amplify(audio, 0.3), audio * np.float32(0.3))
    np.testing.assert_array_equal(F.invert_polarity(audio), -audio)
    np.testing.assert_array_equal(F.segment(audio, 1, 3), audio[:, 1:4])
    np.testing.assert_array_equal(F.segment(audio, 3, 4), np.pad(audio[:, 3:], [(0, 0), (0, 2)]))
    for function in (lambda a: F.amplify(a, 1), F.invert_polarity):
        with pytest.raises(TypeError, match=r"audio must be float32 in .*, got dtype int16"):
            function(audio.astype(np.int16))


@pytest.mark.parametrize("order", ["C", "cropped", "mirrored", "upside down", "transposed"])
@pytest.mark.parametrize("shape", [(8, 8, 3), (96, 96, 3), (100, 120), (64, 64, 5), (9, 4096, 1)])
def test_large_and_small_images_are_made_by_the_same_operations(shape: tuple[int, ...], order: str) -> None:
    rng = np.random.default_rng(0)
    whole = rng.integers(0, 256, tuple(2 * side for side in shape[:2]) + shape[2:], np.uint8)
    image = {
        "C": whole.copy(),
        "cropped": whole[3 : 3 + shape[0], 2 : 2 + shape[1]],
        "mirrored": whole[:, ::-1],
        "upside down": whole[::-1],
        "transposed": whole.swapaxes(0, 1),
    }[order]
    image.flags.writeable = False
    channels = image.shape[2] if image.ndim == 3 else 1
    mean, std = rng.uniform(0.3, 0.6, channels).tolist(), rng.uniform(0.1, 0.3, channels).tolist()
    values = image.astype(np.float32)
    scale = (1.0 / (np.array(std) * 255)).astype(np.float32)
    offset = (-np.array(mean) / std).astype(np.float32)
    wanted = values.reshape(*image.shape[:2], channels) * scale + offset
    np.testing.assert_array_equal(F.to_float(image), values / np.float32(255))
    np.testing.assert_array_equal(F.normalize(image, mean, std), wanted.reshape(image.shape))
    np.testing.assert_array_equal(F.normalize_chw(image, mean, std), np.moveaxis(wanted, -1, 0))
    real = values / np.float32(255)
    np.testing.assert_array_equal(F.normalize_chw(real, mean, std), F.to_chw(F.normalize(real, mean, std)))
    for made in (F.to_float(image), F.normalize(image, mean, std), F.normalize_chw(image, mean, std)):
        assert made.dtype == np.float32
        assert made.flags.c_contiguous
        assert made.base is None


@pytest.mark.parametrize("top", [0, 1, 2, 3, 7, 100, 127, 128, 253, 254, 255])
def test_the_greatest_value_of_an_image_changes_no_other(top: int) -> None:
    image = np.resize(np.arange(top + 1, dtype=np.uint8), (128, 128))
    values = image.astype(np.float32)
    np.testing.assert_array_equal(F.to_float(image), values / np.float32(255))
    for mean, std in ((0.485, 0.229), (0.5, 1 / 3), (0.1, 7.7e-5)):
        scale, offset = np.float32(1.0 / (std * 255)), np.float32(-mean / std)
        np.testing.assert_array_equal(F.normalize_chw(image, [mean], [std])[0], values * scale + offset)


def test_opencv_never_splits_a_window_around_the_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    import cv2

    given, real = [], cv2.split

    def split(image: np.ndarray, planes: list[np.ndarray]) -> Any:
        given.append((image.flags.c_contiguous, {plane.ctypes.data % 16 for plane in planes}))
        return real(image, planes)

    monkeypatch.setattr(cv2, "split", split)
    window = some((98, 98, 3))[1:-1, 1:-1]
    for change in (
        F.to_chw,
        F.equalize,
        F.autocontrast,
        lambda image: F.normalize_chw(image, [0.5], [0.5]),
        lambda image: F.normalize_chw((image / np.float32(255))[:90, :90], [0.5], [0.5]),
        lambda image: F.rotate_hue(image, 0.1),
        lambda image: F.scale_channels(image, (0.5, 1.0, 2.0)),
        lambda image: F.shuffle_channels(image.astype(np.int32)[:90, :90], (2, 0, 1)),
    ):
        before = len(given)
        np.testing.assert_array_equal(change(window), change(window.copy()))
        assert len(given) > before
    assert all(whole or len(places) > 1 for whole, places in given)
