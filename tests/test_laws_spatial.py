"""What holds for every transform that moves pixels, and for pipelines of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import TRANSFORMS, Case, Moves
from cases.case import AROUND, COVERS, EXACT, RECOLOURS, REPEATS, TEARS
from hypothesis import given, settings
from hypothesis import strategies as st
from image_laws import alike, keep, refuses_to_change_with_dtype

import seedsafe as ss
from seedsafe.pipeline.boxes import Edges

keys = st.builds(
    ss.SampleKey, st.integers(0, 9), st.integers(0, 99), st.integers(0, 9999), view=st.integers(0, 9)
)
KEYS = [ss.SampleKey(7, 1, index, view=index % 11) for index in range(60)]


WAYS = [(case, moves) for case in TRANSFORMS.values() for moves in case.moves]
FOLLOWED = [(case, moves) for case, moves in WAYS if moves.how != REPEATS]
SPATIAL = {
    repr(moves.transform): moves
    for case, moves in WAYS
    if moves.how in (EXACT, AROUND, REPEATS) and case.needs is None
}
"""What moves whole images, and looks at nothing else."""

LOOKING = {repr(moves.transform): moves.transform for case, moves in WAYS if case.needs}
"""What looks at the boxes or the mask."""


def scene(rows: int, columns: int, y: float, x: float, radius: float) -> dict[str, Any]:
    """Return a white disc on black, as image, mask, box and keypoint."""
    down, right = np.mgrid[:rows, :columns]
    mask = ((down - y) ** 2 + (right - x) ** 2 <= radius**2).astype(np.uint8)
    seen_rows, seen_columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    box = [seen_columns[0], seen_rows[0], seen_columns[-1] + 1, seen_rows[-1] + 1]
    return {
        "image": np.repeat(mask[..., None] * np.uint8(255), 3, axis=2),
        "mask": mask,
        "boxes": np.array([box], np.float64).view(Edges),
        "keypoints": np.array([[x, y]], np.float64),
    }


def landed(result: dict[str, Any], *, loose: bool, near: float = 1.2, bright: bool = True) -> bool:
    """Raise AssertionError where the parts of a scene lie apart; return whether the disc is seen whole.

    Args:
        result: the scene, transformed.
        loose: whether the box may be larger than what is seen.
        near: how far the keypoint may lie from the disc's middle.
        bright: whether the disc is still what is bright in the image.
    """
    mask, image = result["mask"], result["image"]
    height, width = mask.shape
    assert image.shape[:2] == mask.shape
    (x, y), (x0, y0, x1, y1) = result["keypoints"][0], result["boxes"][0]
    assert 0 <= x0 <= x1 <= width
    assert 0 <= y0 <= y1 <= height
    if not mask.any():
        return False
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    seen = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])
    room = 1.6  # a pixel of the mask goes to the nearest, once a transform
    assert (np.array([x0, y0, -x1, -y1]) <= seen * [1, 1, -1, -1] + room).all(), (
        "the box leaves out what is seen"
    )
    whole = rows[0] > 2 and columns[0] > 2 and rows[-1] < height - 3 and columns[-1] < width - 3
    if bright:
        disc = image[..., 0] > 127
        assert (disc != (mask > 0)).sum() <= 0.5 * (disc | (mask > 0)).sum() + 6, "image and mask lie apart"
    if whole:
        down, right = np.nonzero(mask)
        assert abs(right.mean() - x) <= near, "the keypoint lies beside the disc"
        assert abs(down.mean() - y) <= near, "the keypoint lies beside the disc"
        if not loose:
            assert np.abs(seen - [x0, y0, x1, y1]).max() <= room, "the box is larger than what is seen"
    return bool(whole)


def follow(case: Case, moves: Moves) -> None:
    """Raise AssertionError where image, mask, boxes and keypoints of one scene go different ways, or nothing goes any."""
    transform, whole, moved = moves.transform, 0, 0
    assert type(transform) is case.kind
    for key in KEYS:
        y, x = 12 + key.index % 20, 14 + key.index % 25
        before = (
            block(48, 56, y, x, 5) if moves.how == COVERS else scene(48, 56, y, x, RADII.get(moves.how, 4.5))
        )
        after = transform(before, key=key)
        if moves.how == COVERS:
            whole += hidden(case, before, after)
        else:
            whole += landed(after, loose=moves.how in (AROUND, RECOLOURS), bright=moves.how != RECOLOURS)
        moved += after["mask"].shape != before["mask"].shape or bool((after["mask"] != before["mask"]).any())
    assert whole >= 5, "the scene is hardly ever seen"
    assert moved >= 5, "nothing is moved or hidden"


RADII = {TEARS: 0.4}
"""Of a disc that nothing tears: a pixel."""


def block(rows: int, columns: int, y: int, x: int, half: int) -> dict[str, Any]:
    """Return a white square on black, as image, mask, box and keypoint."""
    mask = np.zeros((rows, columns), np.uint8)
    mask[y - half : y + half, x - half : x + half] = 1
    return {
        "image": np.repeat(mask[..., None] * np.uint8(255), 3, axis=2),
        "mask": mask,
        "boxes": np.array([[x - half, y - half, x + half, y + half]], np.float64).view(Edges),
        "keypoints": np.array([[x, y]], np.float64),
    }


def hidden(case: Case, before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Raise AssertionError where image, mask and boxes hide different pixels; return whether some of the square is seen."""
    mask, holes = after["mask"], after["mask"] == 7
    np.testing.assert_array_equal((after["image"] == 200).all(axis=2), holes)
    np.testing.assert_array_equal(after["image"][~holes], before["image"][~holes])
    np.testing.assert_array_equal(mask[~holes], before["mask"][~holes])
    np.testing.assert_array_equal(after["keypoints"], before["keypoints"])
    if not hasattr(case.kind, "apply_boxes"):
        np.testing.assert_array_equal(after["boxes"], before["boxes"])
    elif (mask == 1).any():
        rows, columns = np.flatnonzero((mask == 1).any(1)), np.flatnonzero((mask == 1).any(0))
        assert after["boxes"][0].tolist() == [columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]
    else:
        x0, y0, x1, y1 = after["boxes"][0]
        assert (x1 - x0) * (y1 - y0) == 0, "a box is left of what is hidden"
    return bool((mask == 1).any())


