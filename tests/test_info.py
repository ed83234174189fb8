"""What ``draw`` and ``apply`` know of a sample: Info, boxes in it, and parameters that settle on pixels."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

import seedsafe as ss
from seedsafe.pipeline.boxes import Edges

KEY = ss.SampleKey(42, 3, 1234)
KEYS = [ss.SampleKey(42, 3, index) for index in range(12)]
IMAGE = np.random.default_rng(0).integers(0, 256, (24, 30, 3), dtype=np.uint8)
BOXES = np.array([[1, 2, 9, 8, 7], [10, 3, 28, 20, 5]], np.float32)
SAMPLE = {
    "image": IMAGE,
    "mask": IMAGE[..., 0],
    "boxes": BOXES.view(Edges),
    "keypoints": np.array([[3.0, 4.0]]),
    "label": 1,
}


class Seen(ss.SpatialTransform):
    """Asks for the info in every method, by position and by name, and notes it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def draw(self, rng: ss.Draws, info: ss.Info) -> int:
        self.seen.append(("draw", info.shape, info.boxes.tolist()))
        return rng.integer(9)

    def apply_image(self, image: np.ndarray, params: int, info: ss.Info) -> np.ndarray:
        self.seen.append(("image", info.shape))
        return image[:, ::-1]

    def apply_mask(self, mask: np.ndarray, params: int, *, info: ss.Info) -> np.ndarray:
        self.seen.append(("mask", info.shape))
        return mask[:, ::-1]

    def apply_keypoints(self, keypoints: np.ndarray, params: int, info: ss.Info) -> np.ndarray:
        return np.column_stack([info.image_size()[1] - 1 - keypoints[:, 0], keypoints[:, 1:]])

    def apply_boxes(self, boxes: np.ndarray, params: int, info: ss.Info) -> np.ndarray:
        width = boxes.dtype.type(info.image_size()[1])
        return np.column_stack([width - boxes[:, 2], boxes[:, 1], width - boxes[:, 0], boxes[:, 3:]])


def test_methods_are_given_the_info_of_the_primary_target_before_the_transform() -> None:
    seen = Seen()
    augment = ss.Compose([ss.Pad((0, 0, 2, 0)), seen, ss.CenterCrop(8)])
    out = augment(SAMPLE, key=KEY)
    moved = BOXES[:, :4] + np.array([2, 0, 2, 0])
    assert seen.seen == [("draw", (24, 32, 3), moved.tolist()), ("image", (24, 32, 3)), ("mask", (24, 32, 3))]
    wanted = ss.Compose([ss.Pad((0, 0, 2, 0)), ss.HorizontalFlip(p=1), ss.CenterCrop(8)])(SAMPLE, key=KEY)
    for target in ("image", "mask", "boxes", "keypoints"):
        np.testing.assert_array_equal(out[target], wanted[target])


def test_an_array_alone_has_its_own_info() -> None:
    class Wide(ss.ImageTransform):
        def apply_image(self, image: np.ndarray, params: Any, info: ss.Info) -> np.ndarray:
            assert info == ss.Info(image.shape, image.dtype)
            return image + np.uint8(info.image_size()[1])

    np.testing.assert_array_equal(Wide()(IMAGE, key=KEY), IMAGE + np.uint8(30))
    np.testing.assert_array_equal(Wide()({"image": IMAGE}, key=KEY)["image"], IMAGE + np.uint8(30))


@pytest.mark.parametrize(
    "method",
    [
        lambda self, image, params, size: image,
        lambda self, image: image,
        lambda self, image, params, info, *, size: image,
    ],
    ids=["another third", "one", "more"],
)
def test_a_method_that_takes_something_else_is_refused_when_it_is_bound(method: Any) -> None:
    kind = type("Odd", (ss.ImageTransform,), {"apply_image": method})
    with pytest.raises(
        TypeError, match=r"Odd.apply_image must take \(image, params\) or \(image, params, info\)"
    ):
        ss.Compose([kind()])


class Towards(NamedTuple):
    shift: int


