"""AugmentedSequence with mix=: the batches of the core's definition, which are those of seedsafe_torch too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from keras_bases import Samples
from keras_data import SEED, pixels
from test_keras_sequence import CROP, Given

import seedsafe as ss
from seedsafe_keras import AugmentedSequence

MIX = ss.BatchMix(7)


def batch(indices: Any, epoch: int) -> tuple[np.ndarray, np.ndarray]:
    images = np.stack([CROP(pixels(7)[i], key=ss.SampleKey(SEED, epoch, i)) for i in indices])
    return MIX(images, np.asarray(indices), key=ss.SampleKey(SEED, epoch, indices[0]))


class Whole(Samples):
    """Its labels are integers."""

    def __getitem__(self, index: int) -> Any:
        image, label = super().__getitem__(index)
        return image, int(label)


@pytest.mark.parametrize("epoch", [0, 3])
def test_samples_are_mixed_at_the_key_of_the_first(epoch: int) -> None:
    sequence = AugmentedSequence(Whole(7), CROP, seed=SEED, batch_size=3, shuffle=True, epoch=epoch, mix=MIX)
    order = ss.epoch_order(SEED, epoch, 7).tolist()
    for number in range(3):
        images, labels = sequence[number]
        wanted = batch(order[3 * number : 3 * number + 3], epoch)
        np.testing.assert_array_equal(images, wanted[0])
        np.testing.assert_array_equal(labels, wanted[1])


def test_the_same_batches_come_from_torch() -> None:
    from seedsafe_torch import AugmentedDataset, loader, mix

    sequence = AugmentedSequence(Whole(7), CROP, seed=SEED, batch_size=3, shuffle=True, epoch=0, mix=MIX)
    loading = loader(
        AugmentedDataset(Whole(7), CROP, seed=SEED), batch_size=3, shuffle=True, collate_fn=mix(7)
    )
    for number, (images, labels) in enumerate(loading):
        np.testing.assert_array_equal(images.numpy(), sequence[number][0])
        np.testing.assert_array_equal(labels.numpy(), sequence[number][1])


def test_ready_batches_are_mixed_at_the_key_of_their_first_sample() -> None:
    base = Given(*((pixels(7)[i : i + 3], np.arange(7)[i : i + 3], np.ones(3)) for i in (0, 3)))
    sequence = AugmentedSequence(base, CROP, seed=SEED, epoch=1, mix=MIX)
    for number, start in enumerate((0, 3)):
        images, labels, weights = sequence[number]
        wanted = batch(list(range(start, start + 3)), 1)
        np.testing.assert_array_equal(images, wanted[0])
        np.testing.assert_array_equal(labels, wanted[1])
        assert weights.tolist() == [1, 1, 1]


def test_what_cannot_be_mixed_is_refused() -> None:
    with pytest.raises(TypeError, match=r"mix must be a BatchMix, got 3: pass seedsafe\.BatchMix"):
        AugmentedSequence(Whole(7), seed=SEED, batch_size=3, mix=3)  # type: ignore[arg-type]
    alone = AugmentedSequence(pixels(7), CROP, seed=SEED, batch_size=3, epoch=0, mix=MIX)
    with pytest.raises(
        TypeError, match="mix needs a batch that is a tuple of images and labels, got ndarray"
    ):
        alone[0]


def test_a_mix_of_samples_is_refused_over_ready_batches_at_once() -> None:
    with pytest.raises(ValueError, match=r"MixUp mixes single samples.*batch_size=.*BatchMix"):
        AugmentedSequence(Given((pixels(7)[:3], np.arange(3))), ss.MixUp(classes=3), seed=1)
