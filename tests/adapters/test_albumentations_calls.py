"""What users of albumentations write, beyond the transforms themselves: targets, forms of results, containers and paths."""

from __future__ import annotations

import itertools
import json
import warnings
from collections import Counter
from importlib import metadata
from typing import Any

import numpy as np
import pytest
from skimage import data

import seedsafe as ss
import seedsafe_albumentations as A  # noqa: N812  # as its users do
from seedsafe_torch import AugmentedDataset

IMAGE = data.astronaut()[:120, :160].copy()
MASK = (IMAGE[..., 0] // 64).astype(np.uint8)
KEY = ss.SampleKey(42, 3, 1234)


def keys(n: int) -> list[ss.SampleKey]:
    return [ss.SampleKey(42, 0, index) for index in range(n)]


@pytest.mark.parametrize("rows", [np.zeros((0, 4), np.float32), np.zeros((0, 5)), np.zeros(0), [], ()])
def test_no_boxes_in_any_form(rows: Any) -> None:
    augment = A.Compose([A.HorizontalFlip(p=1)], bbox_params=A.BboxParams("pascal_voc", ["labels"]))
    made = augment(image=IMAGE, bboxes=rows, labels=[], key=KEY)
    assert len(made["bboxes"]) == 0
    assert isinstance(made["bboxes"], np.ndarray if isinstance(rows, np.ndarray) else list)
    if getattr(rows, "ndim", 0) == 2:
        assert made["bboxes"].shape == rows.shape


def test_an_array_of_boxes_keeps_its_further_columns_and_dtype() -> None:
    augment = A.Compose([A.Crop(0, 0, 50, 50)], bbox_params=A.BboxParams("coco"))
    boxes = np.array([[10, 10, 20, 20, 3, 0.5], [90, 90, 20, 20, 4, 0.25]], np.float32)
    made = augment(image=IMAGE, bboxes=boxes, key=KEY)["bboxes"]
    assert made.tolist() == [[10, 10, 20, 20, 3, 0.5]]
    assert made.dtype == np.float32
    assert augment(image=IMAGE, bboxes=boxes[1:], key=KEY)["bboxes"].shape == (0, 6)


def test_additional_boxes_and_keypoints_keep_their_names() -> None:
    augment = A.Compose(
        [A.Crop(0, 0, 60, 60), A.HorizontalFlip(p=1)],
        bbox_params=A.BboxParams("pascal_voc"),
        keypoint_params=A.KeypointParams("xy"),
        additional_targets={"faces": "bboxes", "hands": "keypoints"},
    )
    made = augment(
        image=IMAGE,
        bboxes=[[0, 0, 10, 10, "a"], [70, 70, 90, 90, "b"]],
        faces=np.array([[80.0, 80, 90, 90], [20, 10, 30, 30]]),
        keypoints=[(5, 6)],
        hands=[(70, 70, 1), (1, 2, 3)],
        key=KEY,
    )
    assert made["bboxes"] == [[50, 0, 60, 10, "a"]]
    assert made["faces"].tolist() == [[30, 10, 40, 30]]
    assert made["keypoints"] == [[54, 6]]
    assert made["hands"] == [[58, 2, 3]]
    labelled = A.Compose([], bbox_params=A.BboxParams("coco", ["c"]), additional_targets={"faces": "bboxes"})
    with pytest.raises(ValueError, match="would belong to all of"):
        labelled(image=IMAGE, bboxes=[[0, 0, 9, 9]], faces=[[0, 0, 9, 9]], c=[1], key=KEY)
    with pytest.raises(ValueError, match="'c' must have one element for each of the 1 bboxes"):
        labelled(image=IMAGE, bboxes=[[0, 0, 9, 9]], c=[1, 2], key=KEY)


POSES: dict[str, tuple[Any, Any]] = {
    # What the original's 2.0.8 makes of (30, 40), 30°, scale 5, in an image of 120 by 160.
    "flipped": (lambda: A.HorizontalFlip(p=1), [129, 40, 150, 5]),
    "upside down": (lambda: A.VerticalFlip(p=1), [30, 79, 330, 5]),
    "transposed": (lambda: A.Transpose(p=1), [40, 30, 60, 5]),
    "turned": (lambda: A.Rotate((90, 90), p=1), [39.5, 108.5 + 0.5, 300, 5]),
    "larger": (lambda: A.Resize(240, 320, p=1), [60.5, 80.5, 30, 10]),
    "cropped": (lambda: A.Crop(10, 10, 110, 110, p=1), [20, 30, 30, 5]),
    "scaled": (lambda: A.Affine(scale=(2, 2), p=1), [-19.5, 20.5, 30, 10]),
}


@pytest.mark.parametrize("name", POSES)
def test_angles_and_scales_of_keypoints_follow_the_pixels(name: str) -> None:
    make, wanted = POSES[name]
    orders = {"xyas": [0, 1, 2, 3], "xysa": [0, 1, 3, 2], "xya": [0, 1, 2], "xys": [0, 1, 3]}
    for style, order in orders.items():
        augment = A.Compose([make()], keypoint_params=A.KeypointParams(style, remove_invisible=False))
        given = np.array([30.0, 40, 30, 5])[order]
        made = augment(image=IMAGE, keypoints=[[*given, "nose"]], key=KEY)["keypoints"][0]
        assert made[-1] == "nose"
        found = np.array(made[:-1], np.float64)
        if name == "turned":  # whose place another test has
            found[:2] = wanted[:2]
        assert np.abs(found - np.array(wanted, np.float64)[order]).max() < 1e-5


def test_an_angle_is_the_direction_of_what_it_points_to() -> None:
    augment = A.Compose(
        [
            A.RandomRotate90(p=1),
            A.Affine(rotate=(-80, 80), scale=(0.7, 1.3), keep_ratio=True, p=1),
            A.HorizontalFlip(),
        ],
        keypoint_params=A.KeypointParams("xya", remove_invisible=False, angle_in_degrees=False),
    )
    for key in keys(20):
        rows = [(60, 50, 0.5), (60 + 8 * np.cos(0.5), 50 + 8 * np.sin(0.5), 0.5)]
        (x0, y0, angle), (x1, y1, _) = augment(image=IMAGE, keypoints=rows, key=key)["keypoints"]
        assert 0 <= angle < 2 * np.pi
        assert abs(np.exp(1j * angle) - np.exp(1j * np.arctan2(y1 - y0, x1 - x0))) < 1e-6


def test_posed_keypoints_that_are_outside_are_left_out_with_their_labels() -> None:
    augment = A.Compose(
        [A.Crop(0, 0, 50, 50), A.PadIfNeeded(120, 160, position="top_left")],
        keypoint_params=A.KeypointParams("xyas", ["names"]),
    )
    given = {"keypoints": [(10, 20, 0, 1), (90, 20, 0, 1), (20, 20, 0, 1)], "names": ["a", "b", "c"]}
    made = augment(image=IMAGE, **given, key=KEY)
    assert made["keypoints"] == [[10, 20, 0, 1], [20, 20, 0, 1]]
    assert made["names"] == ["a", "c"]


def test_a_mask_named_again_is_one_mask() -> None:
    def share(mask: Any, **_: Any) -> Any:
        return (mask / 4).astype(np.float32)

    augment = A.Compose([A.Lambda(mask=share), A.HorizontalFlip(p=1)], additional_targets={"mask": "mask"})
    made = augment(image=IMAGE, mask=MASK, key=KEY)["mask"]
    assert made.dtype == np.float32
    assert (made == (MASK / 4).astype(np.float32)[:, ::-1]).all()
    as_image = A.Compose([A.InvertImg(p=1)], additional_targets={"mask": "image"})
    made = as_image(image=IMAGE, mask=IMAGE, key=KEY)
    assert (made["mask"] == 255 - IMAGE).all()


def test_lambda_is_given_each_mask_by_itself() -> None:
    seen: list[Any] = []

    def alone(mask: Any, **_: Any) -> Any:
        seen.append(mask.shape)
        return mask.astype(np.float32)[..., None]

    augment = A.Compose([A.Lambda(mask=alone), A.HorizontalFlip(p=1)], additional_targets={"gt": "mask"})
    made = augment(image=IMAGE, mask=MASK, masks=[MASK, MASK > 1], gt=MASK, key=KEY)
    assert set(seen) == {MASK.shape}
    assert [one.shape for one in (made["mask"], *made["masks"], made["gt"])] == [(120, 160, 1)] * 4
    assert made["masks"][1].dtype == np.float32
    assert (made["masks"][1][..., 0] == (MASK > 1)[:, ::-1]).all()


def test_a_crop_by_the_mask_looks_at_all_of_them() -> None:
    one = np.zeros((120, 160), np.uint8)
    one[100, 150] = 9
    members = [A.CropNonEmptyMaskIfExists(8, 8), A.HorizontalFlip()]
    augment = A.ReplayCompose(members, additional_targets={"same": "image"})
    parts: dict[str, Any] = {"image": IMAGE, "same": IMAGE}
    parts["masks"] = [np.zeros_like(one), one.astype(np.int32)[..., None]]
    for key in keys(8):
        made = augment(**parts, key=key)
        assert [mask.dtype for mask in made["masks"]] == [np.uint8, np.int32]
        assert (made["masks"][1] == 9).sum() == 1
        again = A.ReplayCompose.replay(json.loads(json.dumps(made["replay"])), **parts)
        for image in (made["same"], again["image"], again["same"]):
            assert (image == made["image"]).all()


def test_pixels_of_uint16() -> None:
    deep = IMAGE.astype(np.uint16) * 257
    for make in (
        lambda top: A.Normalize(mean=(0.5, 0.4, 0.3), std=(0.2, 0.3, 0.4), max_pixel_value=top),
        lambda top: A.ToFloat(max_value=top),
        lambda top: A.ToFloat(),
    ):
        made = A.Compose([A.HorizontalFlip(p=1), make(65535.0)])(image=deep, key=KEY)["image"]
        wanted = A.Compose([A.HorizontalFlip(p=1), make(255.0)])(image=IMAGE, key=KEY)["image"]
        assert made.dtype == np.float32
        assert np.abs(made - wanted).max() < 1e-5
    with pytest.raises(ValueError, match="max_value must be positive"):
        A.ToFloat(0)
    with pytest.raises(TypeError, match="uint8, uint16 or float32, got dtype int64"):
        A.ToFloat()(image=IMAGE.astype(np.int64), key=KEY)


def test_one_transform_instead_of_a_list_is_taken_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="should be a list"):
        augment = A.Compose(A.HorizontalFlip(p=1))
    assert (augment(image=IMAGE, key=KEY)["image"] == IMAGE[:, ::-1]).all()
    with pytest.warns(UserWarning, match="should be a list"):
        A.OneOf(A.Compose([A.Blur(), A.CLAHE()]))