class ByBoxes(ss.SpatialTransform):
    """Cuts away the columns before a drawn box: its draw needs the boxes."""

    def draw(self, rng: ss.Draws, info: ss.Info) -> Towards:
        boxes = info.boxes
        return Towards(int(boxes[rng.integer(len(boxes)), 0]))

    def out_info(self, info: ss.Info, params: Towards) -> ss.Info:
        height, width = info.image_size()
        return info.resized(height, width - params.shift)

    def apply_image(self, image: np.ndarray, params: Towards) -> np.ndarray:
        return image[:, params.shift :]

    def apply_mask(self, mask: np.ndarray, params: Towards) -> np.ndarray:
        return mask[:, params.shift :]

    def apply_keypoints(self, keypoints: np.ndarray, params: Towards) -> np.ndarray:
        return keypoints - np.array([params.shift, 0])

    def apply_boxes(self, boxes: np.ndarray, params: Towards) -> np.ndarray:
        boxes[:, [0, 2]] = np.maximum(boxes[:, [0, 2]] - np.float32(params.shift), 0)
        return boxes


BY_BOXES = ss.Compose([ss.HorizontalFlip(), ByBoxes(), ss.Pad(1), ByBoxes(), ss.RandomCrop(2)])


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key.index))
def test_draws_that_go_by_boxes_follow_from_a_description(key: ss.SampleKey) -> None:
    out = BY_BOXES(SAMPLE, key=key)
    record = BY_BOXES.params(key, SAMPLE)
    shape = IMAGE.shape
    assert record == BY_BOXES.params(key, {"image": shape, "boxes": BOXES})
    assert record == BY_BOXES.params(key, ss.Info(shape, boxes=BOXES))
    assert record == BY_BOXES.params(key, {"image": ss.Info(shape, boxes=BOXES.tolist())})
    again = BY_BOXES.replay(SAMPLE, record)
    for target in ("image", "mask", "boxes", "keypoints"):
        np.testing.assert_array_equal(again[target], out[target])
    np.testing.assert_array_equal(BY_BOXES.replay(IMAGE, record), out["image"])


def test_boxes_that_are_not_known_are_asked_for() -> None:
    for act in (
        lambda: BY_BOXES(IMAGE, key=KEY),
        lambda: BY_BOXES({"image": IMAGE}, key=KEY),
        lambda: BY_BOXES.params(KEY, IMAGE.shape),
        lambda: BY_BOXES.params(KEY, {"image": IMAGE.shape, "boxes": (2, 5)}),
    ):
        with pytest.raises(
            ValueError, match="asks for the sample's boxes: put them into the sample under 'boxes'"
        ):
            act()


# Replay without the primary target


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key.index))
def test_replay_serves_samples_without_their_image(key: ss.SampleKey) -> None:
    augment = ss.Compose(
        [
            ss.RandomApply([ss.Pad((1, 2, 3, 4)), Seen()], p=0.5),
            ss.RandomCrop((9, 20)),
            ss.HorizontalFlip(),
            ss.GaussianNoise(),
            ss.VerticalFlip(),
            ss.ToCHW(),
        ]
    )
    out = augment(SAMPLE, key=key)
    record = augment.params(key, SAMPLE)
    for targets in (["boxes"], ["keypoints", "mask"], ["boxes", "mask", "image"]):
        part = {target: SAMPLE[target] for target in targets}
        for info in (IMAGE.shape, IMAGE, {"image": IMAGE.shape}, ss.Info(IMAGE.shape, IMAGE.dtype)):
            again = augment.replay(part, record, info=info)
            for target in targets:
                np.testing.assert_array_equal(again[target], out[target])
    with pytest.raises(ValueError, match=r"needs 'image' in the sample.*or pass info="):
        augment.replay({"boxes": BOXES.view(Edges)}, record)


# Parameters that settle on pixels


