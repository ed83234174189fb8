"""albumentations' own transforms behind a bridge: masks, boxes and keypoints go where the original puts them."""

from __future__ import annotations

import inspect
import json
import os
import pickle
from importlib import metadata
from typing import Any

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"

import albumentations as original
import numpy as np
import pytest
from skimage import data

import seedsafe as ss
import seedsafe_albumentations as ours
from seedsafe_albumentations.originals import CLASSES

pytestmark = [pytest.mark.albumentations, pytest.mark.filterwarnings("ignore")]

IMAGE = np.ascontiguousarray(data.astronaut()[::4, ::4][:96, :112])
MASK = np.zeros(IMAGE.shape[:2], np.uint8)
MASK[20:60, 30:80] = 1
PARTS: dict[str, Any] = {
    "image": IMAGE,
    "mask": MASK,
    "bboxes": [(30, 20, 80, 60), (0, 0, 10, 10)],
    "labels": ["thing", "corner"],
    "keypoints": [(35, 30), (100, 90)],
}
KEY = ss.SampleKey(42, 3, 1234)


def around(library: Any, transforms: list[Any], **options: Any) -> Any:
    return library.Compose(
        transforms,
        bbox_params=library.BboxParams("pascal_voc", label_fields=["labels"]),
        keypoint_params=library.KeypointParams("xy"),
        **options,
    )


