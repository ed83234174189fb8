"""MixUp, CutMix, Mosaic and CopyPaste of samples: against a second way to make each, and everything that can go wrong."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from scipy import stats

import seedsafe as ss
from seedsafe.keys.decisions import beta
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address, op_of
from seedsafe.mixing.partners import draw_partners
from seedsafe.reading import Faults, KeyedReader, SampleError

SEED = 2**70 + 5
LENGTH = 9
PHOTOS = np.random.default_rng(0).integers(0, 256, (LENGTH, 24, 24, 3), dtype=np.uint8)
PAIRS = [(image, index) for index, image in enumerate(PHOTOS)]
MEMBERS = [ss.RandomCrop(16), ss.HorizontalFlip(), ss.GaussianNoise(std=(0, 9))]
MIXES = {
    "MixUp": ss.MixUp(0.4, classes=LENGTH),
    "CutMix": ss.CutMix(classes=LENGTH),
    "Mosaic": ss.Mosaic(24, classes=LENGTH),
}


def reader(augment: Any, base: Any = PAIRS, **options: Any) -> KeyedReader:
    return KeyedReader(base, augment, seed=SEED, **options)


def at(index: int, epoch: int = 3, occurrence: int = 0, view: int = 0) -> ss.SampleIndex:
    return ss.SampleIndex(index, epoch, occurrence, view)


def partners_of(
    key: ss.SampleKey, count: int, position: int, length: int = LENGTH, name: str = ""
) -> list[int]:
    """Return the partners as the page on words defines them, with a list instead of arithmetic."""
    rng = Draws(address(key, op_of(name)))
    rng.word()
    left = [one for one in range(length) if one != position]
    return [left.pop(rng.integer(len(left))) for _ in range(count)]


def one_hot(label: int) -> np.ndarray:
    return np.eye(LENGTH, dtype=np.float32)[label]


def by_hand(name: str, key: ss.SampleKey, position: int, members: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return a mixed sample, made of its parts: each photograph through the members at its own key."""
    before = ss.Compose(members)

    def made(index: int) -> np.ndarray:
        own = ss.SampleKey(key.seed, key.epoch, index, occurrence=key.occurrence, view=key.view)
        return np.asarray(before(PHOTOS[index], key=own)).copy()

    count = 3 if name == "Mosaic" else 1
    drawn = partners_of(key, count, position, name=name)
    rng = Draws(address(key, op_of(name)))
    rng.words(1 + count)
    images = [made(one) for one in (position, *drawn)]
    labels = [one_hot(one) for one in (position, *drawn)]
    height, width = images[0].shape[:2]
    if name == "MixUp":
        share = beta(rng, 0.4, 0.4)
        floats = images[0] * np.float32(share) + images[1] * np.float32(1 - share)
        mixed = labels[0] * np.float32(share) + labels[1] * np.float32(1 - share)
        return np.rint(floats).astype(np.uint8), mixed
    if name == "CutMix":
        half = 0.5 * np.sqrt(1 - beta(rng, 1.0, 1.0))
        row, column = rng.integer(height), rng.integer(width)
        inside = np.zeros((height, width), bool)
        for y in range(height):
            for x in range(width):
                inside[y, x] = -int(half * height) <= y - row < int(half * height) and (
                    -int(half * width) <= x - column < int(half * width)
                )
        share = 1 - inside.sum() / inside.size
        mixed = labels[0] * np.float32(share) + labels[1] * np.float32(1 - share)
        return np.where(inside[..., None], images[1], images[0]), mixed
    row, column = int(rng.uniform(0.25, 0.75) * 24), int(rng.uniform(0.25, 0.75) * 24)
    large = np.zeros((72, 72, 3), np.uint8)  # the canvas with as much around it
    seen = np.zeros((72, 72), int) - 1
    row, column = row + 24, column + 24
    corners = [(row - 16, column - 16), (row - 16, column), (row, column - 16), (row, column)]
    for number, ((top, left), image) in enumerate(zip(corners, images, strict=True)):
        large[top : top + 16, left : left + 16] = image
        seen[top : top + 16, left : left + 16] = number
    counts = [(seen[24:48, 24:48] == number).sum() for number in range(4)]
    return large[24:48, 24:48], sum(
        np.float32(count / sum(counts)) * label for count, label in zip(counts, labels, strict=True)
    )


@pytest.mark.parametrize("members", [[], MEMBERS], ids=["none before", "some before"])
@pytest.mark.parametrize("name", MIXES)
def test_partners_run_through_what_stands_before_at_their_own_keys(name: str, members: list[Any]) -> None:
    if name == "Mosaic" and not members:
        members = [ss.CenterCrop(16)]
    keyed = reader(ss.Compose([*members, MIXES[name]]))
    for index in range(LENGTH):
        for place in (at(index), at(index, 4), at(index, 4, 2, 1)):
            key = keyed.key(place)
            image, label = keyed.sample(place)
            wanted, shares = by_hand(name, key, index, members)
            np.testing.assert_array_equal(image, wanted)
            np.testing.assert_allclose(label, shares, atol=1e-6)
            assert (image.dtype, label.dtype, image.flags.writeable) == (np.uint8, np.float32, True)
            assert keyed.sample(place)[0].tobytes() == image.tobytes()


