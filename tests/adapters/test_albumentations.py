"""albumentations' names and arguments over the core's transforms."""

from __future__ import annotations

import io
import json
import pickle
from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
import torch
from skimage import data

import seedsafe as ss
import seedsafe_albumentations as A  # noqa: N812  # as its users do
from seedsafe.pipeline.boxes import from_edges
from seedsafe_torch import AugmentedDataset, loader

IMAGE = data.astronaut()[:128, :160].copy()
MASK = (IMAGE[..., 0] // 64).astype(np.uint8)
KEY = ss.SampleKey(42, 3, 1234)


def keys(n: int) -> list[ss.SampleKey]:
    return [ss.SampleKey(42, 0, index) for index in range(n)]


def core(transform: Any) -> Any:
    return ss.Compose([transform])


OTHERS = [
    *("BboxParams", "KeypointParams", "Compose", "ReplayCompose", "Sequential"),
    *("OneOf", "OneOrOther", "SomeOf", "RandomOrder", "BaseCompose"),
    *("BasicTransform", "DualTransform", "ImageOnlyTransform", "augmentations", "core"),
    *("pytorch", "from_dict", "to_dict", "load", "save"),
    *("ToTensor", "ToTensorV2", "Resize", "RandomCrop", "CenterCrop"),
    *("Crop", "CropAndPad", "IAACropAndPad", "RandomSizedCrop", "RandomResizedCrop"),
    *("RandomSizedBBoxSafeCrop", "CropNonEmptyMaskIfExists"),
]
"""What is no transform, or needs arguments."""


@pytest.mark.parametrize("name", sorted(set(A.__all__) - set(OTHERS)))
def test_defaults_run_on_image_and_mask(name: str) -> None:
    augment = A.Compose([getattr(A, name)(p=1.0)])
    made = augment(image=IMAGE, mask=MASK, key=KEY)
    assert made["image"].shape[:2] == made["mask"].shape[:2]
    again = augment(image=IMAGE.copy(), mask=MASK.copy(), key=KEY)
    assert (made["image"] == again["image"]).all()
    assert (made["mask"] == again["mask"]).all()


@pytest.mark.parametrize("name", sorted(set(A.__all__) - set(OTHERS)))
def test_p_is_the_share_that_fires(name: str) -> None:
    made_of = getattr(A, name)
    never = A.Compose([made_of(p=0.0)])
    assert (never(image=IMAGE, key=KEY)["image"] == IMAGE).all()
    always = made_of(p=0.0, always_apply=True)
    assert getattr(always, "p", 1.0) == 1.0


def chosen(augment: A.Compose, n: int = 4000) -> Counter[Any]:
    return Counter(
        next(applied.params for applied in augment.pipeline.params(key, (8, 8, 3))) for key in keys(n)
    )


def test_one_of_goes_by_its_members_p_and_they_fire() -> None:
    augment = A.Compose([A.OneOf([A.HorizontalFlip(p=0.6), A.VerticalFlip(p=0.2)], p=0.5)])
    found = chosen(augment)
    assert found[None] / 4000 == pytest.approx(0.5, abs=0.03)
    assert found[((0,),)] / (4000 - found[None]) == pytest.approx(0.75, abs=0.03)
    image = np.array([[[1], [2]], [[3], [4]]], np.uint8)
    made = {augment(image=image, key=key)["image"].tobytes() for key in keys(200)}
    assert len(made) == 3  # one of both, or none; never both


def test_some_of_leaves_its_members_their_p() -> None:
    augment = A.Compose([A.SomeOf([A.HorizontalFlip(p=0.5), A.VerticalFlip(p=1.0)], n=2)])
    image = np.array([[[1], [2]], [[3], [4]]], np.uint8)
    made = Counter(augment(image=image, key=key)["image"].tobytes() for key in keys(400))
    assert len(made) == 2
    assert min(made.values()) > 140


def test_boxes_come_back_as_they_were_given_with_their_labels() -> None:
    params = A.BboxParams(format="pascal_voc", label_fields=["names"], min_visibility=0.5)
    augment = A.Compose([A.Crop(0, 0, 50, 50), A.HorizontalFlip(p=1)], bbox_params=params)
    given = [(10, 10, 20, 30), (45, 45, 60, 60), [0, 0, 50, 50]]
    made = augment(image=IMAGE, bboxes=given, names=["cat", "dog", "room"], other=3, key=KEY)
    assert made["bboxes"] == [[30, 10, 40, 30], [0, 0, 50, 50]]
    assert made["names"] == ["cat", "room"]
    assert made["other"] == 3
    as_array = augment(image=IMAGE, bboxes=np.array(given, np.float32), names=np.array([1, 2, 3]), key=KEY)
    assert as_array["bboxes"].tolist() == [[30, 10, 40, 30], [0, 0, 50, 50]]
    assert as_array["bboxes"].dtype == np.float32
    assert as_array["names"].tolist() == [1, 3]


def test_labels_may_stand_in_the_boxes() -> None:
    augment = A.Compose([A.HorizontalFlip(p=1)], bbox_params=A.BboxParams("yolo"))
    made = augment(image=IMAGE, bboxes=[(0.25, 0.5, 0.125, 0.25, "cat", 7)], key=KEY)
    assert made["bboxes"] == [[0.75, 0.5, 0.125, 0.25, "cat", 7]]
    assert augment(image=IMAGE, bboxes=[], key=KEY)["bboxes"] == []


@pytest.mark.parametrize("name", ["coco", "yolo", "pascal_voc", "albumentations"])
def test_boxes_of_each_format_are_the_cores(name: str) -> None:
    members = [A.RandomRotate90(p=1), A.HorizontalFlip(), A.RandomResizedCrop((64, 96), scale=(0.6, 1), p=1)]
    augment = A.Compose(members, bbox_params=A.BboxParams(name))
    pipeline = ss.Compose(augment.pipeline.transforms, boxes=ss.Boxes(name))
    boxes = from_edges(np.array([[40.0, 30.0, 80.0, 70.0]]), name, IMAGE.shape[:2])
    for key in keys(12):
        made = augment(image=IMAGE, bboxes=boxes.tolist(), key=key)["bboxes"]
        assert made == pipeline({"image": IMAGE, "boxes": boxes}, key=key)["boxes"].tolist()


def test_keypoints() -> None:
    augment = A.Compose(
        [A.Crop(0, 0, 50, 40), A.HorizontalFlip(p=1)],
        keypoint_params=A.KeypointParams("xy", label_fields=["names"]),
    )
    made = augment(image=IMAGE, keypoints=[(10, 20), (70, 20)], names=["nose", "ear"], key=KEY)
    assert made["keypoints"] == [[39, 20]]
    assert made["names"] == ["nose"]
    kept = A.Compose([A.Crop(0, 0, 50, 40)], keypoint_params=A.KeypointParams("yx", remove_invisible=False))
    assert kept(image=IMAGE, keypoints=[(20, 70, "ear")], key=KEY)["keypoints"] == [[20, 70, "ear"]]


def test_masks_move_alike_and_keep_their_dtypes() -> None:
    augment = A.Compose([A.RandomCrop(32, 32), A.Rotate(30, p=1)], additional_targets={"depth": "mask"})
    masks = [MASK, (MASK > 1), MASK.astype(np.int64) * 1000]
    made = augment(image=IMAGE, mask=MASK, masks=masks, depth=MASK[..., None], key=KEY)
    assert [one.dtype for one in made["masks"]] == [np.uint8, bool, np.int64]
    for one, wanted in zip(
        made["masks"], (made["mask"], made["mask"] > 1, made["mask"].astype(np.int64) * 1000), strict=True
    ):
        assert (one == wanted).all()
    assert (made["depth"][..., 0] == made["mask"]).all()
    stacked = augment(image=IMAGE, masks=np.stack([MASK, MASK]), key=KEY)["masks"]
    assert stacked.shape == (2, 32, 32)


def test_additional_images_are_changed_alike() -> None:
    augment = A.Compose(
        [A.RandomCrop(32, 32), A.HorizontalFlip(), A.RandomBrightnessContrast(p=1), A.GaussNoise(p=1)],
        additional_targets={"after": "image"},
    )
    for key in keys(4):
        made = augment(image=IMAGE, after=IMAGE.copy(), mask=MASK, key=key)
        assert (made["image"] == made["after"]).all()


def test_a_dataset_needs_no_key() -> None:
    augment = A.Compose([A.RandomCrop(32, 32), A.HorizontalFlip(p=0.5), A.pytorch.ToTensorV2()])

    class Photographs:
        def __len__(self) -> int:
            return 12

        def __getitem__(self, index: int) -> Any:
            return augment(image=IMAGE + np.uint8(index))["image"]

    dataset = AugmentedDataset(Photographs(), seed=42)
    batches = [
        [batch.clone() for batch in loader(dataset, batch_size=4, num_workers=workers)] for workers in (0, 2)
    ]
    assert all(torch.equal(one, other) for one, other in zip(*batches, strict=True))
    assert batches[0][0].shape == (4, 3, 32, 32)
    whole = torch.cat(batches[0])
    wanted = augment(image=IMAGE + np.uint8(7), key=ss.SampleKey(42, 0, 7, call=1))["image"]
    assert torch.equal(whole[7], wanted)


def test_outside_of_a_read_a_key_is_needed() -> None:
    with pytest.raises(TypeError, match="key must be a SampleKey, got None"):
        A.Compose([A.HorizontalFlip()])(image=IMAGE)


def test_replay() -> None:
    augment = A.ReplayCompose([A.RandomCrop(40, 40), A.OneOf([A.Blur(p=1), A.HorizontalFlip(p=1)], p=1)])
    for key in keys(6):
        made = augment(image=IMAGE, key=key)
        again = A.ReplayCompose.replay(made["replay"], image=IMAGE)
        assert (made["image"] == again["image"]).all()


def test_tensors() -> None:
    made = A.Compose([A.Normalize(), A.ToTensorV2()])(image=IMAGE, mask=MASK, masks=[MASK], key=KEY)
    mean, std = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    wanted = ((IMAGE / 255.0 - mean) / std).transpose(2, 0, 1)
    assert made["image"].dtype is torch.float32
    assert np.abs(made["image"].numpy() - wanted).max() < 1e-5
    assert torch.equal(made["mask"], torch.from_numpy(MASK))
    assert torch.equal(made["masks"][0], torch.from_numpy(MASK))


@pytest.mark.parametrize("largest", [255.0, 1.0])
def test_normalize_of_floats_goes_by_max_pixel_value(largest: float) -> None:
    image = (IMAGE.astype(np.float32) / 255 * largest).astype(np.float32)
    made = A.Compose([A.Normalize(max_pixel_value=largest)])(image=image, key=KEY)["image"]
    wanted = A.Compose([A.Normalize()])(image=IMAGE, key=KEY)["image"]
    assert np.abs(made - wanted).max() < 1e-4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (lambda: A.RandomResizedCrop(64, 48, p=1), lambda: A.RandomResizedCrop((64, 48), p=1)),
        (lambda: A.RandomResizedCrop(height=64, width=48), lambda: A.RandomResizedCrop(size=(64, 48))),
        (lambda: A.RandomSizedCrop((50, 80), 64, 48), lambda: A.RandomSizedCrop((50, 80), size=(64, 48))),
        (lambda: A.GaussNoise((10.0, 50.0), p=1), lambda: ss.GaussianNoise(variance=(10, 50))),
        (lambda: A.GaussNoise(var_limit=50, p=1), lambda: ss.GaussianNoise(variance=(0, 50))),
        (lambda: A.CoarseDropout(8, 32, 32, p=1), lambda: A.CoarseDropout((8, 8), (32, 32), (32, 32), p=1)),
        (
            lambda: A.CoarseDropout(max_holes=8, max_height=32, max_width=30, min_holes=2, fill_value=7, p=1),
            lambda: A.CoarseDropout((2, 8), (32, 32), (30, 30), fill=7, p=1),
        ),
        (lambda: A.Cutout(num_holes=4, max_h_size=8, p=1), lambda: ss.CoarseDropout(4, 8, 8, overhang=True)),
        (lambda: A.JpegCompression(50, 90, p=1), lambda: A.ImageCompression(quality_range=(50, 90), p=1)),
        (lambda: A.ImageCompression(quality_lower=50, quality_upper=90, p=1), lambda: ss.ImageCompression((50, 90))),
        (lambda: A.Downscale(scale_min=0.5, scale_max=0.6, p=1), lambda: A.Downscale((0.5, 0.6), p=1)),
        (lambda: A.RandomBrightness(0.3, p=1), lambda: ss.RandomBrightnessContrast((-0.3, 0.3), (0, 0))),
        (lambda: A.RandomContrast(0.3, p=1), lambda: ss.RandomBrightnessContrast((0, 0), (-0.3, 0.3))),
        (lambda: A.Solarize(threshold=128, p=1), lambda: ss.Solarize((128 / 255, 128 / 255), p=1)),
        (lambda: A.ShiftScaleRotate(always_apply=True), lambda: A.ShiftScaleRotate(p=1)),
        (lambda: A.PadIfNeeded(200, 200, 0, value=3), None),
        (lambda: A.HorizontalFlip(always_apply=False, p=0.3), lambda: ss.HorizontalFlip(p=0.3)),
        (lambda: A.RandomGamma((80, 120), p=1), lambda: ss.Gamma((0.8, 1.2))),
        (lambda: A.Affine(rotate=(-10, 10), mode=2, cval=5, p=1), lambda: A.Affine(rotate=(-10, 10), border_mode=2, fill=5, p=1)),
        # By position: always_apply before p, and the order of 1.x where 2.0.8 has another.
        (lambda: A.CLAHE(4, (8, 8), True, 1), lambda: A.CLAHE(4, (8, 8), p=1)),
        (lambda: A.HorizontalFlip(False, 0.3), lambda: ss.HorizontalFlip(p=0.3)),
        (lambda: A.NoOp(True), lambda: A.NoOp(1.0)),
        (lambda: A.RandomCrop(64, 48, False, 1.0), lambda: A.RandomCrop(64, 48)),
        (lambda: A.RandomScale(0.4, 1, True), lambda: A.RandomScale(0.4, 1, p=1)),
        (lambda: A.RandomResizedCrop(64, 48, (0.1, 0.2), (1, 1), 1, False, 1.0), lambda: A.RandomResizedCrop((64, 48), (0.1, 0.2), (1, 1))),
        (lambda: A.RandomResizedCrop((64, 48), (0.1, 0.2), (1, 1), 1, 0), lambda: A.RandomResizedCrop((64, 48), (0.1, 0.2), (1, 1))),
        (lambda: A.LongestMaxSize(80, 0, True), lambda: A.LongestMaxSize(80, interpolation=0)),
        (lambda: A.LongestMaxSize(80, None, 0), lambda: A.LongestMaxSize(80, interpolation=0)),
        (lambda: A.Rotate(30, 1, 0, 9, 3, "ellipse", False, True, 0.0), lambda: A.Rotate(30, fill=9, fill_mask=3, rotate_method="ellipse", p=1)),
        (lambda: A.Rotate(30, 1, 0, "ellipse", False, 0, 9, 3, 1.0), lambda: A.Rotate(30, fill=9, fill_mask=3, rotate_method="ellipse", p=1)),
        (lambda: A.Perspective((0.05, 0.1), True, 0, 7, 0, False, 1, False, 1.0), lambda: A.Perspective(fill=7, p=1)),
        (lambda: A.ElasticTransform(9, 5, 0, 1, 4, p=1), lambda: A.ElasticTransform(9, 5, border_mode=4, p=1)),
        (lambda: A.ImageCompression(50, 90, "jpeg", True), lambda: ss.ImageCompression((50, 90))),
        (lambda: A.RandomGamma((80, 120), 1e-7, True), lambda: ss.Gamma((0.8, 1.2))),
        (lambda: A.GridDropout(0.5, 8, 12, None, None, 0, 0, True, 5, None, True), lambda: A.GridDropout(0.5, True, (8, 12), fill=5, p=1)),
        (lambda: A.AdvancedBlur(sigmaX_limit=(0.2, 0.4), p=1), lambda: A.AdvancedBlur(sigma_x_limit=(0.2, 0.4), p=1)),
        (lambda: A.Downscale(0.5, 0.6, interpolation=1, always_apply=True), lambda: A.Downscale((0.5, 0.6), 1, p=1)),
    ],
    ids=map(str, range(37)),
)  # fmt: skip
def test_vanished_arguments_are_honoured(old: Any, new: Any) -> None:
    if new is None:
        with pytest.raises(ValueError, match="a minimum or a divisor for each side"):
            old()
        return
    assert old() == new()
    for key in keys(3):
        assert (core(old())(IMAGE, key=key) == core(new())(IMAGE, key=key)).all()


