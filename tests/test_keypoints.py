"""Keypoints of a Compose: those outside the image, their labels, and pairs in a mirror."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import seedsafe as ss

KEY = ss.SampleKey(42, 3, 1234)
KEYS = [ss.SampleKey(42, 3, index) for index in range(20)]
IMAGE = np.random.default_rng(0).integers(0, 256, (24, 30, 3), dtype=np.uint8)
POINTS = np.array([[3, 4, 2], [25, 4, 1], [10, 20, 2], [29.4, 23.4, 2], [0, 0, 0]])
NAMES = ["left eye", "right eye", "nose", "left ear", "right ear"]
PAIRS = [("left eye", "right eye"), ("left ear", "right ear")]
SAMPLE = {"image": IMAGE, "keypoints": POINTS, "names": NAMES, "weights": np.arange(5.0)}
CROP = [ss.CenterCrop((24, 20)), ss.Pad((0, 20))]


def run(*transforms: Any, key: ss.SampleKey = KEY, **options: Any) -> dict[str, Any]:
    return ss.Compose(transforms, keypoints=ss.Keypoints(**options))(SAMPLE, key=key)


def test_outside_keypoints_are_kept_marked_or_dropped() -> None:
    kept = run(*CROP, outside="keep", labels="names")
    assert kept["keypoints"].tolist() == (POINTS + np.array([15, 0, 0])).tolist()
    assert kept["names"] is NAMES
    marked = run(*CROP, outside="mark")
    assert marked["keypoints"][:, :2].tolist() == kept["keypoints"][:, :2].tolist()
    assert marked["keypoints"][:, 2].tolist() == [0, 0, 2, 0, 0]  # cut off, and not back with the padding
    dropped = run(*CROP, outside="drop", labels=["names", "weights"])
    assert dropped["keypoints"].tolist() == [[25, 20, 2]]
    assert dropped["names"] == ["nose"]
    assert dropped["weights"].tolist() == [2]
    assert POINTS[0, 2] == 2


def test_outside_is_outside_of_the_pixels_and_stays_so_in_a_mirror() -> None:
    xs = np.array([-0.75, -0.5, -0.25, 0, 29, 29.25, 29.5, 29.75])
    for points in (np.column_stack([xs, xs * 0]), np.column_stack([29 - xs, xs * 0])):
        sample = {"image": IMAGE, "keypoints": points}
        for transforms in ([], [ss.HorizontalFlip(p=1)]):
            out = ss.Compose(transforms, keypoints=ss.Keypoints(outside="drop"))(sample, key=KEY)
            assert sorted(out["keypoints"][:, 0]) == [-0.5, -0.25, 0, 29, 29.25, 29.5]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key.index))
@pytest.mark.parametrize("outside", ["keep", "mark", "drop"])
def test_names_follow_the_mirror(outside: str, key: ss.SampleKey) -> None:
    transforms = [
        ss.HorizontalFlip(),
        ss.RandomCrop((20, 24)),
        ss.OneOf([ss.VerticalFlip(), ss.HorizontalFlip(), ss.Pad(2)]),
        ss.GaussianNoise(),
    ]
    augment = ss.Compose(
        transforms, keypoints=ss.Keypoints(outside=outside, labels=("names", "weights"), pairs=PAIRS)
    )
    out = augment(SAMPLE, key=key)
    record = augment.params(key, SAMPLE)
    mirrors = sum(
        one.params is not None and one.name.startswith(("HorizontalFlip", "VerticalFlip")) for one in record
    )
    other = dict([*PAIRS, *(pair[::-1] for pair in PAIRS)])
    wanted = [other.get(name, name) for name in NAMES] if mirrors % 2 else NAMES
    assert out["names"] == [wanted[int(k)] for k in out["weights"]]
    plain = ss.Compose(transforms)(SAMPLE, key=key)
    assert out["keypoints"][:, :2].tolist() == [
        plain["keypoints"][int(k), :2].tolist() for k in out["weights"]
    ]
    for again in (
        augment.replay(SAMPLE, record),
        augment.replay({k: v for k, v in SAMPLE.items() if k != "image"}, record, info=IMAGE.shape),
    ):
        np.testing.assert_array_equal(again["keypoints"], out["keypoints"])
        assert again["names"] == out["names"]


def test_names_of_every_kind() -> None:
    for names, made in (
        (NAMES, list),
        (tuple(NAMES), tuple),
        (np.array(["l", "r", "nose", "a", "b"]), np.array),
        ([1, 2, 3, 4, 5], list),
    ):
        values = list(names)
        pairs = [(values[0], values[1])]
        augment = ss.Compose([ss.HorizontalFlip(p=1)], keypoints=ss.Keypoints(labels="names", pairs=pairs))
        out = augment(SAMPLE | {"names": names}, key=KEY)
        assert type(out["names"]) is (np.ndarray if made is np.array else made)
        assert list(out["names"]) == [values[1], values[0], *values[2:]]
        assert list(names) == values
    long = np.array(["l", "a much longer name"])
    pair = ss.Keypoints(labels="names", pairs=[tuple(long.tolist())])
    sample = {"image": IMAGE, "keypoints": POINTS[:2], "names": long}
    assert (
        ss.Compose([ss.HorizontalFlip(p=1)], keypoints=pair)(sample, key=KEY)["names"].tolist()
        == long[::-1].tolist()
    )


def test_rows_change_places_without_labels() -> None:
    out = run(ss.HorizontalFlip(p=1), pairs=[(0, 1), (3, 4)])
    mirrored = POINTS * [-1, 1, 1] + [29, 0, 0]
    assert out["keypoints"].tolist() == mirrored[[1, 0, 2, 4, 3]].tolist()
    turned = run(ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1), pairs=[(0, 1), (3, 4)])
    assert turned["keypoints"].tolist() == (mirrored * [1, -1, 1] + [0, 23, 0]).tolist()
    with pytest.raises(ValueError, match="pairs name the row 7, but the sample has 5 keypoints"):
        run(ss.HorizontalFlip(p=1), pairs=[(0, 7)])


def test_no_keypoints() -> None:
    augment = ss.Compose(
        [ss.HorizontalFlip(p=1)], keypoints=ss.Keypoints(outside="mark", labels="names", pairs=PAIRS)
    )
    out = augment({"image": IMAGE, "keypoints": np.zeros((0, 3)), "names": []}, key=KEY)
    assert out["keypoints"].shape == (0, 3)
    assert out["names"] == []
    assert set(augment({"image": IMAGE}, key=KEY)) == {"image"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"outside": "remove"}, ValueError, "outside must be one of keep, mark, drop, got 'remove'"),
        ({"pairs": "ab"}, TypeError, "pairs must be a list of pairs"),
        ({"pairs": 3}, TypeError, "pairs must be a list of pairs"),
        ({"pairs": [(1, 2, 3)]}, ValueError, "pairs must be a list of pairs"),
        ({"pairs": [1, 2]}, ValueError, "pairs must be a list of pairs"),
        ({"pairs": [(1, 2), (2, 3)]}, ValueError, "pairs must name each keypoint at most once"),
        ({"pairs": [("a", "b")]}, ValueError, "pairs must be row numbers if there are no labels"),
        ({"pairs": [(0, 1)], "outside": "drop"}, ValueError, "pairs must be names of labels when outside='drop' removes rows"),
    ],
)  # fmt: skip
def test_bad_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ss.Keypoints(**options)


def test_marks_need_a_third_column() -> None:
    augment = ss.Compose([], keypoints=ss.Keypoints(outside="mark"))
    with pytest.raises(
        ValueError, match="outside='mark' writes to the third column of keypoints, got the shape"
    ):
        augment({"image": IMAGE, "keypoints": POINTS[:, :2]}, key=KEY)


@pytest.mark.parametrize(
    ("transform", "mirrors"),
    [(ss.Transpose(p=1), True), (ss.Affine((90, 90), p=1), False), (ss.Affine(scale=(0.5, 0.5), p=1), False)],
)
def test_transposed_names_are_mirrored_and_not_those_turned_or_made_smaller(
    transform: ss.Transform, mirrors: bool
) -> None:
    rules = ss.Keypoints(outside="keep", labels="names", pairs=PAIRS)
    names = ss.Compose([transform], keypoints=rules)(SAMPLE, key=KEY)["names"]
    assert (names == NAMES) is not mirrors


def test_a_bridge_that_moves_keypoints_cannot_tell_whether_it_mirrors() -> None:
    def mirrored(*, image: np.ndarray, keypoints: np.ndarray, **rest: Any) -> dict[str, Any]:
        return {"image": image[:, ::-1], "keypoints": keypoints * [-1, 1, 1] + [29, 0, 0]} | rest

    augment = ss.Compose(
        [ss.bridge(mirrored, call="named")], keypoints=ss.Keypoints(labels="names", pairs=PAIRS)
    )
    with pytest.raises(ValueError, match="moved keypoints and may have mirrored them"):
        augment(SAMPLE, key=KEY)
    out = ss.Compose([ss.bridge(mirrored, call="named")], keypoints=ss.Keypoints(outside="drop"))(
        SAMPLE, key=KEY
    )
    assert len(out["keypoints"]) == 5


@pytest.mark.parametrize("outside", ["drop", "mark", "keep"])
def test_keypoints_checked_at_the_end_may_come_back(outside: str) -> None:
    back = [ss.CenterCrop(8), ss.Pad((8, 11))]
    np.testing.assert_array_equal(
        run(*back, outside=outside, check_each_transform=False)["keypoints"], POINTS
    )
    early = run(*back, outside=outside)["keypoints"]
    assert len(early) == (0 if outside == "drop" else 5)
    assert np.array_equal(early, POINTS) == (outside == "keep")