class ToMask(ss.SpatialTransform):
    """Cuts a window of 5 by 5 pixels around a pixel of the mask: which one is drawn, where it is follows from the mask."""

    def draw(self, rng: ss.Draws, info: ss.Info) -> float:
        return rng.unit()

    def settle(self, params: float, sample: dict[str, Any], info: ss.Info) -> tuple[int, int]:
        rows, columns = np.nonzero(sample["mask"])
        height, width = info.image_size()
        chosen = int(params * len(rows))
        return min(int(rows[chosen]), height - 5), min(int(columns[chosen]), width - 5)

    def out_info(self, info: ss.Info, params: float) -> ss.Info:
        return info.resized(5, 5)

    def apply_image(self, image: np.ndarray, params: tuple[int, int]) -> np.ndarray:
        top, left = params
        return image[top : top + 5, left : left + 5]

    apply_mask = apply_image

    def apply_boxes(self, boxes: np.ndarray, params: tuple[int, int]) -> np.ndarray:
        boxes[:, :4] -= np.array([params[1], params[0]] * 2, boxes.dtype)
        return boxes


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key.index))
def test_settled_parameters(key: ss.SampleKey) -> None:
    augment = ss.Compose([ss.HorizontalFlip(), ToMask(), ss.RandomCrop(4)])
    mask = np.zeros((24, 30), np.uint8)
    mask[[3, 12, 20], [4, 25, 9]] = 1
    sample = {"image": IMAGE, "mask": mask, "boxes": BOXES.view(Edges)}
    out = augment(sample, key=key)
    assert out["image"].shape == (4, 4, 3)
    record = augment.params(key, {"image": IMAGE.shape})
    assert isinstance(record[1].params, float)
    again = augment.replay(sample, record)
    for target in ("image", "mask", "boxes"):
        np.testing.assert_array_equal(again[target], out[target])
    assert ss.Compose([ToMask()])(sample, key=key)["mask"].any()


def test_what_settles_cannot_write_to_the_sample() -> None:
    class Writes(ToMask):
        def settle(self, params: float, sample: dict[str, Any], info: ss.Info) -> tuple[int, int]:
            sample["mask"][:] = 0
            return 0, 0

    with pytest.raises(ValueError, match="read-only"):
        Writes()({"image": IMAGE, "mask": IMAGE[..., 0]}, key=KEY)


def test_boxes_behind_what_settles_are_not_known_without_pixels() -> None:
    augment = ss.Compose([ToMask(), ByBoxes()])
    with pytest.raises(ValueError, match="asks for the sample's boxes"):
        augment.params(KEY, {"image": IMAGE.shape, "boxes": BOXES})


# The object


def test_info_is_a_value() -> None:
    info = ss.Info((4, 6), "uint8", [[0, 1, 2, 3]])
    assert info == ss.Info((4, 6), "uint8", np.array([[0.0, 1, 2, 3]])) == eval(repr(info), vars(ss))
    assert info == pickle.loads(pickle.dumps(info))
    assert info != ss.Info((4, 6), "uint8")
    assert info != ss.Info((4, 6), "uint8", [[0, 1, 2, 4]])
    assert ss.Info((4, 6), boxes=[]).boxes.shape == (0, 4)
    assert ss.Info((4, 6), boxes=BOXES).boxes.dtype == np.float64
    assert BOXES[:, :4].tolist() == ss.Info((4, 6), boxes=BOXES).boxes.tolist()
    ss.Info((4, 6), boxes=BOXES).boxes[:] = 0
    assert BOXES[0, 0] == 1
    for boxes in ([1, 2, 3, 4], [[1, 2, 3]]):
        with pytest.raises(ValueError, match="boxes must have the shape"):
            ss.Info((4, 6), boxes=boxes)


def test_a_spatial_transform_without_apply_mask_refuses_masks() -> None:
    class Moves(ss.SpatialTransform):
        def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
            return image[::-1]

    assert Moves()({"image": IMAGE}, key=KEY)["image"].shape == IMAGE.shape
    for target in ("mask", "boxes", "keypoints"):
        with pytest.raises(
            NotImplementedError, match=f"Moves moves pixels and has no apply_{target}: define it"
        ):
            Moves()({"image": IMAGE, target: SAMPLE[target]}, key=KEY)
