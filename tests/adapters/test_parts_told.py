"""Parts that would stay while the image moves are told, and the advice works."""

from __future__ import annotations

from typing import Any

import numpy as np
import PIL.Image
import pytest
import torch

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
    "label",
    [
        np.zeros((3, 2), np.int64),
        np.zeros((3, 5)),
        np.zeros(2),
        [[0, 1]],
        np.zeros((0, 2)),
        np.zeros((3, 2)),
        np.eye(2),
        np.array([[0.2, 0.8], [0.5, 0.5]]),
        np.array([[-3.0, 2.0], [5.0, 1.0]]),
        np.array([[3.0, 2000.0], [5.0, 1.0]]),
        np.full((4, 2), np.nan),
    ],
    ids=str,
)
def test_other_labels_are_taken(label: Any) -> None:
    assert read((IMAGE, label))[1] is label


@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy], ids=["array", "tensor"])
def test_points_in_shares_get_a_line_that_works(kind: Any) -> None:
    points = np.array([[0.1, 0.2], [0.5, 0.9], [0.3, 0.3]])
    text = told((IMAGE, kind(points)))
    targets = eval(between(text, "with targets=", ", and divide"))
    names = {"points": kind(points), "numpy": np, "torch": torch}
    made = read((IMAGE, eval(between(text, "return ", " for it"), names)), targets=targets)
    np.testing.assert_allclose(made[1], points * (-30, 20) + (29, 0))


def test_points_in_other_forms_get_lines_that_work() -> None:
    with pytest.raises(ss.SampleError, match=r"targets=\('image', 'keypoints'\)"):
        read((IMAGE, torch.from_numpy(POINTS)))
    for part in (np.stack([POINTS, POINTS]), [(1.0, 2.0), (3.0, 4.0)]):
        text = told((IMAGE, part))
        targets = eval(between(text, "with targets=", ", or pass"))
        points = eval(between(text, ": return ", " for it, and"), {"numpy": np, "part": part})
        made = read((IMAGE, points), targets=targets)
        np.testing.assert_allclose(made[1], points * (-1, 1) + (29, 0))


def test_parts_in_dicts_inside_get_lines_that_work() -> None:
    lines = [[1.0, 2, 3, 4, 5, 6]]
    half = IMAGE[::2, ::2, 0].copy()
    for sample, part, first, last in (
        ((IMAGE, {"a": {"polygons": lines}}), lines, ": return ", " for it, and"),
        ((IMAGE, {"a": {"polygons": half}}), half, "return ", " for it, name"),
    ):
        text = told(sample)
        targets = eval(between(text, "with targets=", ", and take" if part is half else ", or pass"))
        new = eval(between(text, first, last), {"numpy": np, "part": part})
        made = read((IMAGE, {"a": {"polygons": new}}), targets=targets)[1]["a"]["polygons"]
        expected = new[:, ::-1] if part is half else new * (-1, 1) + (29, 0)
        np.testing.assert_allclose(made, expected)


@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy], ids=["array", "tensor"])
def test_rows_of_yolo_get_lines_that_work(kind: Any) -> None:
    rows = kind(np.array([[3, 0.25, 0.5, 0.1, 0.2], [0, 0.5, 0.5, 1.0, 1.0]]))
    text = told((IMAGE, rows))
    sample = eval(between(text, "__getitem__ as ", ", and pass"), {"image": IMAGE, "rows": rows, "numpy": np})
    form = eval(between(text, "boxes=", "), or pass"), {"ss": ss})
    made = read(sample, ss.Compose([ss.HorizontalFlip(p=1)], boxes=form))
    np.testing.assert_allclose(made["boxes"], [[0.75, 0.5, 0.1, 0.2], [0.5, 0.5, 1, 1]])
    assert made["labels"].tolist() == [3, 0]


WIDE = np.zeros((80, 100, 3), np.uint8)


KINDS = pytest.mark.parametrize(
    "kind", [np.asarray, torch.from_numpy, np.ndarray.tolist], ids=["array", "tensor", "list"]
)


