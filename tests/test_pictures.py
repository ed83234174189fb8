"""Pixels of Pillow's images, copied out of its memory."""

from __future__ import annotations

from typing import Any

import cv2  # noqa: F401  # with it the copy is quick
import numpy as np
import pytest
from PIL import Image

from seedsafe.functional import pictures


@pytest.mark.parametrize("size", [(1, 1), (3, 7), (500, 375), (0, 4), (3000, 2000)])
@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA", "LA", "1", "F", "CMYK"])
def test_they_are_those_of_numpy(mode: str, size: tuple[int, int]) -> None:
    if mode != "RGB" and size[0] > 7:
        return
    values = np.random.default_rng(0).integers(0, 256, (*size[::-1], 3), np.uint8)
    picture = (Image.fromarray(values) if values.size else Image.new("RGB", size)).convert(mode)
    found = pictures.pixels(picture)
    np.testing.assert_array_equal(found, np.array(picture))
    assert found.dtype == np.array(picture).dtype
    assert found.flags.writeable
    assert found.flags.c_contiguous


def test_they_are_a_copy(monkeypatch: Any) -> None:
    picture = Image.new("RGB", (4, 3), (1, 2, 3))
    found = pictures.pixels(picture)
    found[:] = 9
    assert picture.getpixel((0, 0)) == (1, 2, 3)
    crop = picture.crop((1, 1, 3, 3))
    np.testing.assert_array_equal(pictures.pixels(crop), np.array(crop))


def test_an_rgb_image_takes_the_quick_way(monkeypatch: Any) -> None:
    monkeypatch.setattr(pictures.np, "array", lambda picture: pytest.fail("it was copied by numpy.array"))
    assert pictures.pixels(Image.new("RGB", (2, 1), (1, 2, 3))).tolist() == [[[1, 2, 3], [1, 2, 3]]]
