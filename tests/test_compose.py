"""Compose, containers, names, and pipelines as data."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe.keys.draws import limit_of
from seedsafe.keys.key import address, op_of
from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.state import State, Step

KEY = ss.SampleKey(42, 3, 1234)
IMAGE = np.random.default_rng(0).integers(0, 256, (40, 40, 3), dtype=np.uint8)


def params(*transforms: Any, key: ss.SampleKey = KEY) -> dict[str, Any]:
    return dict(ss.Compose(transforms).params(key, IMAGE))


# Names


def test_names_follow_the_tree() -> None:
    augment = ss.Compose(
        [
            ss.RandomCrop(30),
            ss.Compose([ss.RandomCrop(28), ss.RandomCrop(27, name="mine")]),
            ss.OneOf([ss.RandomCrop(20), ss.HorizontalFlip()]),
            ss.OneOf([ss.HorizontalFlip()]),
        ]
    )
    names = ["RandomCrop", "RandomCrop#1", "mine", "OneOf", "RandomCrop#2", "HorizontalFlip", "OneOf#1"]
    assert [stream.name for stream in augment.streams()] == [*names, "HorizontalFlip#1"]
    assert all(stream.op == op_of(stream.name) for stream in augment.streams())


def test_other_transforms_keep_their_draws() -> None:
    crop, noise = ss.RandomCrop(30), ss.GaussianNoise()
    wanted = params(crop, noise)
    for pipeline in [
        (noise, crop),
        (crop, ss.VerticalFlip(p=0.9), noise),
        (ss.Compose([crop]), ss.Compose([ss.Compose([noise])])),
        (ss.RandomApply([crop], p=1.0), ss.OneOf([noise])),
        (crop, ss.GaussianNoise(std=3, name="another"), noise),
    ]:
        found = params(*pipeline)
        assert {name: found[name] for name in wanted} == wanted


def test_an_unnamed_duplicate_renames_and_a_named_one_does_not() -> None:
    first, second = ss.RandomCrop(30), ss.RandomCrop(20)
    both = params(first, second)
    assert params(second)["RandomCrop"] != both["RandomCrop#1"]  # the promise's other side
    named = params(first, ss.RandomCrop(20, name="b"))
    assert named["RandomCrop"] == both["RandomCrop"]
    assert params(ss.CenterCrop(30), ss.RandomCrop(20, name="b"))["b"] == named["b"]


@pytest.mark.parametrize("name", ["", "a#1", "a@2", "seedsafe/order"])
def test_reserved_names(name: str) -> None:
    with pytest.raises(ValueError, match="the library uses those"):
        ss.Compose([ss.RandomCrop(2, name=name)])


def test_bad_trees() -> None:
    with pytest.raises(ValueError, match="two transforms are named 'a': give one of them another name="):
        ss.Compose([ss.RandomCrop(2, name="a"), ss.HorizontalFlip(name="a")])
    with pytest.raises(ValueError, match="two transforms are named 'RandomCrop'"):
        ss.Compose([ss.RandomCrop(2), ss.RandomCrop(2, name="RandomCrop")])
    with pytest.raises(TypeError, match=r"transforms\[1\] must be a Transform, got <function"):
        ss.Compose([ss.RandomCrop(2), lambda x: x])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="put it in a list"):
        ss.Compose(ss.RandomCrop(2))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="OneOf must have at least one transform"):
        ss.OneOf([])
    with pytest.raises(ValueError, match="n must be at least 1 and below 3, got 3"):
        ss.SomeOf([ss.HorizontalFlip(), ss.VerticalFlip()], n=3)


def test_two_names_of_one_stream_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from seedsafe.pipeline import naming

    monkeypatch.setattr(naming, "op_of", lambda name: 7)
    with pytest.raises(ValueError, match="'HorizontalFlip' has the same stream as 'RandomCrop'"):
        ss.Compose([ss.RandomCrop(2), ss.HorizontalFlip()])
    monkeypatch.setattr(naming, "op_of", lambda name: 0)
    with pytest.raises(ValueError, match="has the same stream as 'the root stream'"):
        ss.Compose([ss.RandomCrop(2)])


# Containers


@pytest.mark.parametrize(
    ("weights", "unit", "position"),
    [
        ([0, 1], 0.0, 1),
        ([0.1, 0.1, 0.1, 0], 1 - 2.0**-53, 2),
        ([1, 1], 0.5, 1),
        ([1, 1], 0.5 - 2.0**-53, 0),
        ([5e-324, 0], 1 - 2.0**-53, 0),  # the product is rounded up to the sum
    ],
)
def test_choice_at_the_ends_of_its_shares(weights: list[float], unit: float, position: int) -> None:
    choice = ss.Choice([ss.HorizontalFlip(name=str(k)) for k in range(len(weights))], weights=weights)
    assert choice.choose(SimpleNamespace(unit=lambda: unit)) == (position,)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "weights must be 2 numbers that are not all zero"),
        ([0, 0], "not all zero"),
        ([1, -1], "a weight of weights must be"),
        ([1, float("nan")], "a weight of weights must be"),
        ([1, True], "a weight of weights must be a number, got True"),
        ("ab", "must be a number, got 'a'"),
        (3, "weights must be 2 numbers"),
    ],
)
def test_bad_weights(weights: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        ss.Choice([ss.HorizontalFlip(), ss.VerticalFlip()], weights=weights)


def test_a_repeated_member_draws_from_streams_of_its_own() -> None:
    noise = ss.GaussianNoise(std=(0, 50))
    augment = ss.Compose([ss.SomeOf([noise], n=3, replace=True)])
    record = augment.params(KEY, IMAGE)
    assert [one.name for one in record] == ["SomeOf", "GaussianNoise", "GaussianNoise@1", "GaussianNoise@2"]
    assert len({one.params.std for one in record[1:]}) == 3
    assert record[1].params == params(noise)["GaussianNoise"]
    assert [one.name for one in augment.streams()] == [one.name for one in record]
    np.testing.assert_array_equal(augment(IMAGE, key=KEY), augment.replay(IMAGE, record))
    np.testing.assert_array_equal(augment(IMAGE, key=KEY), augment(IMAGE, key=KEY))


def test_repeats_of_repeats() -> None:
    inner = ss.SomeOf([ss.GaussianNoise()], n=2, replace=True)
    record = ss.Compose([ss.SomeOf([inner], n=2, replace=True)]).params(KEY, IMAGE)
    noises = [one for one in record if one.name.startswith("GaussianNoise")]
    assert [one.name for one in noises] == ["GaussianNoise", *(f"GaussianNoise@{k}" for k in (1, 2, 3))]


# Memory


def test_a_compose_never_returns_the_callers_memory_and_an_empty_one_the_sample() -> None:
    assert ss.Compose([])(IMAGE, key=KEY) is IMAGE
    for transform in (ss.HorizontalFlip(p=0), ss.RandomCrop(40), ss.CenterCrop(40), ss.Pad(0)):
        made = ss.Compose([transform])(IMAGE, key=KEY)
        np.testing.assert_array_equal(made, IMAGE)
        assert not np.shares_memory(made, IMAGE)
    real = IMAGE.astype(np.float32)
    assert not np.shares_memory(ss.ToFloat()(real, key=KEY), real)
    sample = {"image": IMAGE, "mask": IMAGE[..., 0], "label": IMAGE}
    made = ss.Compose([ss.GaussianNoise()])(sample, key=KEY)
    assert made is not sample
    assert not np.shares_memory(made["mask"], IMAGE)
    assert made["label"] is IMAGE


def test_a_key_is_needed_even_for_nothing() -> None:
    with pytest.raises(TypeError, match="key must be a SampleKey, got None"):
        ss.Compose([])(IMAGE)


# As data

AUGMENT = ss.Compose(
    [
        ss.RandomCrop((20, 30), padding=(1, 2), mode="edge", fill=(1, 2, 3)),
        ss.RandomApply([ss.HorizontalFlip(p=0.25), ss.Compose([ss.VerticalFlip()])], p=0.7, name="flips"),
        ss.SomeOf([ss.GaussianNoise(std=(1, 3)), ss.GaussianNoise(std=5, name="strong")], n=2, replace=True),
        ss.Normalize([0.4, 0.5, 0.6], [0.2, 0.2, 0.2]),
        ss.ToCHW(),
    ]
)


def test_repr_json_and_pickle_make_the_same_pipeline() -> None:
    again = [
        eval(repr(AUGMENT), vars(ss)),
        ss.Compose.from_dict(AUGMENT.to_dict()),
        ss.Compose.from_json(AUGMENT.to_json()),
        pickle.loads(pickle.dumps(AUGMENT)),
    ]
    for one in again:
        assert one == AUGMENT
        assert repr(one) == repr(AUGMENT)
        assert hash(one) == hash(AUGMENT)
        np.testing.assert_array_equal(one(IMAGE, key=KEY), AUGMENT(IMAGE, key=KEY))


def test_repr_names_what_differs_from_the_defaults() -> None:
    assert repr(ss.Compose([ss.RandomCrop(8, padding=4), ss.HorizontalFlip()])) == (
        "Compose([RandomCrop(size=(8, 8), padding=4), HorizontalFlip()])"
    )


class Mine(ss.ImageTransform):
    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        return image


def test_classes_of_users_have_to_be_named() -> None:
    data = ss.Compose([Mine()]).to_dict()
    with pytest.raises(ValueError, match=r"the class 'Mine', which is not known: pass classes=\[Mine\]"):
        ss.Compose.from_dict(data)
    assert ss.Compose.from_dict(data, classes=[Mine]) == ss.Compose([Mine()])
    with pytest.raises(ValueError, match="must be of stream contract 1, got 2"):
        ss.Compose.from_dict(data | {"contract": 2})
    for text in ("null", "[1, 2]", '"x"'):
        with pytest.raises(TypeError, match="data must be a mapping, as to_dict returns it, got "):
            ss.Compose.from_json(text)


# Parameters and replay


def test_params_work_without_pixels_through_the_whole_pipeline() -> None:
    from_shape = AUGMENT.params(KEY, IMAGE.shape)
    assert from_shape == AUGMENT.params(KEY, IMAGE) == AUGMENT.params(KEY, ss.Info(IMAGE.shape, IMAGE.dtype))
    assert from_shape == AUGMENT.params(KEY, {"image": IMAGE.shape, "label": (1,)})
    np.testing.assert_array_equal(AUGMENT.replay(IMAGE, from_shape), AUGMENT(IMAGE, key=KEY))
    with pytest.raises(ValueError, match="RandomCrop needs 'image'"):
        AUGMENT.params(KEY, {"audio": (5,)})
    with pytest.raises(TypeError, match="sample must be a shape"):
        AUGMENT.params(KEY, "image")
    with pytest.raises(ValueError, match=r"params must name transforms of this pipeline, .* got 'Other'"):
        AUGMENT.replay(IMAGE, [("Other", ())])


def test_threads_do_not_mix_streams() -> None:
    keys = [ss.SampleKey(7, 0, index) for index in range(400)]
    wanted = [AUGMENT(IMAGE, key=key).tobytes() for key in keys]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda key: AUGMENT(IMAGE, key=key).tobytes(), keys)) == wanted


# Transforms that are applied in one


class Brighter(ss.Normalize):
    __slots__ = ()

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        return super().apply_image(image, params) + np.float32(1)


@pytest.mark.parametrize("size", [8, 200])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize(
    "first", [ss.Normalize((0.4, 0.5, 0.6), (0.2, 0.3, 0.1)), ss.ToFloat(), Brighter(0.5, 0.5)]
)
def test_neighbours_applied_in_one_give_the_bytes_of_both(first: ss.Transform, dtype: Any, size: int) -> None:
    image = np.random.default_rng(0).integers(0, 256, (size, size, 3)).astype(dtype)
    mask = image[..., 0].copy()
    augment = ss.Compose([ss.RandomCrop(size - 1), first, ss.ToCHW()])
    cropped = ss.Compose([ss.RandomCrop(size - 1)])({"image": image, "mask": mask}, key=KEY)
    wanted = ss.ToCHW()(first(cropped["image"], key=KEY), key=KEY)
    np.testing.assert_array_equal(augment(image, key=KEY), wanted)
    made = augment({"image": image, "mask": mask}, key=KEY)
    np.testing.assert_array_equal(made["image"], wanted)
    np.testing.assert_array_equal(made["mask"], cropped["mask"])
    record = augment.params(KEY, ss.Info(image.shape, image.dtype))
    assert [one.name for one in record] == [stream.name for stream in augment.streams()]
    np.testing.assert_array_equal(augment.replay(image, record), wanted)


class Noted(Step):
    """Notes that it fires."""

    def fire(self, sample: Any, draws: State) -> Any:
        return [*sample, self.name]


@pytest.mark.parametrize("streams", [(9,), (9, 10)])
def test_the_chance_of_a_step_is_that_of_the_first_word(streams: tuple[int, ...]) -> None:
    for p in (0.0, 2.0**-53, 0.1, 0.5, 1 - 2.0**-53, 1.0):
        step = Noted("step", streams, p, draws=True)
        assert step.limit == limit_of(p)
        for epoch in range(200):
            for of_array in (False, True):
                draws, key = State(), ss.SampleKey(1, epoch, 0)
                draws.enter(key)
                for op in streams:
                    fresh = ss.Draws(address(key, op))
                    fires = bool(draws.through([step], [])) if of_array else step.fires(draws)
                    assert fires == fresh.chance(p)
                    if fires or not of_array:
                        assert draws.noise() == fresh.noise()
                        assert draws.word() == fresh.word()


def test_what_draws_nothing_has_the_parameters_that_it_had() -> None:
    for transform in (ss.CenterCrop(8), ss.Pad(1), ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1)):
        drawn = transform.draw(ss.Draws(address(KEY)), ss.Info(IMAGE.shape, IMAGE.dtype))
        assert not marks_of(type(transform)).random
        assert ss.Compose([transform]).params(KEY, IMAGE)[0].params == drawn


def test_parts_may_be_passed_by_name() -> None:
    augment = ss.Compose([ss.HorizontalFlip(p=1)])
    image = np.arange(6, dtype=np.uint8).reshape(2, 3)
    key = ss.SampleKey(42, 0, 0)
    for one in (augment, ss.HorizontalFlip(p=1)):
        made = one(image=image, mask=image, key=key)
        assert list(made) == ["image", "mask"]
        assert (made["image"] == image[:, ::-1]).all()
        with pytest.raises(TypeError, match="bboxes= is not a part of a sample: the parts are image, mask"):
            one(image=image, bboxes=[], key=key)
        with pytest.raises(TypeError, match="must be passed once, got it also as mask="):
            one(image, mask=image, key=key)
    labelled = ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("pascal_voc", labels="names"))
    assert labelled(image=image, boxes=np.array([[0.0, 0, 1, 1]]), names=["a"], key=key)["names"] == ["a"]


# What calls would not follow


@pytest.mark.parametrize("name", ["transforms", "boxes", "keypoints", "channels"])
def test_what_calls_would_not_follow_cannot_be_set(name: str) -> None:
    augment = ss.Compose([ss.RandomCrop(8)])
    before = getattr(augment, name)
    with pytest.raises(AttributeError, match=f"{name} of a Compose cannot be set: make another"):
        setattr(augment, name, None)
    assert getattr(augment, name) is before

    class Mine(ss.Compose):
        """With an attribute of its own."""

    mine = Mine([ss.RandomCrop(8)])
    mine.note = 1  # type: ignore[attr-defined]
    mine.note = 2  # type: ignore[attr-defined]
    assert mine.note == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [ss.RandAugment, ss.TrivialAugmentWide])
def test_a_second_policy_without_a_name_has_streams_of_its_own(kind: Any) -> None:
    name = kind.__name__
    alone = [stream.name for stream in ss.Compose([kind()]).streams()]
    both = [stream.name for stream in ss.Compose([kind(), ss.OneOf([kind()]), kind(name="mine")]).streams()]
    assert both[: len(alone)] == alone  # as ever
    assert f"{name}#1" in both
    assert f"{name}.Rotate#1" in both
    assert not any("#" in one for one in both if one.startswith("mine"))
    assert len(set(both)) == len(both) == 3 * len(alone) + 1
    with pytest.raises(ValueError, match="two transforms are named 'mine'"):
        ss.Compose([kind(name="mine"), kind(name="mine")])
    with pytest.raises(ValueError, match=rf"two transforms are named '{name}.Rotate'"):
        ss.Compose([kind(), ss.PolicyOp("Rotate", name=f"{name}.Rotate")])


def test_data_that_contain_themselves_or_are_too_deep_are_refused_in_a_sentence() -> None:
    plain = ss.Compose([ss.HorizontalFlip()]).to_dict()
    cycle: dict[str, Any] = {"transform": "OneOf", "transforms": []}
    cycle["transforms"].append(cycle)
    deep: dict[str, Any] = {"transform": "HorizontalFlip"}
    for _ in range(sys.getrecursionlimit()):
        deep = {"transform": "OneOf", "transforms": [deep]}
    for inner in (cycle, deep):
        with pytest.raises(ValueError, match="nested too deeply for a pipeline, or contain themselves: pass"):
            ss.Compose.from_dict({**plain, "transforms": [inner]})


# A transform by itself, and in a Compose


class Subclass(np.ndarray):
    """Like a memory map."""


@pytest.mark.parametrize("make", [lambda one: one, lambda one: ss.Compose([one])], ids=["alone", "Compose"])
def test_a_transform_alone_goes_the_same_way(make: Any) -> None:
    with pytest.raises(ValueError, match="HorizontalFlip needs images with their channels last"):
        make(ss.RandomApply([ss.ToCHW(), ss.HorizontalFlip()]))(IMAGE, key=KEY)
    with pytest.raises(ValueError, match="MixUp mixes a sample with others of its dataset"):
        make(ss.MixUp(p=0))(IMAGE, key=KEY)
    with pytest.raises(ValueError, match="HorizontalFlip needs 'image' in the sample"):
        make(ss.HorizontalFlip(p=0))({"mask": IMAGE[..., 0]}, key=KEY)
    with pytest.raises(ValueError, match="channels seem to be first"):
        make(ss.HorizontalFlip())(np.zeros((3, 40, 40), np.uint8).view(Subclass), key=KEY)


@pytest.mark.parametrize("first", [{"label": 3}, {"label": np.zeros(9)}, {"label": [1]}])
def test_what_a_dict_before_had_does_not_decide_what_is_refused(first: dict[str, Any]) -> None:
    augment = ss.Compose([ss.HorizontalFlip()])
    augment({"image": IMAGE, **first}, key=KEY)
    with pytest.raises(
        ValueError, match=r"the sample's 'label', an array of shape \(40, 40\), would stay unchanged"
    ):
        augment({"image": IMAGE, "label": IMAGE[..., 0]}, key=KEY)
