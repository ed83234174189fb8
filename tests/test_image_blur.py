"""Blurs and filters, each against SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from image_laws import image_of
from refused import refused
from scipy import ndimage, stats
from skimage import data

import seedsafe as ss
from seedsafe import functional as sf
from seedsafe.keys.key import address
from seedsafe.keys.words import sixteenths

NOISE = address(ss.SampleKey(5, 0, 0))


PHOTO = data.coffee()[100:180, 100:190]


def by_channel(change: Any, image: np.ndarray) -> np.ndarray:
    return np.stack([change(image[..., k].astype(np.float64)) for k in range(image.shape[2])], -1)


@pytest.mark.parametrize("size", [1, 3, 5, 7, 31])
def test_box_blur_is_a_mean(size: int) -> None:
    exact = by_channel(lambda plane: ndimage.uniform_filter(plane, size, mode="mirror"), PHOTO)
    # An odd number of pixels never means a half: there is one right rounding.
    np.testing.assert_array_equal(sf.box_blur(PHOTO, size), np.rint(exact))


@pytest.mark.parametrize(("size", "sigma"), [(3, 0.1), (3, 2.0), (7, 1.3), (0, 0.7), (0, 2.0), (23, 3.0)])
def test_gaussian_blur_is_a_bell(size: int, sigma: float) -> None:
    side = size or int(3.5 * sigma) * 2 + 1

    def change(plane: np.ndarray) -> np.ndarray:
        return ndimage.gaussian_filter(plane, sigma, mode="mirror", radius=side // 2)

    # OpenCV's weights have 8 bits: each of two passes is off by up to 0.5 for rounding and the weights' errors.
    np.testing.assert_allclose(sf.gaussian_blur(PHOTO, size, sigma), by_channel(change, PHOTO), atol=2)
    real = (PHOTO / 255).astype(np.float32)
    np.testing.assert_allclose(sf.gaussian_blur(real, size, sigma), by_channel(change, real), atol=1e-6)


@pytest.mark.parametrize("size", [1, 3, 5, 9])
def test_median_blur_is_a_median(size: int) -> None:
    exact = by_channel(lambda plane: ndimage.median_filter(plane, size, mode="nearest"), PHOTO)
    np.testing.assert_array_equal(sf.median_blur(PHOTO, size), exact)
    six = np.concatenate([PHOTO, PHOTO[::-1]], axis=2)
    np.testing.assert_array_equal(sf.median_blur(six, size)[..., :3], exact)


@pytest.mark.parametrize(
    "kernel",
    [
        sf.line_kernel(7, 30.0, 0.0),
        sf.line_kernel(5, 200.0, -1.0, (1.0, -0.5)),
        sf.disk_kernel(4, 0.3),
        sf.bell_kernel(7, (1.0, 0.3), 40.0, 2.0),
        sf.sharpen_kernel(0.3, 0.9),
        sf.emboss_kernel(0.4, 0.5),
    ],
    ids=["line", "shifted line", "disk", "bell", "sharpen", "emboss"],
)
def test_convolve_is_a_correlation(kernel: np.ndarray) -> None:
    exact = np.clip(by_channel(lambda plane: ndimage.correlate(plane, kernel, mode="mirror"), PHOTO), 0, 255)
    np.testing.assert_allclose(sf.convolve(PHOTO, kernel), exact, atol=0.5 + 1e-3)
    real = (PHOTO / 255).astype(np.float32)
    np.testing.assert_allclose(sf.convolve(real, kernel), exact / 255, atol=1e-5)


def test_kernels() -> None:
    for size, angle in ((3, 0.0), (7, 33.0), (9, 270.0)):
        line = sf.line_kernel(size, angle, 0.0)
        assert line.sum() == pytest.approx(1)
        np.testing.assert_array_equal(line, line[::-1, ::-1])  # an even line is its own mirror image
        assert 1 < np.count_nonzero(line) <= size
    np.testing.assert_array_equal(np.flatnonzero(sf.line_kernel(5, 0.0, 1.0)[2]), [2, 3, 4])
    np.testing.assert_array_equal(np.flatnonzero(sf.line_kernel(5, 0.0, -1.0)[2]), [0, 1, 2])
    np.testing.assert_array_equal(np.flatnonzero(sf.line_kernel(5, 90.0, 0.0)[:, 2]), range(5))
    bell = sf.bell_kernel(9, (1.2, 1.2), 77.0, 1.0)  # alike in both directions, a turn shows nothing
    weights = stats.norm(0, 1.2).pdf(np.arange(-4, 5))
    np.testing.assert_allclose(
        bell, np.outer(weights, weights) / np.outer(weights, weights).sum(), atol=1e-12
    )
    turned = sf.bell_kernel(9, (3.0, 0.3), 90.0, 1.0)
    assert turned[:, 4].sum() > 0.99  # wide along x before a quarter's turn, along y after it
    disk = sf.disk_kernel(5, 0.01)
    assert np.count_nonzero(disk > 1e-9) == sum(
        x * x + y * y <= 25 for x in range(-5, 6) for y in range(-5, 6)
    )


def test_glass_takes_pixels_from_near_by() -> None:
    rows = np.mgrid[:40, :50][0].astype(np.float32)
    for reach, rounds in ((1, 1), (3, 2)):
        moved = sf.glass_blur(rows / 64, 0.0, reach, rounds, NOISE) * 64 - rows
        assert np.abs(moved).max() <= reach * rounds
        counts = np.bincount((moved[5:-5] + reach * rounds).astype(int).ravel())
        assert len(counts) == 2 * reach * rounds + 1
        if rounds == 1:
            assert stats.chisquare(counts).pvalue > 1e-3
    pieces = sixteenths(NOISE, 2 * 40 * 50).reshape(2, 40, 50).astype(np.int64)
    row = np.clip(np.arange(40)[:, None] + (pieces[0] * 3 >> 16) - 1, 0, 39)
    column = np.clip(np.arange(50) + (pieces[1] * 3 >> 16) - 1, 0, 49)
    image = image_of((40, 50), "uint8")
    np.testing.assert_array_equal(sf.glass_blur(image, 0.0, 1, 1, NOISE), image[row, column])


def test_glass_swaps_pixels_as_its_authors_do() -> None:
    image = image_of((40, 50, 3), "uint8")
    wanted = image.copy()
    rows, columns = np.arange(40 - 3, 3, -1), np.arange(50 - 3, 3, -1)
    y, x = np.tile(rows, len(columns)), np.repeat(columns, len(rows))
    for down, right in sixteenths(NOISE, 2 * 2 * 40 * 50).reshape(2, 2, 40, 50).astype(np.int64):
        there = y + (down[y, x] * 6 >> 16) - 3, x + (right[y, x] * 6 >> 16) - 3
        wanted[y, x], wanted[there] = wanted[there], wanted[y, x]
    np.testing.assert_array_equal(sf.glass_blur(image, 0.0, 3, 2, NOISE, swap=True), wanted)
    for shape in ((1, 1), (3, 9), (8, 4, 1)):
        tiny = image_of(shape, "uint8")
        np.testing.assert_array_equal(sf.glass_blur(tiny, 0.0, 4, 2, NOISE, swap=True), tiny)


test_bad_input = refused(
    (lambda: ss.Blur(4), ValueError, "size must be odd, got 4: pass an odd number of pixels"),
    (lambda: ss.Blur((7, 3)), ValueError, "swap them"),
    (lambda: ss.Blur(0), ValueError, "size must be at least 1"),
    (lambda: ss.MedianBlur(3.0), TypeError, "size must be an integer, got 3.0"),
    (lambda: ss.GaussianBlur((0, 3)), ValueError, "size must be at least 1"),
    (lambda: ss.GaussianBlur(3, -1), ValueError, "sigma must be in [0, 1000], got -1.0"),
    (lambda: ss.MotionBlur(direction=2), ValueError, "direction must be in [-1, 1]"),
    (lambda: ss.AdvancedBlur(beta=(2, 3)), ValueError, "beta must be a range that includes 1"),
    (lambda: ss.AdvancedBlur(sigma_x=0), ValueError, "sigma_x must be in [0.05, 1000]"),
    (lambda: ss.Defocus(0), ValueError, "radius must be at least 1"),
    (lambda: ss.GlassBlur(reach=0), ValueError, "reach must be at least 1"),
    (lambda: ss.Sharpen(2), ValueError, "alpha must be in [0, 1]"),
)
