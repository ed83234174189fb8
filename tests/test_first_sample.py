"""The first sample of a newcomer: its labels follow the image, or an error says what to write."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import PIL.Image
import pytest
import torch
from programs import python

import seedsafe as ss
from seedsafe.reading import augment_sample, augment_views
from seedsafe_torch import AugmentedDataset

KEY = ss.SampleKey(42, 0, 0)
FLIP = ss.Compose([ss.HorizontalFlip(p=1)])
BOXED = ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("pascal_voc"))
IMAGE = np.arange(20 * 30 * 3, dtype=np.uint8).reshape(20, 30, 3)
MASK = np.arange(600, dtype=np.int32).reshape(20, 30)
BOXES = np.array([[1.0, 2, 11, 12], [0, 0, 30, 20]], np.float32)
MOVED = np.array([[19.0, 2, 29, 12], [0, 0, 30, 20]], np.float32)
POINTS = np.array([[1.0, 2]])


def read(sample: Any, augment: Any = FLIP, **options: Any) -> Any:
    return AugmentedDataset([sample], augment, seed=42, **options)[0]


def tensor(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array))


@pytest.mark.parametrize("kind", [np.asarray, tensor], ids=["arrays", "tensors"])
def test_names_of_ours_in_the_dict_of_a_tuple_are_moved(kind: Any) -> None:
    inner = {
        "boxes": kind(BOXES),
        "masks": kind(np.stack([MASK, MASK])),
        "mask": kind(MASK),
        "keypoints": kind(POINTS),
        "labels": [1, 2],
    }
    image, made = read((IMAGE, inner), BOXED)
    np.testing.assert_array_equal(image, IMAGE[:, ::-1])
    np.testing.assert_array_equal(made["boxes"], MOVED)
    np.testing.assert_array_equal(made["mask"], MASK[:, ::-1])
    np.testing.assert_array_equal(made["masks"][1], MASK[:, ::-1])
    np.testing.assert_array_equal(made["keypoints"], [[28, 2]])
    assert made["labels"] is inner["labels"]
    assert list(made) == list(inner)
    assert {type(made[name]) for name in ("boxes", "mask", "masks")} == {type(kind(BOXES))}
    np.testing.assert_array_equal(inner["boxes"], BOXES)  # the sample is not changed


def test_labels_of_boxes_in_the_dict_of_a_tuple_get_shorter() -> None:
    augment = ss.Compose([ss.CenterCrop((2, 2))], boxes=ss.Boxes("pascal_voc", labels="labels"))
    _, made = read((IMAGE, {"boxes": np.array([[0.0, 0, 5, 5], [0, 0, 30, 20]]), "labels": [7, 8]}), augment)
    assert made["labels"] == [8]


LABELS: dict[str, Any] = {
    "a number": 3,
    "a name": "cat",
    "None": None,
    "a scalar": np.int64(3),
    "a tensor": torch.tensor(3),
    "one-hot": np.eye(5)[2],
    "a list": [0, 1, 1, 0],
    "a dict": {"label": 3, "target": 4, "file": "a.jpg", "size": (20, 30)},
}


@pytest.mark.parametrize("label", LABELS)
def test_a_label_is_left_alone(label: str) -> None:
    sample = (IMAGE, LABELS[label])
    image, made = read(sample)
    np.testing.assert_array_equal(image, IMAGE[:, ::-1])
    assert made is LABELS[label]
    assert read({"image": IMAGE, "target": LABELS[label]})["target"] is LABELS[label]


SILENT: dict[str, tuple[Any, str]] = {
    "a mask": ((IMAGE, MASK), r"targets=\('image', 'mask'\)"),
    "a mask and a label": ((IMAGE, MASK, 3), r"targets=\('image', 'mask', None\)"),
    "a picture as mask": ((PIL.Image.fromarray(IMAGE), PIL.Image.fromarray(MASK)), r"\('image', 'mask'\)"),
    "a tensor as mask": ((tensor(IMAGE.transpose(2, 0, 1)), tensor(MASK)), r"\('image', 'mask'\)"),
    "boxes": ((IMAGE, BOXES), r"targets=\('image', 'boxes'\)"),
    "a list of boxes": ((IMAGE, BOXES.tolist()), r"targets=\('image', 'boxes'\)"),
    "bboxes": ({"image": IMAGE, "bboxes": BOXES}, r"targets=\{'image': 'image', 'bboxes': 'boxes'\}"),
    "one bbox": ({"image": IMAGE, "bbox": [1, 2, 3, 4]}, r"'bbox': 'boxes'"),
    "no bboxes": ({"image": IMAGE, "bboxes": []}, r"'bboxes': 'boxes'"),
    "segmentation": ({"image": IMAGE, "segmentation": MASK}, r"'segmentation': 'mask'"),
    "an entry of the image's size": ({"image": IMAGE, "annotation": MASK}, r"'annotation': 'mask'"),
    "a nested name": ((IMAGE, {"bboxes": BOXES, "x": 1}), r"targets=\('image', \{'bboxes': 'boxes'\}\)"),
    "objects": (
        {"image": IMAGE, "objects": {"bbox": BOXES, "category": [1, 2]}},
        r"targets=\{'image': 'image', 'objects': \{'bbox': 'boxes'\}\}",
    ),
    "annotations of COCO": ((IMAGE, [{"bbox": [1, 2, 3, 4], "category_id": 3}]), r'"boxes": numpy.array'),
}


@pytest.mark.parametrize("case", SILENT)
def test_what_seems_to_belong_to_the_image_is_refused(case: str) -> None:
    sample, targets = SILENT[case]
    with pytest.raises(ss.SampleError, match=targets) as error:
        read(sample)
    assert 'targets="image"' in str(error.value)
    with pytest.raises(ValueError, match=targets):
        augment_sample(ss.HorizontalFlip(p=1), sample, KEY)
    with pytest.raises(ValueError, match=targets):
        augment_views(FLIP, sample, [KEY])
    made = read(sample, targets="image")  # the image alone is meant
    key = "image" if isinstance(sample, dict) else 0
    np.testing.assert_array_equal(np.asarray(made[key]), np.asarray(augment_sample(FLIP, sample[key], KEY)))
    rest = [name for name in (sample if isinstance(sample, dict) else range(len(sample))) if name != key]
    assert all(made[name] is sample[name] for name in rest)
    read(sample, ss.Compose([ss.GaussianNoise()]))  # nothing moves
    read(sample, None)


def test_each_kind_of_sample_is_looked_at() -> None:
    dataset = AugmentedDataset([(IMAGE, 3), (IMAGE, MASK), (IMAGE, 3, MASK)], FLIP, seed=42)
    assert dataset[0][1] == 3
    for wrong in (1, 2):
        with pytest.raises(ss.SampleError, match="targets="):
            dataset[wrong]


def test_nested_dicts_can_be_named() -> None:
    image, made = read((IMAGE, {"bbox": BOXES, "x": 1}), BOXED, targets=("image", {"bbox": "boxes"}))
    np.testing.assert_array_equal(image, IMAGE[:, ::-1])
    np.testing.assert_array_equal(made["bbox"], MOVED)
    sample = {"jpg": IMAGE, "objects": {"bbox": BOXES, "category": [1, 2]}}
    whole = read(sample, BOXED, targets={"jpg": "image", "objects": {"bbox": "boxes"}})
    np.testing.assert_array_equal(whole["objects"]["bbox"], MOVED)
    assert whole["objects"]["category"] == [1, 2]
    with pytest.raises(ss.SampleError, match="targets name a part that the sample lacks"):
        read(sample, targets={"jpg": "image", "objects": {"boxes": "boxes"}})
    with pytest.raises(ValueError, match="targets must each be one of"):
        AugmentedDataset([sample], FLIP, seed=42, targets={"jpg": "image", "objects": {"bbox": "bbox"}})


def test_a_dict_of_a_direct_call_is_looked_at() -> None:
    for augment in (FLIP, ss.HorizontalFlip(p=1)):
        for sample, name in (({"bboxes": BOXES}, "boxes"), ({"annotation": MASK}, "mask")):
            with pytest.raises(ValueError, match=f"call it '{name}'"):
                augment({"image": IMAGE} | sample, key=KEY)
        assert augment({"image": IMAGE, "label": 3}, key=KEY)["label"] == 3
    ss.Compose([ss.GaussianNoise()])({"image": IMAGE, "bboxes": BOXES}, key=KEY)


def test_the_first_sample_of_a_ready_batch_is_looked_at() -> None:
    from seedsafe.reading import augment_batch

    images, masks = np.stack([IMAGE] * 2), np.stack([MASK] * 2)
    with pytest.raises(ValueError, match=r"targets=\('image', 'mask'\)"):
        augment_batch(FLIP, (images, masks), KEY, limit=2)
    made = augment_batch(FLIP, (images, np.array([1, 2])), KEY, limit=2)
    np.testing.assert_array_equal(made[0], images[:, :, ::-1])


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int64])
def test_channels_first_is_refused(channels: int, dtype: Any) -> None:
    image = np.zeros((channels, 20, 30), dtype)
    last = ss.Compose([ss.HorizontalFlip(p=1)], channels="last")
    for call in (
        FLIP,
        ss.HorizontalFlip(p=1),
        ss.Compose([ss.OneOf([ss.GaussianNoise(), ss.RandomCrop(2)])]),
    ):
        with pytest.raises(ValueError, match=r"transpose\(1, 2, 0\).*channels=\"last\""):
            call(image, key=KEY)
    for sample in (image, (image, 3), {"image": image}):
        with pytest.raises(ss.SampleError, match=r"transpose\(1, 2, 0\)"):
            read(sample)
        read(sample, last)
    assert last(image, key=KEY).shape == image.shape
    assert read((tensor(image), 3))[0].shape == image.shape  # of a tensor it is right
    assert FLIP(np.zeros((channels, 15, 30), dtype), key=KEY).shape == (channels, 15, 30)
    assert FLIP(np.zeros((channels, 20, 3), dtype), key=KEY).shape == (channels, 20, 3)


def test_channels_last_is_kept() -> None:
    last = ss.Compose([ss.HorizontalFlip(p=1)], channels="last")
    assert eval(repr(last), vars(ss)) == last != FLIP
    assert ss.Compose.from_json(last.to_json()) == last
    image = np.zeros((3, 20, 30), np.uint8)
    assert ss.Compose([last])(image, key=KEY).shape == image.shape
    with pytest.raises(ValueError, match='channels must be "last" or None'):
        ss.Compose([], channels="first")  # type: ignore[arg-type]


WITHOUT = """
import sys
sys.modules["cv2"] = None
import numpy as np
import seedsafe as ss
"""


def without_opencv(code: str) -> str:
    return python("-c", WITHOUT + code).stdout


def test_what_needs_opencv_is_refused_when_it_is_made() -> None:
    code = """
