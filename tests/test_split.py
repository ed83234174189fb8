"""A pipeline cut in two: both parts keep the names of the whole, and draw as it does."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import seedsafe as ss

IMAGE = np.random.default_rng(0).integers(0, 256, (40, 48, 3), np.uint8)
BOXES = np.array([[4.0, 4, 20, 30], [10, 2, 44, 38]])


def twice() -> ss.Compose:
    """Return a pipeline in which classes come again, at every depth."""
    return ss.Compose(
        [
            ss.HorizontalFlip(),
            ss.RandAugment(),
            ss.Compose([ss.RandomCrop(36), ss.HorizontalFlip()]),
            ss.OneOf([ss.GaussianNoise(), ss.HorizontalFlip()]),
            ss.SomeOf([ss.VerticalFlip(), ss.ColorJitter(0.4)], n=3, replace=True),
            ss.HorizontalFlip(name="mine"),
            ss.RandAugment(),
            ss.Compose([ss.HorizontalFlip(), ss.RandomCrop(32)]),
            ss.RandomApply([ss.VerticalFlip()], p=0.8),
            ss.ToFloat(),
            ss.ToCHW(),
        ]
    )


@pytest.mark.parametrize("k", range(12))
def test_the_parts_do_the_work_of_the_whole(k: int) -> None:
    augment = twice()
    head, tail = augment.split(k)
    assert head.streams() + tail.streams() == augment.streams()
    for index in range(12):
        key = ss.SampleKey(42, 3, index)
        sample = {"image": IMAGE, "mask": IMAGE[..., 0], "label": 3}
        whole = augment(sample, key=key)
        parts = tail(head(sample, key=key), key=key)
        assert whole.keys() == parts.keys()
        for name, part in whole.items():
            np.testing.assert_array_equal(parts[name], part)


@pytest.mark.parametrize("k", range(12))
def test_a_part_is_a_value(k: int) -> None:
    for part in twice().split(k):
        for twin in (
            pickle.loads(pickle.dumps(part)),
            copy.deepcopy(part),
            ss.Compose.from_json(part.to_json()),
            eval(repr(part), vars(ss)),
        ):
            assert twin == part
            assert hash(twin) == hash(part)
            assert twin.streams() == part.streams()


def test_parts_of_parts() -> None:
    augment = twice()
    _, tail = augment.split(3)
    middle, last = tail.split(4)
    assert middle.streams() + last.streams() == tail.streams()
    assert augment.split(7)[1] == last


def test_a_part_is_not_the_same_transforms_alone() -> None:
    _, tail = ss.Compose([ss.HorizontalFlip(), ss.ToGray(), ss.HorizontalFlip()]).split(2)
    alone = ss.Compose([ss.HorizontalFlip()])
    assert tail != alone
    assert [stream.name for stream in tail.streams()] == ["HorizontalFlip#1"]
    assert repr(tail) == "Compose([HorizontalFlip()], after=('HorizontalFlip',))"
    assert ss.Compose([ss.ToGray(), ss.HorizontalFlip()]).split(1)[1] == alone


def test_a_part_inside_another_pipeline_keeps_its_names() -> None:
    augment = twice()
    head, tail = augment.split(5)
    assert ss.Compose([head, tail]).streams() == augment.streams()
    assert ss.Compose([tail]).streams() == tail.streams()
    with pytest.raises(ValueError, match="directly after the part before it, or give transforms a name="):
        ss.Compose([ss.HorizontalFlip(), head, tail])
    ss.Compose([ss.HorizontalFlip(name="first"), head, tail])


def test_options_hold_for_both_parts() -> None:
    boxes = ss.Boxes("yolo", min_area=4.0, labels=["labels"])
    augment = ss.Compose(
        [ss.HorizontalFlip(), ss.RandomCrop(30), ss.VerticalFlip()], boxes=boxes, channels="last"
    )
    head, tail = augment.split(2)
    assert head.boxes == tail.boxes == boxes
    sizes = np.array([48.0, 40, 48, 40])
    yolo = np.concatenate([(BOXES[:, :2] + BOXES[:, 2:]) / 2, BOXES[:, 2:] - BOXES[:, :2]], axis=1) / sizes
    for index in range(12):
        key = ss.SampleKey(1, 0, index)
        sample = {"image": IMAGE, "boxes": yolo, "labels": np.array([3, 7])}
        whole, parts = augment(sample, key=key), tail(head(sample, key=key), key=key)
        np.testing.assert_allclose(parts["boxes"], whole["boxes"], atol=1e-12)
        np.testing.assert_array_equal(parts["labels"], whole["labels"])
        np.testing.assert_array_equal(parts["image"], whole["image"])


def test_the_manifest_names_what_came_before() -> None:
    _, tail = ss.Compose([ss.HorizontalFlip(), ss.HorizontalFlip()]).split(1)
    assert tail.to_dict()["after"] == ["HorizontalFlip"]


def test_where_it_cannot_be_cut() -> None:
    augment = ss.Compose([ss.HorizontalFlip(), ss.MixUp()])
    assert augment.split(2)[0] == augment
    assert augment.split(0)[1] == augment
    with pytest.raises(ValueError, match="mixes samples"):
        augment.split(1)
    for k, error in (
        (3, ValueError),
        (-1, ValueError),
        (1.0, TypeError),
        (True, TypeError),
        ("1", TypeError),
    ):
        with pytest.raises(error, match="pass how many"):
            augment.split(k)  # type: ignore[arg-type]


@pytest.mark.parametrize("after", ["HorizontalFlip", 3, [3], [""], [None]])
def test_what_is_no_list_of_classes(after: Any) -> None:
    with pytest.raises(TypeError, match="after must be a list of the names of classes"):
        ss.Compose([], after=after)
    assert ss.Compose([], after=[]).after is None


class Brighter(ss.Transform):
    """A transform for any layout."""

    channels = "any"

    def draw(self, rng: Any, info: Any) -> float:
        return rng.unit()  # type: ignore[no-any-return]

    def apply_image(self, image: Any, params: float) -> Any:
        return image + np.float32(params)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("k", range(1, 6))
def test_boxes_behind_the_last_transform_that_moves_them(k: int, late: bool) -> None:
    moves = [ss.HorizontalFlip(), ss.RandomCrop(28)]
    boxes = ss.Boxes("pascal_voc", min_area=20, min_visibility=0.3, check_each_transform=not late)
    augment = ss.Compose([*moves, ss.ToFloat(), ss.ToCHW(), Brighter()], boxes=boxes)
    if late and k == 1:
        with pytest.raises(
            ValueError, match="check_each_transform=False does so after the last transform alone: cut after"
        ):
            augment.split(k)
        return
    head, tail = augment.split(k)
    for index in range(20):
        sample, key = {"image": IMAGE, "boxes": BOXES}, ss.SampleKey(1, 2, index)
        whole, parts = augment(sample, key=key), tail(head(sample, key=key), key=key)
        assert whole["boxes"].tolist() == parts["boxes"].tolist()
        assert whole["image"].tobytes() == parts["image"].tobytes()


def test_boxes_that_come_out_in_another_format() -> None:
    options = ss.Boxes("coco", out="pascal_voc", labels="names")
    augment = ss.Compose([ss.HorizontalFlip(p=1), ss.CenterCrop(40)], boxes=options)
    sample = {"image": IMAGE, "boxes": np.array([[4.0, 4, 16, 26]]), "names": ["cat"]}
    key = ss.SampleKey(1, 2, 3)
    assert augment(sample, key=key)["boxes"].tolist() == [[24, 4, 40, 30]]
    for k in range(3):
        head, tail = augment.split(k)
        assert tail(head(sample, key=key), key=key)["boxes"].tolist() == [[24, 4, 40, 30]]
    assert ss.Compose.from_json(augment.to_json()) == augment
    with pytest.raises(ValueError, match=r"out must be one of .* got 'xyxy': write 'pascal_voc'"):
        ss.Boxes("coco", out="xyxy")
