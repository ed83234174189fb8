"""Snow, rain, fog, shadows and sun flares of seedsafe_albumentations; tests/albumentations compares them with the original's."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from skimage import data

import seedsafe as ss
import seedsafe_albumentations as A  # noqa: N812  # as its users do

IMAGE = data.astronaut()[:90, :120].copy()
KEY = ss.SampleKey(42, 3, 1234)
NAMES = ["RandomSnow", "RandomRain", "RandomFog", "RandomShadow", "RandomSunFlare"]


def keys(n: int) -> list[ss.SampleKey]:
    return [ss.SampleKey(42, 0, index) for index in range(n)]


@pytest.mark.parametrize("name", NAMES)
def test_images_of_float_go_through_uint8_and_nothing_is_written_to(name: str) -> None:
    augment = A.Compose([getattr(A, name)(p=1)])
    for key in keys(5):
        given = IMAGE.copy()
        whole = augment(image=given, mask=IMAGE[..., 0], key=key)
        assert (given == IMAGE).all()
        assert (whole["mask"] == IMAGE[..., 0]).all()
        share = augment(image=(IMAGE / 255).astype(np.float32), key=key)["image"]
        assert share.dtype == np.float32
        assert (np.rint(share * 255) == whole["image"]).all()
    assert len({augment(image=IMAGE, key=key)["image"].tobytes() for key in keys(20)}) > 9
    with pytest.raises(TypeError, match="needs uint8 or float32, got dtype uint16"):
        augment(image=IMAGE.astype(np.uint16), key=KEY)
    if name != "RandomShadow":
        with pytest.raises(ValueError, match="needs three channels, got the shape"):
            augment(image=IMAGE[..., 0].copy(), key=KEY)


@pytest.mark.parametrize("share", [0.08, 0.5])
def test_fog_is_disc_upon_disc(share: float) -> None:
    augment = A.Compose([A.RandomFog(share, (0.2, 0.9), p=1)])
    for key in keys(6):
        strength, discs = augment.pipeline.params(key, IMAGE.shape)[0].params
        assert len({radius for *_, radius in discs}) > 1
        wanted = IMAGE.copy()
        for x, y, radius in discs:
            overlay = cv2.circle(wanted.copy(), (x, y), radius, (255, 255, 255), -1)
            wanted = cv2.addWeighted(overlay, share * strength, wanted, 1 - share * strength, 0)
        wanted = cv2.GaussianBlur(wanted, (3, 3), 0)
        assert (augment(image=IMAGE, key=key)["image"] == wanted).all()


def test_arguments_of_1_x_name_the_ends() -> None:
    pairs: list[tuple[Any, Any]] = [
        (A.RandomSnow(snow_point_lower=0.2, snow_point_upper=0.4), A.RandomSnow(snow_point_range=(0.2, 0.4))),
        (A.RandomRain(slant_lower=-5), A.RandomRain(slant_range=(-5, 10))),
        (A.RandomRain(rain_type=None), A.RandomRain()),
        (A.RandomFog(fog_coef_lower=0.7, fog_coef_upper=0.8), A.RandomFog(fog_coef_range=(0.7, 0.8))),
        (A.RandomShadow(num_shadows_lower=1, num_shadows_upper=1), A.RandomShadow(num_shadows_limit=(1, 1))),
        (
            A.RandomSunFlare(angle_lower=0.5, num_flare_circles_upper=7),
            A.RandomSunFlare(angle_range=(0.5, 1), num_flare_circles_range=(6, 7)),
        ),
    ]
    for old, new in pairs:
        assert old == new


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: A.RandomSnow(method="texture"),
            "method must be 'bleach', got 'texture': use seedsafe.bridge",
        ),
        (lambda: A.RandomSunFlare(method="physics_based"), "method must be 'overlay'"),
        (lambda: A.RandomFog(fog_coef_range=(0.3, 2)), r"fog_coef_range must be in \[0, 1\]"),
        (lambda: A.RandomShadow(shadow_roi=(0, 1, 1, 0)), "shadow_roi must be"),
        (
            lambda: A.RandomShadow(num_shadows_limit=(0, 2)),
            "num_shadows_limit must be whole numbers from 1 on",
        ),
        (lambda: A.RandomRain(rain_type="wet"), "rain_type must be one of 'drizzle', 'heavy'"),
        (
            lambda: A.RandomRain(drop_length=90, p=1)(image=IMAGE, key=KEY),
            "drop_length must be below the image's height",
        ),
    ],
    ids=map(str, range(7)),
)
def test_what_is_wrong_is_said(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
