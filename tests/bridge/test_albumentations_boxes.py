"""Boxes and keypoints of a Compose against albumentations 2.0.8: the same rows are kept, with the same numbers.

albumentations computes in float32 shares of the image, so numbers may differ by 1e-4 pixels, and boxes that are nearer than that
to a limit are left out. Its keypoints are outside from x = 0 and x = width on, ours from half a pixel further on the left and
nearer on the right: points in these margins are left out as well.
"""

from __future__ import annotations

from typing import Any

import albumentations as A  # noqa: N812  # as everybody writes it
import numpy as np
import pytest

import seedsafe as ss
from seedsafe.pipeline.boxes import from_edges, to_edges

pytestmark = pytest.mark.bridge
KEY = ss.SampleKey(42, 0, 0)
FORMATS = ["pascal_voc", "coco", "yolo", "albumentations"]
LIMITS: list[dict[str, float]] = [
    {},
    {"min_area": 60},
    {"min_visibility": 0.4},
    {"min_width": 6, "min_height": 9},
    {"min_area": 30, "min_visibility": 0.2, "min_width": 3},
]


def boxes(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    ends = rng.uniform(0, 1, (40, 2, 2)) * [size[1], size[0]]
    edges = np.concatenate([ends.min(axis=1), ends.max(axis=1)], axis=1)
    return edges[((edges[:, 2:] - edges[:, :2]) > 0.5).all(axis=1)]


def near_a_limit(edges: np.ndarray, crop: tuple[int, int, int, int], limits: dict[str, float]) -> np.ndarray:
    left, top, right, bottom = crop
    cut = np.clip(edges, [left, top] * 2, [right, bottom] * 2)
    sides = cut[:, 2:] - cut[:, :2]
    area, whole = sides.prod(axis=1), (edges[:, 2:] - edges[:, :2]).prod(axis=1)
    found = {
        "min_area": area,
        "min_visibility": area / whole,
        "min_width": sides[:, 0],
        "min_height": sides[:, 1],
    }
    near = (area > 0) & (area < 1e-2)
    for name, limit in limits.items():
        near |= np.abs(found[name] - limit) < 1e-2
    return near


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_boxes(dtype: Any, form: str, limits: dict[str, float]) -> None:
    rng = np.random.default_rng(5)
    dropped = 0
    for _ in range(30):
        size = tuple(int(side) for side in rng.integers(20, 200, 2))
        top, left = int(rng.integers(0, size[0] // 2)), int(rng.integers(0, size[1] // 2))
        height, width = (
            int(rng.integers(5, side - first + 1)) for side, first in ((size[0], top), (size[1], left))
        )
        edges = boxes(rng, size)
        edges = edges[~near_a_limit(edges, (left, top, left + width, top + height), limits)]
        sample = from_edges(edges, form, size).astype(dtype)
        image, labels = np.zeros((*size, 3), np.uint8), list(range(len(edges)))
        theirs = A.Compose(
            [A.Crop(left, top, left + width, top + height), A.HorizontalFlip(p=1), A.VerticalFlip(p=1)],
            bbox_params=A.BboxParams(form, label_fields=["labels"], clip=True, **limits),
        )(image=image, bboxes=sample, labels=labels)
        ours = ss.Compose(
            [ss.Crop(top, left, height, width), ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1)],
            boxes=ss.Boxes(form, labels="labels", clip=True, **limits),
        )({"image": image, "boxes": sample, "labels": labels}, key=KEY)
        assert ours["labels"] == [int(label) for label in theirs["labels"]]
        assert ours["boxes"].dtype == dtype
        dropped += len(labels) - len(ours["labels"])
        found = to_edges(ours["boxes"], form, (height, width))
        wanted = to_edges(np.asarray(theirs["bboxes"], np.float64).reshape(-1, 4), form, (height, width))
        np.testing.assert_allclose(found, wanted, atol=1e-4)
    assert dropped > 50


@pytest.mark.parametrize("remove", [True, False])
def test_keypoints(remove: bool) -> None:
    rng = np.random.default_rng(6)
    for _ in range(30):
        points = rng.uniform(0, 1, (60, 2)) * [99, 79]
        near = (np.abs(points[:, None] - [[10, 20], [60, 70]]) < 1).any(axis=(1, 2))
        points[near] = points[near].round()
        image, labels = np.zeros((80, 100, 3), np.uint8), list(range(len(points)))
        theirs = A.Compose(
            [A.Crop(10, 20, 60, 70), A.HorizontalFlip(p=1)],
            keypoint_params=A.KeypointParams("xy", label_fields=["labels"], remove_invisible=remove),
        )(image=image, keypoints=points, labels=labels)
        ours = ss.Compose(
            [ss.Crop(20, 10, 50, 50), ss.HorizontalFlip(p=1)],
            keypoints=ss.Keypoints(outside="drop" if remove else "keep", labels="labels"),
        )({"image": image, "keypoints": points, "labels": labels}, key=KEY)
        assert ours["labels"] == [int(label) for label in theirs["labels"]]
        np.testing.assert_allclose(ours["keypoints"], theirs["keypoints"], atol=1e-4)
