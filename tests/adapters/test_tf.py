"""seedsafe_tf.augment and keyed: shapes, structures, arguments, and errors in words."""

from __future__ import annotations

import doctest
import importlib
import sys
import threading
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from contract import (
    AUGMENT,
    IMAGES,
    LENGTH,
    PARTNERS,
    SEED,
    Photographs,
    digest,
    expected,
    expected_of_partners,
)

import seedsafe as ss
from seedsafe_tf import augment, keyed

CROP = ss.RandomCrop(2)
PAIRS = [(np.full((4, 5), number, np.uint8), number) for number in range(7)]
ROWS = {"image": IMAGES, "id": np.arange(LENGTH)}


def of(source: Any = PAIRS, pipeline: Any = CROP, **options: Any) -> Any:
    options = {"seed": 42, "batch_size": 3, "epochs": 2} | options
    return augment(source, pipeline, **options)


def rows(**options: Any) -> Any:
    options = {"seed": SEED, "epoch": 0, "id": "id"} | options
    return keyed(tf.data.Dataset.from_tensor_slices(ROWS), AUGMENT, **options)


def shapes(dataset: Any) -> Any:
    return tf.nest.map_structure(lambda one: (one.dtype.name, *one.shape), dataset.element_spec)


def pairs(dataset: Any) -> list[tuple[int, bytes]]:
    return [(int(row["id"]), digest(row["image"])) for row in dataset.as_numpy_iterator()]


def test_a_pass_whose_last_batch_is_read_before_its_first_is_not_told_as_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("seedsafe_tf.batches.map_numpy", lambda numbers, read, *others: read)
    read = of(epochs=1)  # as parallel calls do, in any order
    for number in (2, 0, 1):
        read(number)
    with pytest.warns(UserWarning, match="epoch 0 is served again"):
        read(0)


@pytest.mark.parametrize("module", ["batches", "records"])
def test_examples_run(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"seedsafe_tf.{module}"))
    assert (failed, tried > 0) == (0, True)


def test_shapes_are_known_and_are_those_of_the_samples() -> None:
    assert shapes(of()) == (("uint8", None, 2, 2), ("int64", None))
    assert shapes(of(drop_remainder=True)) == (("uint8", 3, 2, 2), ("int64", 3))
    assert shapes(of([image for image, _ in PAIRS])) == ("uint8", None, 2, 2)
    named = [{"image": image, "mask": image, "name": f"no. {label}"} for image, label in PAIRS]
    assert shapes(of(named)) == {
        "image": ("uint8", None, 2, 2),
        "mask": ("uint8", None, 2, 2),
        "name": ("string", None),
    }
    first = next(iter(of(named, shuffle=False)))
    assert first["name"].numpy().tolist() == [b"no. 0", b"no. 1", b"no. 2"]
    assert (first["image"].numpy() == first["mask"].numpy()).all()
    nested = [[image, {"label": label, "weight": np.float32(1)}] for image, label in PAIRS]
    assert shapes(of(nested))[1] == {"label": ("int64", None), "weight": ("float32", None)}


def test_a_length_is_known_and_the_last_batch_may_be_left_out() -> None:
    assert [len(labels) for _, labels in of()] == [3, 3, 1] * 2
    assert [len(labels) for _, labels in of(drop_remainder=True)] == [3, 3] * 2
    assert [len(of(start=start)) for start in ((0, 0), (0, 3), (1, 0), (1, 2), (1, 3), (2, 0))] == [
        6,
        3,
        3,
        1,
        0,
        0,
    ]