def half(image: Any, **_: Any) -> Any:
    return image // 2


def test_a_transform_alone_is_called_with_named_parts() -> None:
    for augment in (
        A.HorizontalFlip(p=1),
        A.OneOf([A.HorizontalFlip(p=1)], p=1),
        A.Sequential([A.HorizontalFlip(p=1)], p=1),
    ):
        made = augment(image=IMAGE, mask=MASK, key=KEY)
        assert (made["image"] == IMAGE[:, ::-1]).all()
        assert (made["mask"] == MASK[:, ::-1]).all()
        with pytest.raises((TypeError, ValueError), match="bboxes"):
            augment(image=IMAGE, bboxes=[(0, 0, 1, 1)], key=KEY)
    made = A.ToTensorV2()(image=IMAGE, mask=MASK, masks=[MASK, MASK], label=7)
    assert [(one.numpy() == MASK).all() for one in made["masks"]] == [True, True]
    assert (made["image"].numpy() == IMAGE.transpose(2, 0, 1)).all()
    assert (made["mask"].numpy() == MASK).all()
    assert made["label"] == 7


def test_lambda_calls_a_function_for_each_part_and_what_it_draws_follows_the_key() -> None:
    made = A.Compose([A.Lambda(image=half, name="half"), A.HorizontalFlip(p=1)])(
        image=IMAGE, mask=MASK, key=KEY
    )
    assert (made["image"] == (IMAGE // 2)[:, ::-1]).all()
    assert (made["mask"] == MASK[:, ::-1]).all()
    noisy = A.Compose(
        [A.Lambda(image=lambda image, **_: image + np.random.randint(9, size=image.shape, dtype=np.uint8))]
    )
    once, again = (noisy(image=IMAGE, key=KEY)["image"] for _ in range(2))
    assert (once == again).all()
    assert len({noisy(image=IMAGE, key=key)["image"].tobytes() for key in keys(5)}) == 5
    assert (A.Compose([A.Lambda(image=half, p=0)])(image=IMAGE, key=KEY)["image"] == IMAGE).all()
    with pytest.raises(ValueError, match="functions of image and mask"):
        A.Lambda(bboxes=half)


def test_iaa_transforms_are_the_cores() -> None:
    pairs = [
        (A.IAAAffine(shear=15, mode="constant"), A.Affine(shear={"x": (-15, 15)})),
        (
            A.IAAAffine(1.2, rotate=20, order=0),
            A.Affine((1, 1.2), rotate=(-20, 20), interpolation=0, border_mode=4),
        ),
        (A.IAAPerspective(p=1), A.Perspective((0.05, 0.1), p=1)),
        (A.IAACropAndPad(px=4), A.CropAndPad(px=4)),
        (A.IAAFliplr(), A.HorizontalFlip()),
        (A.IAAFlipud(), A.VerticalFlip()),
    ]
    for old, new in pairs:
        assert old == new
    with pytest.raises(ValueError, match="mode must be one of 'constant', 'edge'"):
        A.IAAAffine(mode="wrap")


def test_a_hue_of_one_number_may_go_more_than_half_around() -> None:
    assert A.ColorJitter(hue=0.6).hue == (-0.6, 0.6)
    with pytest.raises(ValueError, match="hue must be"):
        A.ColorJitter(hue=1.5)


def test_the_other_paths_that_users_import_from() -> None:
    from seedsafe_albumentations.augmentations.transforms import HorizontalFlip
    from seedsafe_albumentations.core.composition import Compose, OneOf
    from seedsafe_albumentations.core.serialization import to_dict
    from seedsafe_albumentations.pytorch.transforms import ToTensorV2

    assert (HorizontalFlip, Compose, OneOf) == (A.HorizontalFlip, A.Compose, A.OneOf)
    assert (to_dict, ToTensorV2) == (A.to_dict, A.ToTensorV2)


def test_flip_is_one_of_three() -> None:
    image = np.array([[[1], [2]], [[3], [4]]], np.uint8)
    augment = A.Compose([A.Flip(p=0.5)])
    made = Counter(augment(image=image, key=key)["image"].tobytes() for key in keys(900))
    assert len(made) == 4
    assert made.pop(image.tobytes()) / 900 == pytest.approx(0.5, abs=0.06)
    assert min(made.values()) > 100


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: A.Spatter(), "has no Spatter: install albumentations 2.0.8, whose Spatter then follows"),
        (lambda: A.UnsharpMask(), "has no UnsharpMask: use Sharpen"),
        (lambda: A.Resize(8, 8, mask_interpolation=1), "mask_interpolation must be cv2.INTER_NEAREST"),
        (lambda: A.Rotate(30, border_mode=3), "border_mode must be one of"),
        (lambda: A.HorizontalFlip(probability=1), "unexpected keyword"),
        (lambda: A.GaussNoise(mean_range=(1, 2)), "mean_range must be"),
        (lambda: A.KeypointParams("xyz"), "format must be one of 'xy', 'yx'"),
        (lambda: A.BboxParams("voc"), "format must be one of"),
        (lambda: A.Compose([A.ToTensorV2(), A.HorizontalFlip()]), "ToTensorV2 must stand last"),
        (lambda: A.Compose([lambda image: image]), "a transform must be of seedsafe_albumentations"),
        (lambda: A.Compose([], additional_targets={"x": "volume"}), "additional_targets must be"),
        (lambda: A.Compose([A.HorizontalFlip()])(IMAGE, key=KEY), "pass the parts of a sample by name"),
        (lambda: A.Compose([])(image=IMAGE, bboxes=[], key=KEY), "without bbox_params"),
        (lambda: A.Compose([])(mask=MASK, key=KEY), "a call needs image="),
        (lambda: A.Compose([], bbox_params=A.BboxParams("yolo", label_fields=["c"]))(image=IMAGE, bboxes=[], key=KEY), "'c' is a label field of bboxes"),
    ],
    ids=map(str, range(15)),
)  # fmt: skip
def test_what_is_not_here_raises(make: Any, message: str) -> None:
    with pytest.raises((AttributeError, ValueError, TypeError, KeyError), match=message):
        make()