def test_a_compose_is_read_as_a_list() -> None:
    augment = A.Compose([A.HorizontalFlip(), A.Blur()])
    assert len(augment) == 2
    assert [*augment] == [augment[0], augment[1]] == augment.transforms


def test_applied_params_are_of_what_fired() -> None:
    augment = A.Compose([A.HorizontalFlip(p=0.5), A.RandomCrop(32, 32)], save_applied_params=True)
    for key in keys(12):
        made = augment(image=IMAGE, key=key)
        applied = dict(made["applied_transforms"])
        crop = applied["RandomCrop"]
        source = IMAGE[:, ::-1] if "HorizontalFlip" in applied else IMAGE
        top, left = crop["top"], crop["left"]
        assert (made["image"] == source[top : top + 32, left : left + 32]).all()
    assert "applied_transforms" not in A.Compose([A.HorizontalFlip()])(image=IMAGE, key=KEY)


def test_random_order_draws_every_order() -> None:
    image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    augment = A.Compose([A.RandomOrder([A.Transpose(p=1), A.HorizontalFlip(p=1), A.VerticalFlip(p=0)], n=2)])
    made = Counter(augment(image=image, key=key)["image"].tobytes() for key in keys(600))
    by_hand = Counter(
        {0: lambda i: i.swapaxes(0, 1), 1: lambda i: i[:, ::-1], 2: lambda i: i}[second](
            {0: lambda i: i.swapaxes(0, 1), 1: lambda i: i[:, ::-1], 2: lambda i: i}[first](image)
        ).tobytes()
        for first, second in itertools.permutations(range(3), 2)
    )
    assert set(made) == set(by_hand)
    for result, count in by_hand.items():
        assert made[result] / 600 == pytest.approx(count / 6, abs=0.08)
    with pytest.raises(ValueError, match="at most 720 orders"):
        A.RandomOrder([A.HorizontalFlip()] * 8, n=8)