@pytest.mark.parametrize("calls", [None, 3])
def test_batches_that_are_kept_stay_as_they_are(calls: int | None) -> None:
    large = [(np.full((80, 80, 3), number, np.uint8), number) for number in range(12)]
    noise = ss.GaussianNoise(std=9)
    kept = list(of(large, noise, batch_size=4, epochs=8, num_parallel_calls=calls).prefetch(2))
    assert len({images.numpy().tobytes() for images, _ in kept}) == 24
    for number, (images, labels) in enumerate(kept):
        for image, label in zip(images.numpy(), labels.numpy(), strict=True):
            key = ss.SampleKey(42, number // 3, int(label))
            assert (image == noise(large[label][0], key=key)).all()


def test_ids_take_the_place_of_positions() -> None:
    moved = of(PAIRS[::-1], ids=list(range(7))[::-1], shuffle=False, batch_size=7, epochs=1)
    plain = of(shuffle=False, batch_size=7, epochs=1)
    (one,), (other,) = moved, plain
    assert (one[0].numpy()[::-1] == other[0].numpy()).all()


def test_each_epoch_in_flat_map_has_its_own_samples() -> None:
    signature = rows().element_spec

    def one_epoch(epoch: Any) -> Any:
        order = tf.data.Dataset.from_tensor_slices(ROWS).shuffle(LENGTH, seed=epoch)
        return keyed(
            order, AUGMENT, seed=SEED, epoch=epoch, id="id", signature=signature, num_parallel_calls=3
        )

    found = pairs(tf.data.Dataset.range(3).flat_map(one_epoch))
    for epoch in range(3):
        assert sorted(found[epoch * LENGTH : (epoch + 1) * LENGTH]) == sorted(expected(epoch, shuffle=False))


def test_the_epoch_reaches_the_source() -> None:
    class Dated(list[Any]):
        epoch = 0

        def set_epoch(self, epoch: int) -> None:
            self.epoch = epoch

        def __getitem__(self, index: Any) -> Any:
            return np.int64(self.epoch)

    epochs = [batch.numpy().tolist() for batch in augment(Dated(range(4)), seed=1, batch_size=4, epochs=3)]
    assert epochs == [[0] * 4, [1] * 4, [2] * 4]


def test_ids_in_tuples_in_strings_and_by_a_function() -> None:
    dataset = tf.data.Dataset.from_tensor_slices((IMAGES, [f"photo {i}" for i in range(LENGTH)]))
    for chosen in (1, lambda record: record[1]):
        image, name = next(keyed(dataset, AUGMENT, seed=SEED, epoch=4, id=chosen).as_numpy_iterator())
        key = ss.SampleKey(SEED, 4, ss.record_index("photo 0"))
        assert name == b"photo 0"
        assert (image == AUGMENT(IMAGES[0], key=key)).all()


def test_a_function_of_ones_own_is_not_traced() -> None:
    def own(record: Any) -> Any:
        assert isinstance(record["image"], np.ndarray)
        return {"image": AUGMENT(record["image"]), "id": record["id"]}

    dataset = tf.data.Dataset.from_tensor_slices(ROWS)
    made = map(
        ss.keyed_map(own, seed=SEED, epoch=1, id="id"), [{"image": IMAGES[i], "id": i} for i in range(LENGTH)]
    )
    wanted = [(int(row["id"]), digest(row["image"])) for row in made]
    assert pairs(keyed(dataset, own, seed=SEED, epoch=1, id="id")) == wanted


def test_a_shuffle_before_changes_the_order_alone() -> None:
    dataset = tf.data.Dataset.from_tensor_slices(ROWS).shuffle(LENGTH, seed=5)
    found = pairs(keyed(dataset, AUGMENT, seed=SEED, epoch=1, id="id"))
    assert found != expected(1, shuffle=False)
    assert sorted(found) == sorted(expected(1, shuffle=False))


class Broken(Photographs):
    def __getitem__(self, index: int) -> Any:
        if index == 9:
            raise OSError("no such disk")
        return super().__getitem__(index)


def test_a_pipeline_is_not_rewritten_where_the_caller_is_traced() -> None:
    found = set()

    def own(image: Any, *, key: ss.SampleKey) -> Any:
        found.add(sys._getframe().f_code.co_filename)
        return image

    def one(number: Any) -> Any:
        return augment(list(IMAGES), own, seed=1, batch_size=8, epoch=0)

    assert len(list(tf.data.Dataset.range(2).flat_map(one))) == 6
    assert found == {__file__}


def test_without_a_number_of_calls_there_is_one_at_a_time() -> None:
    busy = threading.Lock()

    def alone(image: Any, *, key: ss.SampleKey) -> Any:
        assert busy.acquire(blocking=False)
        try:
            return np.sort(image, axis=None)
        finally:
            busy.release()

    assert len(list(augment(list(IMAGES), alone, seed=1, batch_size=2, epochs=9))) == 9 * 12


def test_a_sample_that_fails_is_named_or_replaced() -> None:
    with pytest.raises(tf.errors.UnknownError, match=r"sample 9 failed in epoch 0.*no such disk"):
        list(of(Broken(), AUGMENT, num_parallel_calls=2))
    batches = of(Broken(), AUGMENT, on_error="replace", epochs=1, batch_size=LENGTH)
    with pytest.warns(UserWarning, match="1 sample"):
        labels = [int(one) for _, part in batches for one in part]
    assert len(labels) == LENGTH
    assert 9 not in labels


def test_a_sample_of_another_shape_or_structure_is_an_error_in_words() -> None:
    wide = [*PAIRS, (np.zeros((4, 6), np.uint8), 0)]
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"shape \(None, 4, 5\), as declared, got .*\(1, 4, 6\).*RandomCrop",
    ):
        list(of(wide, None, batch_size=1, shuffle=False))
    real = [*PAIRS, (np.zeros((4, 5), np.uint8), 0.5)]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be int64 .* got float64"):
        list(of(real, None, batch_size=1, shuffle=False))
    alone = [*PAIRS, np.zeros((4, 5), np.uint8)]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"parts must be .*, as declared, got "):
        list(of(alone, None, batch_size=1, shuffle=False))