def test_a_seed_warns() -> None:
    with pytest.warns(UserWarning, match="seed=137 is not used"):
        A.Compose([A.HorizontalFlip()], seed=137)


ORIGINAL = {
    "__version__": "2.0.8",
    "transform": {
        "__class_fullname__": "Compose",
        "p": 1.0,
        "transforms": [
            {"__class_fullname__": "HorizontalFlip", "p": 1.0},
            {
                "__class_fullname__": "OneOf",
                "p": 0.3,
                "transforms": [
                    {"__class_fullname__": "Blur", "p": 0.5, "blur_limit": [3, 7]},
                    {"__class_fullname__": "albumentations.augmentations.transforms.RandomGamma", "always_apply": False, "p": 0.5,
                     "gamma_limit": [80, 120], "eps": None},
                ],
            },
            {"__class_fullname__": "CoarseDropout", "p": 0.5, "fill": 0.0, "fill_mask": None, "hole_height_range": [0.1, 0.2],
             "hole_width_range": [0.1, 0.2], "num_holes_range": [1, 2]},
        ],
        "bbox_params": {"format": "yolo", "label_fields": None, "min_area": 0.0, "min_visibility": 0.0, "min_width": 0.0,
                        "min_height": 0.0, "check_each_transform": True, "clip": False, "max_accept_ratio": None},
        "keypoint_params": None,
        "additional_targets": {},
        "is_check_shapes": True,
    },
}  # fmt: skip
"""What the original's to_dict returns, its JSON read again."""