@KINDS
def test_rows_of_a_corner_a_size_and_a_class_get_lines_that_work(kind: Any) -> None:
    rows = kind(np.array([[40.0, 10, 20, 15, 3], [0, 5, 100, 75, 0]]))
    text = told((WIDE, rows))
    sample = eval(between(text, "__getitem__ as ", ", and pass"), {"image": WIDE, "rows": rows, "numpy": np})
    form = eval(between(text, "boxes=", "), or pass"), {"ss": ss})
    made = read(sample, ss.Compose([ss.HorizontalFlip(p=1)], boxes=form))
    np.testing.assert_allclose(made["boxes"], [[40, 10, 20, 15], [0, 5, 100, 75]])
    assert made["labels"].tolist() == [3, 0]


def test_contours_of_opencv_get_a_line_that_works() -> None:
    contours = [np.array([[[10, 5]], [[50, 5]], [[50, 30]]]), np.array([[[1, 2]], [[3, 4]]])]
    text = told({"image": WIDE, "contours": contours})
    targets = eval(between(text, "with targets=", ", or pass"))
    part = eval(between(text, ": return ", " for it, and"), {"numpy": np, "part": contours})
    made = read({"image": WIDE, "contours": part}, targets=targets)["contours"]
    np.testing.assert_allclose(made, [[89, 5], [49, 5], [49, 30], [98, 2], [96, 4]])


@KINDS
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.parametrize("first", [False, True])
def test_rows_of_a_box_and_a_class_get_lines_that_work(kind: Any, dtype: Any, first: bool) -> None:
    boxes = np.array([[10, 20, 50, 60], [0, 5, 100, 80]])
    classes = np.array([[3], [0]])
    rows = kind(np.hstack([classes, boxes] if first else [boxes, classes]).astype(dtype))
    text = told((WIDE, rows))
    sample = eval(between(text, "__getitem__ as ", ", and pass"), {"image": WIDE, "rows": rows, "numpy": np})
    form = eval(between(text, "boxes=", "), or pass"), {"ss": ss})
    made = read(sample, ss.Compose([ss.HorizontalFlip(p=1)], boxes=form))
    np.testing.assert_allclose(made["boxes"], [[50, 20, 90, 60], [0, 5, 100, 80]])
    assert made["labels"].tolist() == [3, 0]


@KINDS
@pytest.mark.parametrize(
    "points",
    [
        np.array([[10.5, 20, 2], [90, 70, 1], [0, 0, 0]]),
        np.array([[10, 20, 2], [90, 70, 1]]),
        np.array([[10, 20], [90, 70], [30, 30], [50, 10]]),
    ],
    ids=["visibility", "integers with visibility", "integers"],
)
def test_points_in_pixels_get_a_line_that_works(kind: Any, points: Any) -> None:
    text = told((WIDE, 7, kind(points)))
    targets = eval(between(text, "with targets=", ", or pass"))
    part = eval(between(text, ": return ", " for it, and"), {"numpy": np, "part": kind(points)})
    made = read((WIDE, 7, part), targets=targets)[2]
    np.testing.assert_allclose(made[:, 0], 99 - points[:, 0])
    np.testing.assert_allclose(made[:, 1:], points[:, 1:])


@pytest.mark.parametrize(
    "label",
    [
        np.eye(3),
        np.array([[0.8, -0.6, 2.0], [0.6, 0.8, 1.0]]),
        np.array([[70.0, 0, 50], [0, 70, 40], [0, 0, 1]]),
        np.array([[99, 0, 0], [0, 79, 1]], np.uint8),
        np.array([[1, 2, 0], [2, 1, 1]]),
        np.random.default_rng(0).random((30, 3)) * 70,
        np.array([[0, 9], [10, 79], [20, 60], [70, 75]]),
        np.array([[3, 1], [2, 0], [7, 4], [1, 1], [9, 2]]),
        np.array([[90, 70], [95, 60]]),
        [[0, 9], [10, 79], [20, 60], [70, 75]],
        [[1, 2], [3]],
        [[1, "a"], [2, "b"]],
        np.array([[1, 2, 3, 4, 5], [3, 4, 5, 1, 2]]),
        np.array([[90, 200], [95, 60], [1, 2], [3, 1]]),
        np.array([[10.0, 20, 5, 60, 1]]),
        np.array([[10.0, 20, 50, 60, 0.5]]),
        np.array([[10.0, 20, 50, 600, 1]]),
        np.arange(20).reshape(4, 5) % 3,
    ],
    ids=str,
)
def test_other_matrices_are_taken(label: Any) -> None:
    assert read((WIDE, label))[1] is label


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