def test_shifts_by_whole_pixels() -> None:
    image = np.zeros((40, 50), np.uint8)
    image[20, 25] = 255
    augment = A.Compose([A.Affine(translate_px={"x": (-3, 3), "y": 2}, p=1)])
    found = Counter(tuple(np.argwhere(augment(image=image, key=key)["image"])[0]) for key in keys(700))
    assert set(found) == {(22, 25 + x) for x in range(-3, 4)}
    assert min(found.values()) > 60
    with pytest.raises(ValueError, match="got both"):
        A.Affine(translate_px=3, translate_percent=0.1)
    with pytest.raises(TypeError, match="translate_px must be whole numbers"):
        A.Affine(translate_px=0.5)


def test_a_safe_rotation_keeps_the_size_and_all_of_the_image() -> None:
    augment = A.Compose(
        [A.SafeRotate((-90, 90), p=1)], keypoint_params=A.KeypointParams("xy", remove_invisible=False)
    )
    corners = [(-0.5, -0.5), (159.5, -0.5), (-0.5, 119.5), (159.5, 119.5)]
    for key in keys(20):
        made = augment(image=IMAGE, keypoints=corners, key=key)
        assert made["image"].shape == IMAGE.shape
        moved = np.array(made["keypoints"])
        assert moved.min(axis=0) == pytest.approx([-0.5, -0.5])
        assert moved.max(axis=0) == pytest.approx([159.5, 119.5])