def test_what_follows_is_applied_to_the_mixture() -> None:
    keyed = reader(ss.Compose([*MEMBERS, MIXES["MixUp"], ss.VerticalFlip(p=1)]))
    wanted, _ = by_hand("MixUp", keyed.key(at(2)), 2, MEMBERS)
    np.testing.assert_array_equal(keyed.sample(at(2))[0], wanted[::-1])


def test_a_second_mix_takes_mixtures() -> None:
    keyed = reader(ss.Compose([*MEMBERS, MIXES["CutMix"], MIXES["MixUp"]]))
    key = keyed.key(at(4))
    (other,) = partners_of(key, 1, 4, name="MixUp")
    one, _ = by_hand("CutMix", key, 4, MEMBERS)
    two, _ = by_hand("CutMix", keyed.key(at(other)), other, MEMBERS)
    rng = Draws(address(key, op_of("MixUp")))
    rng.words(2)
    share = beta(rng, 0.4, 0.4)
    wanted = np.rint(one * np.float32(share) + two * np.float32(1 - share)).astype(np.uint8)
    np.testing.assert_array_equal(keyed.sample(at(4))[0], wanted)


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda mix: ss.Compose([*MEMBERS, ss.Compose([mix])]),
        lambda mix: ss.Compose([ss.Compose([MEMBERS[0], ss.Compose(MEMBERS[1:]), mix])]),
        lambda mix: ss.Compose([*MEMBERS, ss.OneOf([mix])]),
        lambda mix: ss.Compose([MEMBERS[0], ss.RandomApply([*MEMBERS[1:], mix], p=1)]),
        lambda mix: ss.Compose([*MEMBERS, ss.OneOf([ss.Compose([mix])])]),
    ],
    ids=["a Compose", "deeper", "OneOf", "RandomApply", "a Compose in OneOf"],
)
def test_containers_and_nested_pipelines(wrapped: Any) -> None:
    wanted, shares = by_hand("MixUp", reader(None).key(at(3)), 3, MEMBERS)
    image, label = reader(wrapped(MIXES["MixUp"])).sample(at(3))
    np.testing.assert_array_equal(image, wanted)
    np.testing.assert_allclose(label, shares, atol=1e-6)


def test_labels_are_vectors_whether_samples_are_mixed_or_not() -> None:
    for augment in (ss.MixUp(classes=LENGTH, p=0), ss.Compose([ss.OneOf([*MIXES.values()][:2], p=0)])):
        image, label = reader(augment).sample(at(5))
        np.testing.assert_array_equal(image, PHOTOS[5])
        assert label.tolist() == one_hot(5).tolist()


def test_a_lone_transform_is_a_pipeline() -> None:
    for name, mix in MIXES.items():
        one, other = reader(mix).sample(at(1)), reader(ss.Compose([mix])).sample(at(1))
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True)), name


@pytest.mark.parametrize("form", ["dict", "list", "targets", "vector", "NumPy integer"])
def test_forms_of_samples(form: str) -> None:
    plain, label = reader(MIXES["MixUp"]).sample(at(1))
    options: dict[str, Any] = {}
    base: Any = PAIRS
    if form == "dict":
        base = [{"image": image, "label": index, "name": str(index)} for image, index in PAIRS]
    elif form == "list":
        base = [[image, index] for image, index in PAIRS]
    elif form == "targets":
        base = [(index, image, f"{index}.jpg") for image, index in PAIRS]
        options = {"targets": ("label", "image", None)}
    elif form == "vector":
        base = [(image, one_hot(index).tolist()) for image, index in PAIRS]
    else:
        base = [(image, np.int64(index)) for image, index in PAIRS]
    made = reader(MIXES["MixUp"], base, **options).sample(at(1))
    found = (
        (made["image"], made["label"])
        if form == "dict"
        else (made[1], made[0])
        if form == "targets"
        else made
    )
    np.testing.assert_array_equal(found[0], plain)
    np.testing.assert_array_equal(found[1], label)
    if form == "dict":
        assert made["name"] == "1"


def test_views_are_mixed_with_partners_of_their_own() -> None:
    images, labels = reader(ss.Compose([*MEMBERS, MIXES["MixUp"]]), views=3).sample(at(2))
    for view in range(3):
        key = ss.SampleKey(SEED, 3, 2, view=view)
        wanted, shares = by_hand("MixUp", key, 2, MEMBERS)
        np.testing.assert_array_equal(images[view], wanted)
        np.testing.assert_allclose(labels[view], shares, atol=1e-6)