def told(sample: Any, augment: Any = FLIP) -> str:
    with pytest.raises(ss.SampleError) as error:
        read(sample, augment)
    assert "would stay as" in str(error.value)
    read(sample, augment, targets="image")  # the last advice
    read(sample, ss.GaussianNoise())  # nothing moves
    return str(error.value)


def between(text: str, first: str, last: str) -> str:
    start = text.index(first) + len(first)
    return text[start : text.index(last, start)]


MAPS: dict[str, Any] = {
    "a mask of half the size": IMAGE[::2, ::2, 0],
    "one of a third, rounded up": np.arange(8 * 10 * 5, dtype=np.int32).reshape(5, 8, 10),
    "heatmaps": np.arange(17 * 10 * 15, dtype=np.float32).reshape(17, 10, 15),
    "channels last": np.arange(17 * 10 * 15, dtype=np.float32).reshape(10, 15, 17),
    "a tensor": torch.arange(17 * 10 * 15).reshape(17, 10, 15).float(),
    "a picture": PIL.Image.fromarray(IMAGE[::2, ::2, 0]),
}


@pytest.mark.parametrize("case", MAPS)
@pytest.mark.parametrize("name", [None, "annotation"])
def test_smaller_maps_get_lines_that_work(case: str, name: str | None) -> None:
    image = IMAGE
    if case.startswith("one"):
        image = np.zeros((23, 29, 3), np.uint8)
    part = MAPS[case]
    text = told((image, part) if name is None else {"image": image, name: part})
    targets = eval(between(text, "with targets=", ", and take"))
    larger = eval(between(text, "return ", " for it, name"), {"numpy": np, "part": part})
    made = read((image, larger) if name is None else {"image": image, name: larger}, targets=targets)
    small = eval(between(text, "take ", " of the result"), {"part": made[1 if name is None else name]})
    first = np.asarray(part).shape[0] in (5, 17)
    expected = np.asarray(part)[:, :, ::-1] if first else np.asarray(part)[:, ::-1]
    if case.startswith("one"):  # an edge of a pixel of the map lies within it
        assert small.shape == expected.shape
    else:
        np.testing.assert_array_equal(small, expected)


def test_a_larger_mask_is_told() -> None:
    mask = IMAGE[..., 0].repeat(2, 0).repeat(2, 1)
    text = told((IMAGE, mask))
    targets = eval(between(text, "the parts with targets=", ", or pass"))
    image = IMAGE.repeat(2, 0).repeat(2, 1)  # resize the image to that size
    np.testing.assert_array_equal(read((image, mask), targets=targets)[1], mask[:, ::-1])


@pytest.mark.parametrize("swap", [False, True])
def test_a_small_and_a_large_image_are_told(swap: bool) -> None:
    large = np.arange(64 * 80 * 3, dtype=np.uint8).reshape(64, 80, 3)
    pair = (large[::4, ::4], large)
    text = told(pair[::-1] if swap else pair)
    line = between(text, "of its augmentation, ", ", or pass")
    crop = ss.Compose([ss.RandomCrop(32)])
    small = eval(line, {"image": read(large, crop), "seedsafe": ss})  # the larger one alone
    assert small.shape == (8, 8, 3)