def test_scales_that_albumentations_fails_with_are_refused() -> None:
    with pytest.raises(ValueError, match=r"scale_limit must be at least -1, got 1.2, .* factors from -0.2"):
        A.RandomScale(scale_limit=1.2)
    for scale in (1, (-1, 1)):
        augment = A.Compose([A.ShiftScaleRotate(scale_limit=scale, p=1), A.RandomScale(scale, p=1)])
        sizes = [len(augment(image=IMAGE, key=key)["image"]) for key in keys(60)]
        assert min(sizes) < 12
        assert 180 < max(sizes) <= 240
    assert A.RandomScale(scale_limit=-0.2) == A.RandomScale(scale_limit=0.2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: A.Affine(fill=float("nan")),
        lambda: A.Affine(balanced_scale=True),
        lambda: A.Affine(fill_mask=(1, 2)),
        lambda: A.Affine(interpolation=3),
        lambda: A.CropAndPad(4, fill=(0, 255)),
        lambda: A.CropAndPad([[1, 2, 9], 3, 4, 5]),
        lambda: A.Equalize(by_channels=False),
        lambda: A.GridDropout(holes_number_xy=(2, 2)),
        lambda: A.Resize(8, 8, mask_interpolation=1),
        lambda: A.Compose([A.Affine()], mask_interpolation=1),
    ],
    ids=map(str, range(10)),
)
@pytest.mark.parametrize(
    ("installed", "told"),
    [
        ({}, "install albumentations 2.0.8"),
        ({"albumentations": "1.4.0"}, "albumentations 1.4.0 is installed, which has the same import name"),
        ({"albumentations": "2.0.8", "albumentationsx": "2.1.0"}, "albumentationsx 2.1.0 is installed"),
    ],
    ids=["none", "1.x", "successor"],
)
def test_an_option_of_the_original_is_an_error_without_it(
    make: Any, installed: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if name not in installed:
            raise metadata.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    assert told in error.value.__notes__[0]
    with pytest.raises(AttributeError, match=f"has no RandomFog: {told}"):
        A.RandomFog()


@pytest.mark.parametrize(
    "one",
    [
        A.ShiftScaleRotate(p=0.3),
        A.GaussNoise(),
        A.ToTensorV2(),
        A.OneOf([A.Blur(), A.Affine()]),
        A.RGBShift(0.1),
        A.NoOp(),
    ],
    ids=repr,
)
def test_one_transform_is_plain_data(one: Any) -> None:
    assert A.from_dict(json.loads(json.dumps(A.to_dict(one)))) == one


def test_applied_transforms_have_albumentations_names() -> None:
    noise = A.GaussNoise(p=1)
    choice = A.SomeOf([noise, A.InvertImg(p=1)], n=2)
    augment = A.Compose([A.ShiftScaleRotate(p=1), choice, noise, A.Blur(p=0)], save_applied_params=True)
    names = [name for name, _ in augment(image=IMAGE, key=KEY)["applied_transforms"]]
    assert names == ["ShiftScaleRotate", "SomeOf", "GaussNoise", "InvertImg", "GaussNoise"]


def test_limits_up_to_1_are_shares() -> None:
    assert A.RGBShift(0.1, (-20, 20), 1) == ss.RGBShift((-25.5, 25.5), (-20, 20), (-255, 255), p=0.5)


def test_a_name_is_the_class_of_what_it_makes() -> None:
    assert isinstance(A.RandomCrop(4, 4, p=0.5), A.RandomCrop)
    assert isinstance(A.RandomScale(), A.RandomScale)
    assert isinstance(A.Compose([]), A.Compose)
    assert not isinstance(A.HorizontalFlip(), A.VerticalFlip)
    assert not isinstance(3, A.Spatter)
    assert isinstance(A.Blur(), A.ImageOnlyTransform)
    assert isinstance(A.Rotate(), A.DualTransform)
    assert not isinstance(A.Blur(), A.DualTransform)
    assert A.Blur.__name__ == "Blur"
    assert A.Blur.__doc__ == "Return ``seedsafe.Blur``."
    with pytest.raises(
        TypeError, match=r"Blur\(\) got an unexpected keyword argument 'limit': it takes blur_limit, p"
    ):
        A.Blur(limit=3)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("Horizontalflip", "use HorizontalFlip"),
        ("RandomBrightnesContrast", "use RandomBrightnessContrast"),
        ("Identity", "use NoOp"),
        ("CenterCrop3D", "volumes are not supported"),
        ("Bananas", "albumentations 2.0.8 has no such name either"),
    ],
)
def test_advice_names_what_exists(name: str, advice: str) -> None:
    with pytest.raises(AttributeError, match=f"has no {name}: {advice}"):
        getattr(A, name)()


