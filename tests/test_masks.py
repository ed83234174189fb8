"""Several masks of one sample, and the labels of boxes, in every form that a dataset returns them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe.reading import augment_batch, augment_sample, augment_views, check_targets

KEY = ss.SampleKey(42, 3, 1234)
KEYS = [ss.SampleKey(42, 3, index) for index in range(10)]
IMAGE = np.random.default_rng(0).integers(0, 256, (24, 30, 3), dtype=np.uint8)
MASKS = [
    (np.arange(24 * 30).reshape(24, 30) * step % 251).astype(dtype)
    for step, dtype in enumerate("BbHhilQ?f", 3)
]
AUGMENT = ss.Compose(
    [ss.HorizontalFlip(), ss.RandomCrop((20, 40), pad_if_needed=True, mask_fill=7), ss.GaussianNoise()]
)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key.index))
def test_each_mask_goes_the_way_of_one(key: ss.SampleKey) -> None:
    wanted = [AUGMENT({"image": IMAGE, "mask": mask}, key=key)["mask"] for mask in MASKS]
    listed = AUGMENT({"image": IMAGE, "masks": MASKS, "mask": MASKS[0]}, key=key)
    assert type(listed["masks"]) is list
    tupled = AUGMENT({"image": IMAGE, "masks": tuple(MASKS)}, key=key)
    assert type(tupled["masks"]) is tuple
    for made in (listed["masks"], tupled["masks"]):
        for one, mask in zip(made, wanted, strict=True):
            assert one.dtype == mask.dtype
            np.testing.assert_array_equal(one, mask)
    np.testing.assert_array_equal(listed["mask"], wanted[0])
    stack = np.stack([MASKS[0], MASKS[0][::-1]])
    stacked = AUGMENT({"image": IMAGE, "masks": stack}, key=key)["masks"]
    assert stacked.dtype == stack.dtype
    np.testing.assert_array_equal(stacked[0], wanted[0])
    none = AUGMENT({"image": IMAGE, "masks": stack[:0]}, key=key)["masks"]
    assert none.shape == (0, 20, 40)
    assert AUGMENT({"image": IMAGE, "masks": []}, key=key)["masks"] == []
    sample = {"image": IMAGE, "masks": MASKS}
    record = AUGMENT.params(key, sample)
    for again in (AUGMENT.replay(sample, record), AUGMENT.replay({"masks": MASKS}, record, info=IMAGE.shape)):
        for one, mask in zip(again["masks"], wanted, strict=True):
            np.testing.assert_array_equal(one, mask)


def test_masks_are_never_the_callers_memory() -> None:
    for transforms in ([ss.HorizontalFlip(p=0)], [ss.GaussianNoise()], [ss.CenterCrop((24, 30))]):
        for masks in (MASKS, tuple(MASKS), np.stack([MASKS[0]] * 2)):
            made = ss.Compose(transforms)({"image": IMAGE, "masks": masks}, key=KEY)["masks"]
            for one, mask in zip(made, masks, strict=True):
                assert not np.shares_memory(one, mask)
                assert one.flags.c_contiguous
                assert one.flags.writeable
                np.testing.assert_array_equal(one, mask)


def test_a_transform_without_apply_mask_refuses_masks() -> None:
    class Moves(ss.SpatialTransform):
        def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
            return image

    with pytest.raises(NotImplementedError, match="Moves moves pixels and has no apply_mask"):
        Moves()({"image": IMAGE, "masks": MASKS}, key=KEY)


@pytest.mark.parametrize(
    ("masks", "error", "message"),
    [
        (MASKS[0], ValueError, r"masks must be a list of masks or a stack \(N, H, W\), got \(24, 30\)"),
        (3, TypeError, "masks must be a list of masks or a stack"),
        (
            [MASKS[0], MASKS[1][1:]],
            ValueError,
            "a mask of masks and image must have the same height and width",
        ),
        (np.zeros((0, 5, 5)), ValueError, "a mask of masks and image must have the same height and width"),
        ([[1, 2]], TypeError, "a mask of masks must be a NumPy array, got builtins.list"),
    ],
)
def test_bad_masks(masks: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        AUGMENT({"image": IMAGE, "masks": masks}, key=KEY)


# Forms of samples


def test_targets_may_name_several_masks() -> None:
    a, b = MASKS[0], MASKS[4]
    wanted = AUGMENT({"image": IMAGE, "masks": [a, b]}, key=KEY)
    made = augment_sample(AUGMENT, (IMAGE, a, 3, b), KEY, ("image", "mask", None, "mask"))
    assert made[2] == 3
    np.testing.assert_array_equal(made[0], wanted["image"])
    named = augment_sample(
        AUGMENT,
        {"x": IMAGE, "left": a, "right": b, "y": 3},
        KEY,
        {"x": "image", "left": "mask", "right": "mask"},
    )
    assert named["y"] == 3
    for first, second in ((made[1], made[3]), (named["left"], named["right"])):
        np.testing.assert_array_equal(first, wanted["masks"][0])
        np.testing.assert_array_equal(second, wanted["masks"][1])
    keys = KEYS[:3]
    images, left, label, right = augment_views(
        AUGMENT, (IMAGE, a, 3, b), keys, ("image", "mask", None, "mask")
    )
    assert label == 3
    for k, key in enumerate(keys):
        one = AUGMENT({"image": IMAGE, "masks": [a, b]}, key=key)
        for view, part in (
            (images[k], one["image"]),
            (left[k], one["masks"][0]),
            (right[k], one["masks"][1]),
        ):
            np.testing.assert_array_equal(view, part)
    for wrong in (("masks", "mask", "mask"), ("boxes", "boxes")):
        with pytest.raises(ValueError, match="each at most once except image and mask"):
            check_targets(wrong)


def test_masks_of_other_forms() -> None:
    import PIL.Image
    import torch

    wanted = AUGMENT({"image": IMAGE, "masks": MASKS[:2]}, key=KEY)["masks"]
    tensors = augment_sample(
        AUGMENT, {"image": IMAGE, "masks": [torch.from_numpy(m) for m in MASKS[:2]]}, KEY
    )
    assert all(isinstance(one, torch.Tensor) for one in tensors["masks"])
    pictures = augment_sample(AUGMENT, {"image": IMAGE, "masks": [PIL.Image.fromarray(MASKS[0])]}, KEY)
    for one, mask in zip([*tensors["masks"], *pictures["masks"]], [*wanted, wanted[0]], strict=True):
        np.testing.assert_array_equal(np.asarray(one), mask)


def test_ready_batches_with_several_masks() -> None:
    images = np.stack([IMAGE, IMAGE[::-1]])
    left, right = np.stack([MASKS[0]] * 2), np.stack([MASKS[4]] * 2)
    keys = [ss.SampleKey(42, 3, 5), ss.SampleKey(42, 3, 6)]
    made = augment_batch(
        AUGMENT, (images, left, right, [0, 1]), keys[0], ("image", "mask", "mask", None), limit=9
    )
    stacked = augment_batch(
        AUGMENT, {"image": images, "masks": np.stack([left.astype("i"), right], axis=1)}, keys[0], limit=9
    )
    for row, key in enumerate(keys):
        wanted = AUGMENT({"image": images[row], "masks": [MASKS[0], MASKS[4]]}, key=key)
        np.testing.assert_array_equal(made[0][row], wanted["image"])
        for k in (0, 1):
            assert made[1 + k].dtype == wanted["masks"][k].dtype
            np.testing.assert_array_equal(made[1 + k][row], wanted["masks"][k])
            np.testing.assert_array_equal(stacked["masks"][row, k], wanted["masks"][k])


BOXES = ss.Compose(
    [ss.HorizontalFlip(), ss.RandomCrop(12)], boxes=ss.Boxes("coco", labels="names", min_visibility=0.3)
)
COCO = np.array([[1, 2, 8, 6], [15, 3, 12, 20], [4, 12, 9, 9], [20, 1, 5, 5]], np.float32)
NAMES = ["a", "b", "c", "d"]


def test_labels_go_by_targets() -> None:
    kept = set()
    for key in KEYS:
        wanted = BOXES({"image": IMAGE, "boxes": COCO, "names": NAMES}, key=key)
        kept.add(len(wanted["names"]))
        targets = check_targets(("image", "boxes", "names", None), BOXES.labels)
        image, boxes, names, rest = augment_sample(BOXES, (IMAGE, COCO, NAMES, 7), key, targets)
        named = augment_sample(
            BOXES,
            {"img": IMAGE, "bbox": COCO, "cats": NAMES, "id": 7},
            key,
            {"img": "image", "bbox": "boxes", "cats": "names"},
        )
        assert rest == named["id"] == 7
        for made in ((image, boxes, names), (named["img"], named["bbox"], named["cats"])):
            np.testing.assert_array_equal(made[0], wanted["image"])
            np.testing.assert_array_equal(made[1], wanted["boxes"])
            assert made[2] == wanted["names"]
    assert len(kept) > 1
    with pytest.raises(
        ValueError,
        match=r"targets must each be one of image, .*, names, or None to pass through, got 'labels'",
    ):
        check_targets(("image", "boxes", "labels"), BOXES.labels)
    with pytest.raises(ValueError, match="name 'names', which the sample lacks"):
        augment_sample(BOXES, (IMAGE, COCO, NAMES), KEY, ("image", "boxes", None))


def test_views_have_labels_of_their_own() -> None:
    made = augment_views(BOXES, {"image": IMAGE, "boxes": COCO, "names": NAMES, "y": 1}, KEYS)
    assert made["y"] == 1
    for k, key in enumerate(KEYS):
        wanted = BOXES({"image": IMAGE, "boxes": COCO, "names": NAMES}, key=key)
        np.testing.assert_array_equal(made["boxes"][k], wanted["boxes"])
        assert made["names"][k] == wanted["names"]


def test_a_dataset_of_torch_with_boxes_and_labels() -> None:
    import torch

    import seedsafe_torch as st

    class Detections(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return 8

        def __getitem__(self, index: int) -> tuple[Any, ...]:
            return IMAGE, {"boxes": COCO, "names": NAMES}, index

    class Flat(Detections):
        def __getitem__(self, index: int) -> tuple[Any, ...]:
            image, target, index = super().__getitem__(index)
            return image, target["boxes"], torch.arange(4), index

    augment = ss.Compose(BOXES.transforms, boxes=BOXES.boxes)
    data = st.AugmentedDataset(Flat(), augment, seed=42, targets=("image", "boxes", "names", None))
    loader = st.loader(data, batch_size=4, num_workers=2, collate_fn=list)
    for image, boxes, names, index in (one for batch in loader for one in batch):
        wanted = augment({"image": IMAGE, "boxes": COCO, "names": NAMES}, key=ss.SampleKey(42, 0, index))
        np.testing.assert_array_equal(image, wanted["image"])
        np.testing.assert_array_equal(boxes, wanted["boxes"])
        assert [NAMES[k] for k in names] == wanted["names"]
    with pytest.raises(ValueError, match="got 'nams'"):
        st.AugmentedDataset(Flat(), augment, seed=42, targets=("image", "boxes", "nams", None))