@pytest.mark.parametrize("kind", ["arrays", "pictures", "tensors"])
def test_images_of_two_sizes_are_told(kind: str) -> None:
    one, other = IMAGE, np.ones((50, 40, 3), np.uint8)
    form: Any = {
        "arrays": lambda image: image,
        "pictures": PIL.Image.fromarray,
        "tensors": lambda image: torch.from_numpy(image.transpose(2, 0, 1).copy()),
    }[kind]
    text = told((form(one), form(other), 3))
    targets = eval(between(text, "with targets=", ", so"))
    assert targets == ("image", "image", None)
    with pytest.raises(ss.SampleError, match=r"must have one shape.*resize them"):
        read((form(one), form(other), 3), targets=targets)
    made = read((form(one), form(one[::-1].copy()), 3), targets=targets)
    assert made[0].shape == made[1].shape


POLYGONS: dict[str, Any] = {
    "of COCO": [[1.0, 2, 3, 4, 5, 6]],
    "several": [[1.0, 2, 3, 4, 5, 6], [1.0, 2, 3, 4, 5, 6, 7, 8]],
}
NAMED: dict[str, Any] = POLYGONS | {
    "integers": [[1, 2, 3, 4, 5, 6]],
    "one": [1, 2, 3, 4, 5, 6],
    "of pairs": [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]],
    "arrays": [POINTS, POINTS],
}


@pytest.mark.parametrize("case", NAMED)
@pytest.mark.parametrize("name", [None, "polygons", "segmentation"])
def test_polygons_in_lists_get_lines_that_work(case: str, name: str | None) -> None:
    if name is None and case not in POLYGONS:
        return
    part = NAMED[case]
    text = told((IMAGE, part) if name is None else {"image": IMAGE, name: part})
    targets = eval(between(text, "with targets=", ", or pass"))
    points = eval(between(text, ": return ", " for it, and"), {"numpy": np, "part": part})
    made = read((IMAGE, points) if name is None else {"image": IMAGE, name: points}, targets=targets)
    np.testing.assert_array_equal(made[1 if name is None else name], points * (-1, 1) + (29, 0))


OBJECT_LISTS: dict[str, tuple[Any, list[list[float]]]] = {
    "without a category": ([{"bbox": [4.0, 10, 5, 6]}], [[21, 10, 5, 6]]),
    "with a label": ([{"bbox": [4, 10, 5, 6], "label": 7}], [[21, 10, 5, 6]]),
    "with sides": ([{"xmin": 4, "ymin": 10, "xmax": 9, "ymax": 16, "name": "dog"}], [[21, 10, 26, 16]]),
    "of VOC": (
        [{"name": "dog", "bndbox": {"xmin": "4", "ymin": "10", "xmax": "9", "ymax": "16"}}],
        [[21, 10, 26, 16]],
    ),
}


@pytest.mark.parametrize("case", OBJECT_LISTS)
@pytest.mark.parametrize(
    "place",
    [lambda o: (IMAGE, o), lambda o: {"image": IMAGE, "x": o}, lambda o: (IMAGE, {"a": {"o": o}})],
    ids=["part", "entry", "deep"],
)
def test_all_lists_of_objects_get_lines_that_work(case: str, place: Any) -> None:
    objects, boxes = OBJECT_LISTS[case]
    text = told(place(objects))
    sample = eval(
        between(text, "__getitem__ as ", ", and pass"), {"image": IMAGE, "objects": objects, "numpy": np}
    )
    form = eval(between(text, "boxes=", "), or pass"), {"ss": ss})
    made = read(sample, ss.Compose([ss.HorizontalFlip(p=1)], boxes=form))
    assert made["boxes"].tolist() == boxes
    assert len(made.get("labels", objects)) == len(objects)


@pytest.mark.parametrize("lines", [[[1, 2, 3, 4, 5, 6]], [1, 2, 3, 4, 5, 6]], ids=str)
def test_objects_with_outlines_alone_get_lines_that_work(lines: Any) -> None:
    objects = [{"segmentation": lines}] * 2
    text = told((IMAGE, objects))
    sample = eval(
        between(text, "__getitem__ as ", ", or pass"), {"image": IMAGE, "objects": objects, "numpy": np}
    )
    assert read(sample)["keypoints"].tolist() == [[28, 2], [26, 4], [24, 6]] * 2


