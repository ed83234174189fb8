"""Parts that would stay while the image moves must be named, and the line that is suggested works."""

from __future__ import annotations

from collections import UserDict, namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import PIL.Image
import pytest
import torch

import seedsafe as ss
from seedsafe.reading import augment_batch, augment_sample
from seedsafe_torch import AugmentedDataset

IMAGE = np.arange(20 * 30 * 3, dtype=np.uint8).reshape(20, 30, 3)
MASK = np.arange(600, dtype=np.int32).reshape(20, 30)
POINTS = np.array([[1.0, 2], [3, 4], [5, 6]], np.float32)
BOXES = np.array([[1.0, 2, 11, 12], [0, 0, 30, 20]], np.float32)
KEY = ss.SampleKey(1, 0, 0)
FLIP = ss.Compose([ss.HorizontalFlip(p=1)])
BOXED = ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("pascal_voc"))
OBJECTS = [{"bbox": [4.0, 10, 5, 6], "segmentation": [[1, 2, 3, 4, 5, 6]], "category_id": 7}]


def read(sample: Any, augment: Any = FLIP, **options: Any) -> Any:
    return AugmentedDataset([sample], augment, seed=1, **options)[0]


def told(sample: Any, augment: Any = FLIP) -> str:
    with pytest.raises(ss.SampleError, match="must be named: the pipeline moves the image") as error:
        read(sample, augment)
    assert "would stay as" in str(error.value)
    read(sample, augment, targets="image")  # the last advice
    read(sample, ss.GaussianNoise())  # nothing moves
    read(sample, lambda image, key: image)  # a callable gets the image alone, and says itself what it does
    return str(error.value)


def between(text: str, first: str, last: str) -> str:
    start = text.index(first) + len(first)
    return text[start : text.index(last, start)]


def suggested(text: str) -> Any:
    return eval(between(text, "targets=", ", with None"))


@dataclass
class Found:
    score: float
    boxes: Any


PARTS: dict[str, tuple[Any, str | None]] = {
    "a mask": (MASK, "mask"),
    "a mask of one column": (MASK[..., None], "mask"),
    "masks": (np.stack([MASK, MASK]), "masks"),
    "a list of masks": ([MASK, MASK], "masks"),
    "a tensor as mask": (torch.from_numpy(MASK), "mask"),
    "a picture as mask": (PIL.Image.fromarray(IMAGE[..., 0]), "mask"),
    "a mask of half the size": (MASK[::2, ::2], "mask"),
    "a small mask": (np.zeros((2, 9), bool), "mask"),
    "heatmaps": (np.zeros((17, 10, 15), np.float32), "masks"),
    "a second image": (IMAGE.copy(), "image"),
    "a second image of another size": (np.zeros((64, 80, 3), np.uint8), "image"),
    "boxes": (BOXES, "boxes"),
    "a list of boxes": (BOXES.tolist(), "boxes"),
    "no boxes": (np.zeros((0, 4)), "boxes"),
    "boxes with a class": (np.array([[10.0, 20, 50, 60, 0.5]]), "boxes"),
    "points": (POINTS, "keypoints"),
    "points in whole pixels": (POINTS.astype(np.int64), "keypoints"),
    "two points": ([(1, 2), (3, 4), (5, 6)], "keypoints"),
    "points with their visibility": (np.array([[10.0, 20.0, 2.0], [40.0, 50.0, 1.0]]), "keypoints"),
    "spans": (np.array([[3.0, 5.0], [7.0, 9.0], [8.0, 9.0]]), "keypoints"),
    "no points": (np.zeros((0, 2)), "keypoints"),
    "points of which some are not finite": (
        np.array([[np.nan, np.nan], [1.0, 2.0], [3.0, 4.0]]),
        "keypoints",
    ),
    "polygons of COCO": ([[1.0, 2, 3, 4, 5, 6], [1.0, 2, 3, 4, 5, 6, 7, 8]], "keypoints"),
    "polygons of pairs": ([[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10]]], "keypoints"),
    "polygons in arrays": ([POINTS, POINTS[:2]], "keypoints"),
    "polygons in one array": (np.stack([POINTS, POINTS]), "keypoints"),
    "contours of OpenCV": ([np.array([[[10, 5]], [[50, 5]]]), np.array([[[1, 2]]])], "keypoints"),
    "a camera's matrix": (np.eye(3), None),
    "a camera's pose": (np.eye(4).tolist(), None),
    "a matrix of classes": (np.zeros((3, 7)), "mask"),
    "tokens with their features": (np.zeros((77, 768)), "mask"),
    "lists of two lengths": ([[1, 2], [3], []], "keypoints"),
    "an array of objects": (np.array([MASK, None], object), "masks"),
    "a mask that comes late in a list": ([None, MASK], "masks"),
    "a box that comes late in a list": ([None, BOXES[0]], "masks"),
}