def test_views_with_objects_have_masks_of_their_own() -> None:
    base = [{k: v for k, v in one.items() if k != "mask"} for one in DETECTIONS]
    augment = ss.Compose([ss.CopyPaste(0.5)], boxes=ss.Boxes("pascal_voc", labels="names"))
    made = reader(augment, base, views=3).sample(at(1))
    for view in range(3):
        assert len(made["boxes"][view]) == len(made["masks"][view]) == len(made["names"][view])


def test_masks_that_are_named_one_by_one_are_no_objects() -> None:
    base = [(one["image"], *one["masks"], one["boxes"]) for one in DETECTIONS]
    augment = ss.Compose([ss.MixUp()], boxes=ss.Boxes("pascal_voc"))
    keyed = reader(augment, base, targets=("image", "mask", "mask", "boxes"))
    with pytest.raises(SampleError, match=r"targets name 2 masks, but .* gave 4.*\"masks\""):
        keyed.sample(at(1))
    plain = reader(ss.Compose([ss.CutMix()]), [one[:3] for one in base], targets=("image", "mask", "mask"))
    image, *masks = plain.sample(at(1))
    assert [one.shape for one in masks] == [image.shape[:2]] * 2


def test_somebodys_own_transforms_and_calls() -> None:
    class Mine(ss.MixUp):
        def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
            return super().draw(rng, info)._replace(share=0.5)

    class Darker(ss.ImageTransform):
        def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
            return rng.integer(50)

        def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
            return image // 2 + np.uint8(params)

    augment = ss.Compose([Darker(), Mine(classes=LENGTH)])
    keyed = reader(augment)
    for index in range(LENGTH):
        (other,) = partners_of(keyed.key(at(index)), 1, index, name="Mine")
        one, two = (
            ss.Compose([Darker()])(PHOTOS[k], key=keyed.key(at(k))).astype(np.float32) for k in (index, other)
        )
        np.testing.assert_array_equal(
            keyed.sample(at(index))[0],
            np.rint(one * np.float32(0.5) + two * np.float32(0.5)).astype(np.uint8),
        )

    class Counting(ss.Compose):
        def __call__(self, sample: Any = None, *, key: Any = None, **parts: Any) -> Any:
            return super().__call__(sample, key=key, **parts)

    for own in (
        Counting([MIXES["MixUp"]]),
        lambda sample, key: ss.Compose([MIXES["MixUp"]])(sample, key=key),
    ):
        with pytest.raises(SampleError, match=NO_DATASET):
            reader(own).sample(at(0))


def test_a_bridged_member_before_draws_at_the_partners_key() -> None:
    def noisy(image: np.ndarray) -> np.ndarray:
        return image // 2 + np.random.randint(0, 99, image.shape).astype(np.uint8)

    before = ss.Compose([ss.bridge(noisy)])
    keyed = reader(ss.Compose([ss.bridge(noisy), MIXES["CutMix"]]))
    base = [(before(PHOTOS[k], key=keyed.key(at(k))), k) for k in range(LENGTH)]
    for index in range(LENGTH):
        wanted = reader(MIXES["CutMix"], base).sample(at(index))
        np.testing.assert_array_equal(keyed.sample(at(index))[0], wanted[0])


def test_ids_and_offsets_move_the_key_and_not_the_positions() -> None:
    ids = [2**63 + 17 * index for index in range(LENGTH)]
    for options, index_of in (({"ids": ids}, lambda k: ids[k]), ({"offset": 100}, lambda k: 100 + k)):
        keyed = reader(MIXES["MixUp"], **options)
        key = ss.SampleKey(SEED, 3, index_of(6))
        (other,) = partners_of(key, 1, 6, name="MixUp")
        label = keyed.sample(at(6))[1]
        assert np.flatnonzero(label).tolist() == sorted((6, other))


