"""Each image transform has a picture in the reference, which shows what it does."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import seedsafe.image

sys.path.append(str(Path(__file__).parents[1] / "docs" / "_ext"))

from pictures import CELL, SAMPLES, TRANSFORMS, draw

ALIKE = {"Normalize", "ToCHW", "ToFloat"}  # they change values or layout, which a picture does not show


def cells(name: str) -> list[np.ndarray]:
    """Return the images of a picture, without the keys below them."""
    picture = draw(name)
    return [picture[:CELL, start : start + CELL] for start in range(0, picture.shape[1], CELL + 8)]


def test_every_image_transform_has_one() -> None:
    assert sorted(TRANSFORMS) == sorted(seedsafe.image.__all__)
    assert set(SAMPLES) <= set(TRANSFORMS)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_picture_shows_what_the_transform_does(name: str) -> None:
    original, *drawn = cells(name)
    assert len(drawn) == 3
    if name not in ALIKE:
        assert any(not np.array_equal(original, image) for image in drawn)


def test_three_keys_give_three_images() -> None:
    for name in ("RandomCrop", "FiveCrop", "Rotate", "ColorJitter", "GaussianNoise"):
        assert len({image.tobytes() for image in cells(name)}) == 4


def test_boxes_and_masks_are_drawn_where_they_move() -> None:
    green = np.array([0, 255, 120], np.uint8)
    for name, drawn in (("Rotate", True), ("GridShuffle", True), ("Blur", False)):
        assert bool((draw(name) == green).all(axis=-1).any()) is drawn
