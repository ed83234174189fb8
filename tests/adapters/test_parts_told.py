"""Parts that would stay while the image moves are told, and the advice works."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe_torch import AugmentedDataset

IMAGE = np.arange(20 * 30 * 3, dtype=np.uint8).reshape(20, 30, 3)
POINTS = np.array([[1.0, 2], [3, 4], [5, 6]], np.float32)
FLIP = ss.Compose([ss.HorizontalFlip(p=1)])
OBJECTS = [{"bbox": [4.0, 10, 5, 6], "segmentation": [[1, 2, 3, 4, 5, 6]], "category_id": 7}]


def read(sample: Any, augment: Any = FLIP, **options: Any) -> Any:
    return AugmentedDataset([sample], augment, seed=1, **options)[0]


def test_points_are_told() -> None:
    with pytest.raises(ss.SampleError, match=r"targets=\('image', 'keypoints'\)"):
        read((IMAGE, POINTS))
    np.testing.assert_array_equal(
        read((IMAGE, POINTS), targets=("image", "keypoints"))[1], [[28, 2], [26, 4], [24, 6]]
    )
    assert read((IMAGE, POINTS), targets=("image", None))[1] is POINTS


@pytest.mark.parametrize(
    "label", [np.zeros((3, 2), np.int64), np.zeros((3, 5)), np.zeros(2), [[0, 1]], np.zeros((0, 2))]
)
def test_other_labels_are_taken(label: Any) -> None:
    assert read((IMAGE, label))[1] is label


@pytest.mark.parametrize("name", ["polygon", "contour"])
def test_polygons_are_told(name: str) -> None:
    sample = {"image": IMAGE, name: POINTS}
    with pytest.raises(ss.SampleError, match=f"targets={{'image': 'image', '{name}': 'keypoints'}}"):
        read(sample)
    made = read(sample, targets={"image": "image", name: "keypoints"})
    np.testing.assert_array_equal(made[name], [[28, 2], [26, 4], [24, 6]])


def test_lists_of_objects_get_the_lines_that_work() -> None:
    with pytest.raises(ss.SampleError, match="CocoDetection") as told:
        read((IMAGE, OBJECTS))
    text = str(told.value)
    entries = text[text.index('{"image"') : text.index("}, and pass") + 1]
    form = text[text.index("ss.Boxes(") : text.index("), or pass targets")]
    sample = eval(entries, {"image": IMAGE, "objects": OBJECTS, "numpy": np})
    made = read(sample, ss.Compose([ss.HorizontalFlip(p=1)], boxes=eval(form, {"ss": ss})))
    assert made["boxes"].tolist() == [[21, 10, 5, 6]]
    assert made["labels"] == [7]
    assert read((IMAGE, OBJECTS), targets="image")[1] is OBJECTS