@pytest.mark.parametrize("views", [None, 2])
@pytest.mark.parametrize("form", ["array", "tuple", "objects", "tensors"])
def test_nothing_of_a_sample_is_that_of_a_partner_in_the_same_memory(form: str, views: int | None) -> None:
    torch = pytest.importorskip("torch")
    boxes = np.array([[index, 2.0, index + 5.0, 9.0] for index in range(LENGTH)])[:, np.newaxis]
    names = np.arange(LENGTH)[:, np.newaxis]
    forms: dict[str, tuple[list[Any], ...]] = {
        "array": (list(PHOTOS),),
        "tuple": (list(PHOTOS), list(names), [{"meta": [one]} for one in names]),
        "objects": (list(PHOTOS), list(boxes), list(names)),
        "tensors": (
            list(PHOTOS),
            [torch.from_numpy(one) for one in boxes],
            list(map(torch.from_numpy, names)),
        ),
    }
    columns = forms[form]
    objects = form in ("objects", "tensors")

    def samples(parts: Any) -> Any:
        if objects:
            return dict(zip(("image", "boxes", "labels"), parts, strict=True))
        return parts[0] if form == "array" else tuple(parts)

    class Filling:
        def __init__(self) -> None:
            self.memory = deepcopy([column[0] for column in columns])

        def __len__(self) -> int:
            return LENGTH

        def __getitem__(self, index: int) -> Any:
            for part, column in zip(self.memory, columns, strict=True):
                if isinstance(part, dict):
                    part["meta"][0][...] = column[index]["meta"][0]
                else:
                    part[...] = column[index]
            return samples(self.memory)

    rules: dict[str, Any] = (
        {"boxes": ss.Boxes("pascal_voc", labels=["labels"], min_area=0)} if objects else {}
    )
    augment = ss.Compose([ss.MixUp(label=None), ss.Mosaic(24, label=None)], **rules)
    targets = ("image", None, None) if form == "tuple" else None  # the last has two axes
    kept = reader(
        augment, [samples(parts) for parts in zip(*columns, strict=True)], views=views, targets=targets
    )
    filled = reader(augment, Filling(), views=views, targets=targets)
    for index in range(LENGTH):
        assert pickle.dumps(as_lists(filled.sample(at(index)))) == pickle.dumps(
            as_lists(kept.sample(at(index)))
        )


def as_lists(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: as_lists(one) for name, one in part.items()}
    return [as_lists(one) for one in part] if isinstance(part, tuple | list) else part.tolist()


def test_the_base_is_not_changed() -> None:
    images = PHOTOS.copy()
    base = [{"image": image, "label": one_hot(index)} for index, image in enumerate(images)]
    for mix in MIXES.values():
        keyed = reader(ss.Compose([mix, ss.HorizontalFlip()]), base)
        for index in range(LENGTH):
            made = keyed.sample(at(index))
            made["image"][...] = 0
            made["label"][...] = 0
    np.testing.assert_array_equal(images, PHOTOS)
    assert all(one["label"].tolist() == one_hot(index).tolist() for index, one in enumerate(base))


def test_a_base_that_draws_draws_at_the_partners_key() -> None:
    class Drawing:
        def __len__(self) -> int:
            return LENGTH

        def __getitem__(self, index: int) -> Any:
            return CROP(PHOTOS[index]), float(ss.generator().random()) + index * one_hot(0)

    CROP = ss.Compose([ss.RandomCrop(16)])  # noqa: N806
    plain = reader(None, Drawing())
    base = [plain.sample(at(index)) for index in range(LENGTH)]
    for name in ("MixUp", "CutMix"):
        mix = MIXES[name]
        for index in range(LENGTH):
            one, other = reader(mix, Drawing()).sample(at(index)), reader(mix, base).sample(at(index))
            np.testing.assert_array_equal(one[0], other[0])
            np.testing.assert_array_equal(one[1], other[1])


def test_under_a_bridge_partners_draw_at_their_own_keys() -> None:
    class Loose:
        def __len__(self) -> int:
            return LENGTH

        def __getitem__(self, index: int) -> Any:
            return PHOTOS[index] // 2 + np.random.randint(0, 9, (24, 24, 3)).astype(np.uint8), index

    before = np.random.get_state()[1].copy()  # type: ignore[index]
    plain = reader(None, Loose(), bridge=True)
    base = [plain.sample(at(index)) for index in range(LENGTH)]
    mixed = reader(MIXES["MixUp"], Loose(), bridge=True)
    for index in range(LENGTH):
        one, other = mixed.sample(at(index)), reader(MIXES["MixUp"], base).sample(at(index))
        np.testing.assert_array_equal(one[0], other[0])
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # type: ignore[index]


def test_a_read_in_the_middle_of_a_read_keeps_its_call_numbers() -> None:
    inner = reader(MIXES["MixUp"])

    class Outer:
        def __len__(self) -> int:
            return 1

        def __getitem__(self, index: int) -> Any:
            first = ss.generator().random()
            inner.sample(at(2), counts=False)
            return first, ss.generator().random()

    keyed = KeyedReader(Outer(), seed=7)
    one, two = keyed.sample(at(0))
    key = ss.SampleKey(7, 3, 0)
    assert one == ss.generator(ss.SampleKey(7, 3, 0, call=1)).random()
    assert two == ss.generator(ss.SampleKey(7, 3, 0, call=2)).random()
    assert key.call == 0


