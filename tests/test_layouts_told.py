"""Arrays whose axes are in another order are told where their shape shows it beyond doubt."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

FLIP = ss.Compose([ss.VerticalFlip(p=1)])
KEY = ss.SampleKey(42, 0, 0)
SOUND = ss.Compose([ss.TimeShift()])


def image(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, shape).astype(np.uint8)


@pytest.mark.parametrize(
    "shape",
    [
        (2, 32, 32),
        (5, 64, 64),
        (8, 64, 64),
        (12, 120, 120),
        (13, 256, 300),
        (16, 64, 64),
        (32, 112, 112),
        (5, 16, 16),
        (12, 20, 20),
        (2, 300, 200),
        (8, 48, 64),
        (12, 64, 48),
        (30, 120, 160),
        (64, 240, 320),
        (16,) * 3,
        (64,) * 3,
    ],
)
def test_axes_that_are_not_rows_columns_and_channels_are_told(shape: Any) -> None:
    told = r"channels|volume"
    for sample in (image(*shape), image(*shape).astype(np.float32), {"image": image(*shape)}):
        with pytest.raises(ValueError, match=told) as error:
            FLIP(sample, key=KEY)
        assert 'Compose(..., channels="last")' in str(error.value)
    base = [image(*shape)] * 64
    with pytest.raises(Exception, match=told):
        AugmentedDataset(base, FLIP, seed=1)[0]
    with pytest.raises(Exception, match=told):
        next(iter(loader(AugmentedDataset(base, FLIP, seed=1), batch_size=64, seed=1)))


def test_a_volume_is_not_cropped_on_two_axes() -> None:
    with pytest.raises(ValueError, match="volume"):
        ss.RandomCrop(8)(image(16, 16, 16), key=KEY)


def test_the_advice_for_images_works() -> None:
    bands = image(12, 64, 64)
    with pytest.raises(ValueError, match="seem") as told:
        FLIP(bands, key=KEY)
    assert "image.transpose(1, 2, 0)" in str(told.value)
    assert "augment(video=image)" in str(told.value)
    assert 'targets="video"' in str(told.value)
    np.testing.assert_array_equal(FLIP(bands.transpose(1, 2, 0), key=KEY), bands.transpose(1, 2, 0)[::-1])
    np.testing.assert_array_equal(FLIP(video=bands, key=KEY)["video"], bands[:, ::-1])
    served = AugmentedDataset([bands], FLIP, seed=1, targets="video")[0]
    np.testing.assert_array_equal(served, bands[:, ::-1])
    last = ss.Compose([ss.VerticalFlip(p=1)], channels="last")
    for axes in (bands, image(16, 16, 16)):
        np.testing.assert_array_equal(last(axes, key=KEY), axes[::-1])


@pytest.mark.parametrize(
    "shape",
    [
        (5, 64, 31),
        (9, 9, 103),
        (16, 16, 103),
        (14, 14, 768),
        (8, 8, 8),
        (2, 300, 120),
        (12, 20, 31),
        (64, 128, 200),
        (100, 120, 200),
        (145, 145, 200),
        (1, 64, 5),
        (5, 5, 2),
        (200, 31, 31),
        (2, 64),
    ],
)
def test_images_of_any_legal_shape_are_taken(shape: Any) -> None:
    np.testing.assert_array_equal(FLIP(image(*shape), key=KEY), image(*shape)[::-1])


def test_equal_noise_in_all_channels_needs_to_know_which_axis_they_are() -> None:
    equal = ss.GaussianNoise((20, 20), per_channel=False)
    with pytest.raises(
        ValueError, match="GaussianNoise needs images with their channels last, but ToCHW puts them first"
    ):
        ss.Compose([ss.ToCHW(), equal])
    planes = ss.Compose([equal, ss.ToCHW()])(np.full((6, 8, 3), 128, np.uint8), key=KEY)
    np.testing.assert_array_equal(planes[0], planes[2])
    assert len(np.unique(planes[0])) > 8


def test_colours_may_have_any_axes() -> None:
    ss.Compose([ss.Invert(p=1)])(image(12, 64, 64), key=KEY)


@pytest.mark.parametrize("shape", [(2, 8, 16, 16, 1), (8, 16, 16, 1), (8, 16, 16, 3)])
@pytest.mark.parametrize(
    "transform",
    [ss.GaussianNoise(3), ss.Normalize(0.5, 0.2), ss.ChannelShuffle(p=1), ss.Invert(p=1), ss.Gamma(p=1)],
    ids=lambda transform: type(transform).__name__,
)
def test_volumes_and_clips_are_no_images(transform: Any, shape: Any) -> None:
    with pytest.raises(ValueError, match=r"an image must have the shape \(H, W\) or \(H, W, C\), got \("):
        transform(np.zeros(shape, np.uint8), key=ss.SampleKey(42, 0, 0))


@pytest.mark.parametrize(("samples", "channels"), [(800, 1), (800, 2), (800, 6), (40, 2)])
def test_samples_before_channels_are_told(samples: int, channels: int) -> None:
    sound = np.random.default_rng(0).normal(size=(samples, channels)).astype(np.float32)
    for augment in (SOUND, ss.Compose([ss.Reverse(p=1)]), ss.Reverse(p=1)):
        for give in (
            lambda augment=augment: augment(sound, key=KEY),
            lambda augment=augment: augment(audio=sound, key=KEY),
        ):
            with pytest.raises(ValueError, match=re.escape("audio.T")):
                give()
    np.testing.assert_array_equal(ss.Reverse(p=1)(sound.T, key=KEY), sound.T[:, ::-1])
    with pytest.raises(Exception, match=re.escape("audio.T")):
        AugmentedDataset([(sound, 1)], SOUND, seed=1)[0]


@pytest.mark.parametrize("shape", [(2, 2), (2, 800), (64, 5), (800,), (1, 1)])
def test_sounds_of_any_legal_shape_are_taken(shape: Any) -> None:
    sound = np.ones(shape, np.float32)
    assert ss.Reverse(p=1)(sound, key=KEY).shape == shape


def test_an_image_of_two_columns_is_no_sound() -> None:
    assert FLIP(image(800, 2), key=KEY).shape == (800, 2)