def test_functions_that_users_import() -> None:
    from seedsafe_albumentations.augmentations import functional
    from seedsafe_albumentations.augmentations.dropout.cutout import Cutout
    from seedsafe_albumentations.core.bbox_utils import denormalize_bbox, denormalize_bboxes, normalize_bboxes
    from seedsafe_albumentations.core.utils import to_tuple
    from seedsafe_albumentations.imgaug.transforms import IAAAffine

    assert (IAAAffine, Cutout) == (A.IAAAffine, A.Cutout)
    assert [to_tuple(3), to_tuple(3, low=5), to_tuple((1, 2), bias=1)] == [(-3, 3), (3, 5), (2, 3)]
    boxes = np.array([[16.0, 12, 80, 60, 7]])
    assert normalize_bboxes(boxes, (120, 160)).tolist() == [[0.1, 0.1, 0.5, 0.5, 7]]
    assert denormalize_bboxes([[0.1, 0.1, 0.5, 0.5, 7]], (120, 160)).tolist() == boxes.tolist()
    assert denormalize_bbox((0.1, 0.1, 0.5, 0.5, "a"), 120, 160) == (16, 12, 80, 60, "a")
    with pytest.raises(AttributeError, match="has no hflip: import it from albumentations itself"):
        _ = functional.hflip


def test_crop_value_has_no_effect() -> None:
    with pytest.warns(UserWarning, match="crop_value=7 has no effect"):
        given = A.RandomCropFromBorders(0.2, crop_value=7)
    assert given == A.RandomCropFromBorders(0.2)


TENSORS = {
    "normalized": [A.HorizontalFlip(p=0.5), A.Normalize()],
    "normalized by its own numbers": [A.Normalize((0.2,), (0.5,), max_pixel_value=100.0)],
    "sometimes normalized": [A.Normalize(p=0.5)],
    "in a Compose": [A.Compose([A.HorizontalFlip(p=0.5), A.Normalize()])],
    "not normalized": [A.RandomCrop(32, 40)],
    "nothing": [],
}


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
@pytest.mark.parametrize("members", TENSORS.values(), ids=TENSORS)
def test_tensors_have_the_bytes_of_arrays(members: list[Any], dtype: str) -> None:
    pytest.importorskip("torch")
    boxes: Any = A.BboxParams("pascal_voc")
    arrays = A.Compose(members, bbox_params=boxes, additional_targets={"other": "image"})
    tensors = A.Compose([*members, A.ToTensorV2()], bbox_params=boxes, additional_targets={"other": "image"})
    for channels, key in itertools.product(((3,), (1,), ()), keys(4)):
        image = np.resize(IMAGE, (*IMAGE.shape[:2], *channels)).astype(dtype)
        parts = {"image": image, "other": image, "mask": MASK, "bboxes": [[10, 20, 60, 70]]}
        try:
            wanted = arrays(**parts, key=key)
        except ValueError:  # three means for one channel
            with pytest.raises(ValueError, match="mean and std must have one value for each channel"):
                tensors(**parts, key=key)
            continue
        made = tensors(**parts, key=key)
        for name in ("image", "other"):
            first = np.moveaxis(np.atleast_3d(wanted[name]), -1, 0)
            assert made[name].shape == first.shape
            assert made[name].numpy().tobytes() == first.tobytes()
            assert made[name].is_contiguous()
        plain = A.Compose(members), A.Compose([*members, A.ToTensorV2()])
        alone, planes = (augment(image=image, key=key)["image"] for augment in plain)
        assert (alone.dtype, alone.tobytes()) == (wanted["image"].dtype, wanted["image"].tobytes())
        assert planes.numpy().tobytes() == first.tobytes()
        np.testing.assert_array_equal(made["mask"], wanted["mask"])
        assert made["bboxes"] == wanted["bboxes"]