@pytest.mark.parametrize(
    ("kind", "words", "options"),
    [
        (TypeError, r"source must have len.*seedsafe_tf.keyed", {"source": tf.data.Dataset.range(3)}),
        (TypeError, r"whole columns: pass list\(zip", {"source": (IMAGES, np.arange(LENGTH))}),
        (TypeError, r"whole columns: pass list\(zip", {"source": ROWS}),
        (TypeError, "source must have len.*generator", {"source": (one for one in PAIRS)}),
        (ValueError, "at least one sample", {"source": []}),
        (TypeError, "dtype datetime64", {"source": [(PAIRS[0][0], np.datetime64("2020"))]}),
        (TypeError, "augment must be a Compose", {"pipeline": 3}),
        (ValueError, "seed must be", {"seed": -1}),
        (ValueError, "batch_size must be at least 1", {"batch_size": 0}),
        (ValueError, "drop_remainder=True leaves no batch", {"batch_size": 8, "drop_remainder": True}),
        (ValueError, "one of epochs and epoch", {"epochs": None}),
        (ValueError, "one of epochs and epoch", {"epoch": 1}),
        (ValueError, "epochs must be at least 1", {"epochs": 0}),
        (TypeError, r"pair \(epoch, step\), got 3", {"start": 3}),
        (ValueError, "start's epoch must be .* got 3: the run has epochs=2", {"start": (3, 0)}),
        (ValueError, r"start's step must be .* got 4: an epoch has 3", {"start": (1, 4)}),
        (ValueError, "is after the end of the run, epochs=2", {"start": (2, 1)}),
        (ValueError, "epoch=1 is fixed", {"epochs": None, "epoch": 1, "start": (1, 0)}),
        (TypeError, "shuffle must be True or False", {"shuffle": 10}),
        (ValueError, "on_error must be one of", {"on_error": "skip"}),
        (ValueError, "num_parallel_calls must be at least 1", {"num_parallel_calls": 0}),
    ],
)
def test_bad_input_is_an_error_in_words(kind: Any, words: str, options: dict[str, Any]) -> None:
    with pytest.raises(kind, match=words):
        of(**options)


def test_bad_input_of_keyed_is_an_error_in_words() -> None:
    with pytest.raises(TypeError, match=r"dataset must be a tf.data.Dataset, got list.*augment"):
        keyed(PAIRS, CROP, seed=1, epoch=0, id="id")
    with pytest.raises(ValueError, match="no entry 'number' for its id"):
        rows(id="number")
    with pytest.raises(ValueError, match="signature is missing, and the dataset has no element"):
        keyed(tf.data.Dataset.from_tensor_slices(ROWS).take(0), CROP, seed=1, epoch=0, id="id")
    with pytest.raises(ValueError, match="signature is missing, and inside flat_map"):
        tf.data.Dataset.range(2).flat_map(lambda epoch: rows(epoch=epoch))
    short = {"image": tf.TensorSpec((None, 32, 3), tf.uint8), "id": tf.TensorSpec((), tf.int32)}
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be int32 .* int64.*signature"):
        list(rows(signature=short))


def test_samples_are_mixed_with_others() -> None:
    options: dict[str, Any] = {"seed": SEED, "batch_size": 4, "epochs": 2}
    made = augment(Photographs(), PARTNERS, **options).unbatch().as_numpy_iterator()
    found = [(int(label), digest(image)) for image, label in made]
    assert found == [*expected_of_partners(0, shuffle=True), *expected_of_partners(1, shuffle=True)]
    labelled = ss.Compose([ss.MixUp(classes=LENGTH)])
    _, labels = next(iter(augment(Photographs(), labelled, **options)))
    assert labels.shape == (4, LENGTH)
    assert labels.dtype == tf.float32
