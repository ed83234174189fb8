"""Sizes, crops and pads: against Pillow, scikit-image and formulas written anew, and the distributions of what is drawn."""

from __future__ import annotations

from importlib import import_module
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from PIL import Image
from refused import refused
from scipy import stats
from skimage import data, transform

import seedsafe as ss
from seedsafe import functional as F  # noqa: N812  # the field's name for it
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address

KEY = ss.SampleKey(42, 3, 1234)
PHOTO = np.ascontiguousarray(data.astronaut()[100:300, 150:400])
N = 3000


def drawn(one: ss.Transform, info: ss.Info, n: int = N) -> np.ndarray:
    return np.array([tuple(one.draw(Draws(address(ss.SampleKey(9, 0, i), 7)), info)) for i in range(n)])


# Resizing


@pytest.mark.parametrize("size", [(111, 333), (400, 500), (150, 100), (1, 1), (200, 7)], ids=str)
def test_bilinear_is_scikit_images(size: tuple[int, int]) -> None:
    wanted = transform.resize(PHOTO / 255.0, size, order=1, mode="edge", anti_aliasing=False) * 255
    # OpenCV counts in 1/2048 and rounds each axis.
    assert np.abs(F.resize(PHOTO, *size) - wanted).max() <= 1.01
    floats = F.resize((PHOTO / 255).astype(np.float32), *size)
    assert np.abs(floats * 255 - wanted).max() <= 0.01


def test_bicubic_is_pillows_where_an_image_grows() -> None:
    wanted = np.asarray(Image.fromarray(PHOTO).resize((500, 400), Image.Resampling.BICUBIC), float)
    made = F.resize(PHOTO, 400, 500, interpolation="bicubic").astype(float)
    # Pillow's kernel has another steepness (-0.5 instead of -0.75): the two differ at edges and agree on the whole.
    assert np.abs(made - wanted).mean() < 1
    assert abs((made - wanted).mean()) < 0.05


@pytest.mark.parametrize("factor", [2, 4, 5])
def test_area_is_the_mean_of_blocks(factor: int) -> None:
    rows, columns = 200 // factor, 250 // factor
    cut = PHOTO[: rows * factor, : columns * factor]
    wanted = cut.reshape(rows, factor, columns, factor, 3).mean((1, 3))
    assert np.abs(F.resize(cut, rows, columns, interpolation="area") - wanted).max() <= 0.5


def under(source: int, size: int) -> np.ndarray:
    """Return the pixels under the centres, found step by step."""
    step = source / size
    places = list(accumulate([step] * (size - 1), initial=step / 2))
    np.testing.assert_allclose(places, (np.arange(size) + 0.5) * step, rtol=1e-11)
    return np.minimum(np.floor(places).astype(int), source - 1)