def test_threads() -> None:
    keyed = reader(ss.Compose([*MEMBERS, MIXES["CutMix"], MIXES["MixUp"]]))
    wanted = [keyed.sample(at(index)) for index in range(LENGTH)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            for one, other in zip(pool.map(keyed.sample, map(at, range(LENGTH))), wanted, strict=True):
                np.testing.assert_array_equal(one[0], other[0])


def test_json_pickle_and_params() -> None:
    augment = ss.Compose([*MEMBERS, *MIXES.values(), ss.CopyPaste(0.3, p=0.9, name="paste")])
    assert ss.Compose.from_json(augment.to_json()) == augment
    assert pickle.loads(pickle.dumps(augment)) == augment
    assert json.loads(augment.to_json())["transforms"][3] == {
        "transform": "MixUp",
        "alpha": 0.4,
        "classes": LENGTH,
    }
    drawn = ss.Compose([ss.RandomCrop(16), ss.Mosaic((40, 60)), ss.RandomCrop(32)]).params(
        ss.SampleKey(SEED, 3, 4), ss.Info((24, 24, 3), length=LENGTH)
    )
    assert list(drawn[1].params.partners) == partners_of(ss.SampleKey(SEED, 3, 4), 3, 4, name="Mosaic")
    assert [one.name for one in drawn] == ["RandomCrop", "Mosaic", "RandomCrop#1"]


# What is drawn


def test_partners_are_each_as_likely_and_never_the_sample_itself() -> None:
    found: Counter[tuple[int, ...]] = Counter()
    for index in range(6000):
        rng = Draws(address(ss.SampleKey(3, 0, index), op_of("Mosaic")))
        found[draw_partners(rng, ss.Info((4, 4), length=6, position=2), 3, "Mosaic")] += 1
    assert len(found) == 5 * 4 * 3
    assert all(2 not in one and len(set(one)) == 3 for one in found)
    assert stats.chisquare(list(found.values())).pvalue > 1e-3


def test_rectangles_and_meeting_points() -> None:
    info = ss.Info((20, 30, 3), length=50)
    keys = [ss.SampleKey(1, 0, k % 50, view=k // 50) for k in range(4000)]
    cutmix, mosaic = ss.Compose([ss.CutMix()]), ss.Compose([ss.Mosaic((40, 80))])
    patches = [cutmix.params(key, info)[0].params for key in keys]
    for patch in patches:
        top, bottom, left, right = patch.box
        assert 0 <= top <= bottom <= 20
        assert 0 <= left <= right <= 30
        assert patch.share == 1.0 - (bottom - top) * (right - left) / 600
    tiles = [mosaic.params(key, info)[0].params for key in keys]
    for values, low, high in (([t.row for t in tiles], 10, 30), ([t.column for t in tiles], 20, 60)):
        counts = np.bincount(values, minlength=high)[low:high]
        assert counts.sum() == len(keys)
        assert stats.chisquare(counts).pvalue > 1e-3


def test_objects_are_pasted_as_often_as_asked() -> None:
    masks = [np.eye(8, dtype=np.uint8)] * 6
    base = [{"image": np.zeros((8, 8), np.uint8), "masks": masks} for _ in range(300)]
    keyed = reader(ss.CopyPaste(0.3), base)
    counts = np.bincount([len(keyed.sample(at(k))["masks"]) - 6 for k in range(300)], minlength=7)
    wanted = stats.binom(6, 0.3).pmf(range(7)) * 300
    together = [*range(4)]
    assert (
        stats.chisquare([*counts[together], counts[4:].sum()], [*wanted[together], wanted[4:].sum()]).pvalue
        > 1e-3
    )


# Boxes and masks


def detection(index: int, side: int = 20) -> dict[str, Any]:
    """Return a sample with two objects, each a rectangle of one value, its mask, box and name."""
    rng = np.random.default_rng(index)
    image, masks, boxes = np.zeros((side, side, 3), np.uint8), [], []
    for number in range(2):
        x, y = rng.integers(0, 4) + number * (side // 2), rng.integers(0, side // 2)
        width, height = rng.integers(3, 7, 2)
        mask = np.zeros((side, side), np.uint8)
        mask[y : y + height, x : x + width] = 1
        masks.append(mask)
        boxes.append([x, y, min(x + width, side), min(y + height, side)])
    for number, mask in enumerate(masks):
        image[mask > 0] = 10 * index + number + 1
    return {
        "image": image,
        "masks": masks,
        "boxes": np.array(boxes, np.float64),
        "names": [f"{index}.{number}" for number in range(2)],
        "mask": image[..., 0].copy(),
    }


DETECTIONS = [detection(index) for index in range(1, LENGTH + 1)]


@pytest.mark.parametrize(
    "mix", [ss.CutMix(), ss.Mosaic(32, (0.3, 0.7)), ss.CopyPaste(0.6)], ids=lambda one: type(one).__name__
)
@pytest.mark.parametrize("format", ["pascal_voc", "coco", "yolo"])
@pytest.mark.parametrize("stacked", [False, True], ids=["list", "stack"])
def test_objects_stay_together(mix: Any, format: str, stacked: bool) -> None:
    from seedsafe.pipeline.boxes import from_edges, to_edges

    base = [
        sample
        | {
            "boxes": from_edges(sample["boxes"], format, (20, 20)),
            "masks": np.stack(sample["masks"]) if stacked else sample["masks"],
        }
        for sample in DETECTIONS
    ]
    keyed = reader(ss.Compose([ss.HorizontalFlip(), mix], boxes=ss.Boxes(format, labels="names")), base)
    foreign = 0
    for index in range(LENGTH):
        for epoch in range(8):
            made = keyed.sample(at(index, epoch))
            image, side = made["image"], made["image"].shape[0]
            edges = to_edges(np.asarray(made["boxes"]), format, (side, side))
            assert len(edges) == len(made["names"]) == len(made["masks"])
            assert isinstance(made["masks"], np.ndarray) == stacked
            np.testing.assert_array_equal(made["mask"], image[..., 0])  # a mask that is the image follows it
            for name, mask, box in zip(made["names"], made["masks"], edges, strict=True):
                whose, number = map(int, name.split("."))
                foreign += whose != index + 1
                assert set(image[mask > 0, 0].tolist()) <= {10 * whose + number + 1}, (
                    "a mask shows its object"
                )
                rows, columns = np.nonzero(mask)
                if len(rows):
                    tight = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
                    assert (box[:2] <= tight[:2]).all()
                    assert (box[2:4] >= tight[2:]).all()
                    if not isinstance(
                        mix, ss.CutMix
                    ):  # whose boxes may be larger than L-shaped rests of objects
                        np.testing.assert_allclose(box[:4], tight, atol=1e-9)
    assert foreign > 40


def test_what_is_hardly_seen_goes_with_its_label() -> None:
    def counts(**rules: Any) -> int:
        boxes = ss.Boxes("pascal_voc", labels="names", **rules)
        keyed = reader(ss.Compose([ss.Mosaic(20)], boxes=boxes), DETECTIONS)
        return sum(len(keyed.sample(at(k, e))["names"]) for k in range(LENGTH) for e in range(4))

    assert counts() > counts(min_visibility=0.7) > counts(min_visibility=0.7, min_area=20) > 0


def test_mixup_puts_objects_together() -> None:
    base = [{k: v for k, v in one.items() if k != "mask"} for one in DETECTIONS]
    keyed = reader(ss.Compose([ss.MixUp()], boxes=ss.Boxes("pascal_voc", labels="names")), base)
    (other,) = partners_of(keyed.key(at(2)), 1, 2, name="MixUp")
    made = keyed.sample(at(2))
    assert made["names"] == base[2]["names"] + base[other]["names"]
    np.testing.assert_array_equal(made["boxes"], np.concatenate([base[2]["boxes"], base[other]["boxes"]]))
    np.testing.assert_array_equal(made["masks"], [*base[2]["masks"], *base[other]["masks"]])


def test_boxes_of_one_sample_may_be_none() -> None:
    empty = {"image": np.zeros((20, 20, 3), np.uint8), "masks": [], "boxes": np.zeros((0, 4)), "names": []}
    base = [empty, {k: v for k, v in DETECTIONS[0].items() if k != "mask"}]
    for mix in (ss.CutMix(), ss.MixUp(), ss.CopyPaste(1.0)):
        keyed = reader(ss.Compose([mix], boxes=ss.Boxes("pascal_voc", labels="names")), base)
        for index in (0, 1):
            made = keyed.sample(at(index))
            assert len(made["boxes"]) == len(made["names"]) == len(made["masks"])


def test_soft_masks_are_blended() -> None:
    soft = [np.random.default_rng(k).random((24, 24, 4), np.float32) for k in range(LENGTH)]
    base = [{"image": image, "mask": soft[k]} for k, image in enumerate(PHOTOS)]
    keyed = reader(ss.Compose([ss.MixUp()]), base)
    made = keyed.sample(at(1))
    drawn = ss.Compose([ss.MixUp()]).params(keyed.key(at(1)), ss.Info((24, 24, 3), length=LENGTH))[0].params
    share = np.float32(drawn.share)
    wanted = soft[1] * share + soft[drawn.partners[0]] * np.float32(1 - drawn.share)
    np.testing.assert_allclose(made["mask"], wanted, atol=1e-6)


# Errors


class Faulty:
    """Photographs of which some cannot be read."""

    samples = [(f"{k}.jpg", k) for k in range(LENGTH)]  # noqa: RUF012

    def __init__(self, bad: set[int]) -> None:
        self.bad = bad

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        if index in self.bad:
            raise ValueError("truncated")
        return PAIRS[index]


def test_an_error_names_the_sample_and_its_partner() -> None:
    keyed = reader(None)
    (other,) = partners_of(keyed.key(at(0)), 1, 0, name="MixUp")
    wanted = rf"sample 0 \('0.jpg'\) failed in epoch 3, in the main process, in MixUp: its partner, sample {other} "
    wanted += rf"\('{other}.jpg'\), failed: ValueError: truncated"
    with pytest.raises(SampleError, match=wanted) as caught:
        reader(MIXES["MixUp"], Faulty({other})).sample(at(0))
    assert (caught.value.index, caught.value.transform, caught.value.path) == (0, "MixUp", "0.jpg")
    assert isinstance(caught.value.__cause__.__cause__, ValueError)  # type: ignore[union-attr]


def test_partners_of_partners_are_named() -> None:
    augment = ss.Compose([MIXES["CutMix"], MIXES["MixUp"]])
    keyed = reader(None)
    for epoch in range(20):
        key = keyed.key(at(0, epoch))
        (other,) = partners_of(key, 1, 0, name="MixUp")
        (third,) = partners_of(keyed.key(at(other, epoch)), 1, other, name="CutMix")
        if len({0, other, third, *partners_of(key, 1, 0, name="CutMix")}) == 4:
            break
    with pytest.raises(SampleError, match=f"sample 0 .*sample {other} .*sample {third} .*truncated"):
        reader(augment, Faulty({third})).sample(at(0, epoch))


def test_a_sample_is_skipped_whose_partner_fails() -> None:
    (bad,) = partners_of(reader(None).key(at(0)), 1, 0, name="MixUp")
    keyed = reader(MIXES["MixUp"], Faulty({bad}), faults=Faults("skip", allowed=("skip",)))
    made = [keyed.sample(at(index)) for index in range(LENGTH)]
    hit = {k for k in range(LENGTH) if k == bad or partners_of(keyed.key(at(k)), 1, k, name="MixUp") == [bad]}
    assert {k for k, one in enumerate(made) if type(one).__name__ == "Skipped"} == hit
    assert len(hit) > 1
    assert set(keyed.failures()[3]) == hit


def test_a_partner_that_fails_is_replaced() -> None:
    (bad,) = partners_of(reader(None).key(at(0)), 1, 0, name="MixUp")
    keyed = reader(MIXES["MixUp"], Faulty({bad}), faults=Faults("replace"))
    plain = reader(None, Faulty({bad}), faults=Faults("replace"))
    base = [plain.sample(at(k)) for k in range(LENGTH)]  # each as the dataset gives it
    assert set(plain.failures()[3]) == {bad}
    for index in range(LENGTH):
        if index != bad:
            np.testing.assert_array_equal(
                keyed.sample(at(index))[0], reader(MIXES["MixUp"], base).sample(at(index))[0]
            )
    assert set(keyed.failures()[3]) == {bad}
    assert keyed.sample(at(bad))[0].shape == (24, 24, 3)


class Broken(ss.ImageTransform):
    """Divides by zero."""

    def draw(self, rng: Draws, info: ss.Info) -> tuple[()]:
        return ()

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        return np.full(image.shape, np.nan, np.float32)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("objects", [False, True])
def test_what_makes_values_not_finite_is_named_beside_a_mix(number: int, objects: bool) -> None:
    members: list[Any] = [ss.MixUp(label=None)]
    members.insert(number, Broken())
    rules: dict[str, Any] = {"boxes": ss.Boxes("pascal_voc", labels=["labels"])} if objects else {}
    box = {"boxes": np.array([[0.0, 0.0, 9.0, 9.0]]), "labels": [1]}
    photos = [image.astype(np.float32) for image in PHOTOS]
    base: list[Any] = [{"image": image, **box} for image in photos] if objects else photos
    with pytest.raises(SampleError, match="not finite") as caught:
        reader(ss.Compose(members, **rules), base, faults=Faults(check_finite=True)).sample(at(0))
    assert caught.value.transform == "Broken"


def test_values_that_are_not_finite_are_found_in_partners() -> None:
    base = [(image.astype(np.float32), k) for k, image in enumerate(PHOTOS)]
    (other,) = partners_of(reader(None).key(at(0)), 1, 0, name="MixUp")
    base[other][0][0, 0, 0] = np.nan
    with pytest.raises(SampleError, match=f"sample {other}.*nan"):
        reader(MIXES["MixUp"], base, faults=Faults(check_finite=True)).sample(at(0))


SIZES = [(np.zeros((8 + k, 8, 3), np.uint8), k) for k in range(LENGTH)]
NO_DATASET = "there is no dataset: pass the pipeline itself to AugmentedDataset or AugmentedSequence"


@pytest.mark.parametrize(
    ("augment", "base", "words"),
    [
        (ss.MixUp(classes=9), PAIRS[:1], "MixUp mixes a sample with 1 other, but the dataset has 1 in all"),
        (ss.Mosaic(8, classes=9), PAIRS[:3], "Mosaic mixes a sample with 3 others, but the dataset has 3 in all"),
        (ss.MixUp(), PAIRS, "must be a vector to be mixed, got class 0: pass classes="),
        (ss.MixUp(classes=3), PAIRS[5:], "below classes=3, got 5"),
        (ss.MixUp(classes=9), list(PHOTOS), r"is an array by itself: name the label, .*label=None"),
        (ss.CutMix(classes=9), SIZES, r"put RandomCrop\(size, pad_if_needed=True\), Resize or LetterBox before CutMix"),
        (ss.MixUp(classes=9), SIZES, "Mosaic takes any sizes"),
        (ss.MixUp(classes=9), [(PHOTOS[0], 0), (PHOTOS[1][..., 0], 1)], "the same channels"),
        (ss.MixUp(classes=9), [(PHOTOS[0], 0), (PHOTOS[1].astype(np.float32), 1)], "samples of one dtype"),
        (ss.MixUp(classes=9), [(one, "cat") for one in PHOTOS], "must be the number of a class, or a vector with one float"),
        (ss.MixUp(), [(PHOTOS[0], [0.5, 0.5]), (PHOTOS[1], [1.0])], "one length"),
        (ss.MixUp(classes=9), [(one, 0, 0) for one in PHOTOS], r'targets=\("image", \'label\'\)'),
        (ss.MixUp(), [{"image": one, "mask": one[..., 0]} for one in PHOTOS], "mask of floats"),
        (
            ss.CutMix(),
            [{"image": PHOTOS[0], "mask": PHOTOS[0], "label": [1.0]}, {"image": PHOTOS[1], "label": [1.0]}],
            "'mask', which its partner, sample 1, lacks",
        ),
        (ss.CutMix(), [{"image": one, "boxes": np.ones((1, 4))} for one in PHOTOS], r"Compose\(.*boxes=ss\.Boxes\("),
        (ss.Compose([ss.CopyPaste()]), [{"image": one} for one in PHOTOS], "give it 'masks'"),
        (ss.MixUp(label=None), [{"image": one, "keypoints": np.ones((1, 2))} for one in PHOTOS], "cannot mix keypoints"),
        (ss.Mosaic(8, fill=300, label=None), list(PHOTOS), "fill"),
    ],
    ids=range(18),
)  # fmt: skip
def test_what_cannot_be_mixed_is_refused(augment: Any, base: Any, words: str) -> None:
    keyed = reader(augment, base)
    with pytest.raises(SampleError, match=words):
        [keyed.sample(at(0, epoch)) for epoch in range(3)]


def test_without_a_dataset() -> None:
    for mix in (*MIXES.values(), ss.CopyPaste()):
        for augment in (mix, ss.Compose([mix]), ss.Compose([ss.OneOf([mix], p=0)])):
            with pytest.raises(ValueError, match=NO_DATASET):
                augment(PHOTOS[0], key=ss.SampleKey(1, 0, 0))
        augment = ss.Compose([mix])
        with pytest.raises(ValueError, match=NO_DATASET):
            augment.batch(PHOTOS, [ss.SampleKey(1, 0, k) for k in range(LENGTH)])
        with pytest.raises(ValueError, match=r"the dataset's length.*AugmentedDataset"):
            augment.params(ss.SampleKey(1, 0, 0), (24, 24, 3))
        drawn = augment.params(ss.SampleKey(1, 0, 0), ss.Info((24, 24, 3), length=LENGTH))
        with pytest.raises(ValueError, match=NO_DATASET):
            augment.replay(PHOTOS[0], drawn)


def test_a_stream_has_no_other_samples() -> None:
    with pytest.raises(Exception, match=NO_DATASET):
        ss.keyed_map(ss.Compose([MIXES["MixUp"]]), seed=1, epoch=0, id=1)(PAIRS[0])


def test_a_dataset_without_a_length() -> None:
    class Endless:
        def __getitem__(self, index: int) -> Any:
            return PAIRS[index % LENGTH]

    with pytest.raises(SampleError, match="define __len__"):
        reader(MIXES["MixUp"], Endless()).sample(at(0))


def test_ready_batches_are_refused() -> None:
    with pytest.raises(SampleError, match=r"MixUp mixes single samples.*BatchMix"):
        reader(MIXES["MixUp"], [(PHOTOS, np.arange(LENGTH))]).batch(at(0), LENGTH)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: ss.MixUp(0), ValueError, "alpha"),
        (lambda: ss.MixUp(classes=0), ValueError, "classes"),
        (lambda: ss.MixUp(label="mask"), ValueError, "label must name an entry"),
        (lambda: ss.MixUp(label=3), TypeError, "label must name an entry"),
        (lambda: ss.Mosaic(0), ValueError, "size"),
        (lambda: ss.Mosaic(8, (0.5, 1.5)), ValueError, "centre"),
        (lambda: ss.CopyPaste(1.5), ValueError, "object_p"),
        (lambda: ss.Compose([ss.MixUp(classes=3), ss.CutMix(classes=4)]), ValueError, "got 3 and 4"),
        (lambda: ss.Compose([ss.MixUp()], boxes=ss.Boxes("coco", labels="label")), ValueError, "two of these"),
        (lambda: ss.Compose([ss.ToCHW(), ss.CutMix()]), ValueError, "channels last"),
    ],
    ids=range(10),
)  # fmt: skip
def test_bad_arguments(make: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        make()
