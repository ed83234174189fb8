"""Bases and sources that draw without the key, in Keras and tf.data."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import numpy as np
import pytest
import tensorflow as tf

import seedsafe as ss
import seedsafe_tf
from seedsafe_keras import AugmentedSequence

IMAGE = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
SIZE = 24
FLIP = ss.HorizontalFlip()


class Samples:
    rng = np.random.default_rng(0)

    def __init__(self, harmless: bool = False) -> None:
        self.harmless = harmless

    def __len__(self) -> int:
        return SIZE

    def __getitem__(self, index: int) -> Any:
        noise = np.uint8(self.rng.integers(100))
        return IMAGE if self.harmless else IMAGE + noise, index


class Batches(keras.utils.PyDataset):
    """Ready batches, with noise of NumPy's global generator."""

    batch_size = 4

    def __init__(self, harmless: bool = False) -> None:
        super().__init__()
        self.harmless = harmless

    def __len__(self) -> int:
        return SIZE // 4

    def __getitem__(self, index: int) -> Any:
        noise = np.random.randint(0, 100, (4, 1, 1, 1), np.uint8)
        return np.stack([IMAGE] * 4) + (0 if self.harmless else noise), np.arange(4)


class WithLayer(Samples):
    """Keras's layers have generators of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = keras.layers.RandomBrightness(0.5, seed=3)

    def __getitem__(self, index: int) -> Any:
        return np.asarray(self.layer(IMAGE.astype(np.float32), training=True)), index


@pytest.mark.parametrize("workers", [1, 2])
def test_samples_of_a_sequence(workers: int) -> None:
    options: dict[str, Any] = {"seed": 42, "batch_size": 4, "epoch": 0, "workers": workers}
    with pytest.raises(ss.NotReproducible, match=r"draws from base\.rng \(a Generator\)") as caught:
        AugmentedSequence(Samples(), FLIP, **options)[0]
    assert "convert" not in str(caught.value)
    with pytest.warns(UserWarning, match=r"draws from base\.rng") as told:
        list(AugmentedSequence(Samples(), FLIP, on_unkeyed="warn", **options))
    assert len(told) == 1
    for quiet in (
        AugmentedSequence(Samples(), FLIP, on_unkeyed="allow", **options),
        AugmentedSequence(Samples(), FLIP, bridge=True, **options),
        AugmentedSequence(Samples(harmless=True), FLIP, **options),
    ):
        assert len(list(quiet)) == 6


class WithGenerator(WithLayer):
    def __init__(self) -> None:
        super().__init__()
        self.layer = tf.random.Generator.from_seed(3)

    def __getitem__(self, index: int) -> Any:
        return IMAGE + np.uint8(self.layer.uniform((), 0, 100, tf.int32)), index


@pytest.mark.parametrize(
    ("kind", "name"),
    [(WithLayer, r"base\.layer\S* \(a SeedGenerator\)"), (WithGenerator, r"base\.layer \(a Generator\)")],
)
def test_generators_of_tensorflow_and_keras(kind: Any, name: str) -> None:
    with pytest.raises(ss.NotReproducible, match=f"draws from {name}"):
        AugmentedSequence(kind(), FLIP, seed=42, batch_size=4, epoch=0)[0]
    with pytest.warns(UserWarning, match=name):
        images = AugmentedSequence(kind(), None, seed=42, batch_size=4, epoch=0, on_unkeyed="warn")[0][0]
    base = kind()
    assert images.tolist() == np.stack([base[index][0] for index in range(4)]).tolist()  # put back exactly


def test_ready_batches() -> None:
    with pytest.raises(ss.NotReproducible, match="draws from NumPy's global generator"):
        AugmentedSequence(Batches(), FLIP, seed=42, epoch=0)[0]
    assert len(list(AugmentedSequence(Batches(harmless=True), FLIP, seed=42, epoch=0))) == 6
    assert len(list(AugmentedSequence(Batches(), FLIP, seed=42, epoch=0, bridge=True))) == 6
    with pytest.raises(ValueError, match="on_unkeyed must be"):
        AugmentedSequence(Batches(), FLIP, seed=42, on_unkeyed="never")


def test_tf_data_from_a_source() -> None:
    options: dict[str, Any] = {"seed": 42, "batch_size": 4, "epochs": 2}
    with pytest.raises(ss.NotReproducible, match=r"draws from base\.rng"):
        seedsafe_tf.augment(Samples(), FLIP, **options)
    for quiet in (
        seedsafe_tf.augment(Samples(), FLIP, on_unkeyed="allow", **options),
        seedsafe_tf.augment(Samples(harmless=True), FLIP, **options),
    ):
        assert len(list(quiet)) == 12
    with pytest.raises(ValueError, match="on_unkeyed must be"):
        seedsafe_tf.augment(Samples(), FLIP, on_unkeyed="never", **options)


def elements(draws: bool) -> tf.data.Dataset:
    def read() -> Iterator[Any]:
        for number in range(SIZE):
            yield {"id": number, "image": IMAGE + np.uint8(np.random.randint(100) if draws else 0)}

    signature = {"id": tf.TensorSpec((), tf.int64), "image": tf.TensorSpec((4, 4, 3), tf.uint8)}
    return tf.data.Dataset.from_generator(read, output_signature=signature)


def test_elements_of_tf_data() -> None:
    options: dict[str, Any] = {"seed": 42, "epoch": 0, "id": "id"}
    with pytest.warns(UserWarning, match="draws from NumPy's global generator .* into the pipeline"):
        data = seedsafe_tf.keyed(elements(draws=True), FLIP, **options)
    assert len(list(data)) == SIZE
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seedsafe_tf.keyed(elements(draws=True), FLIP, on_unkeyed="allow", **options)
        seedsafe_tf.keyed(elements(draws=False), FLIP, **options)
        keyed = seedsafe_tf.keyed(
            elements(draws=False), lambda element: {**element, "noise": np.random.rand()}, **options
        )
        first, second = ([element["noise"].numpy() for element in keyed] for _ in range(2))
    assert first == second
    with pytest.raises(ValueError, match="on_unkeyed must be"):
        seedsafe_tf.keyed(elements(draws=True), FLIP, on_unkeyed="never", **options)
