"""albumentations' own transforms behind a bridge: masks, boxes and keypoints go where the original puts them."""

from __future__ import annotations

import os
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


@pytest.mark.parametrize("form", [None, "coco"])
def test_a_bridged_compose_that_would_lose_boxes_is_refused(form: str | None) -> None:
    params = None if form is None else original.BboxParams(form, label_fields=["labels"])
    inner = ss.bridge(original.Compose([original.HorizontalFlip(p=1)], bbox_params=params))
    with pytest.raises(ValueError, match=r"Compose loses bboxes unless .*: bridge its transforms one by one"):
        ours.Compose([inner], bbox_params=ours.BboxParams("coco", ["labels"]))


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
    for name in ("Spatter", "ZoomBlur", "UnsharpMask", "IAASuperpixels", "RandomGravel", "Mosaic"):
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