CERTAIN = {
    "HorizontalFlip": lambda: original.HorizontalFlip(p=1),
    "VerticalFlip": lambda: original.VerticalFlip(p=1),
    "Transpose": lambda: original.Transpose(p=1),
    "Affine": lambda: original.Affine(translate_percent=(0.25, 0.25), p=1),
    "Crop": lambda: original.Crop(20, 10, 70, 80, p=1),
    "CLAHE": lambda: original.CLAHE((2, 2), p=1),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_a_bare_transform_moves_all_parts_as_the_original_does(name: str) -> None:
    mine = around(ours, [ss.bridge(CERTAIN[name]())])(**PARTS, key=KEY)
    theirs = around(original, [CERTAIN[name]()])(**PARTS)
    assert (mine["image"] == theirs["image"]).all()
    assert (mine["mask"] == theirs["mask"]).all()
    assert mine["labels"] == list(theirs["labels"])
    assert len(mine["bboxes"]) > 0
    np.testing.assert_allclose(mine["bboxes"], theirs["bboxes"], atol=1e-4)
    np.testing.assert_allclose(mine["keypoints"], theirs["keypoints"], atol=1e-4)


@pytest.mark.parametrize(
    "name", ["ShiftScaleRotate", "GridElasticDeform", "ThinPlateSpline", "RandomRotate90"]
)
def test_what_a_bare_transform_draws_follows_the_key_and_boxes_follow_the_pixels(name: str) -> None:
    arguments = {"num_grid_xy": (3, 3), "magnitude": 4} if name == "GridElasticDeform" else {}
    augment = around(ours, [ss.bridge(getattr(original, name)(**arguments, p=1))])
    seen = set()
    for index in range(12):
        key = ss.SampleKey(42, 0, index)
        made = augment(**PARTS, key=key)
        assert (made["image"] == augment(**PARTS, key=key)["image"]).all()
        seen.add(made["image"].tobytes())
        found = np.argwhere(made["mask"])
        box = made["bboxes"][made["labels"].index("thing")]
        wanted = [found[:, 1].min(), found[:, 0].min(), found[:, 1].max() + 1, found[:, 0].max() + 1]
        # 2.0.8 puts the largest box around what it turned, and bends corners alone.
        tolerance = {"RandomRotate90": 1e-4, "ShiftScaleRotate": 16, "ThinPlateSpline": 24}.get(name, 4)
        assert np.abs(np.array(box) - wanted).max() <= tolerance
    assert len(seen) == (4 if name == "RandomRotate90" else 12)


def test_a_bare_transform_may_stand_in_a_choice() -> None:
    augment = around(
        ours, [ours.OneOf([ss.bridge(original.HorizontalFlip(p=1)), ours.VerticalFlip(p=1)], p=1)]
    )
    boxes = {tuple(augment(**PARTS, key=ss.SampleKey(1, 0, index))["bboxes"][0]) for index in range(20)}
    assert {tuple(np.round(box)) for box in boxes} == {(32, 20, 82, 60), (30, 36, 80, 76)}


def test_metadata_of_a_call_reaches_a_bare_transform() -> None:
    reference = IMAGE[::-1].copy()
    augment = ours.Compose([ss.bridge(original.HistogramMatching(p=1, metadata_key="references"))])
    made = augment(image=IMAGE, references=[reference], key=KEY)
    assert made["image"].shape == IMAGE.shape
    assert (made["references"][0] == reference).all()


@pytest.mark.parametrize(
    ("form", "told"), [(None, "would lose the sample's boxes"), ("coco", "must take boxes in one format")]
)
def test_a_bridged_compose_that_would_lose_boxes_is_refused(form: str | None, told: str) -> None:
    params = None if form is None else original.BboxParams(form, label_fields=["labels"])
    inner = ss.bridge(original.Compose([original.HorizontalFlip(p=1)], bbox_params=params))
    with pytest.raises(ValueError, match=told):
        ours.Compose([inner], bbox_params=ours.BboxParams("coco", ["labels"]))(
            image=IMAGE, bboxes=[(30, 20, 50, 40)], labels=["thing"], key=KEY
        )


def test_a_bridged_compose_that_reads_pixels_keeps_boxes() -> None:
    inner = original.Compose([original.HorizontalFlip(p=1)], bbox_params=original.BboxParams("pascal_voc"))
    augment = ours.Compose([ss.bridge(inner)], bbox_params=ours.BboxParams("pascal_voc", ["labels"]))
    made = augment(image=IMAGE, bboxes=PARTS["bboxes"], labels=PARTS["labels"], key=KEY)
    np.testing.assert_allclose(made["bboxes"], [(32, 20, 82, 60), (102, 0, 112, 10)], atol=1e-4)
    assert made["labels"] == PARTS["labels"]
    assert (ours.Compose([ss.bridge(inner)])(image=IMAGE, key=KEY)["image"] == IMAGE[:, ::-1]).all()


BOXES: dict[str, Any] = {"image": IMAGE, "boxes": np.array([(30.0, 20, 80, 60), (0, 0, 10, 10)])}
POINTS: dict[str, Any] = {"image": IMAGE, "keypoints": np.array([(35.0, 30), (100, 90)])}
FORMATS: dict[str, Any] = {
    "bbox_params": original.BboxParams("pascal_voc"),
    "keypoint_params": original.KeypointParams("xy", remove_invisible=False),
}


@pytest.mark.parametrize("rules", [True, False])
@pytest.mark.parametrize(
    "make",
    [
        *CERTAIN.values(),
        lambda: original.Compose([original.HorizontalFlip(p=1)]),
        lambda: original.OneOf([original.HorizontalFlip(p=1), original.CLAHE(p=1)], p=1),
        lambda: original.Compose([original.Compose([original.HorizontalFlip(p=1)], **FORMATS)]),
    ],
    ids=[*CERTAIN, "Compose", "OneOf", "a member has the formats"],
)
def test_in_a_pipeline_of_the_core_what_would_lose_boxes_or_keypoints_is_refused(
    make: Any, rules: bool
) -> None:
    options: Any = {"boxes": ss.Boxes("pascal_voc"), "keypoints": ss.Keypoints()} if rules else {}
    function = make()
    augment = ss.Compose([ss.bridge(function)], **options)
    for sample, part in ((BOXES, "boxes"), (POINTS, "keypoints")):
        if isinstance(function, original.CLAHE):
            assert augment(sample, key=KEY)[part].tolist() == sample[part].tolist()
        else:
            with pytest.raises(ValueError, match=rf"would lose the sample's {part}, .*bridge albumentations"):
                augment(sample, key=KEY)


@pytest.mark.parametrize("rules", [True, False])
def test_in_a_pipeline_of_the_core_a_compose_with_formats_moves_boxes_and_keypoints(rules: bool) -> None:
    options: Any = {"boxes": ss.Boxes("pascal_voc"), "keypoints": ss.Keypoints()} if rules else {}
    inner = original.Compose([original.HorizontalFlip(p=1)], **FORMATS)
    made = ss.Compose([ss.bridge(inner)], **options)(BOXES | POINTS, key=KEY)
    np.testing.assert_allclose(made["boxes"], [(32, 20, 82, 60), (102, 0, 112, 10)], atol=1e-4)
    np.testing.assert_allclose(made["keypoints"], [(76, 30), (11, 90)], atol=1e-4)


def test_names_that_errors_advise_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "1.4.0")
    for name in ("Spatter", "ZoomBlur", "UnsharpMask", "RandomGravel", "Mosaic"):
        with pytest.raises(AttributeError, match=f"has no {name}: ") as error:
            getattr(ours, name)()
        for word in str(error.value).split("albumentations.")[1:]:
            assert hasattr(original, word.partition("(")[0])
    for name in CLASSES:
        assert hasattr(original, name)