for make in (lambda: ss.Compose([ss.RandomResizedCrop(8)]), lambda: ss.Compose([ss.OneOf([ss.HorizontalFlip(), ss.Rotate()])])):
    try:
        make()
    except ImportError as error:
        print(error)
"""
    said = without_opencv(code)
    assert said.splitlines() == [
        f'{name} needs OpenCV: pip install "seedsafe[image]"' for name in ("RandomResizedCrop", "Rotate")
    ]


def test_a_flip_and_a_crop_need_no_opencv() -> None:
    code = """
import hashlib
said = hashlib.sha256()
image = np.random.default_rng(0).integers(0, 256, (20, 30, 3)).astype(np.uint8)
for mode in ("constant", "edge", "reflect", "symmetric"):
    augment = ss.Compose(
        [ss.HorizontalFlip(), ss.VerticalFlip(), ss.RandomCrop(24, pad_if_needed=True, mode=mode)]
    )
    for one in (image, image[..., 0].copy(), image.astype(np.float32), image.astype(np.float16), image[..., :1].copy()):
        for index in range(8):
            said.update(augment(one, key=ss.SampleKey(42, 0, index)).tobytes())
print(said.hexdigest())
"""
    with_opencv = python("-c", WITHOUT.replace('sys.modules["cv2"] = None', "import cv2") + code)
    assert without_opencv(code) == with_opencv.stdout


@pytest.mark.parametrize("inner", ["[", '{"a":', '{"transform": "Compose", "transforms": ['])
def test_json_nested_too_deep_is_a_clear_error(inner: str) -> None:
    ends = {"[": "]", "{": "}"}
    closing = "".join(ends[one] for one in reversed([c for c in inner if c in ends]))
    begin = '{"contract": 1, "transform": "Compose", "transforms": ['
    text = begin + inner * 100_000 + "1" + closing * 100_000 + "]}"
    with pytest.raises(ValueError, match="text is nested too deeply for a pipeline"):
        ss.Compose.from_json(text)


class BoundingBoxes(torch.Tensor):
    """Of torchvision, which is not installed here, as far as it is read."""

    format: Any
    canvas_size: Any


def test_tv_tensors_say_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrapped(made: torch.Tensor, *, like: Any, canvas_size: Any) -> Any:
        boxes = made.as_subclass(BoundingBoxes)
        boxes.format, boxes.canvas_size = like.format, tuple(canvas_size)
        return boxes

    module = SimpleNamespace(BoundingBoxes=BoundingBoxes, wrap=wrapped)
    monkeypatch.setitem(sys.modules, "torchvision.tv_tensors", module)
    like = SimpleNamespace(format=SimpleNamespace(name="XYWH"))
    boxes = wrapped(torch.tensor([[1.0, 2, 10, 10]]), like=like, canvas_size=(20, 30))
    for sample in ((IMAGE, boxes), (IMAGE, {"x": boxes, "labels": [1]}), {"image": IMAGE, "x": boxes}):
        made = read(sample)
        made = made["x"] if isinstance(made, dict) else made[1]["x"] if isinstance(made[1], dict) else made[1]
        assert type(made) is BoundingBoxes
        assert made.tolist() == [[19.0, 2, 10, 10]]
        assert made.canvas_size == (20, 30)
    with pytest.raises(
        ss.SampleError, match="boxes of the format XYWH cannot go through a pipeline for 'yolo'"
    ):
        read((IMAGE, boxes), ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("yolo")))