def test_the_originals_dicts_are_read(tmp_path: Any) -> None:
    augment = A.from_dict(ORIGINAL)
    wanted = A.Compose(
        [A.HorizontalFlip(p=1), A.OneOf([A.Blur(), A.RandomGamma()], p=0.3), A.CoarseDropout()],
        bbox_params=A.BboxParams("yolo"),
    )
    assert augment.pipeline == wanted.pipeline
    (tmp_path / "pipeline.json").write_text(json.dumps(ORIGINAL))
    assert A.load(tmp_path / "pipeline.json").pipeline == wanted.pipeline
    broken = json.loads(json.dumps(ORIGINAL).replace("HorizontalFlip", "Spatter"))
    with pytest.raises(ValueError, match="the transform 'Spatter', which this module does not have"):
        A.from_dict(broken)


def transforms_by_name() -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in (one for one in A.__all__ if one[0].isupper()):
        for arguments in ((), (8, 8), ((8, 8),)):
            with suppress(TypeError, ValueError, KeyError, UserWarning):
                one = getattr(A, name)(*arguments)
                if isinstance(one, ss.Transform | ss.Compose | A.ToTensorV2) and name != "Lambda":
                    made.setdefault(name, one)
    return made


TRANSFORMS = transforms_by_name()


def test_what_is_written_is_read_again() -> None:
    assert len(TRANSFORMS) > 85
    for name, transform in TRANSFORMS.items():
        augment = A.Compose([transform])
        again = A.from_dict(json.loads(json.dumps(A.to_dict(augment))))
        assert again.pipeline == augment.pipeline, name


