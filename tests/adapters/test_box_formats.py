"""Boxes have no default format: without one they are told, and the advice works."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe.pipeline.boxes import FORMATS
from seedsafe_torch import AugmentedDataset

IMAGE = np.zeros((100, 100, 3), np.uint8)
FLIP = ss.HorizontalFlip(p=1)


def served(boxes: Any, form: str | None = None, dtype: Any = np.float32, **options: Any) -> Any:
    augment = ss.Compose([FLIP], boxes=None if form is None else ss.Boxes(form))
    sample = {"image": IMAGE, "boxes": np.array(boxes, dtype)}
    return AugmentedDataset([sample], augment, seed=1, **options)[0]["boxes"].tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_a_corner_and_a_size_are_told(dtype: Any) -> None:
    with pytest.raises(ss.SampleError, match=r'ss.Boxes\("coco"\)'):
        served([[0, 0, 5, 5], [40, 10, 20, 15]], dtype=dtype)
    assert served([[40, 10, 20, 15]], "coco", dtype=dtype) == [[40, 10, 20, 15]]
    assert served([[60, 10, 20, 15]], "coco", dtype=dtype) == [[20, 10, 20, 15]]


@pytest.mark.parametrize("boxes", [[[0.5, 0.5, 0.2, 0.1]], [[0.1, 0.2, 0.4, 0.9]]])
def test_shares_are_told(boxes: Any) -> None:
    with pytest.raises(ss.SampleError, match=r'ss.Boxes\("yolo"\).*ss.Boxes\("albumentations"\)'):
        served(boxes)
    if boxes[0][0] == 0.5:
        np.testing.assert_allclose(served(boxes, "yolo"), boxes)
    else:
        np.testing.assert_allclose(served(boxes, "albumentations"), [[0.6, 0.2, 0.9, 0.9]], rtol=1e-6)


def test_they_are_told_by_position_too() -> None:
    sample = IMAGE, np.array([[40.0, 10, 20, 15]])
    with pytest.raises(ss.SampleError, match="coco"):
        AugmentedDataset([sample], ss.Compose([FLIP]), seed=1, targets=("image", "boxes"))[0]
    with pytest.raises(
        ss.SampleError,
        match=r"Write targets=\('image', 'boxes'\).*format of the boxes, Compose\(..., boxes=ss.Boxes",
    ):
        AugmentedDataset([sample], ss.Compose([FLIP]), seed=1)[0]


@pytest.mark.parametrize(
    "boxes",
    [
        [[10, 10, 20, 20]],  # a corner and a size, two corners, or a centre and a size
        [[0, 0, 1, 1]],
        [[-1, -1, -1, -1]],
        np.zeros((0, 4)),
        [[40, 10, 90, 15], [0.1, 0.1, 0.5, 0.5]],
    ],
)
def test_boxes_without_a_format_are_told_whatever_they_look_like(boxes: Any) -> None:
    with pytest.raises(ss.SampleError, match="boxes have no default format") as error:
        served(boxes)
    assert all(f'ss.Boxes("{form}")' in str(error.value) for form in FORMATS)
    sample = {"image": IMAGE, "boxes": np.array(boxes, np.float32)}
    for call in (FLIP, ss.Compose([FLIP]), ss.Compose([ss.RandomApply([FLIP])])):
        with pytest.raises(ValueError, match="boxes have no default format"):
            call(sample, key=ss.SampleKey(1, 0, 0))
        with pytest.raises(ValueError, match="boxes have no default format"):
            ss.Compose([call]).replay(sample, [])
        with pytest.raises(ValueError, match="boxes have no default format"):
            ss.keyed_map(call, seed=1, epoch=0, id=id)(sample)
    colours = ss.Compose([ss.Invert(p=1)])(sample, key=ss.SampleKey(1, 0, 0))  # nothing moves
    np.testing.assert_array_equal(colours["boxes"], sample["boxes"])


@pytest.mark.parametrize(
    "boxes", [[[0, 0, 1, 1]], np.zeros((0, 4)), [[40, 10, 90, 15], [0.1, 0.1, 0.5, 0.5]]]
)
def test_edges_are_taken(boxes: Any) -> None:
    assert len(served(boxes, "pascal_voc")) == len(boxes)
