"""What holds for every transform that moves pixels, and for pipelines of them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spatial_cases import KEEPING, PLACED, REPEATING, SPATIAL, WARPING, WINDOWS, landed, scene

import seedsafe as ss

keys = st.builds(
    ss.SampleKey, st.integers(0, 9), st.integers(0, 99), st.integers(0, 9999), view=st.integers(0, 9)
)
KEYS = [ss.SampleKey(7, 1, index, view=index % 11) for index in range(60)]


@pytest.mark.parametrize("name", {**KEEPING, **WINDOWS, **PLACED})
def test_everything_lands_in_one_place(name: str) -> None:
    whole = 0
    for key in KEYS:
        sample = scene(48, 56, 12 + key.index % 20, 14 + key.index % 25, 4.5)
        whole += landed({**SPATIAL, **PLACED}[name](sample, key=key), loose=False)
    assert whole >= 5


@pytest.mark.parametrize("name", WARPING)
def test_everything_lands_in_one_place_when_it_is_warped(name: str) -> None:
    whole = 0
    for key in KEYS:
        sample = scene(48, 56, 12 + key.index % 20, 14 + key.index % 25, 4.5)
        whole += landed(SPATIAL[name](sample, key=key), loose=True)
    assert whole >= 5


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(sorted({*SPATIAL} - {*REPEATING})), min_size=2, max_size=4, unique=True),
    keys,
    st.integers(10, 40),
)
def test_everything_lands_in_one_place_in_a_pipeline(names: list[str], key: ss.SampleKey, place: int) -> None:
    sample = scene(72, 64, place, 50 - place, 9.5)
    for name in names:  # until the disc is cut off, and its middle no longer the keypoint
        sample = SPATIAL[name](
            ss.PadIfNeeded(60)(sample, key=key), key=key
        )  # crops of a fixed size need large images
        if not landed(sample, loose=True, near=3.0):  # bent discs have other middles
            break


def images() -> list[Any]:
    rng = np.random.default_rng(0)
    shapes = [(48, 56), (48, 56, 1), (48, 56, 3), (48, 56, 4), (48, 56, 5), (47, 53, 16), (64, 31, 2)]
    return [rng.integers(0, 256, shape).astype(np.uint8) for shape in shapes]


@pytest.mark.parametrize("name", SPATIAL)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "uint16", "float64"])
def test_laws(name: str, dtype: str) -> None:
    for k, image in enumerate(images()):
        check_laws(SPATIAL[name], image.astype(dtype), ss.SampleKey(1, 2, k))


@pytest.mark.parametrize("name", SPATIAL)
@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (1, 1, 3), (33, 1, 4), (2, 3, 3)], ids=str)
def test_smallest_images(name: str, shape: tuple[int, ...]) -> None:
    transform = SPATIAL[name]
    if name in WINDOWS:
        with pytest.raises(ValueError, match="cannot crop"):
            transform(np.ones(shape, np.uint8), key=KEYS[0])
    else:
        for key in KEYS[:8]:
            check_laws(transform, np.ones(shape, np.uint8), key)


def check_laws(transform: ss.Transform, image: np.ndarray, key: ss.SampleKey) -> None:
    augment = ss.Compose([transform])
    before = image.copy()
    made = augment(image, key=key)
    np.testing.assert_array_equal(image, before)
    assert made.dtype == image.dtype
    assert made.flags.carray
    assert made.base is None
    assert not np.shares_memory(made, image)
    assert np.isfinite(made).all()
    params = augment.params(key, image)
    assert made.shape == shape_after(transform, image, params[0].params)
    same = [
        augment(image, key=key),
        augment.replay(image, params),
        pickle.loads(pickle.dumps(augment))(image, key=key),
        ss.Compose.from_json(augment.to_json())(image, key=key),
        augment({"image": image}, key=key)["image"],
    ]
    for one in same:
        np.testing.assert_array_equal(made, one)
    assert augment.params(key, image.shape) == params
    assert eval(repr(transform), vars(ss)) == transform


@pytest.mark.parametrize("name", PLACED)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_laws_of_what_looks_at_boxes_or_masks(name: str, dtype: str) -> None:
    augment = ss.Compose([PLACED[name]])
    for key in KEYS[:20]:
        sample = scene(48, 56, 20, 24, 6.5)
        sample["image"] = sample["image"].astype(dtype)
        before = {k: v.copy() for k, v in sample.items()}
        made = augment(sample, key=key)
        params = augment.params(key, sample)
        again = [
            augment.replay(sample, params),
            pickle.loads(pickle.dumps(augment))(sample, key=key),
            ss.Compose.from_json(augment.to_json())(sample, key=key),
        ]
        for target, part in before.items():
            np.testing.assert_array_equal(sample[target], part)
            assert made[target].dtype == part.dtype
            assert not np.shares_memory(made[target], sample[target])
            for one in again:
                np.testing.assert_array_equal(made[target], one[target])
        assert made["image"].shape == shape_after(PLACED[name], sample["image"], params[0].params)


def shape_after(transform: ss.Transform, image: np.ndarray, params: Any) -> tuple[int, ...]:
    return image.shape if params is None else transform.out_info(ss.Info(image.shape), params).shape


@pytest.mark.parametrize("name", SPATIAL)
def test_layouts(name: str, tmp_path: Path) -> None:
    wide = np.random.default_rng(0).integers(0, 256, (96, 112, 3)).astype(np.uint8)
    image = wide[::2, ::2].copy()
    frozen = image.copy()
    frozen.flags.writeable = False
    mapped = np.memmap(tmp_path / "image", np.uint8, "w+", shape=image.shape)
    mapped[...] = image
    for other in (
        mapped,
        wide[::2, ::2],
        np.asfortranarray(image),
        image[::-1, ::-1].copy()[::-1, ::-1],
        image[..., ::-1].copy()[..., ::-1],
        frozen,
    ):
        for key in KEYS[:2]:
            np.testing.assert_array_equal(SPATIAL[name](other, key=key), SPATIAL[name](image, key=key))
    still = np.broadcast_to(np.uint8(9), (48, 56, 3))
    for key in KEYS[:3]:
        np.testing.assert_array_equal(SPATIAL[name](still, key=key), SPATIAL[name](still.copy(), key=key))


@pytest.mark.parametrize("name", SPATIAL)
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_masks_keep_their_labels(name: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    limits = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    labels = np.array([0, 1, *limits], dtype)
    for shape in ((48, 56), (48, 56, 1), (48, 56, 6)):
        mask = labels[rng.integers(0, len(labels), shape)]
        for key in KEYS[:2]:
            sample = {"image": np.zeros((*shape[:2], 3), np.uint8), "mask": mask}
            made = SPATIAL[name](sample, key=key)
            assert made["mask"].dtype == mask.dtype
            assert made["mask"].shape == (*made["image"].shape[:2], *shape[2:])
            assert np.isin(made["mask"], labels).all()
            small = sample | {"mask": (mask == labels[1]).astype(np.uint8)}
            np.testing.assert_array_equal(
                made["mask"] == labels[1], SPATIAL[name](small, key=key)["mask"] == 1
            )


@pytest.mark.parametrize("name", SPATIAL)
def test_boxes_and_keypoints_of_every_number_and_dtype(name: str) -> None:
    rng = np.random.default_rng(0)
    for n in (0, 1, 10_000):
        for dtype in ("float32", "float64", "int32"):
            corners = rng.uniform(0, 40, (n, 2))
            boxes = np.concatenate(
                [corners, corners + rng.uniform(1, 8, (n, 2)), np.full((n, 1), 7)], 1
            ).astype(dtype)
            points = np.concatenate([corners, np.full((n, 2), 5)], 1).astype(dtype)
            image = np.zeros((48, 56), np.uint8)
            for key in KEYS[:1]:
                before = boxes.copy(), points.copy()
                made = SPATIAL[name]({"image": image, "boxes": boxes, "keypoints": points}, key=key)
                np.testing.assert_array_equal(boxes, before[0])
                np.testing.assert_array_equal(points, before[1])
                assert made["boxes"].shape == boxes.shape
                assert made["keypoints"].shape == points.shape
                assert made["boxes"].dtype == made["keypoints"].dtype == dtype
                assert (made["boxes"][:, 4] == 7).all()
                assert (made["keypoints"][:, 2:] == 5).all()


@pytest.mark.parametrize("name", SPATIAL)
def test_uint8_and_float32_have_the_same_parameters(name: str) -> None:
    augment = ss.Compose([SPATIAL[name]])
    for key in KEYS[:5]:
        assert augment.params(key, ss.Info((48, 56, 3), "uint8")) == augment.params(
            key, ss.Info((48, 56, 3), "float32")
        )