def moved(name: str, augment: Any, sample: Any, targets: Any, part: Any) -> bool:
    """Return whether a suggested line moves a part, or is an error that says what is wrong with the part."""
    try:
        made = read(sample, augment, targets=targets)
    except ss.SampleError:
        return True
    made = made["x"] if isinstance(made, dict) else made[1]["x"] if isinstance(made[1], dict) else made[1]
    return np.asarray(made).tobytes() != np.asarray(part).tobytes() or not np.size(part)


@pytest.mark.parametrize("case", PARTS)
@pytest.mark.parametrize("place", ["part", "entry", "deep"])
def test_parts_with_two_axes_are_told_with_a_line_that_is_never_silent(case: str, place: str) -> None:
    part, target = PARTS[case]
    sample: Any = {"part": (IMAGE, part), "entry": {"image": IMAGE, "x": part}, "deep": (IMAGE, {"x": part})}[
        place
    ]
    text = told(sample)
    targets = suggested(text)
    named: Any = {
        "part": ("image", target),
        "entry": {"image": "image", "x": target},
        "deep": ("image", {"x": target}),
    }
    assert targets == named[place]
    assert ("ss.Boxes(" in text) == (target == "boxes")
    if target is not None:
        assert moved(case, BOXED if target == "boxes" else FLIP, sample, targets, part)
    silent: Any = {
        "part": ("image", None),
        "entry": {"image": "image", "x": None},
        "deep": ("image", {"x": None}),
    }
    for said in (silent[place], *([("image", None)] if place == "deep" else [])):
        made = read(sample, targets=said)
        assert (made["x"] if place == "entry" else made[1] if place == "part" else made[1]["x"]) is part


