"""Colour: each transform against an implementation that shares nothing with it."""

from __future__ import annotations

import colorsys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cv2
import numpy as np
import pytest
from image_laws import KEY, MANY, SHAPES, image_of
from PIL import Image, ImageEnhance, ImageOps
from refused import refused
from skimage import data, exposure

import seedsafe as ss
from seedsafe import functional as sf
from seedsafe.functional import tables

SWATCHES = np.random.default_rng(1).integers(0, 256, (40, 50, 3)).astype(np.uint8)
SWATCHES[0] = SWATCHES[0, :, :1]  # greys
SWATCHES[1, :, 1] = SWATCHES[1, :, 0]  # two channels alike
SWATCHES[2, :25], SWATCHES[2, 25:] = 0, 255


@pytest.mark.parametrize("fast", [True, False])
def test_tables_are_the_same_with_and_without_the_extra(fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not fast:
        monkeypatch.setattr(tables, "_translate", lambda: None)
    else:
        assert tables._translate() is not None
    upside = np.arange(255, -1, -1).astype(np.uint8)
    for shape in [*SHAPES, *MANY]:
        image = image_of(shape, "uint8")
        for same in (image, np.asfortranarray(image), image[::-1, ::-1].copy()[::-1, ::-1]):
            np.testing.assert_array_equal(sf.invert(image), tables.look_up(same, upside))
        if len(shape) == 3:
            made = tables.look_up_channels(image, [upside] * shape[2])
            np.testing.assert_array_equal(made, sf.invert(image))


@pytest.mark.parametrize(
    "transform",
    [
        ss.ColorJitter(0.8, 0.8, 0.8, 0.2),
        ss.HueSaturationValue(),
        ss.PhotoMetricDistortion(),
        ss.AutoContrast(cutoff=5, p=1),
    ],
    ids=str,
)
def test_threads_do_not_disturb_each_other(transform: ss.Transform) -> None:
    images = [image_of((90, 70, 3), "uint8", seed) for seed in range(8)]
    keys = [ss.SampleKey(0, 0, index) for index in range(400)]

    def run(place: int) -> np.ndarray:
        return transform(images[place % 8], key=keys[place])

    alone = [run(place) for place in range(400)]
    with ThreadPoolExecutor(8) as pool:
        for one, other in zip(alone, pool.map(run, range(400)), strict=True):
            np.testing.assert_array_equal(one, other)


# Against real numbers


def in_hsv(change: Any) -> np.ndarray:
    flat = [
        colorsys.hsv_to_rgb(*change(*colorsys.rgb_to_hsv(*pixel))) for pixel in SWATCHES.reshape(-1, 3) / 255
    ]
    return np.array(flat).reshape(SWATCHES.shape)


@pytest.mark.parametrize("turn", [0.0, 0.1, -0.1, 0.5, -0.5, 1 / 6, -1 / 3, 0.4999, 0.3333, -0.0001, 0.05])
def test_hue_turns_as_in_hsv(turn: float) -> None:
    exact = in_hsv(lambda h, s, v: ((h + turn) % 1, s, v))
    # Half a step of rounding, and no more.
    np.testing.assert_allclose(sf.rotate_hue(SWATCHES, turn), exact * 255, atol=0.5 + 1e-9)
    turned = sf.rotate_hue((SWATCHES / 255).astype(np.float32), turn)
    np.testing.assert_allclose(turned, exact, atol=2e-7)


def test_large_images_are_turned_block_by_block() -> None:
    tall = np.tile(SWATCHES, (80, 1, 1))  # 160,000 pixels: three blocks
    np.testing.assert_array_equal(
        sf.rotate_hue(tall, 0.07), np.tile(sf.rotate_hue(SWATCHES, 0.07), (80, 1, 1))
    )
    wide = np.tile(SWATCHES, (1, 80, 1))
    np.testing.assert_array_equal(
        sf.rotate_hue(wide, 0.07), np.tile(sf.rotate_hue(SWATCHES, 0.07), (1, 80, 1))
    )


@pytest.mark.parametrize("factor", [0.0, 0.3, 1.0, 1.7])
def test_jitters_steps_follow_pillow(factor: float) -> None:
    # Pillow's grey is rounded and torchvision's cut: a blend of up to 0.7 with it may differ by 1.
    photo = data.astronaut()[::3, ::3]
    picture = Image.fromarray(photo)
    for ours, theirs in (
        (sf.adjust_brightness, ImageEnhance.Brightness),
        (sf.adjust_contrast, ImageEnhance.Contrast),
        (sf.adjust_saturation, ImageEnhance.Color),
    ):
        expected = np.asarray(theirs(picture).enhance(factor)).astype(int)
        assert np.abs(ours(photo, factor) - expected).max() <= 1, ours


def test_jitter_takes_its_steps_in_order() -> None:
    values = (1.4, 0.6, 1.5, 0.1)
    steps = [sf.adjust_brightness, sf.adjust_contrast, sf.adjust_saturation, sf.rotate_hue]
    seen = set()
    for order in ((0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)):
        expected = SWATCHES
        for step in order:
            expected = steps[step](expected, values[step])
        made = sf.color_jitter(SWATCHES, *values, order)
        np.testing.assert_array_equal(made, expected)
        seen.add(made.tobytes())
    assert len(seen) == 3


def test_uint8_and_float32_jitter_alike() -> None:
    photo = data.coffee()[::4, ::4]
    for values in ((1.2, 0.8, 1.3, 0.05), (0.7, 1.4, 0.2, -0.2)):
        whole = sf.color_jitter(photo, *values, (0, 1, 2, 3))
        real = sf.color_jitter((photo / 255).astype(np.float32), *values, (0, 1, 2, 3))
        # Three steps round down by up to 1, and each step after them may make that half as much again.
        assert np.abs(whole - real * 255).max() < 1 + 1.5 + 1.5**2
        assert np.abs(whole - real * 255).mean() < 1.8


def test_linear_jitter_is_one_matrix() -> None:
    matrix = sf.jitter_matrix(1.0, 1.0, 1.0, 0.0, 1.0)
    np.testing.assert_allclose(matrix, np.eye(3, 4), atol=1e-12)
    turned = sf.jitter_matrix(1.0, 1.0, 1.0, 1 / 3, 1.0)[:, :3] @ [1.0, 0.0, 0.0]
    assert np.argmax(turned) == 1  # red to green, as in ColorJitter
    np.testing.assert_allclose(
        sf.jitter_matrix(1.0, 1.0, 0.0, 0.3, 1.0)[:, :3], np.tile([0.299, 0.587, 0.114], (3, 1))
    )
    np.testing.assert_allclose(sf.jitter_matrix(1.0, 0.0, 1.0, 0.0, 255.0), [[0, 0, 0, 127.5]] * 3)


@pytest.mark.parametrize("gamma", [0.01, 0.5, 0.9, 1.0, 1.1, 2.2, 100.0])
def test_gamma_is_a_power(gamma: float) -> None:
    ramp = np.arange(256, dtype=np.uint8).reshape(16, 16)
    exact = 255 * (ramp / 255) ** gamma
    assert np.abs(sf.adjust_gamma(ramp, gamma) - exact).max() <= 0.5 + 2e-5  # a share of 1e-7 decides at .5
    real = sf.adjust_gamma((ramp / 255).astype(np.float32), gamma)
    np.testing.assert_allclose(real, exact / 255, atol=2e-6)
    np.testing.assert_allclose(
        exposure.adjust_gamma((ramp / 255).astype(np.float64), gamma), exact / 255, atol=1e-12
    )


def test_tones_follow_pillow() -> None:
    photo = data.astronaut()[::2, ::2]
    picture = Image.fromarray(photo)
    np.testing.assert_array_equal(sf.equalize(photo), ImageOps.equalize(picture))
    for cutoff in (0, 1, 2.5, 30):
        np.testing.assert_array_equal(sf.autocontrast(photo, cutoff), ImageOps.autocontrast(picture, cutoff))
    for bits in range(1, 9):
        np.testing.assert_array_equal(sf.posterize(photo, bits), ImageOps.posterize(picture, bits))
    for threshold in (0, 1, 128, 255, 256):
        np.testing.assert_array_equal(
            sf.solarize(photo, threshold / 255), ImageOps.solarize(picture, threshold)
        )
    np.testing.assert_array_equal(sf.invert(photo), ImageOps.invert(picture))
    grey = np.asarray(picture.convert("L"), np.float64)  # with 16 bits of the weights, and OpenCV with 14
    np.testing.assert_allclose(sf.to_grey(photo)[..., 1], grey, atol=1)


@pytest.mark.parametrize(
    "image", [np.full((5, 5), 7, np.uint8), np.zeros((1, 1, 3), np.uint8)], ids=["flat", "dot"]
)
def test_equalisation_of_flat_images_follows_pillow(image: np.ndarray) -> None:
    np.testing.assert_array_equal(sf.equalize(image), ImageOps.equalize(Image.fromarray(image)))
    np.testing.assert_array_equal(sf.autocontrast(image), ImageOps.autocontrast(Image.fromarray(image)))


def test_equalize_is_opencvs() -> None:
    grey = data.camera()
    dark = grey // 3
    for image in (grey, dark, dark[:7, :9], np.full((5, 6), 9, np.uint8), image_of((40, 50), "uint8")):
        np.testing.assert_array_equal(sf.equalize(image, "opencv"), cv2.equalizeHist(image))


def test_clahe_raises_local_contrast_as_skimage_does() -> None:
    moon = data.moon()
    ours = sf.equalize_adaptively(moon, 4.0, (8, 8)).astype(float)
    theirs = exposure.equalize_adapthist(moon, kernel_size=64, clip_limit=4.0 / 256) * 255
    assert np.corrcoef(ours.ravel(), theirs.ravel())[0, 1] > 0.9
    assert ours.std() > 1.3 * moon.std()


def test_hue_saturation_value_is_a_shift_in_hsv() -> None:
    shifts = (23 / 180, 31 / 255, -17 / 255)

    def change(h: float, s: float, v: float) -> tuple[float, float, float]:
        saturation = min(max(s + shifts[1], 0), 1) if s else 0.0
        return (h + shifts[0]) % 1, saturation, min(max(v + shifts[2], 0), 1)

    shift = ss.HueSaturationValue((23, 23), (31, 31), (-17, -17))
    apart = np.abs(shift(SWATCHES, key=KEY) - in_hsv(change) * 255)
    # Hue in steps of 2°, saturation of 255ths: up to 1/60 of the chroma and 2 of rounding.
    assert apart.max() < 255 / 60 + 2.5
    assert apart.mean() < 0.9


def test_fractional_hue_saturation_value_multiplies() -> None:
    def change(h: float, s: float, v: float) -> tuple[float, float, float]:
        return (h + 0.1) % 1, min(s * 1.5, 1), v * 0.6

    scale = ss.HueSaturationValue((0.1, 0.1), (0.5, 0.5), (-0.4, -0.4), fractional=True)
    apart = np.abs(scale(SWATCHES, key=KEY) - in_hsv(change) * 255)
    assert apart.max() < 255 / 60 + 2.5
    assert apart.mean() < 0.9


def test_photometric_steps() -> None:
    def saturate(factor: float) -> Any:
        return lambda h, s, v: (h, s * factor, v)

    np.testing.assert_allclose(sf.multiply_saturation(SWATCHES, 0.5), in_hsv(saturate(0.5)) * 255, atol=1)
    beyond = np.clip(in_hsv(saturate(1.5)) * 255, 0, 255)
    np.testing.assert_allclose(sf.multiply_saturation(SWATCHES, 1.5), beyond, atol=1.01)
    early = sf.distort(SWATCHES, 20.0, 1.5, True, 1.0, 0.0, (0, 1, 2))
    np.testing.assert_allclose(early, np.clip((SWATCHES + 20.0) * 1.5, 0, 255), atol=0.51)
    late = sf.distort(SWATCHES, 100.0, 0.5, False, 1.0, 120.0, (2, 1, 0))
    bright = np.minimum(SWATCHES.astype(int) + 100, 255)
    np.testing.assert_allclose(late, bright[..., [2, 0, 1]][..., ::-1] * 0.5, atol=0.51)


def test_channels() -> None:
    shifted = sf.shift_channels(SWATCHES, (0.1, -0.2, 0.0))
    expected = np.clip(SWATCHES + np.rint([25.5, -51.0, 0.0]), 0, 255)
    np.testing.assert_array_equal(shifted, expected)
    many = image_of((5, 4, 6), "uint8")
    steps = np.linspace(-0.5, 0.5, 6)
    np.testing.assert_array_equal(
        sf.shift_channels(many, steps), np.clip(many + np.rint(255 * steps), 0, 255)
    )
    np.testing.assert_array_equal(
        sf.shuffle_channels(many, (5, 0, 3, 1, 2, 4)), many[..., [5, 0, 3, 1, 2, 4]]
    )
    sepia = SWATCHES @ np.array([[0.393, 0.349, 0.272], [0.769, 0.686, 0.534], [0.189, 0.168, 0.131]])
    # Coefficients of 10 bits.
    np.testing.assert_allclose(sf.to_sepia(SWATCHES), np.minimum(sepia, 255), atol=0.9)


def test_fancy_pca_moves_along_the_principal_axis() -> None:
    photo = data.astronaut()[::4, ::4]
    moved = sf.shift_principal((photo / 255).astype(np.float32), (0.5, 0.0, 0.0)) - photo / 255
    inside = moved[(photo > 60).all(axis=2) & (photo < 190).all(axis=2)]
    centred = (photo / 255).reshape(-1, 3) - (photo / 255).reshape(-1, 3).mean(axis=0)
    direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    widest = np.cov((photo / 255).reshape(-1, 3).T, bias=True)
    length = 0.5 * np.linalg.eigvalsh(widest)[-1]
    np.testing.assert_allclose(np.abs(inside @ direction), length, rtol=1e-3)
    np.testing.assert_allclose(inside, np.broadcast_to(inside[0], inside.shape), atol=1e-6)


# What is drawn


test_bad_input = refused(
    (lambda: ss.ColorJitter(-0.1), ValueError, "brightness must be in [0, 999999], got -0.1"),
    (lambda: ss.ColorJitter(contrast="1"), TypeError, "contrast must be a number"),
    (lambda: ss.ColorJitter(hue=0.6), ValueError, "hue must be in [0, 0.5], got 0.6: pass a share of the circle"),
    (lambda: ss.ColorJitter(saturation=(2, 1)), ValueError, "swap them"),
    (lambda: ss.ColorJitter(saturation=(1, 2, 3)), ValueError, "a pair (low, high)"),
    (lambda: ss.HueSaturationValue(0.5, 0.5, 300), ValueError, "pass units of uint8, or fractional=True"),
    (lambda: ss.HueSaturationValue(20, fractional=True), ValueError, "pass fractions"),
    (lambda: ss.Gamma((80, 120)), ValueError, "pass powers near 1, such as (0.8, 1.2), not percentages"),
    (lambda: ss.Solarize(128), ValueError, "128 of 255 is 0.5"),
    (lambda: ss.Posterize(9), ValueError, "bits must be at least 1 and below 9, got 9"),
    (lambda: ss.Posterize(2.5), TypeError, "bits must be an integer"),
    (lambda: ss.AutoContrast(cutoff=60), ValueError, "cutoff must be in [0, 49]"),
    (lambda: ss.CLAHE(0.5), ValueError, "swap them"),
    (lambda: ss.CLAHE(tiles=0), ValueError, "tiles must be at least 1"),
    (lambda: ss.PhotoMetricDistortion(step_p=1.5), ValueError, "step_p must be in [0, 1]"),
    (lambda: ss.ChannelDropout(3)(SWATCHES, key=KEY), ValueError, "up to 3 channels needs an image with more"),
    (lambda: sf.shuffle_channels(SWATCHES, (0, 0, 1)), ValueError, "order must name each of 3 channels once"),
    (lambda: ss.Equalize(p=1)(np.zeros((2, 2, 2, 2), np.uint8), key=KEY), ValueError, "must have the shape (H, W)"),
)  # fmt: skip
