"""AugmentedSequence, EpochCallback and fit in this process: structure of batches, arguments, errors."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any, ClassVar

import keras
import numpy as np
import pytest
from keras_bases import Batches, Samples
from keras_data import SEED, augmentation, pixels

import seedsafe as ss
from seedsafe.reading import collate
from seedsafe_keras import AugmentedSequence, EpochCallback, evaluate, fit

CROP = ss.Compose([ss.RandomCrop(8)])
FLIP = ss.Compose([ss.HorizontalFlip(p=0.5)])


def at(base: Any, augment: Any = CROP, **options: Any) -> AugmentedSequence:
    options = {"seed": SEED, "epoch": 0} | options
    return AugmentedSequence(base, augment, **options)


def keyed(augment: Any, sample: Any, epoch: int, index: int) -> Any:
    return augment(sample, key=ss.SampleKey(SEED, epoch, index))


class Given(keras.utils.PyDataset):
    """Ready batches as they are given."""

    def __init__(self, *batches: Any) -> None:
        super().__init__()
        self.batches = batches

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, number: int) -> Any:
        return self.batches[number]


class TestSamples:
    def test_are_augmented_under_their_index_and_collated(self) -> None:
        images, labels = at(Samples(7), batch_size=3, epoch=5)[2]
        assert images.shape == (1, 8, 8, 3)
        assert labels.tolist() == [6.0]
        assert np.array_equal(images[0], keyed(CROP, pixels(7)[6], 5, 6))

    def test_are_shuffled_by_the_epochs_keyed_order(self) -> None:
        sequence = at(Samples(7), batch_size=3, shuffle=True, epoch=2)
        order = np.concatenate([sequence[batch][1] for batch in range(len(sequence))])
        assert order.tolist() == ss.epoch_order(SEED, 2, 7).tolist()

    def test_of_arrays_and_of_dicts_keep_their_structure(self) -> None:
        assert at(pixels(4), batch_size=4)[0].shape == (4, 8, 8, 3)
        batch = at([{"image": image, "label": 3} for image in pixels(4)], batch_size=4)[0]
        assert batch["image"].shape == (4, 8, 8, 3)
        assert batch["label"].tolist() == [3] * 4
        assert at([[image, 3] for image in pixels(4)], batch_size=4)[0][1].tolist() == [3] * 4

    @pytest.mark.parametrize("index", [np.int64(1), np.uint8(1)])
    def test_are_read_at_numpy_integers(self, index: Any) -> None:
        sequence = at(Samples(7), batch_size=3)
        assert np.array_equal(sequence[index][0], sequence[1][0])

    def test_of_another_number_than_before_are_refused(self) -> None:
        base = list(pixels(4))
        sequence = AugmentedSequence(base, CROP, seed=SEED, batch_size=2)
        sequence.begin_epoch(0)
        base.append(base[0])
        with pytest.raises(ValueError, match=r"had the length 4 when .* 5 in epoch 1: make a new sequence"):
            sequence.begin_epoch(1)

    def test_may_be_pictures_and_tensors(self) -> None:
        import torch
        from PIL import Image

        wanted = at(Samples(4), batch_size=4)[0][0]
        pictures = at([(Image.fromarray(image), 3) for image in pixels(4)], batch_size=4)[0][0]
        assert np.array_equal(pictures, wanted)
        tensors = at([torch.from_numpy(image).permute(2, 0, 1) for image in pixels(4)], batch_size=4)[0]
        assert np.array_equal(tensors, wanted.transpose(0, 3, 1, 2))
        wide = at([image.astype(np.int64) for image in pixels(4)], batch_size=4)[0]
        assert wide.dtype == np.int64
        assert np.array_equal(wide, wanted)

    def test_of_another_keyed_dataset_are_read_at_the_same_epoch(self) -> None:
        from seedsafe_torch import AugmentedDataset

        inner = AugmentedDataset(Samples(4), FLIP, seed=SEED + 1, on_error="skip")
        images, _ = at(inner, batch_size=4, epoch=5)[0]
        for image, index in zip(images, range(4), strict=True):
            flipped = FLIP(pixels(4)[index], key=ss.SampleKey(SEED + 1, 5, index))
            assert np.array_equal(image, keyed(CROP, flipped, 5, index))
        with pytest.raises(ValueError, match=f"same seed {SEED} as the dataset that reads it: give one"):
            at(AugmentedDataset(Samples(4), FLIP, seed=SEED), batch_size=4)
        inner.base = [None]
        with pytest.raises(
            ss.SampleError, match="a dataset inside left it out: TypeError: the dataset returned None"
        ):
            at(inner, batch_size=1)[0]
        assert list(inner.failures()) == [0]

    @pytest.mark.parametrize("batch", [3, -1])
    def test_out_of_range_raise_index_error(self, batch: int) -> None:
        with pytest.raises(
            IndexError, match=f"batch {batch} is out of range: the AugmentedSequence has 3 batches"
        ):
            at(Samples(7), batch_size=3)[batch]


class TestReadyBatches:
    def test_are_augmented_sample_by_sample_under_batch_times_size_plus_position(self) -> None:
        images, labels = at(Batches(11, 3), epoch=4)[3]
        assert labels.tolist() == [9.0, 10.0]
        for image, index in zip(images, (9, 10), strict=True):
            assert np.array_equal(image, keyed(CROP, pixels(11)[index], 4, index))

    def test_equal_the_samples_of_the_same_data(self) -> None:
        ready, single = at(Batches(11, 3)), at(Samples(11), batch_size=3)
        assert all(np.array_equal(ready[batch][0], single[batch][0]) for batch in range(4))

    def test_keep_labels_and_weights_as_the_objects_they_are(self) -> None:
        labels, weights = np.array(["a", "bcd"]), np.ones(2)
        batch = at(Given((pixels(2), labels, weights)))[0]
        assert batch[1] is labels
        assert batch[2] is weights

    def test_may_be_arrays_dicts_and_dicts_in_tuples(self) -> None:
        images = pixels(2)
        wanted = at(Given((images,)))[0][0]
        meta = ["x", "y"]
        assert np.array_equal(at(Given(images))[0], wanted)
        assert np.array_equal(at(Given({"image": images, "meta": meta}))[0]["image"], wanted)
        renamed = at(Given({"meta": meta, "photo": images}), targets={"photo": "image"})[0]
        assert np.array_equal(renamed["photo"], wanted)
        inputs, labels = at(Given(({"image": images, "meta": meta}, 5)))[0]
        assert np.array_equal(inputs["image"], wanted)
        assert inputs["meta"] is meta
        assert labels == 5

    def test_with_targets_move_together(self) -> None:
        images = pixels(8)
        moved, masks, rest = at(
            Given((images, images[..., 0], "rest")), FLIP, targets=("image", "mask", None)
        )[0]
        assert np.array_equal(moved[..., 0], masks)
        assert rest == "rest"

    def test_are_never_changed(self) -> None:
        images = pixels(3)
        images.flags.writeable = False
        at(Given(images), augmentation())[0]
        assert np.array_equal(images, pixels(3))

    def test_are_shuffled_as_batches(self) -> None:
        sequence = at(Batches(11, 3), shuffle=True)
        first = [int(sequence[batch][1][0]) // 3 for batch in range(4)]
        assert first == ss.epoch_order(SEED, 0, 4).tolist()

    @pytest.mark.parametrize(
        ("batch", "error", "message"),
        [
            (pixels(3), ValueError, "must have from 1 to 2 samples, got 3.*batch_size attribute"),
            (pixels(0), ValueError, "must have from 1 to 2 samples, got 0"),
            (None, TypeError, "the dataset returned None"),
            ({"x": pixels(2)}, ValueError, "targets={key: target}"),
            (([pixels(2), pixels(2)], 1), TypeError, "must be a NumPy array, got builtins.list"),
        ],
    )
    def test_of_another_kind_raise(self, batch: Any, error: type[Exception], message: str) -> None:
        with pytest.raises(
            ss.SampleError, match=f"batch 1, whose first sample is 2, failed.*{message}"
        ) as raised:
            at(Given(pixels(2), batch))[1]
        assert type(raised.value.__cause__) is error

    def test_with_unequal_parts_raise(self) -> None:
        batch = pixels(3), pixels(2)[..., 0]
        with pytest.raises(
            ValueError, match=re.escape("the same number of samples, got {'image': 3, 'mask': 2}")
        ):
            at(Given(batch), targets=("image", "mask"))[0]
        with pytest.raises(ValueError, match="name 1 parts, but the sample has 2"):
            at(Given(batch), targets=("image",))[0]

    def test_without_augmentation_are_the_bases_own(self) -> None:
        images = pixels(2)
        assert at(Given((images, 1)), None)[0][0] is images
        assert np.array_equal(at(Samples(3), None, batch_size=2)[0][0], pixels(3)[:2])

    def test_warn_about_epoch_hooks_that_are_not_called(self) -> None:
        class Shuffling(Given):
            def on_epoch_end(self) -> None:
                raise AssertionError

        with pytest.warns(UserWarning, match="Shuffling.on_epoch_end is not called.*shuffle=True") as warned:
            AugmentedSequence(Shuffling(pixels(2)), CROP, seed=SEED)
        assert [one.filename for one in warned] == [__file__]


class TestCollate:
    def test_keeps_dtypes(self) -> None:
        made = collate([(np.float32(1), 2, True, "a"), (np.float32(3), 4, False, "bc")])
        assert [part.dtype.kind for part in made] == ["f", "i", "b", "U"]
        assert made[0].dtype == np.float32

    @pytest.mark.parametrize(
        ("samples", "error", "message"),
        [
            ([np.zeros(2), np.zeros(3)], ValueError, r"one shape, got \[\(2,\), \(3,\)\].*RandomCrop"),
            ([np.zeros(2), np.zeros(2, "f")], TypeError, "one dtype, got"),
            ([(1, None), (2, None)], TypeError, "None where an array or a number belongs"),
            ([(0, 1), (0, "cat")], TypeError, r"one dtype, got \['<U3', 'int64'\]: convert them"),
            ([(0, 1), (0, 2.5)], TypeError, "one dtype, got"),
            ([(0, True), (0, 2)], TypeError, "one dtype, got"),
            ([(0, 1), (0, 2**63)], TypeError, "one dtype, got"),
            ([(0, {1}), (0, {2})], TypeError, "a set where an array or a number belongs: convert it"),
            (
                [{"x": 1, "y": 2}, {"x": 1}],
                ValueError,
                r"the keys \['x', 'y'\] and the keys \['x'\]: return all",
            ),
            ([{"x": 1}, {"x": 1, "y": 2}], ValueError, "the same keys, got"),
            ([{"x": 1}, (1, 2)], ValueError, r"the same keys, got the keys \['x'\] and 2 parts"),
            ([(1, 2), (1, 2, 3)], ValueError, "the same number of parts, got 2 parts and 3 parts"),
            ([(1, 2), 1], ValueError, "the same number of parts, got 2 parts and a int"),
        ],
    )
    def test_refuses_what_makes_no_batch(self, samples: Any, error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            collate(samples)


class TestEpoch:
    def test_missing_raises_and_names_the_ways_out(self) -> None:
        sequence = AugmentedSequence(Samples(7), CROP, seed=SEED, batch_size=3)
        for read in (lambda: sequence[0], lambda: list(sequence), lambda: sequence.num_batches):
            with pytest.raises(RuntimeError, match=r"seedsafe_keras\.fit.*EpochCallback\(sequence\).*epoch="):
                read()

    def test_comes_from_the_callback_and_ends_with_training(self) -> None:
        sequence = AugmentedSequence(Samples(7), CROP, seed=SEED, batch_size=3)
        callback = EpochCallback(sequence)
        callback.on_epoch_begin(4)
        assert np.array_equal(sequence[0][0], sequence.at_epoch(4)[0][0])
        callback.on_train_end()
        assert np.array_equal(sequence[0][0], sequence.at_epoch(ss.VALIDATION_EPOCH)[0][0])

    def test_reaches_the_base(self) -> None:
        class Dated(Samples):
            def set_epoch(self, epoch: int) -> None:
                self.epoch = epoch

            def __getitem__(self, index: int) -> Any:
                return np.full((2, 2, 3), self.epoch, np.uint8), 0.0

        base = Dated(7)
        base.set_epoch(0)
        sequence = AugmentedSequence(base, seed=SEED, batch_size=3)
        callback = EpochCallback(sequence)
        assert sequence[0][0].max() == 0  # Keras's look at the shapes, of the validation epoch
        for epoch in (0, 1, 5):
            callback.on_epoch_begin(epoch)
            assert {int(images.max()) for images, _ in (sequence[0], sequence[2])} == {epoch}

    def test_of_two_views_are_independent(self) -> None:
        sequence = AugmentedSequence(Samples(7), augmentation(), seed=SEED, batch_size=3)
        zero, one = iter(sequence.at_epoch(0)), iter(sequence.at_epoch(1))
        for batch, (first, second) in enumerate(zip(zero, one, strict=True)):
            assert np.array_equal(first[0], sequence.at_epoch(0)[batch][0])
            assert not np.array_equal(first[0], second[0])

    def test_is_kept_by_pickles_and_copies(self) -> None:
        sequence = AugmentedSequence(Samples(7), CROP, seed=SEED, batch_size=3, shuffle=True)
        EpochCallback(sequence).on_epoch_begin(4)
        for twin in (pickle.loads(pickle.dumps(sequence)), copy.deepcopy(sequence)):
            assert type(twin) is type(sequence)
            assert np.array_equal(twin[1][0], sequence[1][0])

    def test_repeats_from_the_steps_done_before(self) -> None:
        sequence = AugmentedSequence(Samples(7), CROP, seed=SEED, batch_size=3, repeat=True)
        callback = EpochCallback(sequence)
        callback.set_params({"steps": 2})
        callback.on_epoch_begin(2)
        callback.on_epoch_begin(3)
        assert sequence.num_batches is None
        for step in range(6):
            epoch, batch = divmod(4 + step, 3)
            assert np.array_equal(sequence[step][0], sequence.at_epoch(epoch)[batch][0])

    @pytest.mark.parametrize(
        ("options", "steps", "message"),
        [
            ({}, 2, "steps_per_epoch must be 3, the sequence's length, got 2.*repeat=True"),
            ({"repeat": True}, None, "pass steps_per_epoch to fit"),
        ],
    )
    def test_callback_refuses_steps_that_do_not_fit(self, options: Any, steps: Any, message: str) -> None:
        callback = EpochCallback(AugmentedSequence(Samples(7), CROP, seed=SEED, batch_size=3, **options))
        callback.set_params({"steps": steps})
        with pytest.raises(ValueError, match=message):
            callback.on_train_begin()

    def test_callback_refuses_other_sequences(self) -> None:
        with pytest.raises(TypeError, match="must be an AugmentedSequence, got Samples"):
            EpochCallback(Samples(3))
        with pytest.raises(ValueError, match="has the fixed epoch 0: to train on it, leave epoch= out"):
            EpochCallback(at(Samples(3), batch_size=1))


class Endless(keras.utils.PyDataset):
    num_batches = None

    def __getitem__(self, position: int) -> np.ndarray:
        return np.zeros((2, 4, 4, 3), np.uint8)


@pytest.mark.parametrize(
    ("base", "options", "error", "message"),
    [
        (Samples(7), {}, TypeError, "batch_size is missing, and Samples is not a Keras Sequence"),
        (Batches(7, 2), {"batch_size": 2}, ValueError, "batch_size=2 needs a base of samples.*leave it out"),
        (Samples(7), {"batch_size": 0}, ValueError, "batch_size must be at least 1"),
        (Samples(7), {"batch_size": 2.0}, TypeError, "batch_size must be an integer, got 2.0"),
        (Samples(7), {"batch_size": 2, "workers": -1}, ValueError, "workers must be at least 0"),
        (Samples(7), {"batch_size": 2, "max_queue_size": 0}, ValueError, "max_queue_size must be at least 1"),
        (Samples(7), {"batch_size": 2, "seed": -1}, ValueError, "seed must be at least 0"),
        (Samples(7), {"batch_size": 2, "epoch": 2**32}, ValueError, "epoch must be at least 0 and below"),
        (
            Samples(7),
            {"batch_size": 2, "repeat": True},
            ValueError,
            "got epoch=0 as well: leave one of them out",
        ),
        (
            Samples(7),
            {"batch_size": 2, "framework": "flax"},
            ValueError,
            "must be one of 'keras', 'tf_keras', got",
        ),
        (Samples(0), {"batch_size": 2}, ValueError, "base must have at least one sample or batch"),
        (iter([]), {"batch_size": 2}, TypeError, "base must have a length, got list_iterator"),
        (Endless(), {}, TypeError, "got Endless: define __len__ on it, the length of an epoch"),
        (
            Samples(7),
            {"batch_size": 2, "augment": 3},
            TypeError,
            "augment must be a Compose or a Transform, got 3",
        ),
        (
            Samples(7),
            {"batch_size": 2, "targets": ("photo", None)},
            ValueError,
            "targets must each be one of image, mask",
        ),
    ],
)
def test_bad_arguments_raise(base: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        at(base, options.pop("augment", CROP), **options)


class TestFit:
    @pytest.fixture
    def model(self) -> Any:
        model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(1)])
        model.compile(loss="mse", run_eagerly=True)
        return model

    @pytest.fixture
    def sequence(self) -> AugmentedSequence:
        return AugmentedSequence(Samples(7), CROP, seed=SEED, batch_size=3)

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({"shuffle": True}, ValueError, "pass shuffle=True to AugmentedSequence instead"),
            ({"steps_per_epoch": 2}, ValueError, "steps_per_epoch must be 3.*repeat=True"),
            ({"y": 1}, TypeError, "leave y out: the sequence's batches hold the labels"),
            ({"workers": 2}, TypeError, "leave workers out: it is the sequence's"),
            ({"batch_size": 2}, TypeError, "leave batch_size out"),
        ],
    )
    def test_refuses_arguments_of_the_sequence(
        self, model: Any, sequence: Any, arguments: Any, error: type[Exception], message: str
    ) -> None:
        with pytest.raises(error, match=message):
            fit(model, sequence, **arguments)

    def test_refuses_what_is_no_model_or_no_sequence(self, model: Any, sequence: Any) -> None:
        with pytest.raises(TypeError, match="must be a Keras 3 or tf-keras 2 model, got object"):
            fit(object(), sequence)
        with pytest.raises(TypeError, match="must be an AugmentedSequence, got Samples"):
            fit(model, Samples(7))

    def test_refuses_more_validation_steps_than_there_are(self, model: Any, sequence: Any) -> None:
        with pytest.raises(ValueError, match="validation_steps must be at most 3"):
            fit(model, sequence, validation_data=sequence, validation_steps=4)
        with pytest.raises(ValueError, match="steps must be at most 3"):
            evaluate(model, sequence, steps=4)

    def test_keeps_the_users_callbacks_and_leaves_the_sequence_without_an_epoch(
        self, model: Any, sequence: Any
    ) -> None:
        epochs: list[int] = []
        callback = keras.callbacks.LambdaCallback(on_epoch_begin=lambda epoch, logs: epochs.append(epoch))
        for callbacks in (callback, [callback]):
            history = fit(model, sequence, epochs=4, initial_epoch=2, callbacks=callbacks, verbose=0)
            assert history.epoch == [2, 3]
        assert epochs == [2, 3, 2, 3]
        with pytest.raises(RuntimeError, match="without an epoch"):
            sequence[0]

    def test_repeat_needs_whole_executions(self) -> None:
        model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(1)])
        model.compile(loss="mse", steps_per_execution=2)
        sequence = AugmentedSequence(Samples(7), CROP, seed=SEED, batch_size=3, repeat=True)
        with pytest.raises(
            ValueError, match="steps_per_epoch must be a multiple of the model's steps_per_exec"
        ):
            fit(model, sequence, steps_per_epoch=3)

    def test_reads_a_fixed_epoch_where_one_is_given(self, model: Any) -> None:
        assert fit(model, at(Samples(7), batch_size=3), epochs=2, verbose=0).epoch == [0, 1]
        assert isinstance(evaluate(model, at(Samples(7), batch_size=3), verbose=0), float)


# What callbacks set


class Scaled(Samples):
    scale = 1

    def __getitem__(self, index: int) -> Any:
        image, label = super().__getitem__(index)
        return np.full_like(image, self.scale), label


class Setting(keras.callbacks.Callback):  # type: ignore[misc]
    def __init__(self, change: Any) -> None:
        super().__init__()
        self.change = change

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if epoch == 1:
            self.change()


class Noting(keras.Sequential):  # type: ignore[misc]
    """Notes the largest value of each batch."""

    noted: ClassVar[list[float]] = []

    def train_step(self, *arguments: Any) -> Any:
        self.noted.append(float(np.asarray(arguments[-1][0]).max()))
        return super().train_step(*arguments)


@pytest.mark.parametrize(
    "ways",
    [{}, {"workers": 2}, {"workers": 2, "use_multiprocessing": True}],
    ids=["0", "threads", "processes"],
)
@pytest.mark.parametrize("name", ["scale", "augment"])
def test_what_a_callback_sets_on_the_sequence_counts(ways: Any, name: str) -> None:
    sequence: Any = AugmentedSequence(Scaled(6), seed=SEED, batch_size=3, **ways)
    value = 7 if name == "scale" else ss.Compose([ss.Solarize(0)])
    model = Noting([keras.layers.Flatten(), keras.layers.Dense(1)])
    Noting.noted.clear()
    model.compile(loss="mse", run_eagerly=True)
    fit(model, sequence, epochs=3, callbacks=[Setting(lambda: setattr(sequence, name, value))], verbose=0)
    assert Noting.noted == [1.0] * 2 + [7.0 if name == "scale" else 254.0] * 4


def test_a_sequence_at_an_epoch_is_another_one() -> None:
    sequence: Any = AugmentedSequence(Scaled(6), ss.Compose([ss.Solarize(0)]), seed=SEED, batch_size=3)
    validation: Any = sequence.at_epoch(3)
    validation.augment = ss.Compose([ss.HorizontalFlip(p=0)])
    assert (validation.epoch, validation[0][0].max()) == (3, 1)
    assert sequence.at_epoch(0)[0][0].max() == 254
    view = sequence.view(epoch=1)
    view.augment = validation.augment
    assert sequence.augment is validation.augment
    assert pickle.loads(pickle.dumps(view))[0][0].max() == 1