WEATHER = ["RandomFog", "RandomRain", "RandomShadow", "RandomSnow", "RandomSunFlare"]


@pytest.mark.parametrize("name", WEATHER)
def test_what_is_absent_is_the_original_under_its_own_name(name: str) -> None:
    alone = around(ours, [getattr(ours, name)(p=1)])
    beside = around(ours, [ours.HorizontalFlip(p=1), getattr(ours, name)(p=1)])
    bridged = around(ours, [ss.bridge(getattr(original, name)(p=1))])
    assert [stream.name for stream in alone.pipeline.streams()] == [f"bridge/{name}"]
    seen = set()
    for index in range(4):
        key = ss.SampleKey(42, 0, index)
        changed = alone(**PARTS, key=key)
        assert (changed["image"] == bridged(**PARTS, key=key)["image"]).all()
        assert (changed["image"] != IMAGE).any()
        assert (changed["mask"] == MASK).all()
        assert changed["bboxes"] == [list(box) for box in PARTS["bboxes"]]
        flipped = PARTS | {"image": np.ascontiguousarray(IMAGE[:, ::-1])}
        wanted = alone(**flipped, key=key)["image"]
        assert (beside(**PARTS, key=key)["image"] == wanted).all()
        seen.add(changed["image"].tobytes())
    assert len(seen) > 1


def test_data_of_the_original_may_have_what_is_absent() -> None:
    wanted = ours.Compose([ours.RandomFog(p=1), ours.HorizontalFlip()])
    plain = original.to_dict(original.Compose([original.RandomFog(p=1), original.HorizontalFlip()]))
    again = ours.from_dict(plain)
    assert (again(image=IMAGE, key=KEY)["image"] == wanted(image=IMAGE, key=KEY)["image"]).all()


