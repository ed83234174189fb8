"""Colour, blur and noise against torchvision 0.28 and albumentations 2.0.8, given the same parameters."""

from __future__ import annotations

import random
from typing import Any

import cv2
import numpy as np
import pytest
import torch

import seedsafe as ss
from seedsafe import functional as sf

pytestmark = pytest.mark.bridge


def scene(seed: int) -> np.ndarray:
    """Return smooth colours with noise over them: hues, greys and both ends of the range occur."""
    rng = np.random.default_rng(seed)
    smooth = cv2.resize(
        rng.integers(-80, 340, (6, 7, 3)).astype(np.float32), (140, 120), interpolation=cv2.INTER_LINEAR
    )
    return np.clip(smooth + rng.normal(0, 6, smooth.shape), 0, 255).astype(np.uint8)


SCENES = [scene(seed) for seed in range(4)]


def planes(image: np.ndarray) -> Any:
    return torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1)))


def pixels(made: Any) -> np.ndarray:
    array: np.ndarray = made.numpy().transpose(1, 2, 0)
    return array


def apart(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    return np.abs(ours.astype(np.float64) - theirs)


@pytest.fixture(scope="module")
def vision() -> Any:
    from torchvision.transforms.v2 import functional

    return functional


@pytest.fixture(scope="module")
def pixel() -> Any:
    from albumentations.augmentations.pixel import functional

    return functional


@pytest.fixture(scope="module")
def blurring() -> Any:
    from albumentations.augmentations.blur import functional

    return functional


@pytest.mark.parametrize(
    ("ours", "theirs", "values"),
    [
        (sf.adjust_brightness, "adjust_brightness", (0.0, 0.3, 0.6, 1.0, 1.4, 2.3)),
        (sf.adjust_contrast, "adjust_contrast", (0.0, 0.3, 0.6, 1.0, 1.4, 2.3)),
        (sf.adjust_saturation, "adjust_saturation", (0.0, 0.3, 0.6, 1.0, 1.4, 2.3)),
        (sf.rotate_hue, "adjust_hue", (-0.5, -0.3, -0.1, 0.0, 0.05, 0.2, 0.5)),
    ],
    ids=["brightness", "contrast", "saturation", "hue"],
)
def test_each_step_of_a_jitter_is_within_1_of_torchvisions(
    vision: Any, ours: Any, theirs: str, values: Any
) -> None:
    for image in SCENES:
        real = (image / 255).astype(np.float32)
        for value in values:
            assert apart(ours(image, value), pixels(getattr(vision, theirs)(planes(image), value))).max() <= 1
            assert apart(ours(real, value), pixels(getattr(vision, theirs)(planes(real), value))).max() < 3e-6


def test_a_jitter_is_torchvisions(vision: Any) -> None:
    steps = [vision.adjust_brightness, vision.adjust_contrast, vision.adjust_saturation, vision.adjust_hue]
    jitter = ss.Compose([ss.ColorJitter(0.4, 0.4, 0.4, 0.1)])
    beyond, distance = [], []
    for index in range(60):
        image = SCENES[index % 4]
        params = jitter.params(ss.SampleKey(1, 0, index), image)[0].params
        theirs = planes(image)
        for step in params.order:
            theirs = steps[step](theirs, params[step])
        away = apart(sf.color_jitter(image, *params), pixels(theirs))
        beyond.append((away > 1).mean())
        distance.append(away.mean())
    # A step within 1 is made more of by the steps after it, by up to 1.4 each.
    assert np.mean(beyond) < 0.03
    assert np.mean(distance) < 0.5


def test_tones_are_torchvisions(vision: Any) -> None:
    for image in SCENES:
        given = planes(image)
        np.testing.assert_array_equal(sf.equalize(image), pixels(vision.equalize(given)))
        np.testing.assert_array_equal(sf.posterize(image, 3), pixels(vision.posterize(given, 3)))
        np.testing.assert_array_equal(sf.solarize(image, 0.5), pixels(vision.solarize(given, 128)))
        np.testing.assert_array_equal(sf.invert(image), pixels(vision.invert(given)))
        assert apart(sf.autocontrast(image), pixels(vision.autocontrast(given))).max() <= 1
        assert apart(sf.to_grey(image), pixels(vision.rgb_to_grayscale(given, 3))).max() <= 1
        assert apart(sf.gaussian_blur(image, 5, 1.3), pixels(vision.gaussian_blur(given, 5, 1.3))).max() <= 1


def test_colours_are_albumentations(pixel: Any) -> None:
    for image in SCENES:
        shifts = (13.0, 21.0, -16.0)
        ours = ss.HueSaturationValue(*((one, one) for one in shifts))(image, key=ss.SampleKey(0, 0, 0))
        assert apart(ours, pixel.shift_hsv(image, *shifts)).max() <= 2
        for value in (0.6, 1.3):  # it rounds down
            assert apart(sf.adjust_gamma(image, value), pixel.gamma_transform(image, value)).max() <= 1
        np.testing.assert_array_equal(
            sf.bend_tones(image, (0.2,), (0.9,)), pixel.move_tone_curve(image, 0.2, 0.9)
        )
        np.testing.assert_array_equal(sf.posterize(image, 5), pixel.posterize(image, 5))
        np.testing.assert_array_equal(
            sf.shuffle_channels(image, (2, 0, 1)), pixel.channel_shuffle(image, [2, 0, 1])
        )
        np.testing.assert_array_equal(
            sf.equalize_adaptively(image, 3.0, (8, 8)), pixel.clahe(image, 3.0, (8, 8))
        )
        np.testing.assert_array_equal(sf.to_grey(image), pixel.to_gray(image, 3, "weighted_average"))


def test_blurs_are_albumentations(blurring: Any) -> None:
    rng = random.Random(0)
    for image in SCENES:
        for size in (3, 5, 7):
            np.testing.assert_array_equal(sf.box_blur(image, size), blurring.box_blur(image, size))
            np.testing.assert_array_equal(sf.median_blur(image, size), blurring.median_blur(image, size))
        # Its kernel is smoothed in float32.
        assert apart(sf.convolve(image, sf.disk_kernel(5, 0.3)), blurring.defocus(image, 5, 0.3)).max() <= 1
    for _ in range(300):
        size, angle, direction = rng.choice((3, 5, 7, 9)), rng.uniform(0, 360), rng.uniform(-1, 1)
        theirs = blurring.create_motion_kernel(size, angle, direction, False, rng)
        np.testing.assert_allclose(sf.line_kernel(size, angle, direction), theirs / theirs.sum(), atol=1e-7)
