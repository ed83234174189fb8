"""Holes, grids and dropped pixels: all targets, and what is drawn."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from cases import erase
from hypothesis import given
from hypothesis import strategies as st
from image_laws import KEY, image_of, keep, parameters
from refused import refused
from scipy import stats

import seedsafe as ss
from seedsafe import functional as sf
from seedsafe.keys.key import address
from seedsafe.keys.words import normal_quantiles, sixteenths
from seedsafe.pipeline.boxes import Edges

NOISE = address(ss.SampleKey(5, 0, 0))


@pytest.mark.parametrize("shape", [(9, 9), (10, 11, 3), (3, 3, 1), (24, 21, 16)], ids=str)
def test_laws_of_tiles(shape: tuple[int, ...]) -> None:
    image = image_of(shape, "uint8")
    for transform in (ss.GridShuffle(), ss.GridShuffle(uneven="drawn")):
        made = keep(transform, image)
        np.testing.assert_array_equal(np.sort(made, axis=None), np.sort(image, axis=None))


@pytest.mark.parametrize("dtype", ["int64", "bool", "float16", "uint16"])
def test_any_dtype_is_filled_with_numbers(dtype: str) -> None:
    image = np.ones((12, 13, 3), dtype)
    for transform in (ss.CoarseDropout(), ss.GridDropout(), ss.PixelDropout(0.5), ss.XYMasking(width=0.5)):
        made = transform(image, key=KEY)
        assert made.dtype == dtype
        assert 0 < (made == 0).mean() < 1
    with pytest.raises(TypeError, match="fill='noise' needs an image of uint8 or float32, got dtype"):
        ss.CoarseDropout(fill="noise")(image, key=KEY)


# What is filled


def test_holes_are_filled_with_numbers() -> None:
    image = image_of((10, 12, 3), "uint8")
    made = sf.fill_holes(image, [(2, 1, 5, 4), (9, 8, 20, 30), (-3, 0, 1, 2), (4, 4, 4, 9)], (1, 2, 3))
    hole = np.zeros((10, 12), bool)
    hole[1:4, 2:5] = hole[8:, 9:] = hole[0:2, 0:1] = True
    np.testing.assert_array_equal(made[hole], np.tile([1, 2, 3], (hole.sum(), 1)))
    np.testing.assert_array_equal(made[~hole], image[~hole])


def test_holes_are_filled_at_random_piece_by_piece() -> None:
    image = np.zeros((6, 7, 3), np.uint8)
    holes = [(1, 1, 3, 3), (4, 0, 7, 2)]
    h = sixteenths(NOISE, 12 + 18).astype(np.int64)
    noisy = sf.fill_holes(image, holes, "noise", NOISE)
    np.testing.assert_array_equal(noisy[1:3, 1:3].ravel(), h[:12] >> 8)
    np.testing.assert_array_equal(noisy[0:2, 4:7].ravel(), h[12:] >> 8)
    colored = sf.fill_holes(image, holes, "color", NOISE)
    np.testing.assert_array_equal(colored[1:3, 1:3].reshape(-1, 3), np.tile(h[:3] >> 8, (4, 1)))
    np.testing.assert_array_equal(colored[0:2, 4:7].reshape(-1, 3), np.tile(h[3:6] >> 8, (6, 1)))
    real = image.astype(np.float32)
    np.testing.assert_allclose(
        sf.fill_holes(real, holes, "noise", NOISE)[1:3, 1:3].ravel(), (h[:12] + 0.5) / 65536
    )
    normal = sf.fill_holes(real, holes, "normal", NOISE)
    np.testing.assert_array_equal(normal[1:3, 1:3].ravel(), normal_quantiles()[h[:12]].astype(np.float32))


def test_pixels_are_dropped_piece_by_piece() -> None:
    image = image_of((20, 30, 3), "uint8")
    h = sixteenths(NOISE, 1800)
    made = sf.drop_pixels(image, 0.25, (1, 2, 3), NOISE, per_channel=False)
    lost = (h[:600] < 16384).reshape(20, 30)
    np.testing.assert_array_equal(made, np.where(lost[..., None], [1, 2, 3], image))
    values = sf.drop_pixels(image, 0.25, (1, 2, 3), NOISE, per_channel=True)
    np.testing.assert_array_equal(values, np.where((h < 16384).reshape(20, 30, 3), [1, 2, 3], image))
    assert (sf.drop_pixels(image, 1.0, 9, NOISE, per_channel=True) == 9).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_visible_boxes_hold_every_pixel_that_is_seen(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    corners = np.sort(rng.integers(-2, 22, (count, 2, 2)), axis=1)
    holes = [(int(a[0]), int(a[1]), int(b[0]), int(b[1])) for a, b in corners]
    sides = np.sort(rng.uniform(-1, 20, (4, 2, 2)), axis=1)
    boxes = np.concatenate([sides[:, 0], sides[:, 1], np.arange(4.0)[:, None]], axis=1)
    moved = sf.visible_boxes(boxes, holes, 17, 19)
    covered = np.zeros((17, 19), bool)
    for row in range(17):
        for column in range(19):
            covered[row, column] = any(x0 <= column < x1 and y0 <= row < y1 for x0, y0, x1, y1 in holes)
    for (x0, y0, x1, y1, label), (left, top, right, bottom, kept) in zip(boxes, moved, strict=True):
        assert kept == label
        seen = [
            (max(c, x0), max(r, y0), min(c + 1, x1), min(r + 1, y1))
            for r in range(17)
            for c in range(19)
            if not covered[r, c] and c < x1 and c + 1 > x0 and r < y1 and r + 1 > y0
        ]
        touched = covered[
            max(math.floor(y0), 0) : max(math.ceil(y1), 0), max(math.floor(x0), 0) : max(math.ceil(x1), 0)
        ]
        if not touched.any():
            assert (left, top, right, bottom) == (x0, y0, x1, y1)
        elif not seen:
            assert (right - left) * (bottom - top) == 0
        else:
            low, high = np.min(seen, axis=0), np.max(seen, axis=0)
            assert (left, top, right, bottom) == (low[0], low[1], high[2], high[3])


def test_grids() -> None:
    holes = np.zeros((11, 14), int)
    for x0, y0, x1, y1 in sf.grid_holes(11, 14, (4, 5), (2, 3), (3, 1)):
        holes[y0:y1, x0:x1] += 1
    rows, columns = (np.arange(11) - 3) % 4 < 2, (np.arange(14) - 1) % 5 < 3
    np.testing.assert_array_equal(holes, np.outer(rows, columns))
    tiles = np.zeros((10, 11), int)
    for x0, y0, x1, y1 in sf.grid_tiles(10, 11, 3, 4):
        tiles[y0:y1, x0:x1] += 1
        assert (y1 - y0, x1 - x0) in {(3, 2), (3, 3), (4, 2), (4, 3)}
    assert (tiles == 1).all()


# All targets


@given(st.integers(0, 2**32 - 1), st.sampled_from([(2, 2), (3, 4), (5, 1)]))
def test_tiles_take_all_targets_along(epoch: int, grid: tuple[int, int]) -> None:
    key = ss.SampleKey(3, epoch, 0)
    row, column = 1 + epoch % 19, 1 + epoch % 21
    image = np.zeros((23, 26, 3), np.uint8)
    image[row, column] = 255
    sample = {
        "image": image,
        "mask": (image[..., 0] > 0).astype(np.int32),
        "keypoints": np.array([[column, row, 0.5], [-5, 3, 1]]),
        "boxes": np.array([[column, row, column + 1, row + 1, 7]], np.float32).view(Edges),
    }
    out = ss.GridShuffle(grid)(sample, key=key)
    x, y, visible = out["keypoints"][0]
    assert visible == 0.5
    assert (out["image"][int(y), int(x)] == 255).all()
    assert out["mask"][int(y), int(x)] == 1
    assert out["mask"].sum() == 1
    assert out["boxes"][0].tolist() == [x, y, x + 1, y + 1, 7]
    assert out["keypoints"][1].tolist() == [-5, 3, 1]


def test_the_largest_part_of_a_box_is_kept() -> None:
    tiles, order = sf.grid_tiles(10, 20, 1, 2), (1, 0)
    boxes = np.array([[3.0, 2, 16, 8], [12, 1, 19, 9], [8, 0, 30, 4], [-9, -9, -1, -1]])
    moved = sf.shuffle_boxes(boxes, tiles, order)
    np.testing.assert_array_equal(moved[:3], [[13, 2, 20, 8], [2, 1, 9, 9], [0, 0, 10, 4]])
    assert (moved[3, 2] - moved[3, 0]) * (moved[3, 3] - moved[3, 1]) == 0


def test_masks_stay_without_a_fill_of_theirs() -> None:
    sample = {"image": np.ones((40, 50), np.uint8), "mask": np.ones((40, 50), np.int16)}
    for case in erase.CASES:
        if "mask_fill" in case.kind.__dataclass_fields__:
            assert (case.fires(sample, key=KEY)["image"] == 0).any()
            assert (case.fires(sample, key=KEY)["mask"] == 1).all()


def test_ten_thousand_boxes_and_none() -> None:
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 90, (10_000, 2))
    boxes = np.concatenate([low, low + 5], axis=1).view(Edges)
    sample = {"image": np.zeros((100, 100), np.uint8), "boxes": boxes}
    for transform in (ss.CoarseDropout(8), ss.GridDropout(), ss.GridShuffle()):
        assert transform(sample, key=KEY)["boxes"].shape == (10_000, 4)
        assert transform({**sample, "boxes": boxes[:0]}, key=KEY)["boxes"].shape == (0, 4)


# What is drawn


def test_fitting_erasing_draws_even_areas_and_even_ratios() -> None:
    for shape, scale, ratio in (
        ((300, 400), (0.02, 0.33), (0.3, 3.3)),
        ((200, 200), (0.1, 1.0), (0.5, 2.0)),
        ((100, 900), (0.002, 0.05), (0.2, 9.0)),
        ((900, 100), (0.002, 0.05), (0.2, 9.0)),
    ):
        rows, columns = shape
        drawn = parameters(ss.RandomErasing(scale, ratio, fitting=True, p=1), shape, 2000)
        x0, y0, x1, y1 = np.array([one.holes[0] for one in drawn]).T
        assert min(x0.min(), y0.min(), rows - y1.max(), columns - x1.max()) >= 0
        most = min(scale[1], ratio[0] * rows / columns, columns / ratio[1] / rows)
        areas = (x1 - x0) * (y1 - y0) / (rows * columns)
        assert stats.kstest(areas, "uniform", (scale[0], most - scale[0])).pvalue > 1e-4
        area = areas * rows * columns
        least, widest = np.maximum(ratio[0], area / rows**2), np.minimum(ratio[1], columns**2 / area)
        even = ((x1 - x0) / (y1 - y0) - least) / (widest - least)
        assert stats.kstest(even[area > 500], "uniform").pvalue > 1e-4
    assert parameters(ss.RandomErasing((0.9, 1), fitting=True, p=1), (30, 40), 1)[0].holes == ()


def test_uneven_tiles_are_drawn() -> None:
    drawn = parameters(ss.GridShuffle((2, 4), uneven="drawn"), (11, 14), 2400)
    assert all(sorted(one.heights) == [5, 6] and sorted(one.widths) == [3, 3, 4, 4] for one in drawn)
    for sides in ("heights", "widths"):
        counts = np.unique([getattr(one, sides) for one in drawn], axis=0, return_counts=True)[1]
        assert len(counts) == (2 if sides == "heights" else 6)
        assert stats.chisquare(counts).pvalue > 1e-3


test_bad_input = refused(
    (lambda: ss.CoarseDropout((3, 1)), ValueError, "swap them"),
    (lambda: ss.CoarseDropout(height=1.5), ValueError, "height must be in [0, 1], got 1.5: pass integers for pixels"),
    (lambda: ss.CoarseDropout(height=(0.1, 5)), ValueError, "height must be in [0, 1]"),
    (lambda: ss.CoarseDropout(fill="random"), ValueError, "fill must be a number or one of noise, color, normal"),
    (lambda: ss.CoarseDropout(fill=None), TypeError, "fill must be a number, got None"),
    (lambda: ss.RandomErasing(ratio=(0, 1)), ValueError, "ratio must be in"),
    (lambda: ss.RandomErasing(scale=(0.5, 1.5)), ValueError, "scale must be in [0, 1]"),
    (lambda: ss.GridDropout(1.0), ValueError, "ratio must be in"),
    (lambda: ss.GridDropout(unit=1), ValueError, "unit must be at least 2"),
    (lambda: ss.GridShuffle(0), ValueError, "grid must be at least 1"),
    (lambda: ss.PixelDropout(2), ValueError, "share must be in [0, 1]"),
    (lambda: ss.PixelDropout(per_channel=True, mask_fill=1), ValueError, "pass per_channel=False"),
    (
        lambda: ss.GridShuffle(9)(np.zeros((8, 20), np.uint8), key=KEY),
        ValueError,
        "a grid of 9 rows and 9 columns needs an image at least as large, got 8×20 pixels: pass a smaller grid",
    ),
    (lambda: ss.CoarseDropout(fill=300)(np.zeros((9, 9), np.uint8), key=KEY), ValueError, "fill must be from 0 to 255 for uint8, got 300.0"),
    (
        lambda: ss.CoarseDropout(fill=(1, 2))(np.zeros((9, 9, 3), np.uint8), key=KEY),
        ValueError,
        "fill must be one number, or one for each channel, got (1.0, 2.0) for an image of shape (9, 9, 3)",
    ),
    (lambda: ss.CoarseDropout(fill="normal")(np.zeros((9, 9), np.uint8), key=KEY), TypeError, "fill='normal' needs an image of float32, got dtype uint8"),
    (
        lambda: ss.CoarseDropout(1, 0.5, 0.5, mask_fill=-1)(
            {"image": np.zeros((9, 9), np.uint8), "mask": np.zeros((9, 9), np.uint8)}, key=KEY
        ),
        ValueError,
        "fill must be from 0 to 255 for uint8, got -1.0",
    ),
)  # fmt: skip


ERASING: list[list[Any]] = [
    [ss.RandomErasing(p=0.5)],
    [ss.RandomErasing(p=1, fill="normal")],
    [ss.CoarseDropout(3), ss.RandomErasing(p=0.5, fill=0.3)],
    [ss.GridDropout(p=1, mask_fill=0)],
]


@pytest.mark.parametrize("shape", [(70, 65, 3), (5, 4, 3), (33, 9, 1), (33, 9)])
@pytest.mark.parametrize("erasing", ERASING, ids=["half", "normal", "two", "grid"])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_between_normalize_and_to_chw_the_bytes_are_those_of_each_alone(
    shape: tuple[int, ...], erasing: list[Any], dtype: str
) -> None:
    image = image_of(shape, dtype)
    before, mask = image.copy(), np.ones(shape[:2], np.uint8)
    steps = [ss.Normalize((0.4,), (0.2,)), *erasing, ss.ToCHW()]
    pipeline = ss.Compose(steps)
    results = []
    for index in range(12):
        key = ss.SampleKey(1, 0, index)
        alone: Any = {"image": image, "mask": mask}
        for step in steps:
            alone = step(alone, key=key)
        result = pipeline(image, key=key)
        assert result.tobytes() == alone["image"].tobytes()
        assert result.flags.c_contiguous
        assert result.flags.writeable
        both = pipeline({"image": image, "mask": mask}, key=key)
        np.testing.assert_array_equal(both["image"], result)
        np.testing.assert_array_equal(both["mask"], alone["mask"])
        results.append(result)
    np.testing.assert_array_equal(image, before)
    assert not any(np.shares_memory(one, other) for one, other in pairwise(results))


class Stamped(ss.RandomErasing):
    def apply_image(self, image: Any, params: Any) -> Any:
        assert image.flags.c_contiguous
        return ss.RandomErasing.apply_image(self, image, params)


def test_a_subclass_of_ones_own_gets_images_in_the_usual_layout() -> None:
    pipeline = ss.Compose([ss.Normalize((0.4,), (0.2,)), Stamped(p=1), ss.ToCHW()])
    assert pipeline(image_of((70, 65, 3), "uint8"), key=KEY).shape == (3, 70, 65)