@pytest.mark.parametrize(("case", "moves"), FOLLOWED, ids=[repr(moves.transform) for _, moves in FOLLOWED])
def test_everything_lands_in_one_place(case: Case, moves: Moves) -> None:
    follow(case, moves)


class Left(ss.HorizontalFlip):
    """Leaves boxes where they were."""

    __slots__ = ()

    def apply_boxes(self, boxes: Any, params: Any, *more: Any) -> Any:
        return boxes


class Idle(ss.Transpose):
    __slots__ = ()


@pytest.mark.parametrize(
    ("transform", "how"),
    [(Left(p=1), EXACT), (Left(p=1), AROUND), (Left(p=1), TEARS), (Idle(p=0), EXACT), (Left(p=1), COVERS)],
    ids=repr,
)
def test_that_test_would_notice(transform: Any, how: str) -> None:
    with pytest.raises(AssertionError):
        follow(Case(type(transform), drawn=""), Moves(transform, how))


def movers(case: Case) -> None:
    """Raise AssertionError where a case does not say how its class moves pixels."""
    touches = not case.alone and (
        issubclass(case.kind, ss.SpatialTransform)
        or any(hasattr(case.kind, f"apply_{target}") for target in ("mask", "masks", "boxes", "keypoints"))
    )
    followed = [one for one in case.moves if one.how != REPEATS]
    assert bool(followed) == touches, (
        f"the case of {case.name} must say in `moves` how it moves or hides pixels"
    )


@pytest.mark.parametrize("case", [c for c in TRANSFORMS.values() if not c.holds], ids=lambda case: case.name)
def test_what_moves_pixels_says_so(case: Case) -> None:
    movers(case)


@pytest.mark.parametrize("target", ["mask", "boxes", "keypoints"])
@pytest.mark.parametrize("case", [c for c in TRANSFORMS.values() if c.alone], ids=lambda case: case.name)
def test_what_takes_images_alone_refuses_the_rest(case: Case, target: str) -> None:
    sample = scene(48, 56, 20, 24, 6.5)
    with pytest.raises(NotImplementedError, match=f"{case.name} moves pixels and has no apply_{target}"):
        case.make()({"image": sample["image"], target: sample[target]}, key=KEYS[0])


def test_what_does_not_say_so_is_noticed() -> None:
    for case in (
        Case(Left, drawn=""),
        Case(ss.CoarseDropout, drawn=""),
        Case(ss.Blur, moves=[Moves(ss.Blur())], drawn=""),
    ):
        with pytest.raises(AssertionError, match="must say in `moves`"):
            movers(case)
    with pytest.raises(AssertionError, match="must say in `moves`"):
        movers(Case(ss.Affine, moves=[Moves(ss.Affine(mode="reflect"), REPEATS)], drawn=""))


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from([n for n, one in SPATIAL.items() if one.how != REPEATS]),
        min_size=2,
        max_size=4,
        unique=True,
    ),
    keys,
    st.integers(10, 40),
)
def test_everything_lands_in_one_place_in_a_pipeline(names: list[str], key: ss.SampleKey, place: int) -> None:
    sample = scene(72, 64, place, 50 - place, 9.5)
    for name in names:  # until the disc is cut off, and its middle no longer the keypoint
        # Crops of a fixed size need large images.
        for transform in (ss.PadIfNeeded(60), SPATIAL[name].transform):
            sample = transform(sample | {"boxes": sample["boxes"].view(Edges)}, key=key)
        if not landed(
            sample, loose=True, near=5.0
        ):  # bent discs have other middles, by half of their radius at most
            break