WRITTEN: list[Any] = [
    A.Compose([A.HorizontalFlip(), A.OneOf([A.Blur(), A.RandomGamma()], p=0.3)]),
    A.Compose(
        [A.RandomCrop(32, 32), A.Normalize(), A.ToTensorV2(transpose_mask=True)],
        bbox_params=A.BboxParams("coco", label_fields=["classes"], min_area=3),
        keypoint_params=A.KeypointParams("xya", remove_invisible=False),
        additional_targets={"image2": "image"},
        p=0.7,
        save_applied_params=True,
    ),
    A.ReplayCompose([A.GaussNoise(p=1)], bbox_params={"format": "yolo"}, save_key="drawn"),
    A.Sequential([A.Rotate(20)], p=0.2),
]


@pytest.mark.parametrize("data_format", ["json", "yaml"])
@pytest.mark.parametrize("augment", WRITTEN, ids=["plain", "with all", "replay", "sequential"])
def test_files_have_all_of_a_pipeline(augment: Any, data_format: str, tmp_path: Any) -> None:
    file, memory = tmp_path / "pipeline", io.StringIO()
    A.save(augment, file, data_format)
    A.save(augment, memory, data_format=data_format)
    memory.seek(0)
    names = ("p", "bbox_params", "keypoint_params", "additional_targets", "save_applied_params", "pipeline")
    for again in (A.load(file, data_format), A.load(memory, data_format=data_format)):
        assert type(again) is type(augment)
        assert [getattr(again, name) for name in names] == [getattr(augment, name) for name in names]
        assert getattr(again, "save_key", None) == getattr(augment, "save_key", None)
        assert again._to_tensor == augment._to_tensor
    with pytest.raises(ValueError, match="data_format must be 'json' or 'yaml', got 'toml'"):
        A.save(augment, file, "toml")


