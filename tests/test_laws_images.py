"""What holds for every transform that changes values, in images of all shapes, channels and dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import IMAGES, Case
from cases.case import ANY, COVERS, RGB
from image_laws import KEY, MANY, SHAPES, image_of, keep, refuses_to_change_with_dtype

import seedsafe as ss

VALUES = [case for case in IMAGES.values() if all(one.how == COVERS for one in case.moves)]
"""The cases of what leaves pixels where they are."""

WAYS = [(case, one) for case in VALUES for one in case.small]
IDS = [str(one) for _, one in WAYS]
ON_SHAPES = [
    (case, one, shape)
    for case, one in WAYS
    for shape in ([*SHAPES, *MANY] if case.channels == ANY else SHAPES)
    if case.channels != RGB or shape[2:] == (3,)
]


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize(
    ("case", "transform", "shape"), ON_SHAPES, ids=[f"{one}-{shape}" for _, one, shape in ON_SHAPES]
)
def test_laws(case: Case, transform: Any, shape: tuple[int, ...], dtype: str) -> None:
    if dtype == "uint8" and getattr(transform, "fill", 0) == 0.5:
        return  # it is for floats
    made = keep(transform, image_of(shape, dtype))
    assert made.dtype == (case.becomes or dtype)
    if dtype == "float32" and case.in_range:
        assert made.min() >= 0
        assert made.max() <= 1 + 1e-6  # a mean of ones in float32
    refuses_to_change_with_dtype(transform, shape)


@pytest.mark.parametrize(("case", "transform"), WAYS, ids=IDS)
def test_flat_images_of_zero_strides(case: Case, transform: Any) -> None:
    fill = getattr(transform, "fill", 0)
    flat = np.broadcast_to(np.array([[[90, 20, 200]]], "float32" if fill == 0.5 else "uint8"), (6, 7, 3))
    np.testing.assert_array_equal(transform(flat, key=KEY), transform(flat.copy(), key=KEY))


@pytest.mark.parametrize(("case", "transform"), WAYS, ids=IDS)
def test_other_dtypes(case: Case, transform: Any) -> None:
    if case.any_dtype:
        if getattr(transform, "fill", 0) == 0.5 or getattr(transform, "fill", 0) in ("noise", "color"):
            return  # what they fill with is for uint8 and float32: test_image_erase.py
        assert transform(np.ones((20, 20, 3), np.int64), key=KEY).dtype == np.int64
    else:
        with pytest.raises(TypeError, match="uint8 or float32, got dtype float64"):
            transform(np.zeros((4, 4, 3)), key=KEY)


@pytest.mark.parametrize(
    ("case", "transform"),
    [(case, one) for case, one in WAYS if case.channels != ANY],
    ids=[str(one) for case, one in WAYS if case.channels != ANY],
)
@pytest.mark.parametrize("channels", [2, 4])
def test_other_channels_are_refused(case: Case, transform: Any, channels: int) -> None:
    if case.name == "ChannelDropout":
        return  # it needs more channels than it drops
    with pytest.raises(ValueError, match="channel"):
        transform(np.zeros((4, 4, channels), np.uint8), key=KEY)


def in_place(transform: Any) -> None:
    """Raise AssertionError where a change of some pixels shows elsewhere: then the transform moves pixels."""
    below, above = image_of((48, 80, 3), "float32"), image_of((48, 80, 3), "float32")
    below[8:16, 56:64], above[8:16, 56:64] = 0.3, 0.8
    augment = ss.Compose([transform])
    for index in range(5):
        key = ss.SampleKey(3, 0, index)
        one, other = (augment(image, key=key).astype(np.float64) for image in (below, above))
        if one.shape[0] == 3:
            one, other = np.moveaxis(one, 0, -1), np.moveaxis(other, 0, -1)
        assert one.shape == below.shape
        changed = np.abs(one - other).sum(axis=2).reshape(6, 8, 10, 8).sum(axis=(1, 3))
        assert np.unravel_index(np.argmax(changed), changed.shape) == (1, 7)


@pytest.mark.parametrize("case", [case for case in VALUES if not case.moves], ids=lambda case: case.name)
def test_what_does_not_say_that_it_moves_pixels_leaves_them_in_place(case: Case) -> None:
    in_place(case.fires)


class Silent(ss.ImageTransform):
    """Moves pixels, and says nothing of it."""

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        return image[:, ::-1]


def test_that_test_would_notice() -> None:
    with pytest.raises(AssertionError):
        in_place(Silent())
