"""An epoch that begins twice in Keras and tf.data: each fit of one epoch, each dataset of one, begins with epoch 0."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import seedsafe as ss
import seedsafe_tf
from seedsafe_keras import AugmentedSequence, EpochCallback, evaluate, fit

FRAMEWORKS = ("keras", "tf_keras")


class Numbers:
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        return np.array([index, ss.generator().random()], np.float32), np.float32(0)


def sequence(framework: str, **options: Any) -> AugmentedSequence:
    return AugmentedSequence(Numbers(), seed=1, batch_size=4, framework=framework, **options)


def model(framework: str) -> Any:
    keras = importlib.import_module(framework)
    result = keras.Sequential([keras.layers.Dense(1)])
    result.compile(loss="mse")
    return result


def own_fit(model: Any, sequence: AugmentedSequence, **options: Any) -> None:
    model.fit(sequence, shuffle=False, callbacks=[EpochCallback(sequence)], **options)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("train", [fit, own_fit])
@pytest.mark.parametrize("anew", [False, True])
def test_a_fit_of_each_epoch_is_told_once(framework: str, train: Any, anew: bool) -> None:
    trained, data, base = model(framework), sequence(framework), Numbers()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(4):
            if anew:
                data = AugmentedSequence(base, seed=1, batch_size=4, framework=framework)
            train(trained, data, epochs=1, verbose=0)
            evaluate(trained, data, verbose=0)
    texts = [str(one.message) for one in told if "served again" in str(one.message)]
    assert len(texts) == 1
    assert "`fit(model, sequence, epochs=n)`" in texts[0]
    assert "`initial_epoch=epoch, epochs=epoch + 1`" in texts[0]


@pytest.fixture
def silent() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="epoch")
        yield


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.usefixtures("silent")
def test_what_is_right_is_not_told(framework: str) -> None:
    data, trained = sequence(framework), model(framework)
    for epoch in range(3):
        fit(trained, data, initial_epoch=epoch, epochs=epoch + 1, verbose=0)
    for _ in range(2):
        fit(model(framework), data, epochs=1, verbose=0)  # two trainings
    for _ in range(2):
        fit(trained, sequence(framework), epochs=1, verbose=0)  # two datasets
    for _ in range(2):
        fit(trained, data, epochs=2, verbose=0)


# tf.data


def batches(source: Any, **options: Any) -> Any:
    return seedsafe_tf.augment(source, seed=1, batch_size=4, **options)


def served(data: Any) -> list[Any]:
    return [numbers.numpy().tolist() for numbers, _ in data]


def for_loop(source: Any) -> list[Any]:
    return [served(batches(source, epochs=1)) for _ in range(4)]


def while_loop(source: Any) -> list[Any]:
    data, result = iter(batches(source, epochs=1)), []
    while len(result) < 4:
        try:
            result.append(next(data)[0].numpy().tolist())
        except StopIteration:
            data = iter(batches(source, epochs=1))
    return [result[:2], result[2:]]


@pytest.mark.parametrize("loop", [for_loop, while_loop])
def test_a_dataset_of_one_epoch_made_in_a_loop_is_told_at_the_second(loop: Any) -> None:
    with pytest.warns(
        UserWarning, match=r"epoch 0 is served again.*start=\(epoch, 0\), epochs=epoch \+ 1"
    ) as told:
        epochs = loop(Numbers())
    assert len(told) == 1
    assert all(one == epochs[0] for one in epochs)


def test_one_that_is_read_again_is_told_once(capfd: pytest.CaptureFixture[str]) -> None:
    data = batches(Numbers(), epochs=1)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(4):
            served(data.prefetch(2))
    assert len([one for one in told if "Pass epochs=n" in str(one.message)]) == 1


def test_keras_reading_one_epoch_again_is_told() -> None:
    trained = model("keras")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        trained.fit(batches(Numbers(), epochs=1), epochs=2, verbose=0)
    assert any("Pass epochs=n" in str(one.message) for one in told)


@pytest.mark.usefixtures("silent")
def test_runs_that_are_right_are_not_told() -> None:
    source = Numbers()
    run = batches(source, epochs=3)
    whole = served(run)
    alone = [batch for one in range(3) for batch in served(batches(source, start=(one, 0), epochs=one + 1))]
    assert alone == whole
    assert served(run) == whole  # a second training
    validation = batches(source, epoch=ss.VALIDATION_EPOCH)
    assert served(validation) == served(validation)
    assert served(batches(source, epochs=1)) == served(batches(source, epochs=1))
    first, second = batches(source, epochs=1), batches(Numbers(), epochs=1)
    assert len(list(tf.data.Dataset.zip((first, second)))) == 2
    assert served(batches(source, epochs=1, shuffle=False)) != served(batches(source, start=(1, 0), epochs=2))