def test_a_bridge_around_it_sets_no_seed() -> None:
    class Photographs:
        augment = A.Compose([A.RandomCrop(4, 4), A.HorizontalFlip()])

        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: int) -> Any:
            return self.augment(image=np.arange(64, dtype=np.uint8).reshape(8, 8) + index)["image"]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain, bridged = (AugmentedDataset(Photographs(), seed=42, bridge=way) for way in (False, True))
        for index in range(3):
            np.testing.assert_array_equal(bridged.at(index, epoch=0), plain.at(index, epoch=0))


def test_a_strict_pipeline_takes_the_parts_alone_and_images_of_one_size() -> None:
    strict = A.Compose([A.HorizontalFlip(p=1)], A.BboxParams("coco", ["names"]), strict=True)
    made = strict(image=IMAGE, masks=[], bboxes=[(0, 0, 9, 9)], names=["a"], key=KEY)
    assert made["bboxes"] == [[151, 0, 9, 9]]
    with pytest.raises(ValueError, match=r"strict=True takes the parts alone, got \['label'\]"):
        strict(image=IMAGE, label=3, key=KEY)
    parts: Any = {"image": IMAGE, "small": IMAGE[:50]}
    for check in (True, False):
        pair = A.Compose([A.HorizontalFlip(p=1)], None, None, {"small": "image"}, is_check_shapes=check)
        if check:
            with pytest.raises(
                ValueError, match=r"images must have one height and width.*is_check_shapes=False"
            ):
                pair(**parts, key=KEY)
        else:
            assert (pair(**parts, key=KEY)["small"] == IMAGE[:50, ::-1]).all()


def test_functions_of_a_lambda_get_the_shape_if_they_take_it() -> None:
    def half(image: Any, shape: Any, **others: Any) -> Any:
        assert others == {"rows": shape[0], "cols": shape[1]}
        return image[: shape[0] // 2]

    made = A.Compose([A.Lambda(image=half, mask=half)])(image=IMAGE, masks=[MASK, MASK], key=KEY)
    assert [made["image"].shape[0], *map(len, made["masks"])] == [60, 60, 60]
    assert (A.Compose([A.Lambda(image=np.negative)])(image=IMAGE, key=KEY)["image"] == -IMAGE).all()


def test_a_replay_without_boxes_of_what_chooses_by_them() -> None:
    augment = A.ReplayCompose([A.BBoxSafeRandomCrop(p=1)])
    made = augment(image=IMAGE, key=KEY)
    saved = json.loads(json.dumps(made["replay"]))
    assert (A.ReplayCompose.replay(saved, image=IMAGE)["image"] == made["image"]).all()


@pytest.mark.parametrize(("weight", "share"), [(0.5, 2 / 3), (0.2, 5 / 6), (1.0, 0.5)])
def test_nothing_is_chosen_by_its_p(weight: float, share: float) -> None:
    augment = A.Compose([A.OneOf([A.NoOp(p=weight), A.Crop(0, 0, 20, 20, p=1)], p=1)])
    again = A.from_dict(json.loads(json.dumps(A.to_dict(augment))))
    for pipeline in (augment, again):
        sizes = [pipeline(image=IMAGE, key=key)["image"].shape[0] for key in keys(900)]
        assert sizes.count(20) / 900 == pytest.approx(share, abs=0.06)