def images() -> list[Any]:
    rng = np.random.default_rng(0)
    shapes = [(48, 56), (48, 56, 1), (48, 56, 3), (48, 56, 4), (48, 56, 5), (47, 53, 16), (64, 31, 2)]
    return [rng.integers(0, 256, shape).astype(np.uint8) for shape in shapes]


@pytest.mark.parametrize("name", SPATIAL)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "uint16", "float64"])
def test_laws(name: str, dtype: str) -> None:
    for k, image in enumerate(images()):
        check_laws(SPATIAL[name].transform, image.astype(dtype), ss.SampleKey(1, 2, k))


@pytest.mark.parametrize("name", SPATIAL)
@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (1, 1, 3), (33, 1, 4), (2, 3, 3)], ids=str)
def test_smallest_images(name: str, shape: tuple[int, ...]) -> None:
    transform = SPATIAL[name].transform
    if SPATIAL[name].window:
        with pytest.raises(ValueError, match="cannot crop"):
            transform(np.ones(shape, np.uint8), key=KEYS[0])
    else:
        for key in KEYS[:8]:
            check_laws(transform, np.ones(shape, np.uint8), key)


def check_laws(transform: ss.Transform, image: np.ndarray, key: ss.SampleKey) -> None:
    made = keep(transform, image, key)
    assert made.dtype == image.dtype
    assert made.base is None
    refuses_to_change_with_dtype(transform, image.shape, key)
    augment, *_ = alike(transform)
    assert augment.params(key, image.shape) == augment.params(key, image)


@pytest.mark.parametrize("name", LOOKING)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_laws_of_what_looks_at_boxes_or_masks(name: str, dtype: str) -> None:
    augment, *twins = alike(LOOKING[name])
    for key in KEYS[:20]:
        sample = scene(48, 56, 20, 24, 6.5)
        sample["image"] = sample["image"].astype(dtype)
        before = {k: v.copy() for k, v in sample.items()}
        made = augment(sample, key=key)
        params = augment.params(key, sample)
        again = [augment.replay(sample, params), *(twin(sample, key=key) for twin in twins)]
        for target, part in before.items():
            np.testing.assert_array_equal(sample[target], part)
            assert made[target].dtype == part.dtype
            assert not np.shares_memory(made[target], sample[target])
            for one in again:
                np.testing.assert_array_equal(made[target], one[target])
        assert made["image"].shape == shape_after(LOOKING[name], sample["image"], params[0].params)


def shape_after(transform: ss.Transform, image: np.ndarray, params: Any) -> tuple[int, ...]:
    return image.shape if params is None else transform.out_info(ss.Info(image.shape), params).shape


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
            made = SPATIAL[name].transform(sample, key=key)
            assert made["mask"].dtype == mask.dtype
            assert made["mask"].shape == (*made["image"].shape[:2], *shape[2:])
            assert np.isin(made["mask"], labels).all()
            small = sample | {"mask": (mask == labels[1]).astype(np.uint8)}
            np.testing.assert_array_equal(
                made["mask"] == labels[1], SPATIAL[name].transform(small, key=key)["mask"] == 1
            )


@pytest.mark.parametrize("name", SPATIAL)
def test_boxes_and_keypoints_of_every_number_and_dtype(name: str) -> None:
    rng = np.random.default_rng(0)
    for n in (0, 1, 2_000):
        for dtype in ("float32", "float64", "int32"):
            corners = rng.uniform(0, 40, (n, 2))
            boxes = np.concatenate(
                [corners, corners + rng.uniform(1, 8, (n, 2)), np.full((n, 1), 7)], 1
            ).astype(dtype)
            points = np.concatenate([corners, np.full((n, 2), 5)], 1).astype(dtype)
            image = np.zeros((48, 56), np.uint8)
            for key in KEYS[:1]:
                before = boxes.copy(), points.copy()
                made = SPATIAL[name].transform(
                    {"image": image, "boxes": boxes.view(Edges), "keypoints": points}, key=key
                )
                np.testing.assert_array_equal(boxes, before[0])
                np.testing.assert_array_equal(points, before[1])
                assert made["boxes"].shape == boxes.shape
                assert made["keypoints"].shape == points.shape
                assert made["boxes"].dtype == made["keypoints"].dtype == dtype
                assert (made["boxes"][:, 4] == 7).all()
                assert (made["keypoints"][:, 2:] == 5).all()