@pytest.mark.parametrize(
    "kind", ["grey", "grey, one channel", "RGB", "RGB backwards", "six channels", "int64"]
)
@pytest.mark.parametrize("by", ["OpenCV", "NumPy"])
def test_nearest_is_the_pixel_under_the_middle(kind: str, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if by == "NumPy":  # as beside OpenCV 4
        monkeypatch.setattr(
            import_module("seedsafe.functional.resize"), "_opencv_takes_them", lambda *_: False
        )
    rng = np.random.default_rng(5)
    places = np.arange(1200 * 1200).reshape(1200, 1200)
    channels = {"grey": (), "grey, one channel": (1,), "six channels": (6,), "int64": ()}.get(kind, (3,))
    whole = rng.integers(0, 256, (1200, 1200, *channels), np.uint8)
    image_of = {"int64": lambda: places, "RGB backwards": lambda: whole[:, ::-1, ::-1]}.get(
        kind, lambda: whole
    )()
    sizes = [(old, new) for old in (1, 2, 3, 8, 12) for new in (1, 2, 5, 7, 12, 96)]
    sizes += [(256, 224), (500, 224), (375, 224), (640, 427), (1200, 333)]
    sizes += rng.integers(1, 1200, (20, 2)).tolist()
    for old, new in sizes if kind == "grey" else sizes[::5]:  # the places are those of all kinds
        for other, to in ((old, new), (40, 40), (40, 21), (30, 400)):
            rows, columns = (under(*pair) for pair in ((old, new), (other, to)))
            for image, height, width, at in (
                (image_of[:old, :other], new, to, (rows, columns)),
                (image_of[:other, :old], to, new, (columns, rows)),
            ):
                made = F.resize(image, height, width, interpolation="nearest")
                np.testing.assert_array_equal(made, image[at[0]][:, at[1]])


@pytest.mark.parametrize("factors", [(2, 3), (5, 1)])
def test_points_and_boxes_are_where_blocks_of_pixels_are(factors: tuple[int, int]) -> None:
    down, right = factors
    image = np.zeros((7, 9), np.uint8)
    image[4, 6] = 1
    made = F.resize(image, 7 * down, 9 * right, interpolation="nearest")
    rows, columns = np.nonzero(made)
    point = F.resize_points(np.array([[6.0, 4.0]]), (7, 9), made.shape)
    np.testing.assert_array_equal(point, [[columns.mean(), rows.mean()]])
    box = F.resize_boxes(np.array([[6, 4, 7, 5]]), (7, 9), made.shape)
    np.testing.assert_array_equal(box, [[columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]])


def test_an_image_of_that_size_is_handed_on() -> None:
    assert F.resize(PHOTO, 200, 250) is PHOTO


@pytest.mark.parametrize(
    ("size", "options", "wanted"),
    [
        ((60, 70), {}, (60, 70)),
        (100, {}, (100, 125)),
        (99, {}, (99, 123)),  # cut off, as torchvision has it
        (100, {"max_size": 110}, (88, 110)),
        ((1333, 800), {"keep_ratio": True}, (800, 1000)),
        ((300, 400), {"keep_ratio": True}, (300, 375)),
        ((100, 500), {"keep_ratio": True}, (100, 125)),
    ],
)
def test_sizes(size: Any, options: dict[str, Any], wanted: tuple[int, int]) -> None:
    assert ss.Resize(size, **options)(PHOTO, key=KEY).shape[:2] == wanted
    turned = ss.Resize(size, **options)(PHOTO.swapaxes(0, 1), key=KEY).shape[:2]
    assert turned == (wanted if isinstance(size, tuple) and not options else wanted[::-1])


# Crops


def test_a_crop_that_does_not_fit_and_has_the_images_own_ratio_is_the_whole_image() -> None:
    crop = ss.RandomResizedCrop(9, scale=1, ratio=(1.2, 1.3))
    assert crop.draw(Draws(address(KEY)), ss.Info((200, 250))) == (0, 0, 200, 250)


def test_crop_and_pad() -> None:
    image = np.arange(30, dtype=np.uint8).reshape(5, 6)
    made = ss.CropAndPad((1, -2, -1, 3), keep_size=False, fill=99)(image, key=KEY)
    np.testing.assert_array_equal(made, np.pad(image[:-1, :-2], ((1, 0), (3, 0)), constant_values=99))
    assert ss.CropAndPad(percent=0.5)(image, key=KEY).shape == image.shape


def test_pads() -> None:
    image = np.arange(6, dtype=np.uint8).reshape(2, 3)
    np.testing.assert_array_equal(
        ss.PadIfNeeded((5, 6), mode="edge")(image, key=KEY), np.pad(image, ((1, 2), (1, 2)), mode="edge")
    )
    for position, pads in {
        "top_left": ((0, 1), (0, 2)),
        "top_right": ((0, 1), (2, 0)),
        "bottom_left": ((1, 0), (0, 2)),
        "bottom_right": ((1, 0), (2, 0)),
    }.items():
        made = ss.PadIfNeeded((3, 5), position=position, fill=9)(image, key=KEY)
        np.testing.assert_array_equal(made, np.pad(image, pads, constant_values=9))
    assert ss.PadIfNeeded(divisor=(4, 1))(image, key=KEY).shape == (4, 3)
    assert ss.PadIfNeeded(2, divisor=None)(image, key=KEY).shape == (2, 3)
    tops = -drawn(ss.PadIfNeeded(10, position="random"), ss.Info((4, 10)))[:, 0]
    assert stats.chisquare(np.bincount(tops)).pvalue > 1e-3


@pytest.mark.parametrize(
    ("options", "shape", "size", "corner"),
    [
        ({}, (480, 640), (640, 640), (80, 0)),
        ({}, (333, 77), (640, 640), (0, 246)),
        ({"auto": True}, (480, 640), (480, 640), (0, 0)),
        ({"auto": True}, (100, 300), (224, 640), (5, 0)),
        ({"scale_up": False}, (100, 300), (640, 640), (270, 170)),
        ({"scale_fill": True}, (100, 300), (640, 640), (0, 0)),
        ({"center": False}, (100, 300), (640, 640), (0, 0)),
    ],
)
def test_letter_box_is_ultralytics(options: dict[str, bool], shape: Any, size: Any, corner: Any) -> None:
    params = ss.Compose([ss.LetterBox(640, **options)]).params(KEY, shape)[0].params
    assert (params.size, params.corner) == (size, corner)


# Crops with regard to boxes and masks

BOXES = np.array([[20, 30, 90, 120], [100.0, 50, 200, 180], [10, 150, 60, 190]])


def test_iou_crop_keeps_the_boxes_whose_middle_it_shows() -> None:
    crop, info = ss.RandomIoUCrop(sampler_options=[0.3]), ss.Info((200, 250), boxes=BOXES)
    windows = [crop.draw(Draws(address(ss.SampleKey(0, 0, k))), info) for k in range(99)]
    assert sum(window.chosen for window in windows) > 50
    for top, left, height, width, chosen in windows:
        moved = crop.apply_boxes(BOXES, (top, left, height, width, chosen))
        areas = (moved[:, 2] - moved[:, 0]) * (moved[:, 3] - moved[:, 1])
        x, y = (BOXES[:, 0] + BOXES[:, 2]) / 2, (BOXES[:, 1] + BOXES[:, 3]) / 2
        inside = (left < x) & (x < left + width) & (top < y) & (y < top + height)
        np.testing.assert_array_equal(areas > 0, inside | (not chosen))


def test_iou_crop_leaves_the_image_without_boxes() -> None:
    info = ss.Info((200, 250), boxes=np.zeros((0, 4)))
    window = ss.RandomIoUCrop(sampler_options=[0.9]).draw(Draws(address(KEY)), info)
    assert window == (0, 0, 200, 250, False)


def test_iou_crop_consumes_all_trials() -> None:
    info = ss.Info((200, 250), boxes=BOXES)
    for options in ([0.0], [0.9], [1.0]):
        given, wanted = Draws(address(KEY)), Draws(address(KEY))
        ss.RandomIoUCrop(sampler_options=options, trials=7).draw(given, info)
        for _ in range(6 * (1 + 4 * 7)):
            wanted.word()
        assert given.word() == wanted.word()


def test_safe_crop_holds_all_boxes() -> None:
    info = ss.Info((200, 250), boxes=BOXES)
    windows = drawn(ss.BBoxSafeCrop(), info)
    top, left, height, width = windows.T
    assert (top.min(), left.min(), (top + height).max(), (left + width).max()) == (0, 0, 199, 249)
    assert top.max() <= 30
    assert left.max() <= 10
    assert (top + height).min() >= 190
    assert (left + width).min() >= 200


def test_mask_crop_shows_the_mask() -> None:
    mask = np.zeros((60, 50), np.int32)
    mask[40, 7], mask[3, 3], mask[50, 40] = 5, 7, 9
    crop = ss.CropNonEmptyMask(9, ignore_values=[7])
    seen = set()
    for k in range(40):
        made = crop({"image": mask.astype(np.uint8), "mask": mask}, key=ss.SampleKey(1, 0, k))
        np.testing.assert_array_equal(made["image"], made["mask"])
        seen |= {int(one) for one in np.unique(made["mask"])}
        assert made["mask"].max() in (5, 9)
    assert {5, 9} <= seen
    deep = np.stack([mask, (mask == 7).astype(np.int32)], -1)
    by_channel = ss.CropNonEmptyMask(5, ignore_channels=[0])
    for name, given in (("mask", deep), ("masks", [mask, (mask == 7)[..., None]])):
        made = by_channel({"image": mask * 0, name: given}, key=KEY)[name]
        assert (made if name == "mask" else np.dstack(made))[..., 1].any()
    empty = drawn(crop, ss.Info((60, 50)))
    assert stats.chisquare(np.bincount(empty[:, 3].astype(int))).pvalue > 1e-3
    assert crop({"image": mask, "mask": mask * 0}, key=KEY)["mask"].shape == (9, 9)
    with pytest.raises(ValueError, match="needs 'mask' in the sample"):
        crop(mask, key=KEY)


def test_five_and_ten_crops_are_torchvisions() -> None:
    image = PHOTO[:51, :60]
    middle = image[round((51 - 20) / 2) :, round((60 - 30) / 2) :][:20, :30]

    def five(one: np.ndarray) -> list[np.ndarray]:
        rows, columns = one.shape[:2]
        centre = one[round((rows - 20) / 2) :, round((columns - 30) / 2) :][:20, :30]
        return [one[:20, :30], one[:20, -30:], one[-20:, :30], one[-20:, -30:], centre]

    for mirrored, options in ((image[:, ::-1], {}), (image[::-1], {"vertical_flip": True})):
        wanted = [*five(image), *five(mirrored)]
        found = [
            ss.TenCrop((20, 30), **options)(image, key=ss.SampleKey(1, 2, 3, view=view)) for view in range(10)
        ]
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(ss.FiveCrop((20, 30))(image, key=ss.SampleKey(1, 2, 3, view=9)), middle)


def of_slowfast(height: int, width: int, size: int, number: int) -> tuple[int, int]:
    """SlowFast's uniform_crop (slowfast/datasets/transform.py), written again: the first row and column."""
    y, x = int(np.ceil((height - size) / 2)), int(np.ceil((width - size) / 2))
    if height > width:
        y = {0: 0, 1: y, 2: height - size}[number]
    else:
        x = {0: 0, 1: x, 2: width - size}[number]
    return y, x


@pytest.mark.parametrize("shape", [(20, 31), (31, 20), (20, 20), (25, 26), (26, 25)], ids=str)
def test_three_crop_is_that_of_slowfast(shape: tuple[int, int]) -> None:
    image = np.arange(shape[0] * shape[1]).reshape(shape).astype(np.int32)
    for view in range(6):
        key = ss.SampleKey(1, 2, 3, view=view)
        y, x = of_slowfast(*shape, 20, view % 3)
        np.testing.assert_array_equal(ss.ThreeCrop(20)(image, key=key), image[y : y + 20, x : x + 20])
        made = ss.ThreeCrop((9, 20))({"video": image[None], "mask": image}, key=key)
        np.testing.assert_array_equal(made["video"][0], made["mask"])
        assert made["mask"].shape == (9, 20)


# Errors


test_wrong_arguments = refused(
    (lambda: ss.RandomResizedCrop(0), ValueError, "size must be"),
    (lambda: ss.RandomResizedCrop(9, scale=(0.5, 1.5)), ValueError, "got 1.5"),
    (lambda: ss.RandomResizedCrop(9, ratio=(2, 1)), ValueError, "swap them"),
    (lambda: ss.RandomSizedCrop(9, heights=(9, 5)), ValueError, "swap them"),
    (lambda: ss.MultiScaleCrop(9, scales=0.5), TypeError, "scales must be a list"),
    (lambda: ss.Resize((1, 2), max_size=9), ValueError, "max_size needs one number"),
    (lambda: ss.Resize(9, keep_ratio=True), ValueError, "keep_ratio needs a pair"),
    (lambda: ss.Resize((1, 2, 3)), ValueError, "size must be"),
    (lambda: ss.Resize(9.5), TypeError, "size must be"),
    (lambda: ss.SmallestMaxSize([]), ValueError, "at least one number"),
    (lambda: ss.RandomScale(size=5, sizes=[5]), ValueError, "pass size or sizes"),
    (lambda: ss.RandomScale(sizes=5), TypeError, "pass one size as size="),
    (lambda: ss.RandomScale(sizes=[5, (6, 7)], between=True), ValueError, "two sizes of the same kind"),
    (lambda: ss.RandomScale(sizes=[(6, 7)], max_size=9), ValueError, "max_size needs numbers"),
    (lambda: ss.RandomScale(1.5), ValueError, "scale must be"),
    (lambda: ss.PadIfNeeded(), ValueError, "a size or a divisor"),
    (lambda: ss.Crop(-1, 0, 5, 5), ValueError, "top must be"),
    (lambda: ss.CropAndPad(), ValueError, "pass px or percent"),
    (lambda: ss.CropAndPad(1, percent=0.5), ValueError, "pass px or percent"),
    (lambda: ss.CropAndPad((5, 1)), ValueError, "swap them"),
    (lambda: ss.CropAndPad(0.5), TypeError, "px must be"),
    (lambda: ss.RandomCropFromBorders(crop_left=2), ValueError, "crop_left must be"),
    (lambda: ss.RandomIoUCrop(min_scale=0.9, max_scale=0.5), ValueError, "max_scale must be"),
    (lambda: ss.RandomIoUCrop(sampler_options=[2]), ValueError, "sampler_options must be"),
    (lambda: ss.BBoxSafeCrop(erosion_rate=-1), ValueError, "erosion_rate must be"),
    (lambda: ss.RandomZoomOut(0.5), ValueError, "side_range must be"),
    (lambda: ss.RandomZoomOut(fill="x"), TypeError, "fill must be a number"),
)


@pytest.mark.parametrize(
    ("one", "sample", "message"),
    [
        (ss.Crop(0, 0, 9, 9), np.zeros((5, 5)), "cannot crop 9×9"),
        (ss.FiveCrop(9), np.zeros((5, 5)), "cannot crop 9×9"),
        (ss.ThreeCrop(9), np.zeros((9, 5)), "cannot crop 9×9"),
        (ss.RandomSizedCrop(9, heights=(9, 9)), np.zeros((5, 5)), "put PadIfNeeded before"),
        (ss.CropNonEmptyMask(9), {"image": np.zeros((5, 5)), "mask": np.zeros((5, 5))}, "cannot crop 9×9"),
        (ss.RandomIoUCrop(), np.zeros((5, 5)), "asks for the sample's boxes"),
        (ss.Resize((3, 3)), np.zeros((5, 5), np.int32), "cannot be interpolated"),
        (ss.Resize((3, 3)), np.zeros((5, 5), bool), "pass it as mask"),
        (ss.Resize((3, 3)), np.zeros((5, 5, 2, 2), np.uint8), r"must have the shape \(H, W\)"),
        (ss.PadIfNeeded(9, mode="reflect"), np.zeros((3, 3), np.uint8), "cannot pad an image by 3 pixels"),
        (ss.PadIfNeeded(9, fill=300), np.zeros((3, 3), np.uint8), "fill must be a whole number from 0 to 255"),
    ],
    ids=repr,
)  # fmt: skip
def test_wrong_samples(one: ss.Transform, sample: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        one(sample, key=KEY)