OPTIONS: dict[str, Any] = {
    "RandomFog": lambda lib: lib.RandomFog(p=1),
    "mask_interpolation": lambda lib: lib.Affine(rotate=(20, 30), mask_interpolation=1, p=1),
    "INTER_AREA": lambda lib: lib.Rotate((20, 30), interpolation=3, p=1),
    "fill_mask": lambda lib: lib.CropAndPad(px=(2, 9), fill=(0, 255), fill_mask=[1, 2, 3], p=1),
    "px": lambda lib: lib.CropAndPad(px=([1, 2, 9], [3, 4, 5], [5, 6, 7], [7, 8, 9]), p=1),
    "by_channels": lambda lib: lib.Equalize(by_channels=False, p=1),
    "holes_number_xy": lambda lib: lib.GridDropout(holes_number_xy=(3, 4), p=1),
    "balanced_scale": lambda lib: lib.Affine(scale=(0.5, 3.0), balanced_scale=True, p=1),
    "inpaint": lambda lib: lib.CoarseDropout(fill="inpaint_telea", p=1),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_that_is_missing_is_the_originals(name: str) -> None:
    one = OPTIONS[name](ours)
    plain = json.loads(json.dumps(ours.to_dict(one)))
    pipelines = [
        around(ours, [one]),
        around(ours, [ss.bridge(OPTIONS[name](original))]),
        around(ours, [ours.from_dict(plain)]),
        pickle.loads(pickle.dumps(around(ours, [one]))),  # its own
    ]
    for index in range(3):
        key = ss.SampleKey(42, 0, index)
        first, *others = [pipeline(**PARTS, key=key) for pipeline in pipelines]
        for other in others:
            assert (other["image"] == first["image"]).all()
            assert (other["mask"] == first["mask"]).all()
            assert other["bboxes"] == first["bboxes"]
    assert repr(one).endswith(" of albumentations")
    assert isinstance(one, getattr(ours, one.kind))


def test_an_original_keeps_the_draws_of_others_and_is_told_once() -> None:
    with pytest.warns(UserWarning, match="PlanckianJitter is albumentations' own, keyed by a bridge"):
        jitter = ours.PlanckianJitter(p=0.5)
    flips = ours.Compose([ours.HorizontalFlip(), ours.RandomCrop(20, 20)])
    beside = ours.Compose([jitter, ours.HorizontalFlip(), ours.RandomCrop(20, 20)])
    assert next(stream.name for stream in beside.pipeline.streams()) == "bridge/PlanckianJitter"
    for index in range(8):
        key = ss.SampleKey(42, 0, index)
        drawn = beside.pipeline.params(key, IMAGE.shape)
        assert drawn[1:] == flips.pipeline.params(key, IMAGE.shape)
        assert (drawn[0].params is None) == (
            (beside(image=IMAGE, key=key)["image"] == flips(image=IMAGE, key=key)["image"]).all()
        )


def test_one_chosen_by_a_choice_always_fires() -> None:
    augment = ours.Compose([ours.OneOf([ours.RandomFog(p=0.01), ours.RandomFog(p=0.01)], p=1)])
    for index in range(4):
        assert (augment(image=IMAGE, key=ss.SampleKey(42, 0, index))["image"] != IMAGE).any()


def test_a_replay_repeats_an_original_by_its_key() -> None:
    augment = ours.ReplayCompose([ours.ThinPlateSpline(p=0.5), ours.RandomCrop(30, 30)])
    for index in range(4):
        made = augment(image=IMAGE, key=ss.SampleKey(42, 0, index))
        saved = json.loads(json.dumps(made["replay"]))
        assert (ours.ReplayCompose.replay(saved, image=IMAGE)["image"] == made["image"]).all()


def test_masks_of_a_whole_pipeline() -> None:
    members = [ours.HorizontalFlip(p=1), ours.OneOf([ours.Affine(rotate=(20, 30), p=1)], p=1)]
    soft = ours.Compose(members, mask_interpolation=1)(image=IMAGE, mask=MASK * 200, key=KEY)["mask"]
    hard = ours.Compose(members, mask_interpolation=0)(image=IMAGE, mask=MASK * 200, key=KEY)["mask"]
    assert set(np.unique(hard)) == {0, 200}
    assert len(np.unique(soft)) > 2


def test_a_later_size_is_known_unless_the_original_chooses_by_the_sample() -> None:
    known = ours.Compose(
        [ours.Affine(rotate=9, fit_output=True, fill=float("nan"), p=1), ours.RandomCrop(20, 20)]
    )
    assert known.pipeline.params(KEY, ss.Info((96, 112, 3), np.float32))[1].params is not None
    near = ours.RandomCropNearBBox(max_part_shift=0.1, cropping_bbox_key="near", p=1)
    with pytest.raises(ValueError, match="is not known before the call"):
        ours.Compose([near, ours.RandomCrop(2, 2)]).pipeline.params(KEY, (96, 112, 3))


def test_what_reads_the_limits_of_its_compose_moves_boxes_too() -> None:
    augment = around(ours, [ss.bridge(original.RandomGridShuffle((2, 2), p=1))])
    mask = np.zeros_like(MASK)
    mask[5:40, 8:50] = 1
    for index in range(6):
        parts = PARTS | {"mask": mask, "bboxes": [(8, 5, 50, 40)], "labels": ["thing"]}
        made = augment(**parts, key=ss.SampleKey(42, 0, index))
        rows, columns = (np.flatnonzero(made["mask"].any(axis=axis)) for axis in (1, 0))
        np.testing.assert_allclose(
            made["bboxes"][0], (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1), atol=1e-4
        )


@pytest.mark.parametrize(
    "make",
    [
        lambda: ours.Mosaic(p=1),
        lambda: ours.ConstrainedCoarseDropout(bbox_labels=["thing"], p=1),
        lambda: original.Mosaic(p=1),
    ],
    ids=["Mosaic", "ConstrainedCoarseDropout", "a bare Mosaic"],
)
def test_what_reads_labels_of_boxes_is_refused(make: Any) -> None:
    augment = around(ours, [make()])
    with pytest.raises(ValueError, match=r"reads the labels of bboxes.*, which a bridge does not have"):
        augment(**PARTS, mosaic_metadata=[{"image": IMAGE}], key=KEY)
    boxes = [{"image": IMAGE, "bboxes": [[0, 0, 9, 9]]}]
    if "Mosaic" in repr(make()):
        assert augment(image=IMAGE, mosaic_metadata=[{"image": IMAGE}], key=KEY)["image"].shape[2] == 3
        with pytest.raises(ValueError, match="reads the labels of bboxes, which a bridge does not have"):
            augment(image=IMAGE, mosaic_metadata=boxes, key=KEY)


def test_a_pipeline_reports_its_originals() -> None:
    inner = ours.OneOf([ours.RandomFog(), ours.HorizontalFlip()])
    told = ours.Compose([ours.VerticalFlip(), inner, ours.RandomRain(p=0.2)], p=0.4).report()
    assert told.splitlines() == [
        "RandomFog(p=1.0) of albumentations: drawn by the original",
        "RandomRain(p=0.2) of albumentations: drawn by the original",
    ]


def test_the_ends_of_1x_are_ranges_and_an_unknown_argument_names_those_there_are() -> None:
    for make, wanted in (
        (lambda: ours.RandomRain(slant_lower=-3, slant_upper=4), ("slant_range", (-3, 4))),
        (lambda: ours.RandomFog(fog_coef_upper=0.5), ("fog_coef_range", (0.3, 0.5))),
        (lambda: ours.RandomShadow(num_shadows_lower=2), ("num_shadows_limit", (2, 2))),
        (lambda: ours.RandomRain(rain_type=None, always_apply=False, drop_length=3), ("drop_length", 3)),
        (lambda: ours.MaskDropout(2, image_fill_value=3), ("fill", 3)),
        (lambda: ours.UnsharpMask((3, 7), 0.0, (0.2, 0.5), 9, True, 0.2), ("threshold", 9)),
        (lambda: ours.CropAndPad(4, pad_mode=4, pad_cval=(0, 9)), ("fill", (0, 9))),
    ):
        assert dict(make().arguments)[wanted[0]] == wanted[1]
    assert ours.RandomSnow(always_apply=True).p == ours.HorizontalFlip(True).p == 1
    with pytest.raises(TypeError, match=r"RandomFog\(\) got an unexpected keyword .*: it takes alpha_coef"):
        ours.RandomFog(fog_coef=0.3)


@pytest.mark.parametrize(
    "name", [one for one in dir(original) if one in dir(ours) and isinstance(getattr(original, one), type)]
)
def test_arguments_stand_in_the_originals_order(name: str) -> None:
    mine = inspect.signature(getattr(ours, name)).parameters.values()
    if name in ("BasicTransform", "DualTransform", "ImageOnlyTransform", "BaseCompose"):
        return  # a class that derives from them has arguments of its own
    first = [one.name for one in mine if one.kind is one.POSITIONAL_OR_KEYWORD]
    assert first == [*inspect.signature(getattr(original, name)).parameters]


def test_a_lambda_of_boxes_is_the_original() -> None:
    def left(boxes: Any, shape: Any, **_: Any) -> Any:
        return boxes - np.array([10 / shape[1], 0, 10 / shape[1], 0, 0])

    augment = around(ours, [ours.Lambda(bboxes=left, p=1)])
    made = augment(**PARTS | {"bboxes": [(20, 20, 60, 60)], "labels": ["thing"]}, key=KEY)
    np.testing.assert_allclose(made["bboxes"], [(10, 20, 50, 60)], atol=1e-4)


def test_a_class_that_derives_from_a_transform_derives_from_the_original() -> None:
    class Darker(ours.HorizontalFlip):  # type: ignore[misc]
        def __init__(self, share: int, p: float = 0.5) -> None:
            super().__init__(p=p)
            self.share = share

        def apply(self, img: Any, **params: Any) -> Any:
            return super().apply(img, **params) // self.share

    augment = around(ours, [Darker(2)])
    flipped = [(112 - box[2], box[1], 112 - box[0], box[3]) for box in PARTS["bboxes"]]
    fired = 0
    for index in range(12):
        made, again = (augment(**PARTS, key=ss.SampleKey(42, 0, index)) for _ in range(2))
        assert (made["image"] == again["image"]).all()
        if made["bboxes"] != [list(box) for box in PARTS["bboxes"]]:
            fired += 1
            assert (made["image"] == IMAGE[:, ::-1] // 2).all()
            np.testing.assert_allclose(made["bboxes"], flipped, atol=1e-4)
    assert 1 < fired < 11
    assert isinstance(Darker(2), ours.HorizontalFlip)
    assert not isinstance(Darker(2), ours.VerticalFlip)


def test_an_original_that_returns_float64_is_followed_by_others() -> None:
    augment = ours.Compose([ours.Normalize(normalization="image"), ours.HorizontalFlip(p=1)])
    made = augment(image=IMAGE, key=KEY)["image"]
    wanted = original.Normalize(normalization="image")(image=IMAGE)["image"][:, ::-1]
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, wanted, rtol=1e-6, atol=1e-6)
