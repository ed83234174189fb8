"""Boxes and keypoints that leave the image and come back are kept or dropped as albumentations does."""

from __future__ import annotations

import os
from typing import Any

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"

import albumentations as original
import numpy as np
import pytest

import seedsafe as ss
import seedsafe_albumentations as ours

pytestmark = [pytest.mark.albumentations, pytest.mark.filterwarnings("ignore")]

IMAGE = np.zeros((80, 100, 3), np.uint8)
BOXES = [[5, 5, 40, 40], [50, 10, 95, 75], [20, 60, 30, 78], [70, 2, 99, 20]]
POINTS = [[5.0, 5.0], [40.0, 40.0], [90.0, 70.0], [99.0, 1.0]]


def transforms(library: Any, name: str) -> list[Any]:
    back = library.PadIfNeeded(80, 100, border_mode=0, p=1)
    return {
        "crop": [library.Crop(20, 20, 60, 60, p=1), back],
        "centre": [library.CenterCrop(40, 40, p=1), back, library.HorizontalFlip(p=1)],
        "turned": [library.CenterCrop(40, 40, p=1), library.Transpose(p=1), back, library.VerticalFlip(p=1)],
        "crops": [library.Crop(5, 5, 75, 70, p=1), library.CenterCrop(30, 30, p=1)],
        "still": [library.RandomBrightnessContrast(p=1)],
    }[name]


def result(library: Any, name: str, limits: dict[str, Any], **key: Any) -> Any:
    boxes = library.BboxParams("pascal_voc", label_fields=["classes"], **limits)
    points = library.KeypointParams(
        "xy", label_fields=["names"], check_each_transform=limits["check_each_transform"]
    )
    augment = library.Compose(transforms(library, name), bbox_params=boxes, keypoint_params=points)
    if library is ours:
        augment = ours.from_dict(ours.to_dict(augment))
    return augment(
        image=IMAGE, bboxes=BOXES, classes=[0, 1, 2, 3], keypoints=POINTS, names=[0, 1, 2, 3], **key
    )


@pytest.mark.parametrize("each", [True, False])
@pytest.mark.parametrize("visible", [0.0, 0.3])
@pytest.mark.parametrize("name", ["crop", "centre", "turned", "crops", "still"])
def test_what_comes_back_is_kept_as_there(name: str, visible: float, each: bool) -> None:
    limits = {"min_visibility": visible, "min_area": 10, "check_each_transform": each}
    theirs = result(original, name, limits)
    here = result(ours, name, limits, key=ss.SampleKey(0, 0, 0))
    for part in ("bboxes", "keypoints", "classes", "names"):
        wanted = np.asarray(theirs[part], np.float64)
        np.testing.assert_allclose(
            np.asarray(here[part], np.float64).reshape(wanted.shape), wanted, atol=1e-4
        )
