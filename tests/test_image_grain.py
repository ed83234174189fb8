"""Noise and quality: the noise against the raw words, and distributions against SciPy's."""

from __future__ import annotations

import io

import numpy as np
import pytest
from image_laws import KEY, image_of
from PIL import Image
from refused import refused
from scipy import stats
from skimage import data
from skimage.color import rgb2hsv

import seedsafe as ss
from seedsafe import functional as sf
from seedsafe.functional import camera
from seedsafe.keys.key import address, philox
from seedsafe.keys.words import normal_quantiles

NOISE = address(ss.SampleKey(5, 0, 0))


def pieces(n: int) -> np.ndarray:
    """Return the 16-bit pieces at NOISE, from the raw words."""
    words = philox(NOISE).random_raw(-(-n // 4)).astype("<u8")
    return words.view("<u2")[:n].astype(np.int64)


def test_gaussian_noise_of_pixels_and_of_variances() -> None:
    image = image_of((30, 20, 3), "uint8")
    z = normal_quantiles()[pieces(600)].reshape(30, 20, 1)
    made = sf.add_gaussian_noise(image, 12.5, NOISE, per_channel=False)
    np.testing.assert_array_equal(made, np.clip(image + np.rint(12.5 * z), 0, 255))
    noisy = ss.GaussianNoise(variance=(10, 50))
    record = ss.Compose([noisy]).params(KEY, image)
    whole = noisy(image, key=KEY)
    real = noisy((image / 255).astype(np.float32), key=KEY)
    assert np.abs(np.clip(real * 255, 0, 255) - whole).max() < 0.51
    np.testing.assert_array_equal(whole, sf.add_gaussian_noise(image, *record[0].params))


def test_multiplicative_noise_takes_a_piece_a_value() -> None:
    image = image_of((9, 8, 3), "uint8")
    for per_channel, count in ((True, 216), (False, 72)):
        factors = 0.5 + (pieces(count) + 0.5) / 65536
        factors = factors.reshape((9, 8, 3) if per_channel else (9, 8, 1))
        made = sf.multiplicative_noise(image, 0.5, 1.5, NOISE, per_channel=per_channel)
        np.testing.assert_allclose(made, np.minimum(image * factors, 255), atol=0.5 + 1e-4)
    scaled = sf.scale_channels(image, (0.3, 1.0, 2.0))
    np.testing.assert_allclose(scaled, np.minimum(image * np.array([0.3, 1.0, 2.0]), 255), atol=0.5)


@pytest.mark.parametrize(("salt", "pepper"), [(0.02, 0.03), (0.0, 0.5), (1.0, 0.0), (0.4, 0.6), (0.0, 0.0)])
def test_salt_and_pepper_takes_a_piece_a_pixel(salt: float, pepper: float) -> None:
    image = np.full((100, 90, 3), 77, np.uint8)
    made = sf.salt_and_pepper(image, salt, pepper, NOISE)
    h = pieces(9000).reshape(100, 90)
    white, lost = h < round(65536 * salt), h < round(65536 * (salt + pepper))
    expected = np.where(white, 255, np.where(lost, 0, 77))
    np.testing.assert_array_equal(made, np.repeat(expected[..., None], 3, axis=2))
    assert abs(white.mean() - salt) < 0.02


@pytest.mark.parametrize("scale", [0.3, 0.05, 0.004, 5.0])
def test_photons_are_a_poisson_distributions_quantiles(scale: float) -> None:
    certain, limits, light = camera._photons(scale)
    h = np.arange(65536)
    for value in (0, 1, 20, 128, 255):
        mean = (value / 255) ** 2.2 / scale
        counts = int(certain[value]) + sum((h > limit[value]).astype(int) for limit in limits)
        expected = stats.poisson(mean).ppf((h + 0.5) / 65536) if mean else np.zeros(65536)
        assert (counts != expected).sum() <= 1  # where a sum of chances is a piece's share, to 1e-16
    exact = 255 * np.minimum(np.arange(len(light)) * scale, 1) ** (1 / 2.2)
    most = int(certain.max()) + len(limits)
    assert np.abs(light[: most + 1] - exact[: most + 1]).max() <= 0.5 + 1e-9


def test_shot_noise_keeps_the_mean_of_light() -> None:
    flat = np.full((300, 300), 120, np.uint8)
    made = sf.shot_noise(flat, 0.02, NOISE)
    light = (made / 255) ** 2.2
    assert light.mean() == pytest.approx((120 / 255) ** 2.2, rel=0.01)
    assert light.var() == pytest.approx(0.02 * (120 / 255) ** 2.2, rel=0.05)
    assert (sf.shot_noise(np.zeros((200, 200), np.uint8), 0.1, NOISE) == 0).all()


def test_iso_noise_shifts_hues_and_lightens() -> None:
    colour = np.broadcast_to(np.float32([0.6, 0.3, 0.2]), (150, 150, 3))
    before = rgb2hsv(colour)[0, 0, 0]
    shifted = rgb2hsv(sf.iso_noise(colour, 0.05, 0.8, NOISE).astype(np.float64))[..., 0] - before
    shifted -= np.rint(shifted)
    assert stats.kstest(shifted.ravel(), stats.norm(0, 0.04).cdf).pvalue > 1e-3
    ramp = np.repeat(np.linspace(0, 1, 200, dtype=np.float32), 600).reshape(200, 200, 3)
    lightened = sf.iso_noise(ramp, 0.0, 0.5, NOISE) - ramp
    chance = 1 - np.exp(-0.5 * ramp[..., 0].std())
    assert (lightened[:190] > 0.01).any(axis=2).mean() == pytest.approx(chance, abs=0.02)
    assert lightened.min() > -1e-5


@pytest.mark.parametrize("file_format", ["jpeg", "webp"])
def test_compression_is_what_pillow_reads_back(file_format: str) -> None:
    photo = data.coffee()[:200, :300]
    for quality in (20, 80):
        kept = io.BytesIO()
        Image.fromarray(photo).save(kept, file_format, quality=quality)
        theirs = np.asarray(Image.open(kept).convert("RGB")).astype(int)
        ours = sf.compress(photo, quality, file_format)
        # Two encoders may round a coefficient otherwise; what they throw away is the same.
        assert np.abs(ours - theirs).mean() < 0.25 * np.abs(photo.astype(int) - theirs).mean()
    grey = sf.compress(photo[..., 0], 30)
    assert 0.5 < np.abs(grey.astype(int) - photo[..., 0]).mean() < 8


def test_downscale_repeats_pixels() -> None:
    image = image_of((8, 12, 3), "uint8")
    means = image.reshape(4, 2, 6, 2, 3).mean(axis=(1, 3))
    made = sf.downscale(image, 0.5, "area")
    np.testing.assert_allclose(made[::2, ::2], means, atol=0.5)
    np.testing.assert_array_equal(made, np.repeat(np.repeat(made[::2, ::2], 2, 0), 2, 1))
    nearest = sf.downscale(image, 1 / 3)
    assert len(np.unique(nearest.reshape(-1, 3), axis=0)) <= 3 * 4
    np.testing.assert_array_equal(sf.downscale(image, 1.0), image)


test_bad_input = refused(
    (lambda: ss.GaussianNoise(5, variance=3), ValueError, "std and variance cannot be used together"),
    (lambda: ss.GaussianNoise(variance=-3), ValueError, "variance must be"),
    (lambda: ss.MultiplicativeNoise(-1), ValueError, "factor must be"),
    (lambda: ss.SaltAndPepper(1.5), ValueError, "amount must be in [0, 1]"),
    (lambda: ss.ShotNoise(0.0), ValueError, "scale must be in [0.002, 1000]"),
    (lambda: ss.ImageCompression(0), ValueError, "quality must be at least 1 and below 101"),
    (lambda: ss.Downscale(0.0), ValueError, "scale must be in"),
    (lambda: sf.compress(np.zeros((1, 70000), np.uint8), 50), ValueError, "jpeg holds up to 65500 pixels a side"),
    (lambda: sf.compress(np.zeros((4, 4, 4), np.uint8), 50), ValueError, "3 channels (RGB) or 1"),
)  # fmt: skip