def test_seedsafe_and_this_module_read_each_others_files() -> None:
    augment = A.Compose([A.HorizontalFlip(), A.RandomCrop(32, 32)], bbox_params=A.BboxParams("yolo"))
    assert ss.Compose.from_dict(A.to_dict(augment)) == augment.pipeline
    core = ss.Compose([ss.HorizontalFlip()], boxes=ss.Boxes("coco", min_area=2), keypoints=ss.Keypoints())
    again = A.from_dict(core.to_dict())
    assert again.bbox_params == A.BboxParams("coco", min_area=2)
    assert again.keypoint_params == A.KeypointParams("xy", remove_invisible=False)
    plain = A.to_dict(A.Compose([A.HorizontalFlip()]))
    assert plain == ss.Compose([ss.HorizontalFlip()]).to_dict()  # as it was before there were extras


def test_a_file_of_an_earlier_release_that_has_weather_is_refused() -> None:
    plain = A.to_dict(A.Compose([A.HorizontalFlip()]))
    plain["transforms"].append({"transform": "Rain", "slant": [-10, 10]})
    with pytest.raises(ValueError, match=r"data contain Rain, which is gone: .* with RandomRain"):
        A.from_dict(plain)


def test_lambdas_in_the_originals_data() -> None:
    plain = {"__version__": "2.0.8", "transform": {"__class_fullname__": "Lambda", "__name__": "mine"}}
    mine = A.Lambda(image=np.copy)
    assert A.from_dict(plain, {"mine": mine}) is mine
    with pytest.raises(ValueError, match="the Lambda 'mine', which is code: pass nonserializable="):
        A.from_dict(plain)


