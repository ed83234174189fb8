"""Boxes of a Compose: formats on the way in and out, what is kept, and the labels that go with them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from cases import TRANSFORMS
from hypothesis import assume, given
from hypothesis import strategies as st
from refused import refused

import seedsafe as ss
from seedsafe.pipeline.boxes import FORMATS, Edges, from_edges, to_edges

KEY = ss.SampleKey(42, 3, 1234)
KEYS = [ss.SampleKey(42, 3, index) for index in range(20)]
SIZE = (48, 64)
IMAGE = np.random.default_rng(0).integers(0, 256, (*SIZE, 3), dtype=np.uint8)
EDGES = np.array(
    [[4, 6, 20, 30], [30.5, 2.25, 63, 17], [40, 20, 60, 48], [0, 0, 64, 48], [10, 40, 12, 42]], float
)
NAMES = ["a", "b", "c", "d", "e"]
SPATIAL = [
    ss.RandomCrop((30, 40)),
    ss.HorizontalFlip(),
    ss.RandomApply([ss.Pad((1, 2, 3, 4)), ss.VerticalFlip()], p=0.5),
    ss.Compose([ss.OneOf([ss.CenterCrop(28), ss.RandomCrop(25)])]),
]


def sample(form: str, dtype: Any = np.float64, edges: np.ndarray = EDGES) -> dict[str, Any]:
    boxes = from_edges(edges, form, SIZE).astype(dtype)
    return {
        "image": IMAGE,
        "boxes": boxes,
        "names": NAMES[: len(edges)],
        "ids": np.arange(len(edges)),
        "other": 1,
    }


def rules(form: str, **more: Any) -> ss.Boxes:
    return ss.Boxes(form, labels=("names", "ids"), **more)


# Formats


def test_formats_are_what_the_field_calls_so() -> None:
    edges = np.array([[10.0, 20.0, 30.0, 60.0, 7.0]])
    wanted = {
        "pascal_voc": [10, 20, 30, 60, 7],
        "coco": [10, 20, 20, 40, 7],
        "cxcywh": [20, 40, 20, 40, 7],
        "yolo": [0.1, 0.4, 0.1, 0.4, 7],
        "albumentations": [0.05, 0.2, 0.15, 0.6, 7],
    }
    assert set(wanted) == set(FORMATS)
    for form, row in wanted.items():
        np.testing.assert_allclose(from_edges(edges, form, (100, 200)), [row], rtol=1e-15)
        np.testing.assert_allclose(to_edges(np.array([row], float), form, (100, 200)), edges, rtol=1e-15)


@given(
    st.sampled_from(FORMATS),
    st.sampled_from([np.float32, np.float64]),
    st.tuples(st.integers(1, 300), st.integers(1, 300)),
    st.lists(st.tuples(*[st.floats(0, 1, exclude_max=True)] * 2, *[st.floats(1e-6, 1)] * 2), max_size=4),
)
def test_boxes_that_nothing_moves_come_back_with_the_same_bits(
    form: str, dtype: Any, size: tuple[int, int], given_boxes: list[tuple[float, ...]]
) -> None:
    shares = np.array(given_boxes, float).reshape(-1, 4)
    edges = np.column_stack([shares[:, :2], shares[:, :2] + shares[:, 2:] * (1 - shares[:, :2])])
    edges = edges * np.array([size[1], size[0]] * 2)
    boxes = from_edges(edges, form, size).astype(dtype)
    augment = ss.Compose([ss.HorizontalFlip(p=0), ss.GaussianNoise()], boxes=ss.Boxes(form))
    edges = to_edges(boxes, form, size)
    assume((edges[:, :2] < edges[:, 2:]).all())  # the dtype has not rounded a side away
    out = augment({"image": np.zeros((*size, 1), np.uint8), "boxes": boxes}, key=KEY)
    assert out["boxes"].dtype == dtype
    assert out["boxes"].tobytes() == boxes.tobytes()
    assert not np.shares_memory(out["boxes"], boxes)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key.index))
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_gives_the_same_boxes(form: str, key: ss.SampleKey) -> None:
    wanted = ss.Compose(SPATIAL, boxes=rules("pascal_voc", min_visibility=0.3))(sample("pascal_voc"), key=key)
    augment = ss.Compose(SPATIAL, boxes=rules(form, min_visibility=0.3))
    given_sample = sample(form)
    out = augment(given_sample, key=key)
    np.testing.assert_allclose(
        to_edges(out["boxes"], form, out["image"].shape[:2]), wanted["boxes"], atol=1e-11
    )
    assert out["names"] == wanted["names"] == [NAMES[k] for k in out["ids"]]
    assert out["other"] == 1
    assert given_sample["names"] == NAMES
    record = augment.params(key, given_sample)
    assert record == augment.params(key, {"image": SIZE, "boxes": given_sample["boxes"]})
    again = augment.replay(given_sample, record)
    np.testing.assert_array_equal(again["boxes"], out["boxes"])
    without = {name: part for name, part in given_sample.items() if name != "image"}
    alone = augment.replay(without, record, info=IMAGE.shape)
    np.testing.assert_array_equal(alone["boxes"], out["boxes"])
    assert again["names"] == alone["names"] == out["names"]


def test_integers_come_back_as_float64_and_other_floats_as_they_are() -> None:
    boxes = np.array([[4, 6, 16, 24, 2**50]])
    out = ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("coco"))(
        {"image": IMAGE, "boxes": boxes}, key=KEY
    )
    assert out["boxes"].dtype == np.float64
    assert out["boxes"].tolist() == [[44, 6, 16, 24, 2**50]]
    for dtype in (np.float16, np.float32, np.float64):
        made = ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("coco"))(
            {"image": IMAGE, "boxes": boxes[:, :4].astype(dtype)}, key=KEY
        )
        assert made["boxes"].dtype == dtype


def test_the_size_is_that_of_the_result_also_when_its_channels_are_first() -> None:
    augment = ss.Compose([ss.CenterCrop((20, 40)), ss.ToCHW()], boxes=ss.Boxes("yolo"))
    boxes = from_edges(np.array([[12.0, 14.0, 52.0, 34.0]]), "yolo", SIZE)
    out = augment({"image": IMAGE, "boxes": boxes}, key=KEY)
    assert out["image"].shape == (3, 20, 40)
    assert out["boxes"].tolist() == [[0.5, 0.5, 1, 1]]


@pytest.mark.parametrize("form", ["yolo", "albumentations"])
def test_shares_are_of_the_result_also_where_the_pixels_stay(form: str) -> None:
    edges = np.array([[4.0, 6, 20, 18]])
    augment = ss.Compose([ss.Crop(0, 0, 24, 32)], boxes=ss.Boxes(form))
    out = augment({"image": IMAGE, "boxes": from_edges(edges, form, SIZE)}, key=KEY)
    np.testing.assert_allclose(out["boxes"], from_edges(edges, form, (24, 32)), rtol=1e-15)


# What is kept


def crop_to(limit: tuple[int, int], **options: Any) -> list[str]:
    """Return the names that are left when the image is cut to its upper left (height, width)."""
    crop = ss.Compose([ss.Pad(0), ss.Crop(0, 0, *limit)], boxes=rules("pascal_voc", **options))
    return crop(sample("pascal_voc"), key=KEY)["names"]


def test_limits() -> None:
    assert crop_to((48, 64)) == NAMES
    assert crop_to((20, 40)) == ["a", "b", "d"]  # c touches the new corner, e lies below
    assert crop_to((20, 40), min_area=220) == ["a", "d"]  # 16 · 14 = 224, 9.5 · 14.75 = 140
    assert crop_to((20, 40), min_area=225) == ["d"]
    assert crop_to((20, 40), min_visibility=14 / 24) == ["a"]  # of d is left 800/3072
    assert crop_to((20, 40), min_visibility=0.26) == ["a", "b", "d"]
    assert crop_to((20, 40), min_visibility=0.3) == ["a"]
    assert crop_to((20, 40), min_width=9.6) == ["a", "d"]
    assert crop_to((20, 40), min_height=14.1) == ["b", "d"]


def test_visibility_is_a_share_of_the_box_whatever_the_scale() -> None:
    augment = ss.Compose(
        [ss.Resize((24, 32)), ss.Crop(0, 0, 10, 20)], boxes=rules("pascal_voc", min_visibility=14 / 24)
    )
    assert augment(sample("pascal_voc"), key=KEY)["names"] == ["a"]
    cut_and_enlarged = ss.CropAndPad((0, 40 - SIZE[1], 20 - SIZE[0], 0))
    both = ss.Compose([cut_and_enlarged], boxes=rules("pascal_voc", min_visibility=14 / 24))
    assert both(sample("pascal_voc"), key=KEY)["names"] == ["a"]


def test_what_was_cut_away_does_not_come_back_and_the_rest_is_in_the_image() -> None:
    augment = ss.Compose([ss.Crop(0, 0, 20, 40), ss.Pad(30), ss.VerticalFlip(p=1)], boxes=rules("coco"))
    out = augment(sample("coco"), key=KEY)
    assert out["names"] == ["a", "b", "d"]
    assert out["boxes"].shape == (3, 4)


def test_labels_of_every_kind() -> None:
    import torch

    kinds = {
        "a": [1, 2, 3, 4, 5],
        "b": (1, 2, 3, 4, 5),
        "c": np.arange(5.0),
        "d": torch.arange(5),
        "e": list("vwxyz"),
    }
    augment = ss.Compose([ss.Crop(0, 0, 20, 40)], boxes=ss.Boxes("pascal_voc", labels=list(kinds)))
    out = augment({"image": IMAGE, "boxes": EDGES} | kinds, key=KEY)
    assert out["a"] == [1, 2, 4]
    assert out["b"] == (1, 2, 4)
    assert out["c"].tolist() == [0, 1, 3]
    assert out["d"].tolist() == [0, 1, 3]
    assert out["e"] == ["v", "w", "y"]
    assert augment.labels == tuple(kinds)


@pytest.mark.parametrize("form", FORMATS)
def test_no_boxes(form: str) -> None:
    augment = ss.Compose(SPATIAL, boxes=ss.Boxes(form, labels="names", min_visibility=0.5))
    out = augment({"image": IMAGE, "boxes": np.zeros((0, 5), np.float32), "names": []}, key=KEY)
    assert out["boxes"].shape == (0, 5)
    assert out["boxes"].dtype == np.float32
    assert out["names"] == []
    assert set(augment({"image": IMAGE}, key=KEY)) == {"image"}
    assert augment(IMAGE, key=KEY).shape == augment({"image": IMAGE}, key=KEY)["image"].shape


# On the way in


def test_boxes_outside_are_refused_or_clipped() -> None:
    edges = np.array([[-5, -5, 10, 10], [70, 10, 80, 20], [5, 5, 5, 9], [4, 4, 8, 8]], float)
    for rows, number in ([edges, 0], [edges[[3, 1]], 1], [edges[[3, 2]], 1]):
        with pytest.raises(
            ValueError, match=rf"lie in the image, of size 48×64, but box {number} is .*Boxes\(clip=True\)"
        ):
            ss.Compose([], boxes=ss.Boxes("pascal_voc"))({"image": IMAGE, "boxes": rows}, key=KEY)
    sizes = {"image": IMAGE, "boxes": np.array([[30.0, 20, 20, 20], [5, 5, 6, 6]])}
    with pytest.raises(
        ValueError, match=r"as 'pascal_voc': check the format \(valid: \['coco', 'cxcywh'\]\)"
    ):
        ss.Compose([], boxes=ss.Boxes("pascal_voc"))(sizes, key=KEY)
    clip = ss.Compose([], boxes=ss.Boxes("pascal_voc", labels="names", clip=True))
    out = clip({"image": IMAGE, "boxes": edges, "names": list("abcd")}, key=KEY)
    assert out["boxes"].tolist() == [[0, 0, 10, 10], [4, 4, 8, 8]]
    assert out["names"] == ["a", "d"]
    rounded = np.array([[0.5, 0.5, 1.000001, 1]], np.float32)
    kept = ss.Compose([], boxes=ss.Boxes("yolo"))({"image": IMAGE, "boxes": rounded}, key=KEY)
    assert kept["boxes"].tobytes() == rounded.tobytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"boxes": EDGES * [[1], [np.nan], [1], [1], [1]]}, "boxes must be finite"),
        ({"names": ["a"]}, "'names' must have one element for each of the 5 boxes"),
        ({"names": 3}, "'names' must have one element for each of the 5 boxes, got 3"),
        ({"names": None, "boxes": EDGES[:, :3]}, r"boxes must have the shape \(N, 4 or more\)"),
        ({"image": None}, "boxes and keypoints need an image or a mask in the sample"),
    ],
)
def test_bad_samples(change: dict[str, Any], message: str) -> None:
    given_sample = {k: v for k, v in (sample("pascal_voc") | change).items() if v is not None or k == "names"}
    with pytest.raises(ValueError, match=message):
        ss.Compose([], boxes=rules("pascal_voc"))(given_sample, key=KEY)


def test_labels_that_are_missing_are_named() -> None:
    with pytest.raises(ValueError, match="of boxes name 'ids', which the sample lacks; it has"):
        ss.Compose([], boxes=rules("pascal_voc"))({"image": IMAGE, "boxes": EDGES, "names": NAMES}, key=KEY)


test_bad_arguments = refused(
    (lambda: ss.Boxes("voc"), ValueError, "format must be one of 'pascal_voc', 'coco'"),
    (lambda: ss.Boxes("coco", labels=3), TypeError, "labels must be a name or a list of names"),
    (lambda: ss.Boxes("coco", labels=["mask"]), ValueError, "labels must name entries other than image"),
    (lambda: ss.Boxes("coco", labels=["a", "a"]), ValueError, "each once"),
    (lambda: ss.Boxes("coco", min_visibility=1.5), ValueError, "min_visibility must be in [0, 1]"),
    (lambda: ss.Boxes("coco", min_area=-1), ValueError, "min_area must be"),
    (lambda: ss.Boxes("coco", clip="no"), TypeError, "clip must be True or False, got 'no'"),
    (lambda: ss.Compose([], boxes="coco"), TypeError, "boxes must be Boxes(...), got 'coco': pass Boxes('coco')"),
    (lambda: ss.Compose([], keypoints=ss.Boxes("coco")), TypeError, "keypoints must be Keypoints(...)"),
    (lambda: ss.Compose([ss.Compose([], boxes=ss.Boxes("coco"))], boxes=ss.Boxes("yolo")), ValueError, "boxes= must be one for the whole pipeline, got"),
    (
        lambda: ss.Compose([], boxes=ss.Boxes("coco", labels="a"), keypoints=ss.Keypoints(labels="a")),
        ValueError,
        "labels must belong to boxes, to keypoints or",
    ),
)  # fmt: skip


def test_a_transform_that_drops_boxes_itself_is_refused() -> None:
    class Drops(ss.Crop):
        def apply_boxes(self, boxes: np.ndarray, params: Any) -> np.ndarray:
            return boxes[:1]

    with pytest.raises(ValueError, match="Drops must keep all 5 boxes, so that labels match, got 1"):
        ss.Compose([Drops(0, 0, *SIZE)], boxes=ss.Boxes("pascal_voc"))(sample("pascal_voc"), key=KEY)


# Where the rules stand


@pytest.mark.parametrize("key", KEYS[:6], ids=lambda key: str(key.index))
def test_rules_hold_for_the_whole_pipeline_wherever_they_stand(key: ss.SampleKey) -> None:
    boxes = rules("yolo", min_visibility=0.4)
    flat = ss.Compose(SPATIAL, boxes=boxes)(sample("yolo"), key=key)
    inner = ss.Compose(SPATIAL[1:], boxes=boxes)
    for pipeline in (
        ss.Compose([SPATIAL[0], inner]),
        ss.Compose([SPATIAL[0], inner], boxes=boxes),
        ss.Compose([ss.RandomApply([SPATIAL[0], inner], p=1)]),
        ss.RandomApply([SPATIAL[0], inner], p=1),
    ):
        out = pipeline(sample("yolo"), key=key)
        np.testing.assert_array_equal(out["boxes"], flat["boxes"])
        assert out["names"] == flat["names"]
    assert ss.Compose([inner]).labels == ("names", "ids")


def test_as_data() -> None:
    augment = ss.Compose(
        SPATIAL,
        boxes=rules("yolo", min_area=4, clip=True),
        keypoints=ss.Keypoints(outside="drop", labels="joints", pairs=[("left", "right")]),
    )
    again = [
        eval(repr(augment), vars(ss)),
        ss.Compose.from_json(augment.to_json()),
        pickle.loads(pickle.dumps(augment)),
    ]
    out = augment(sample("yolo"), key=KEY)
    for one in again:
        assert one == augment
        assert repr(one) == repr(augment)
        assert hash(one) == hash(augment)
        assert one.labels == ("names", "ids", "joints")
        np.testing.assert_array_equal(one(sample("yolo"), key=KEY)["boxes"], out["boxes"])
    assert augment != ss.Compose(SPATIAL)
    assert augment != ss.Compose(
        SPATIAL, boxes=rules("coco", min_area=4, clip=True), keypoints=augment.keypoints
    )
    assert "boxes" not in ss.Compose(SPATIAL).to_dict()


def test_draws_see_boxes_as_pixels_and_without_those_that_were_dropped() -> None:
    seen = []

    class Looks(ss.Crop):
        def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
            seen.append(info.boxes.tolist())
            return ss.Crop.draw(self, rng, info)

    augment = ss.Compose([ss.Crop(0, 0, 20, 40), Looks(0, 0, 20, 30)], boxes=rules("yolo"))
    augment(sample("yolo"), key=KEY)
    augment.params(KEY, sample("yolo"))
    assert seen[0] == seen[1]
    np.testing.assert_allclose(seen[0], [[4, 6, 20, 20], [30.5, 2.25, 40, 17], [0, 0, 40, 20]], atol=1e-12)


def test_a_transform_that_moves_no_points_cannot_tell_how_much_it_cut_away() -> None:
    class NoPoints(ss.Crop):
        def apply_keypoints(self, keypoints: np.ndarray, params: Any) -> np.ndarray:
            return ss.SpatialTransform.apply_keypoints(self, keypoints, params)

    augment = ss.Compose([NoPoints(0, 0, 20, 40)], boxes=ss.Boxes("pascal_voc"))
    assert len(augment(sample("pascal_voc"), key=KEY)["boxes"]) == 3
    augment = ss.Compose([NoPoints(0, 0, 20, 40)], boxes=ss.Boxes("pascal_voc", min_visibility=0.5))
    with pytest.raises(
        NotImplementedError, match=r"NoPoints moves pixels and has no apply_keypoints, which Boxes\(min_visib"
    ):
        augment(sample("pascal_voc"), key=KEY)


ALONE = {name for name, case in TRANSFORMS.items() if case.needs == "dataset"}  # see test_partners.py


@pytest.mark.parametrize("name", sorted({*TRANSFORMS} - {"AugMix", "Bridged", "ToCHW"} - ALONE))
def test_every_transform_under_rules(name: str) -> None:
    transform = TRANSFORMS[name].make()
    if "image" not in transform.primary:
        return
    boxes = ss.Boxes("yolo", labels=("names", "ids"), min_visibility=0.3, min_area=2)
    augment = ss.Compose(
        [ss.HorizontalFlip(), transform, ss.VerticalFlip(name="last")],
        boxes=boxes,
        keypoints=ss.Keypoints(outside="drop", labels="joints", pairs=[("l", "r")]),
    )
    points = np.array([[3.0, 4], [40, 40], [63, 47], [20, 10]])
    mask = np.arange(48 * 64, dtype=np.uint8).reshape(SIZE) % 3
    whole = sample("yolo") | {"keypoints": points, "joints": ["l", "r", "m", "n"], "mask": mask}
    for key in KEYS[:8]:
        out = augment(whole, key=key)
        size = out["image"].shape[:2]
        edges = to_edges(out["boxes"], "yolo", size)
        assert (edges[:, :2] >= -1e-9).all()
        assert (edges[:, 2:] <= np.array([size[1], size[0]]) + 1e-9).all()
        assert (edges[:, :2] < edges[:, 2:]).all()
        assert out["names"] == [NAMES[k] for k in out["ids"]]
        assert len(out["keypoints"]) == len(out["joints"])
        record = augment.params(key, whole)
        again = augment.replay(whole, record)
        for part in ("image", "mask", "boxes", "keypoints", "ids"):
            np.testing.assert_array_equal(again[part], out[part])
        assert again["joints"] == out["joints"]


def test_edges_that_are_certain_need_no_format_and_are_kept() -> None:
    boxes = np.array([[-5, 2, 100, 9, 1.5]], np.float32).view(Edges)
    out = ss.Compose([ss.HorizontalFlip(p=1)])({"image": IMAGE, "boxes": boxes, "names": [1, 2, 3]}, key=KEY)
    assert out["boxes"].tolist() == [[-36, 2, 69, 9, 1.5]]
    assert out["names"] == [1, 2, 3]


@pytest.mark.parametrize("middle", [[], [ss.VerticalFlip(p=1), ss.VerticalFlip(p=1)]])
def test_boxes_checked_at_the_end_come_back_whole(middle: list[Any]) -> None:
    def run(*, each: bool, **limits: float) -> Any:
        there, back = ss.CenterCrop((24, 32)), ss.Pad((12, 16))
        boxes = ss.Boxes("pascal_voc", labels="names", check_each_transform=each, **limits)
        return ss.Compose([there, *middle, back], boxes=boxes)(sample("pascal_voc"), key=KEY)

    late, early = run(each=False), run(each=True)
    np.testing.assert_array_equal(late["boxes"], EDGES)
    assert late["names"] == NAMES
    assert early["names"] == ["a", "b", "c", "d"]
    assert (early["boxes"][3] == [16, 12, 48, 36]).all()
    assert run(each=False, min_visibility=1.0, min_area=50)["names"] == ["a", "b", "c", "d"]


def test_boxes_checked_at_the_end_are_cut_off_there() -> None:
    boxes = ss.Boxes("pascal_voc", labels="names", min_visibility=0.5, check_each_transform=False)
    augment = ss.Compose([ss.CenterCrop((40, 50)), ss.CenterCrop((24, 32))], boxes=boxes)
    each = ss.Compose(
        [ss.CenterCrop((24, 32))], boxes=ss.Boxes("pascal_voc", labels="names", min_visibility=0.5)
    )
    out, straight = augment(sample("pascal_voc"), key=KEY), each(sample("pascal_voc"), key=KEY)
    np.testing.assert_array_equal(out["boxes"], straight["boxes"])
    assert out["names"] == straight["names"]
    assert ss.Compose.from_dict(augment.to_dict()).to_dict() == augment.to_dict()


NOTHING = {
    "unfired": [ss.HorizontalFlip(p=0)],
    "fired": [ss.HorizontalFlip(p=1)],
    "choice": [ss.OneOf([ss.HorizontalFlip(p=1), ss.Invert(p=1)], p=0.5)],
    "pixels alone": [ss.Invert(p=1)],
    "a pass": [ss.RandomResizedCrop(40, p=0), ss.HorizontalFlip(p=0), ss.ToFloat()],
    "empty": [],
}


@pytest.mark.parametrize("name", NOTHING)
def test_limits_act_in_every_call(name: str) -> None:
    boxes = np.array([[10.0, 10, 12, 12], [1, 1, 30, 30]])
    sample = {"image": np.zeros((40, 40, 3), np.uint8), "boxes": boxes, "names": ["small", "large"]}
    augment = ss.Compose(NOTHING[name], boxes=ss.Boxes("pascal_voc", labels="names", min_area=50))
    for index in range(8):
        key = ss.SampleKey(1, 0, index)
        assert augment(sample, key=key)["names"] == ["large"]
        drawn = augment.params(key, {"image": ss.Info((40, 40, 3), np.uint8, boxes)})
        assert augment.replay(sample, drawn)["names"] == ["large"]


@pytest.mark.parametrize("first", [ss.HorizontalFlip(p=0), ss.HorizontalFlip(p=1), ss.Invert(p=1)])
def test_a_box_is_measured_before_and_after_each_transform(first: Any) -> None:
    sample = {"image": np.zeros((40, 40, 3), np.uint8), "boxes": np.array([[10.0, 10, 14, 14]])}
    larger, rule = ss.Resize(80), ss.Boxes("pascal_voc", min_area=50)
    assert len(ss.Compose([larger, first], boxes=rule)(sample, key=ss.SampleKey(1, 0, 0))["boxes"]) == 1
    assert len(ss.Compose([first, larger], boxes=rule)(sample, key=ss.SampleKey(1, 0, 0))["boxes"]) == 0


def test_draws_by_boxes_see_those_that_are_left() -> None:
    sample = {"image": np.zeros((40, 40, 3), np.uint8), "boxes": np.array([[0.0, 0, 3, 3], [20, 20, 35, 35]])}
    augment = ss.Compose(
        [ss.HorizontalFlip(p=0), ss.BBoxSafeCrop()], boxes=ss.Boxes("pascal_voc", min_area=50)
    )
    for index in range(8):
        key = ss.SampleKey(1, 0, index)
        info = ss.Info((40, 40, 3), np.uint8, sample["boxes"])
        made = augment(sample, key=key)
        again = augment.replay(sample, augment.params(key, {"image": info}))
        assert made["image"].shape == again["image"].shape
        assert made["boxes"].tolist() == again["boxes"].tolist()
