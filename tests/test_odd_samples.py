"""Samples that nobody expects: every transform makes a right sample of them, or raises an error of its own in plain words."""

from __future__ import annotations

import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every import EVERY, sample_of

import seedsafe as ss
from seedsafe.pipeline.boxes import Edges

KEY = ss.SampleKey(1, 0, 5)
OF_IMAGES = [name for name, one in EVERY.items() if "uint8" in one.takes]
FOLLOWED = [name for name in OF_IMAGES if not EVERY[name].case.alone]
PACKAGE = Path(ss.__file__).parent


def made(name: str, sample: Any) -> Any:
    """Return what a transform makes of a sample, or None if it raises an error that it has worded itself."""
    found: Exception | None = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return EVERY[name].transform(sample, key=KEY)
    except (ValueError, TypeError) as error:
        found = error
    last = traceback.extract_tb(found.__traceback__)[-1]
    assert PACKAGE in Path(last.filename).parents, found
    assert ": " in str(found), found
    return None


@pytest.mark.parametrize("name", FOLLOWED)
def test_keypoints_far_outside_or_not_finite(name: str) -> None:
    points = np.array([[-50.0, 900], [10, 12], [np.nan, 3], [3, np.nan], [1e7, -1e7], [-1, -1]])
    alone = made(name, sample_of(EVERY[name].case, "uint8") | {"keypoints": points[1:2]})
    found = made(name, sample_of(EVERY[name].case, "uint8") | {"keypoints": points})
    assert found["keypoints"].shape == points.shape
    assert np.isfinite(found["keypoints"][[0, 1, 4, 5]]).all()
    assert not np.isfinite(found["keypoints"][2:4]).all(axis=1).any()
    np.testing.assert_array_equal(found["keypoints"][1], alone["keypoints"][0])


@pytest.mark.parametrize("name", OF_IMAGES)
def test_boxes_that_are_not_finite_are_refused(name: str) -> None:
    for box in ([np.nan, 0, 4, 4], [0, 0, np.inf, 4]):
        with pytest.raises(ValueError, match="boxes must be finite"):
            EVERY[name].transform(
                sample_of(EVERY[name].case, "uint8") | {"boxes": np.array([box]).view(Edges)}, key=KEY
            )


@pytest.mark.parametrize("name", FOLLOWED)
def test_boxes_outside_the_image(name: str) -> None:
    boxes = np.array(
        [[500.0, 500, 600, 600], [-50, -50, 40, 40], [0, 0, 256, 256], [20, 20, 20, 60], [-9e6, 5, 9e6, 6]]
    )
    found = made(name, sample_of(EVERY[name].case, "uint8") | {"boxes": boxes.view(Edges)})
    assert np.isfinite(found["boxes"]).all()
    assert found["boxes"].shape == boxes.shape


@pytest.mark.parametrize("shape", [(), (9,), (1, 9, 9, 3), (0, 9, 3), (9, 9, 0)], ids=str)
@pytest.mark.parametrize("name", OF_IMAGES)
def test_what_is_no_image(name: str, shape: tuple[int, ...]) -> None:
    sample = sample_of(EVERY[name].case, "uint8") | {"image": np.zeros(shape, np.uint8)}
    sample.pop("mask", None)
    found = made(name, sample)
    assert found is None or 0 not in shape


def test_colours_that_are_not_finite() -> None:
    image = np.full((8, 8, 3), 0.5, np.float32)
    image[2, 2] = np.nan
    with pytest.raises(ValueError, match="image must be finite"):
        ss.FancyPCA()(image, key=KEY)