def test_a_replay_goes_through_json() -> None:
    augment = A.ReplayCompose(
        [A.ToFloat(255.5, p=0.5), A.RandomSizedBBoxSafeCrop(20, 20), A.GaussNoise(p=0.5)],
        bbox_params={"format": "yolo"},
    )
    for key in keys(6):
        boxes = [[0.5, 0.5, 0.2, 0.2], [0.3, 0.4, 0.1, 0.2]]
        made = augment(image=IMAGE, bboxes=boxes, mask=MASK, key=key)
        saved = json.loads(json.dumps(made["replay"]))
        assert "RandomSizedBBoxSafeCrop" not in saved["applied"]
        assert "BBoxSafeCrop" in saved["applied"]
        again = A.ReplayCompose.replay(saved, image=IMAGE, bboxes=boxes, mask=MASK)
        assert (made["image"] == again["image"]).all()
        assert (made["mask"] == again["mask"]).all()
        assert made["bboxes"] == again["bboxes"]


def test_the_small_names_of_a_compose() -> None:
    augment = WRITTEN[1]
    assert augment.available_keys == {
        *("image", "images", "mask", "masks", "bboxes", "keypoints", "image2", "classes", "labels")
    }
    with pytest.warns(UserWarning, match="seed=3 is not used"):
        augment.set_random_seed(3)
    assert A.__version__ == "2.0.8"


def test_pipelines_are_pickled() -> None:
    augment = A.Compose(
        [A.RandomCrop(32, 32), A.Normalize(), A.ToTensorV2()], bbox_params=A.BboxParams("yolo")
    )
    again = pickle.loads(pickle.dumps(augment))
    assert torch.equal(augment(image=IMAGE, key=KEY)["image"], again(image=IMAGE, key=KEY)["image"])


def test_a_compose_inside_of_a_compose() -> None:
    inner = A.Compose([A.Normalize(), A.ToTensorV2()])
    augment = A.Compose(
        [A.Sequential([A.HorizontalFlip(p=1)], p=1), A.Compose([A.RandomCrop(16, 16)], p=0.5), inner]
    )
    sizes = {tuple(augment(image=IMAGE, key=key)["image"].shape) for key in keys(20)}
    assert sizes == {(3, 128, 160), (3, 16, 16)}
