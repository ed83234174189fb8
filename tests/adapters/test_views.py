"""Lists of views: their law, keys, forms, batches, streams and errors, in every adapter."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from torch.utils.data import DataLoader, Dataset

import seedsafe as ss
import seedsafe_tf
from seedsafe.reading import BoundAugment, KeyedReader
from seedsafe_keras import AugmentedSequence, fit
from seedsafe_torch import AugmentedDataset, AugmentedIterable, KeyedSampler, loader

SEED, LENGTH = 42, 12
IMAGES = np.random.default_rng(0).integers(0, 256, (LENGTH, 12, 12, 3), np.uint8)
PAIRS = [(image, number) for number, image in enumerate(IMAGES)]
WEAK = ss.Compose([ss.RandomCrop(8), ss.HorizontalFlip(), ss.ColorJitter(0.3)])
STRONG = ss.Compose([ss.RandomCrop(4), ss.GaussianNoise(9), ss.RandomErasing(p=0.5)])
VIEWS = ss.Views([WEAK, STRONG, STRONG])


def key(index: int, epoch: int = 0, view: int = 0) -> ss.SampleKey:
    return ss.SampleKey(SEED, epoch, index, view=view)


def expected(index: int, epoch: int = 0, view: int = 0) -> list[Any]:
    """Return the views of an image, each by itself."""
    image = IMAGES[index]
    return [
        augment(image, key=key(index, epoch, 3 * view + number))
        for number, augment in enumerate((WEAK, STRONG, STRONG))
    ]


def same(one: Any, other: Any) -> None:
    assert isinstance(one, tuple | list)
    assert len(one) == len(other)
    for part, like in zip(one, other, strict=True):
        np.testing.assert_array_equal(np.asarray(part), like)


def foreign(image: Any, *, key: ss.SampleKey) -> Any:
    return image + np.uint8(ss.generator(key).integers(100))


class Drawing(Dataset[Any]):
    """A dataset that draws from its key, without one in the call."""

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        return WEAK(IMAGES[index]), index


BASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "images": (list(IMAGES), {}),
    "pairs": (PAIRS, {}),
    "dicts": ([{"image": image, "mask": image[..., 0], "name": "a"} for image in IMAGES], {}),
    "masks": (
        [{"image": image, "masks": [image[..., 0], image[..., 1]]} for image in IMAGES],
        {},
    ),
    "named": ([(image, image[..., 0], 3) for image in IMAGES], {"targets": ("image", "mask", None)}),
    "drawing": (Drawing(), {"check_finite": True}),
    "bridged": (Drawing(), {"bridge": True}),
    "ids": (PAIRS, {"ids": [7 * number for number in range(LENGTH)]}),
}


def flat(sample: Any) -> list[Any]:
    if isinstance(sample, dict):
        return [part for name in sorted(sample) for part in (name, *flat(sample[name]))]
    if isinstance(sample, tuple | list):
        return [type(sample), *(part for one in sample for part in flat(one))]
    return [np.asarray(sample).tobytes(), np.asarray(sample).dtype, np.shape(sample)]


@pytest.mark.parametrize("form", BASES)
def test_a_list_of_one_pipeline_is_as_many_views_of_it(form: str) -> None:
    base, options = BASES[form]
    augment: Any = WEAK if form != "masks" else ss.Compose([ss.RandomCrop(8), ss.HorizontalFlip()])
    number = AugmentedDataset(base, augment, seed=SEED, views=3, **options)
    listed = AugmentedDataset(base, seed=SEED, views=[augment] * 3, **options)
    for index in range(4):
        assert flat(listed[index]) == flat(number[index])
        assert flat(listed.at(index, epoch=2, occurrence=1, view=4)) == flat(
            number.at(index, epoch=2, occurrence=1, view=4)
        )


@pytest.mark.parametrize(
    "augment", [foreign, ss.Compose([ss.RandomCrop(8), ss.MixUp(classes=LENGTH)])], ids=["foreign", "mixing"]
)
def test_the_law_holds_for_other_code_and_for_mixing(augment: Any) -> None:
    number = AugmentedDataset(PAIRS, augment, seed=SEED, views=2)
    listed = AugmentedDataset(PAIRS, seed=SEED, views=[augment, augment])
    assert [flat(listed[index]) for index in range(6)] == [flat(number[index]) for index in range(6)]


def test_each_view_is_its_pipeline_at_its_number() -> None:
    data = AugmentedDataset(PAIRS, seed=SEED, views=[WEAK, STRONG, STRONG])
    for view in (0, 2):
        views, label = data.at(5, epoch=3, view=view)
        assert label == 5
        same(views, expected(5, 3, view))
        same(VIEWS(IMAGES[5], key=key(5, 3, view)), expected(5, 3, view))
    alone = AugmentedDataset(list(IMAGES), VIEWS, seed=SEED)
    same(alone.at(5, epoch=3), expected(5, 3))


def test_a_key_of_a_view_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"view must be .*below 2\*\*16"):
        VIEWS(IMAGES[0], key=key(0, view=2**16 - 1))


def test_members_with_other_targets_and_labels() -> None:
    boxes = ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("pascal_voc", labels="classes"))
    sample = {
        "image": IMAGES[0],
        "boxes": np.array([[0.0, 0.0, 6.0, 6.0]]),
        "classes": ["cat"],
        "name": "a",
    }
    data = AugmentedDataset([sample], seed=SEED, views=[boxes, ss.Compose([ss.Invert()])])
    made = data[0]
    assert made["name"] == "a"
    assert made["classes"] == (["cat"], ["cat"])
    assert [each.tolist() for each in made["boxes"]] == [[[6.0, 0.0, 12.0, 6.0]], [[0.0, 0.0, 6.0, 6.0]]]
    mask = AugmentedDataset([(IMAGES[0], {"mask": IMAGES[0, ..., 0]})], seed=1, views=[ss.ToGray(), WEAK])
    (gray, moved), rest = mask[0]
    assert gray.shape[:2] == (12, 12)
    assert moved.shape == (8, 8, 3)
    assert [part.shape for part in rest["mask"]] == [(12, 12), (8, 8)]


def test_calls_without_a_key_are_numbered_over_all_pipelines() -> None:
    class Base(Dataset[Any]):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return VIEWS(IMAGES[index]), VIEWS(IMAGES[index]), STRONG(IMAGES[index])

    one, two, three = AugmentedDataset(Base(), seed=SEED, targets="image", views=None)[1]
    for call, views in enumerate((one, two), 1):
        keys = [ss.SampleKey(SEED, 0, 1, view=view, call=call) for view in range(3)]
        same(views, [augment(IMAGES[1], key=k) for augment, k in zip(VIEWS.pipelines, keys, strict=True)])
    np.testing.assert_array_equal(three, STRONG(IMAGES[1], key=ss.SampleKey(SEED, 0, 1, call=3)))
    with pytest.raises(TypeError, match="key must be a SampleKey, got None"):
        VIEWS(IMAGES[0])


def test_params_and_replay_take_the_view() -> None:
    all_of_them = VIEWS.params(key(3, 1, 2), IMAGES[3])
    assert all_of_them == [
        augment.params(key(3, 1, 6 + number), IMAGES[3]) for number, augment in enumerate(VIEWS.pipelines)
    ]
    assert VIEWS.params(key(3, 1, 2), IMAGES[3], view=1) == all_of_them[1]
    same(VIEWS.replay(IMAGES[3], all_of_them), expected(3, 1, 2))
    np.testing.assert_array_equal(VIEWS.replay(IMAGES[3], all_of_them[2], view=2), expected(3, 1, 2)[2])
    with pytest.raises(ValueError, match="view must be at least 0 and below 3, got 3"):
        VIEWS.params(key(0), IMAGES[0], view=3)
    with pytest.raises(ValueError, match="a list for each of the 3 views, got 2"):
        VIEWS.replay(IMAGES[0], all_of_them[:2])
    with pytest.raises(TypeError, match="view 1 is made by foreign, whose draws are only known"):
        ss.Views([WEAK, foreign]).params(key(0), IMAGES[0])


def test_json_pickle_repr_and_manifest() -> None:
    assert ss.Views.from_json(VIEWS.to_json()) == VIEWS == pickle.loads(pickle.dumps(VIEWS))
    assert hash(VIEWS) == hash(ss.Views(VIEWS.pipelines))
    assert eval(repr(VIEWS), vars(ss) | {"Compose": ss.Compose, "Views": ss.Views}) == VIEWS
    data = AugmentedDataset(PAIRS, seed=SEED, views=VIEWS)
    assert data.manifest()["augment"] == VIEWS.to_dict() == json.loads(VIEWS.to_json())
    with pytest.raises(ValueError, match=r"must describe a Compose, got 'Views': use Views\.from_dict"):
        ss.Compose.from_json(VIEWS.to_json())
    with pytest.raises(ValueError, match="must describe Views, got 'Compose'"):
        ss.Views.from_json(WEAK.to_json())
    assert all(f"view {number}" in data._repr_html_() for number in range(3))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_gives_each_view_as_a_batch(workers: int) -> None:
    data = AugmentedDataset(PAIRS, seed=SEED, views=[WEAK, STRONG, STRONG])
    batches = loader(data, batch_size=4, num_workers=workers, shuffle=True)
    for epoch in range(2):
        batches.set_epoch(epoch)
        seen = []
        for views, labels in batches:
            assert [tuple(view.shape) for view in views] == [(4, 8, 8, 3), (4, 4, 4, 3), (4, 4, 4, 3)]
            for row, label in enumerate(labels.tolist()):
                same([view[row] for view in views], expected(label, epoch))
                seen.append(label)
        assert sorted(seen) == list(range(LENGTH))


def test_a_plain_loader_collates_views() -> None:
    data = AugmentedDataset(PAIRS, seed=SEED, views=[WEAK, STRONG, STRONG])
    plain = DataLoader(data, batch_size=4, sampler=KeyedSampler(range(LENGTH), seed=SEED))
    for views, labels in plain:
        for row, label in enumerate(labels.tolist()):
            same([view[row] for view in views], expected(label))


def test_streams_of_records() -> None:
    records = [{"__key__": number, "image": image} for number, image in enumerate(IMAGES)]
    for record, made in zip(records, AugmentedIterable(records, VIEWS, seed=SEED, epoch=1), strict=True):
        same(made["image"], expected(record["__key__"], 1))  # type: ignore[call-overload]
    mapped = ss.keyed_map(ss.Views([WEAK, foreign]), seed=SEED, epoch=0, id=lambda record: 0)
    weak, other = mapped(IMAGES[0])
    np.testing.assert_array_equal(weak, WEAK(IMAGES[0], key=ss.SampleKey(SEED, 0, 0, call=1)))
    assert other.shape == IMAGES[0].shape


class Ready(keras.utils.PyDataset):
    batch_size = 4

    def __len__(self) -> int:
        return LENGTH // 4

    def __getitem__(self, number: int) -> Any:
        rows = slice(4 * number, 4 * number + 4)
        return IMAGES[rows], np.arange(LENGTH)[rows]


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("ready", [True, False])
def test_keras_gives_each_view_as_a_batch(ready: bool, in_place: bool) -> None:
    base, size = (Ready(), None) if ready else (PAIRS, 4)
    sequence = AugmentedSequence(base, VIEWS, seed=SEED, batch_size=size, epoch=1, in_place=in_place)
    for views, labels in (sequence[number] for number in range(3)):
        for row, label in enumerate(labels.tolist()):
            same([view[row] for view in views], expected(label, 1))


def test_keras_trains_on_views() -> None:
    inputs = [keras.Input((8, 8, 3)), keras.Input((4, 4, 3)), keras.Input((4, 4, 3))]
    flat = keras.layers.Concatenate()([keras.layers.Flatten()(one) for one in inputs])
    model = keras.Model(inputs, keras.layers.Dense(1)(flat))
    model.compile("sgd", "mse")
    sequence = AugmentedSequence(PAIRS, VIEWS, seed=SEED, batch_size=4)
    history = fit(model, sequence, epochs=2, verbose=0)
    assert len(history.history["loss"]) == 2


def test_tf_data_gives_each_view_as_a_tensor() -> None:
    for views, labels in seedsafe_tf.augment(PAIRS, VIEWS, seed=SEED, batch_size=4, epoch=1):
        for row, label in enumerate(labels.numpy().tolist()):
            same([view[row] for view in views], expected(label, 1))
    rows = tf.data.Dataset.from_tensor_slices({"id": np.arange(LENGTH), "image": IMAGES})
    for made in seedsafe_tf.keyed(rows, VIEWS, seed=SEED, epoch=1, id="id"):
        same(made["image"], expected(int(made["id"]), 1))


@pytest.mark.parametrize(
    "views", [ss.Views([ss.Compose([]), foreign]), ss.Views([foreign, ss.MixUp(classes=9, name="mix")])]
)
def test_a_list_is_what_its_pipelines_are_together(views: ss.Views) -> None:
    bound, each = BoundAugment(views), [BoundAugment(one) for one in views.pipelines]
    assert bound.draws
    assert bound.is_foreign
    assert not bound.takes_arrays
    assert bound.mixer == each[1].mixer


def test_ready_batches_of_outer_views() -> None:
    reader = KeyedReader(Ready(), VIEWS, seed=SEED)
    views, labels = reader.batch(ss.SampleIndex(1, epoch=2, view=3), 4)
    for row, label in enumerate(labels.tolist()):
        same([view[row] for view in views], expected(label, 2, 3))


def test_views_and_augmentation_are_set_later() -> None:
    data = AugmentedDataset(PAIRS, WEAK, seed=SEED, views=2)
    data.augment = None
    data.views = None
    data.views = [WEAK, STRONG, STRONG]
    assert data.augment == VIEWS
    same(data[3][0], expected(3))
    with pytest.raises(ValueError, match="lists its 3 views itself, got views=2"):
        data.views = 2
    same(data[3][0], expected(3))  # as before the error
    data.augment = WEAK
    np.testing.assert_array_equal(data[3][0], expected(3)[0])


def test_failures_are_of_the_sample_and_name_the_transform() -> None:
    small = [*PAIRS[:2], (IMAGES[2][:6, :6], 2), *PAIRS[3:]]
    replaced = AugmentedDataset(small, seed=SEED, views=[STRONG, WEAK], on_error="replace")
    assert replaced.at(2, epoch=0)[1] != 2
    with pytest.warns(UserWarning, match="1 sample failed"):
        replaced.report_failures()
    with pytest.raises(ss.SampleError, match="in RandomCrop") as raised:
        AugmentedDataset(small, seed=SEED, views=[STRONG, WEAK])[2]
    assert raised.value.index == 2
    nan = ss.Compose([ss.bridge(lambda image: image * np.float32(np.nan), call="array", name="bad")])
    with pytest.raises(ss.SampleError, match="not finite") as raised:
        AugmentedDataset(PAIRS, seed=SEED, views=[WEAK, nan], check_finite=True)[0]
    assert raised.value.transform == "bad"


def drawing(image: Any, *, key: Any) -> Any:
    return image + np.uint8(np.random.randint(256))  # what NotReproducible is for


def test_other_code_that_ignores_its_key_is_refused_in_any_view() -> None:
    data = AugmentedDataset(PAIRS, seed=SEED, views=[WEAK, drawing])
    with pytest.raises(ss.NotReproducible, match=r"numpy.random"):
        data[0]


BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: ss.Views([]), ValueError, "number of views must be at least 1 .*: pass a list with a pipeline"),
    (lambda: ss.Views(WEAK), TypeError, r"views must be a list with a pipeline .*pass \[weak, strong\]"),  # type: ignore[arg-type]
    (lambda: ss.Views({WEAK, STRONG}), TypeError, "views must be a list with a pipeline"),
    (lambda: ss.Views([WEAK, None]), TypeError, r"views\[1\] must be a Compose .* Compose\(\[\]\)"),  # type: ignore[list-item]
    (lambda: ss.Views([ss.RandomCrop]), TypeError, r"views\[0\] must be a Compose"),
    (
        lambda: ss.Views([VIEWS]),
        TypeError,
        r"views\[0\] is Views itself: put its pipelines into the one list",
    ),
    (lambda: ss.Compose([VIEWS]), TypeError, "pass Views to the dataset as its augmentation"),  # type: ignore[list-item]
    (lambda: KeyedReader(PAIRS, WEAK, seed=0, views=[WEAK]), ValueError, "leave one of them out"),
    (lambda: KeyedReader(PAIRS, VIEWS, seed=0, views=2), ValueError, r"Views\(\[...\] \* 2\)"),
    (lambda: KeyedReader(PAIRS, seed=0, views="ab"), TypeError, "views must be a list"),  # type: ignore[arg-type]
    (lambda: KeyedReader(PAIRS, WEAK, seed=0, views=0), ValueError, "views must be at least 1"),
    (lambda: setattr(VIEWS, "pipelines", ()), AttributeError, "make other Views"),
]


@pytest.mark.parametrize(("make", "kind", "words"), BAD, ids=[words for *_, words in BAD])
def test_bad_input(make: Callable[[], Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        make()


def test_explain_takes_the_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from seedsafe.__main__ import main

    monkeypatch.chdir(tmp_path)
    Path("views.json").write_text(VIEWS.to_json())
    place = ["--seed", str(SEED), "--index", "3", "--view", "7", "--size", "12x12", "--json"]
    assert main(["explain", "views.json", *place]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["key"]["view"] == 7
    (crop, *_) = VIEWS.params(key(3, view=2), IMAGES[3], view=1)
    assert facts["applied"][0]["params"] == {"top": crop.params.top, "left": crop.params.left}  # type: ignore[union-attr]