LABELS: dict[str, Any] = {
    "a number": 3,
    "text": "a",
    "nothing": None,
    "a scalar": torch.tensor(3),
    "one-hot": np.eye(10)[2],
    "a tensor": torch.zeros(4),
    "a list": [3, 7],
    "a size": (480, 640),
    "tokens": list(range(300)),
    "an empty list": [],
    "names": ["a", "b"],
    "numbers of NumPy": [np.float32(1), np.float32(2)],
    "tensors of numbers": [torch.tensor(1), torch.tensor(2)],
    "a dict": {"label": 3, "file": "a.jpg", "size": (20, 30), "text": {"tokens": [1, 2], "length": 2}},
    "texts": np.array(["a", "b"], object),
    "what a library returns": torch.Size([20, 30]),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels_with_one_axis_are_left_without_a_word(case: str) -> None:
    label = LABELS[case]
    assert read((IMAGE, label))[1] is label
    assert read((IMAGE, 7, label))[2] is label
    assert read({"image": IMAGE, "label": label})["label"] is label
    assert read((IMAGE, {"label": label}))[1]["label"] is label
    assert FLIP({"image": IMAGE, "label": label}, key=KEY)["label"] is label


@pytest.mark.parametrize(
    "name", ["bbox", "boxes_2d", "landmarks", "keypoint", "polygon", "segmentation", "BBox"]
)
@pytest.mark.parametrize(
    "part",
    [[1, 2, 11, 12, 3, 4], np.arange(4.0), [], torch.arange(4.0)],
    ids=["list", "array", "nothing", "tensor"],
)
def test_boxes_and_points_by_name_are_told_with_one_axis_too(name: str, part: Any) -> None:
    target = "boxes" if "box" in name.lower() else "keypoints"
    assert suggested(told({"image": IMAGE, name: part})) == {"image": "image", name: target}
    assert suggested(told((IMAGE, {name: part}))) == ("image", {name: target})
    with pytest.raises(ValueError, match=f"call it '{target}' if it is one, or leave it out"):
        FLIP({"image": IMAGE, name: part}, key=KEY)
    assert read({"image": IMAGE, name: part}, targets={"image": "image", name: None})[name] is part


def test_the_lines_for_masks_points_and_boxes_work() -> None:
    for part, augment in ((MASK, FLIP), (POINTS, FLIP), (BOXES, BOXED)):
        for kind in (np.asarray, torch.from_numpy):
            targets = suggested(told((IMAGE, kind(part))))
            wanted = {
                id(MASK): MASK[:, ::-1],
                id(POINTS): POINTS * (-1, 1) + (29, 0),
                id(BOXES): [[19, 2, 29, 12], [0, 0, 30, 20]],
            }[id(part)]
            np.testing.assert_allclose(read((IMAGE, kind(part)), augment, targets=targets)[1], wanted)


def test_lists_of_dicts_are_told() -> None:
    for objects in (OBJECTS, tuple(OBJECTS), [{"words": "a"}], [UserDict(a=1)], [{"bndbox": {"xmin": "4"}}]):
        for sample in ((IMAGE, objects), {"image": IMAGE, "x": objects}, (IMAGE, {"a": {"o": objects}})):
            text = told(sample)
            assert "No target is a list of dicts: return" in text
            targets = eval(between(text, "or write targets=", " if it may stay"))
            read(sample, targets=targets)


def test_objects_of_coco_get_the_lines_that_work() -> None:
    for label, objects in (("category_id", OBJECTS), (None, [{"bbox": [4.0, 10, 5, 6]}])):
        text = told((IMAGE, objects))
        entries = text[text.index('{"image"') : text.index("}, and pass") + 1]
        form = text[text.index("ss.Boxes(") : text.index("), or write targets")]
        sample = eval(entries, {"image": IMAGE, "objects": objects, "numpy": np})
        made = read(sample, ss.Compose([ss.HorizontalFlip(p=1)], boxes=eval(form, {"ss": ss})))
        assert made["boxes"].tolist() == [[21, 10, 5, 6]]
        assert made.get("labels") == (label and [7])


def test_a_detection_s_dict_needs_its_names_alone() -> None:
    found = {
        "boxes": BOXES,
        "labels": np.array([1, 2]),
        "area": np.zeros(2),
        "size": (20, 30),
        "iscrowd": [0, 0],
    }
    _, made = read((IMAGE, found), BOXED)
    assert made["boxes"].tolist() == [[19, 2, 29, 12], [0, 0, 30, 20]]
    assert made["labels"] is found["labels"]
    assert suggested(told((IMAGE, found | {"K": np.eye(3)}), BOXED)) == (
        "image",
        {"boxes": "boxes", "K": None},
    )
    empty = {"image": IMAGE, "target": {"boxes": [], "labels": []}}
    assert suggested(told(empty, BOXED)) == {"image": "image", "target": {"boxes": "boxes"}}
    deep = {"image": IMAGE, "target": found}  # names count in the sample's own dict, and in a tuple's
    assert suggested(told(deep, BOXED)) == {"image": "image", "target": {"boxes": "boxes"}}
    assert (
        read(deep, BOXED, targets=suggested(told(deep, BOXED)))["target"]["boxes"].tolist()
        == made["boxes"].tolist()
    )


def test_parts_among_labels_in_a_tuple_are_told_by_their_place() -> None:
    sample = (IMAGE, (7, MASK, {"points": POINTS}))
    targets = suggested(told(sample))
    assert targets == ("image", (None, "mask", {"points": "keypoints"}))
    _, (label, mask, found) = read(sample, targets=targets)
    assert label == 7
    np.testing.assert_array_equal(mask, MASK[:, ::-1])
    np.testing.assert_array_equal(found["points"], [[28, 2], [26, 4], [24, 6]])


def test_samples_of_other_classes_are_looked_at() -> None:
    Sample = namedtuple("Sample", "image target")
    assert suggested(told(Sample(IMAGE, MASK))) == ("image", "mask")
    made = read(Sample(IMAGE, MASK), targets=("image", "mask"))
    assert type(made) is Sample
    np.testing.assert_array_equal(made.target, MASK[:, ::-1])
    assert suggested(told([IMAGE, MASK])) == ("image", "mask")
    assert suggested(told((IMAGE, UserDict(x=MASK)))) == ("image", {"x": "mask"})
    assert "a Found" in told((IMAGE, Found(1.0, BOXES)))
    assert read((IMAGE, Found(1.0, [3])))[1].boxes == [3]
    text = told(({"image": IMAGE, "label": 3}, MASK))
    assert "the sample's [1], an array" in text
    assert suggested(text) == ({"image": "image"}, "mask")


def test_a_dict_of_targets_names_each_part_or_says_none() -> None:
    sample = {
        "photo": IMAGE,
        "found": MASK,
        "objects": {"bbox": BOXES, "area": POINTS, "id": [1, 2]},
        "label": 3,
    }
    line: Any = {"photo": "image", "found": "mask", "objects": {"bbox": "boxes", "area": None}}
    made = read(sample, BOXED, targets=line)
    np.testing.assert_array_equal(made["found"], MASK[:, ::-1])
    assert made["objects"]["area"] is POINTS
    for left_out, path in (
        ("found", "['found']"),
        ("objects", "['objects']['bbox']"),
        ("area", "['objects']['area']"),
    ):
        short: Any = {name: entry for name, entry in line.items() if name != left_out}
        if left_out == "area":
            short["objects"] = {"bbox": "boxes"}
        with pytest.raises(ss.SampleError, match="must be named") as error:
            read(sample, BOXED, targets=short)
        assert f"the sample's {path}, an array" in str(error.value)
        assert set(eval(between(str(error.value), "targets=", ", with None"))) == set(line)
        assert 'targets="image"' not in str(error.value)
        read(sample, ss.GaussianNoise(), targets=short)
    with pytest.raises(ss.SampleError, match=r"\[1\]\['area'\], an array"):
        read((IMAGE, sample["objects"]), BOXED, targets=("image", {"bbox": "boxes"}))
    record = ss.keyed_map(BOXED, seed=1, epoch=0, id="label", targets={"photo": "image"})
    with pytest.raises(ValueError, match=r"\['found'\], an array of shape \(20, 30\), must be named"):
        record(sample)


PIPELINES: dict[str, Any] = {
    "never": ss.HorizontalFlip(p=0),
    "one of several": ss.Compose([ss.OneOf([ss.GaussianNoise(), ss.VerticalFlip()])]),
    "a crop to validate": ss.Compose([ss.CenterCrop(10)]),
    "a size": ss.Compose([ss.Resize(10)]),
    "bridged": ss.Compose([ss.bridge(lambda image: image)]),
}


@pytest.mark.parametrize("case", PIPELINES)
def test_whatever_may_move_pixels_asks(case: str) -> None:
    for options in ({"augment": PIPELINES[case]}, {"views": [ss.GaussianNoise(), PIPELINES[case]]}):
        augment = options.pop("augment", None)
        with pytest.raises(ss.SampleError, match="must be named"):
            read((IMAGE, MASK), augment, **options)
        read((IMAGE, 3, np.zeros(5)), augment, **options)


def test_axes_are_those_of_one_sample_of_a_ready_batch() -> None:
    images, key = np.stack([IMAGE] * 4), ss.SampleKey(1, 0, 0)
    for labels in (np.eye(10)[:4], np.arange(4), {"one": np.eye(10)[:4], "other": np.zeros((4, 7))}):
        made = augment_batch(FLIP, (images, labels), key, limit=4)
        np.testing.assert_array_equal(made[0], images[:, :, ::-1])
        assert made[1] is labels
    for labels in (np.zeros((4, 5, 3)), {"x": np.stack([MASK] * 4)}, [np.stack([MASK] * 4), np.zeros(4)]):
        with pytest.raises(ValueError, match="must be named"):
            augment_batch(FLIP, (images, labels), key, limit=4)
    with pytest.raises(ValueError, match=r"\['x'\], an array of shape \(20, 30\), must be named"):
        augment_batch(FLIP, {"y": images, "x": np.stack([MASK] * 4)}, key, {"y": "image"}, limit=4)


def test_a_label_to_mix_may_have_one_axis() -> None:
    mixed = ss.MixUp(classes=10)
    base = [(np.full((8, 8, 3), i, np.uint8), np.eye(10)[i]) for i in range(4)]
    assert AugmentedDataset(base, mixed, seed=1)[0][1].shape == (10,)
    base = [(image, np.stack([label, label, label])) for image, label in base]
    with pytest.raises(ss.SampleError, match="must be named"):
        AugmentedDataset(base, mixed, seed=1)[0]


@pytest.mark.parametrize("name", ["polygon", "contour"])
def test_polygons_are_told(name: str) -> None:
    sample = {"image": IMAGE, name: POINTS}
    with pytest.raises(ss.SampleError, match=f"targets={{'image': 'image', '{name}': 'keypoints'}}"):
        read(sample)
    made = read(sample, targets={"image": "image", name: "keypoints"})
    np.testing.assert_array_equal(made[name], [[28, 2], [26, 4], [24, 6]])


@pytest.mark.parametrize("views", [None, 2])
@pytest.mark.parametrize("kind", ["arrays", "tensors", "pictures"])
def test_several_images_get_one_augmentation(kind: str, views: int | None) -> None:
    augment = ss.Compose([ss.RandomCrop(12), ss.HorizontalFlip(), ss.ColorJitter(0.5), ss.ToFloat()])
    one = np.random.default_rng(0).integers(0, 256, (20, 30, 3), np.uint8)
    other = one[:, ::-1].copy()
    form: Any = {
        "arrays": lambda image: image,
        "pictures": PIL.Image.fromarray,
        "tensors": lambda image: torch.from_numpy(image.transpose(2, 0, 1).copy()),
    }[kind]
    for sample, targets in (
        ((form(one), form(other), 3), ("image", "image", None)),
        ({"a": form(one), "b": form(other), "y": 3}, {"a": "image", "b": "image"}),
        (((form(one), form(other)), 3), (("image", "image"), None)),
    ):
        for index in range(4):
            pair = AugmentedDataset([sample] * 4, augment, seed=1, targets=targets, views=views).at(
                index, epoch=0
            )
            if isinstance(sample, dict):
                images = pair["a"], pair["b"]
            else:
                images = pair[:2] if len(sample) == 3 else pair[0]
            for image, made in zip((one, other), images, strict=True):
                single = AugmentedDataset([form(image)] * 4, augment, seed=1, views=views).at(index, epoch=0)
                for first, second in zip(
                    (single,) if views is None else single, (made,) if views is None else made, strict=True
                ):
                    np.testing.assert_array_equal(np.asarray(first), np.asarray(second))
                    assert type(first) is type(second)


def test_several_images_move_with_a_mask_and_boxes() -> None:
    mask, boxes = IMAGE[..., 0].copy(), np.array([[1.0, 2, 11, 12]])
    made = read((IMAGE, IMAGE, mask, boxes), BOXED, targets=("image", "image", "mask", "boxes"))
    np.testing.assert_array_equal(made[0], IMAGE[:, ::-1])
    np.testing.assert_array_equal(made[1], IMAGE[:, ::-1])
    np.testing.assert_array_equal(made[2], mask[:, ::-1])
    assert made[3].tolist() == [[19, 2, 29, 12]]
    with pytest.raises(
        ss.SampleError, match=r"targets=\(\'image\', \'image\'\), .*\"mask\" if its colours are labels"
    ):
        read((IMAGE, IMAGE))
    with pytest.raises(ValueError, match="at most once except image and mask"):
        AugmentedDataset([(IMAGE, IMAGE, IMAGE)], FLIP, seed=1, targets=("image", "image", "video"))


def test_several_images_of_a_ready_batch() -> None:
    from seedsafe.reading import augment_batch

    first = np.stack([IMAGE, IMAGE[::-1], IMAGE // 2])
    second = first // 3
    made = augment_batch(
        FLIP, (first, second, np.array([1, 2, 3])), ss.SampleKey(1, 0, 0), ("image", "image", None), limit=3
    )
    np.testing.assert_array_equal(made[0], first[:, :, ::-1])
    np.testing.assert_array_equal(made[1], second[:, :, ::-1])


SOUND = np.linspace(-1, 1, 4000, dtype=np.float32)


@pytest.mark.parametrize(
    "move", [ss.RandomSegment(1000), ss.TimeShift((0.2, 0.2)), ss.Reverse(p=1e-9)], ids=repr
)
@pytest.mark.parametrize("kind", ["tuple", "tensor", "dict"])
def test_sound_that_would_not_follow_is_told(move: Any, kind: str) -> None:
    clean = torch.from_numpy(SOUND) if kind == "tensor" else SOUND
    sample: Any = {"audio": SOUND, "clean": clean} if kind == "dict" else (SOUND, clean)
    with pytest.raises(ss.SampleError, match="is as long as its sound") as error:
        read(sample, move)
    both = eval(between(str(error.value), "return ", ", whose"), {"numpy": np, "sound": SOUND, "part": SOUND})
    made = read((both, 3), move)[0]
    np.testing.assert_array_equal(made[0], made[1])
    targets = eval(between(str(error.value), "targets=", " to augment"))
    read(sample, move, targets=targets)
    read(sample, ss.Gain())  # nothing moves
    for views in ({"views": 2}, {"views": [ss.Gain(), move]}):
        augment = None if isinstance(views["views"], list) else move
        with pytest.raises(ss.SampleError, match="is as long as its sound"):
            read(sample, augment, **views)
        read(sample, augment, targets=targets, **views)
    for label in (np.zeros(10), 3, [1, 2], np.zeros((4, 25))):
        assert read((SOUND, label), move)[1] is label


def test_boxes_of_tv_tensors_are_certain_and_others_need_a_format() -> None:
    for augment in (FLIP, ss.HorizontalFlip(p=1)):
        for sample in ({"image": IMAGE, "boxes": BOXES}, (IMAGE, {"boxes": BOXES})):
            with pytest.raises(ss.SampleError, match="boxes have no default format"):
                read(sample, augment)
            with pytest.raises(ValueError, match="boxes have no default format"):
                augment_sample(augment, sample, KEY)
        with pytest.raises(ValueError, match="boxes have no default format"):
            augment({"image": IMAGE, "boxes": BOXES}, key=KEY)
    assert read({"image": IMAGE, "boxes": BOXES}, ss.GaussianNoise())["boxes"].tolist() == BOXES.tolist()
