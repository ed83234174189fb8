"""What is no base of samples is refused in a sentence, whose advice works."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import torch
from keras.utils import PyDataset
from torch.utils.data import TensorDataset

import seedsafe as ss
from seedsafe_keras import AugmentedSequence
from seedsafe_torch import AugmentedDataset, loader

FLIP = ss.Compose([ss.HorizontalFlip(p=1)])
X = np.arange(6 * 8 * 9 * 3, dtype=np.uint8).reshape(6, 8, 9, 3)
Y = np.arange(6)
ADAPTERS = pytest.mark.parametrize("adapter", [AugmentedDataset, AugmentedSequence])


def made(adapter: Any, base: Any) -> Any:
    options = {"batch_size": 2, "epoch": 0} if adapter is AugmentedSequence else {}
    return adapter(base, FLIP, seed=42, **options)


@ADAPTERS
@pytest.mark.parametrize(
    "columns",
    [
        (X, Y),
        [X, Y],
        (X, np.eye(6)),
        (X, X[..., 0]),
        (X[..., 0], Y[:, None] * 1.0),
        (np.zeros((6, 400)), Y),
        (torch.zeros(6, 3, 8, 9), torch.zeros(6)),
        (X, Y, Y),
        (X, list(range(6))),
        (X, tuple("abcdef")),
    ],
)
def test_columns_are_no_base(adapter: Any, columns: Any) -> None:
    with pytest.raises(TypeError, match=r"(?s)columns.*list\(zip\("):
        made(adapter, columns)


def test_the_advice_for_columns_works() -> None:
    image, label = made(AugmentedDataset, list(zip(*(X, Y), strict=True)))[4]
    np.testing.assert_array_equal(image, X[4][:, ::-1])
    assert label == 4
    tensors = TensorDataset(torch.from_numpy(X).permute(0, 3, 1, 2), torch.from_numpy(Y))
    image, label = made(AugmentedDataset, tensors)[4]
    np.testing.assert_array_equal(image.permute(1, 2, 0), X[4][:, ::-1])


@ADAPTERS
@pytest.mark.parametrize(
    "images",
    [
        (X[0], X[1]),
        (X[0], X[0][:, :5]),
        (X[0], X[0][..., 0]),
        (X[0], X[0][:6]),
        (np.zeros(9), np.zeros(9)),
        (X, X[:, :, :5]),
        ((X[0], 1), (X[1], 2)),
        ([1, 2, 3], [4, 5, 6]),
        [],
    ],
)
def test_a_tuple_of_images_is_a_base(adapter: Any, images: Any) -> None:
    if len(images) or adapter is AugmentedDataset:
        made(adapter, images)


@ADAPTERS
def test_a_dict_of_columns_is_no_base(adapter: Any) -> None:
    columns = {"image": X, "label": Y}
    with pytest.raises(TypeError, match=r"dict") as told:
        made(adapter, columns)
    advice = "[dict(zip(base, row)) for row in zip(*base.values())]"
    assert advice in str(told.value)
    assert "list(base.values())" in str(told.value)
    sample = made(AugmentedDataset, eval(advice, {"base": columns}))[4]
    np.testing.assert_array_equal(sample["image"], X[4][:, ::-1])
    assert sample["label"] == 4


def test_an_archive_of_columns_is_no_base(tmp_path: Path) -> None:
    np.savez(tmp_path / "columns.npz", image=X, label=Y)
    with (
        np.load(tmp_path / "columns.npz") as columns,
        pytest.raises(TypeError, match=r"NpzFile of \['image', 'label'\]"),
    ):
        made(AugmentedDataset, columns)


@pytest.mark.parametrize("columns", [(X, Y), {"image": X, "label": Y}])
def test_a_loader_takes_no_columns(columns: Any) -> None:
    with pytest.raises(TypeError, match=r"^dataset must .*zip\(\*dataset"):
        loader(columns, seed=42)


def test_a_dict_of_positions_is_a_base() -> None:
    assert made(AugmentedDataset, {0: X[0], 1: X[1]})[1].shape == (8, 9, 3)
    assert made(AugmentedDataset, defaultdict(lambda: X[0], {7: X[0]}))[0].shape == (8, 9, 3)


@ADAPTERS
@pytest.mark.parametrize("options", [{}, {"batch_size": 2}])
def test_a_dataset_of_tensorflow_names_its_adapter(adapter: Any, options: Any) -> None:
    options = options if adapter is AugmentedSequence else {}
    for base in (tf.data.Dataset.from_tensor_slices((X, Y)), tf.data.Dataset.range(3).batch(2)):
        with pytest.raises(TypeError, match=r"seedsafe_tf"):
            adapter(base, FLIP, seed=42, **options)


class Drawing(PyDataset):
    """Ready batches that draw, of a size that only the first one tells."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, batch: int) -> Any:
        images = ss.generator().integers(0, 255, (3, 8, 8, 3)).astype(np.uint8)
        return images, np.arange(3) + 3 * batch


def test_the_first_batch_is_read_with_a_key() -> None:
    sequence = AugmentedSequence(Drawing(), FLIP, seed=42, epoch=0)
    assert sequence.batch_size == 3
    images, labels = sequence[1]
    again = AugmentedSequence(Drawing(), FLIP, seed=42, epoch=0)[1]
    np.testing.assert_array_equal(images, again[0])
    assert labels.tolist() == [3, 4, 5]


@pytest.mark.parametrize("ids", [[7, 8, 9], np.array([7, 8, 9])])
def test_ids_set_late_are_taken_as_when_it_is_made(ids: Any) -> None:
    dataset = AugmentedDataset(X[:3], FLIP, seed=42)
    dataset.ids = ids
    assert dataset.reader.key(ss.SampleIndex(1, epoch=0)).index == 8
    dataset[1]
    with pytest.raises(ValueError, match="ids"):
        dataset.ids = [1]