@pytest.mark.parametrize(
    "label",
    [
        np.zeros((3, 3)),
        np.zeros((12, 5)),
        np.zeros((4, 6)),
        [[0, 1, 0, 1, 0, 1]],
        [0.5] * 8,
        [{"a": 1}],
        {"words": [{"text": "a"}]},
        np.zeros((16, 16)),
        np.zeros((77, 768)),
        "a",
        [],
        [[]],
    ],
    ids=lambda label: str(np.shape(label)) + type(label).__name__,
)
def test_labels_that_are_no_parts_are_taken(label: Any) -> None:
    assert read((IMAGE, label))[1] is label
    assert read({"image": IMAGE, "label": label})["label"] is label


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
    made = read((IMAGE, IMAGE, mask, boxes), targets=("image", "image", "mask", "boxes"))
    np.testing.assert_array_equal(made[0], IMAGE[:, ::-1])
    np.testing.assert_array_equal(made[1], IMAGE[:, ::-1])
    np.testing.assert_array_equal(made[2], mask[:, ::-1])
    assert made[3].tolist() == [[19, 2, 29, 12]]
    with pytest.raises(ss.SampleError, match=r"second image, write \"image\" for it too"):
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


LARGE = np.arange(64 * 96 * 3, dtype=np.uint32).astype(np.uint8).reshape(64, 96, 3)
WHOLE = [(10, 20), (90, 60), (70, 9), (5, 5)]


@pytest.mark.parametrize(
    ("part", "target"),
    [
        (POINTS, "keypoints"),
        (torch.from_numpy(POINTS), "keypoints"),
        (np.array([[10.0, 20.0, 2.0], [40.0, 50.0, 1.0]]), "keypoints"),
        (POINTS / 96, "keypoints"),
        (np.array(WHOLE), "keypoints"),
    ],
    ids=["points", "tensor", "visibility", "shares", "whole"],
)
def test_points_in_dicts_are_told(part: Any, target: str) -> None:
    named = f"'kp': '{target}'"
    for sample in ({"image": LARGE, "kp": part}, (LARGE, {"kp": part})):
        assert named in told(sample)
    assert read({"image": LARGE, "kp": part}, targets="image")["kp"] is part


def test_points_under_any_name_are_told_where_they_are_no_spans() -> None:
    spans = np.array([[3.0, 5.0], [7.0, 9.0]])
    assert "'found': 'keypoints'" in told({"image": LARGE, "found": spans[:, ::-1].copy()})
    assert read({"image": LARGE, "found": spans})["found"] is spans


def test_lists_of_points_in_whole_pixels_are_told() -> None:
    assert "targets=('image', 'keypoints')" in told((LARGE, WHOLE))
    for label in ([[0, 1]] * 4, [(0, 5), (6, 90), (7, 60), (3, 8)], [(1, 2), (3,), (4, 5), (6, 7)]):
        assert read((LARGE, label))[1] is label


@pytest.mark.parametrize(
    "mask",
    [
        np.zeros((50, 70), np.uint8),
        np.zeros((28, 28), bool),
        torch.zeros(50, 70, dtype=torch.uint8),
        PIL.Image.new("L", (70, 50)),
    ],
    ids=["bytes", "bool", "tensor", "pil"],
)
def test_masks_of_any_other_size_are_told(mask: Any) -> None:
    text = told((LARGE, mask))
    assert "is a mask of another size than the image" in text
    assert "targets=('image', 'mask')" in text
    for other in (np.zeros((28, 28)), np.zeros((10, 12), np.uint8), np.zeros((28, 28), np.int64)):
        assert read((LARGE, other))[1] is other


def test_the_advice_for_boxes_names_their_format() -> None:
    boxes = np.array([[10.0, 10.0, 20.0, 20.0]])
    assert 'for others, as in COCO, pass Compose(..., boxes=ss.Boxes("coco")) too' in told((LARGE, boxes))
    coco = ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("coco"))
    assert read((LARGE, boxes), coco, targets=("image", "boxes"))[1].tolist() == [[66, 10, 20, 20]]
