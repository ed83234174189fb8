"""BatchMix: the Beta distribution, what is drawn, and what becomes of images and labels."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import refused
from scipy import stats
from skimage import data

import seedsafe as ss
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address
from seedsafe.mixing.batch import Mixed, beta, mix_arrays, mix_labels

PHOTOS = np.stack([data.astronaut()[20 * k : 20 * k + 24, 100:132] for k in range(6)])
LABELS = np.array([3, 0, 1, 3, 2, 4])


def keys(n: int) -> list[ss.SampleKey]:
    return [ss.SampleKey(42, 0, i) for i in range(n)]


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.2, 0.2), (0.8, 0.4), (2.0, 5.0), (60.0, 60.0)])
def test_the_beta_distribution(a: float, b: float) -> None:
    drawn = [beta(Draws(address(key)), a, b) for key in keys(4000)]
    assert stats.kstest(drawn, stats.beta(a, b).cdf).pvalue > 1e-3


def test_beta_consumes_34_words_whatever_it_draws() -> None:
    for key in keys(20):
        draws, plain = Draws(address(key)), Draws(address(key))
        beta(draws, 0.001, 1e6)
        for _ in range(34):
            plain.word()
        assert draws.word() == plain.word()


@pytest.mark.parametrize("a", [1e-3, 1e6])
def test_extreme_alphas_stay_finite(a: float) -> None:
    assert all(0 <= beta(Draws(address(key)), a, a) <= 1 for key in keys(200))


def test_both_kinds_come_equally_often() -> None:
    kinds = [ss.BatchMix(5).params(key, PHOTOS.shape).kind for key in keys(400)]
    assert 160 < kinds.count("mixup") < 240
    assert kinds.count("cutmix") == 400 - kinds.count("mixup")
    assert {ss.BatchMix(5, p=0).params(key, PHOTOS.shape).kind for key in keys(9)} == {""}
    assert {ss.BatchMix(5, cutmix=0).params(key, PHOTOS.shape).kind for key in keys(9)} == {"mixup"}
    assert {ss.BatchMix(5, mixup=0).params(key, PHOTOS.shape).kind for key in keys(9)} == {"cutmix"}


def test_partners_are_others_and_all_of_them_come() -> None:
    assert {ss.BatchMix(5).params(key, PHOTOS.shape).shift for key in keys(200)} == {1, 2, 3, 4, 5}
    assert {ss.BatchMix(5).params(key, (2, 8, 8, 3)).shift for key in keys(50)} == {1}


def test_mixup() -> None:
    drawn = Mixed("mixup", 2, 0.3, (0, 0, 0, 0))
    values = PHOTOS.astype(np.float32)
    partners = values[[4, 5, 0, 1, 2, 3]]
    wanted = values * np.float32(0.3) + partners * np.float32(0.7)
    np.testing.assert_array_equal(mix_arrays(values, drawn, (1, 2)), wanted)
    np.testing.assert_array_equal(mix_arrays(PHOTOS, drawn, (1, 2)), np.rint(wanted).astype(np.uint8))


@pytest.mark.parametrize("first", [False, True])
def test_cutmix(first: bool) -> None:
    photos = PHOTOS.transpose(0, 3, 1, 2) if first else PHOTOS
    mix = ss.BatchMix(5, mixup=0)
    for key in keys(30):
        drawn = mix.params(key, photos.shape)
        mixed, labels = mix(photos, LABELS, key=key)
        top, bottom, left, right = drawn.box
        inside = np.zeros((24, 32), bool)
        inside[top:bottom, left:right] = True
        assert drawn.share == 1 - inside.sum() / inside.size
        region = inside[None, None] if first else inside[None, :, :, None]
        np.testing.assert_array_equal(mixed, np.where(region, np.roll(photos, drawn.shift, 0), photos))
        np.testing.assert_allclose(labels.sum(1), 1, rtol=1e-6)
        for i, label in enumerate(LABELS):
            partner = LABELS[i - drawn.shift]
            assert labels[i, label] == pytest.approx(1 if partner == label else drawn.share, abs=1e-6)


def test_grey_images_and_vectors() -> None:
    vectors = np.full((6, 5), 0.2)
    mixed, labels = ss.BatchMix(5)(PHOTOS[..., 0], vectors, key=keys(1)[0])
    assert mixed.shape == (6, 24, 32)
    np.testing.assert_allclose(labels, vectors, rtol=1e-6)


def test_a_batch_of_one_and_an_empty_one_stay_as_they_are() -> None:
    for count in (1, 0):
        mixed, labels = ss.BatchMix(5)(PHOTOS[:count], LABELS[:count], key=keys(1)[0])
        np.testing.assert_array_equal(mixed, PHOTOS[:count])
        np.testing.assert_array_equal(labels, np.eye(5)[LABELS[:count]])


@given(count=st.integers(1, 6), index=st.integers(0, 2**40))
def test_inputs_stay_and_results_are_fresh(count: int, index: int) -> None:
    photos, labels = PHOTOS[:count].copy(), LABELS[:count].copy()
    mixed, vectors = ss.BatchMix(5)(photos, labels, key=ss.SampleKey(1, 0, index))
    np.testing.assert_array_equal(photos, PHOTOS[:count])
    np.testing.assert_array_equal(labels, LABELS[:count])
    assert not np.shares_memory(mixed, photos)
    assert mixed.flags.c_contiguous
    assert mixed.flags.writeable
    assert vectors.dtype == np.float32


def test_labels_add_up_for_two_of_one_class() -> None:
    assert mix_labels(np.eye(3, dtype=np.float32)[[1, 1]], Mixed("mixup", 1, 0.25, (0,) * 4)).tolist() == [
        [0, 1, 0],
        [0, 1, 0],
    ]


def test_it_is_a_value() -> None:
    mix = ss.BatchMix(5, 0.2)
    assert pickle.loads(pickle.dumps(mix)) == mix == eval(repr(mix), {"BatchMix": ss.BatchMix})
    with pytest.raises(dataclasses.FrozenInstanceError):
        mix.p = 0.5  # type: ignore[misc]


test_bad_input = refused(
    (lambda: ss.BatchMix(0), ValueError, "classes must be at least 1, got 0"),
    (lambda: ss.BatchMix(2.0), TypeError, "classes must be an integer, got 2.0"),
    (lambda: ss.BatchMix(True), TypeError, "classes must be an integer, got True"),
    (lambda: ss.BatchMix(5, -1), ValueError, "mixup must be 0, or at least 0.001 and at most 1e+06, got -1"),
    (lambda: ss.BatchMix(5, float("nan")), ValueError, "mixup must be 0"),
    (lambda: ss.BatchMix(5, "1"), TypeError, "mixup must be a number, got '1'"),
    (lambda: ss.BatchMix(5, p=1.5), ValueError, "p must be a probability in [0, 1], got 1.5"),
    (lambda: ss.BatchMix(5, 0, 0), ValueError, "both 0, so that nothing is mixed"),
    (lambda: ss.BatchMix(5, channels_first=1), TypeError, "channels_first must be True, False or None, got 1"),
    (lambda: ss.BatchMix(5)(PHOTOS, LABELS + 1, key=keys(1)[0]), ValueError, "a label must be at least 0 and below classes=5, got 5"),
    (lambda: ss.BatchMix(5)(PHOTOS, LABELS - 1, key=keys(1)[0]), ValueError, "got -1"),
    (lambda: ss.BatchMix(5)(PHOTOS, LABELS[:5], key=keys(1)[0]), ValueError, "the same length, got 6 and 5"),
    (lambda: ss.BatchMix(5)(PHOTOS, LABELS * 1.0, key=keys(1)[0]), TypeError, "labels must be integers"),
    (lambda: ss.BatchMix(5)(PHOTOS.astype(int), LABELS, key=keys(1)[0]), TypeError, "uint8 or floats"),
    (lambda: ss.BatchMix(5)(PHOTOS[:, :3], LABELS, key=keys(1)[0]), ValueError, "does not say which axis holds the channels: pass channels_first="),
    (lambda: ss.BatchMix(5)(PHOTOS[:, 0, 0], LABELS, key=keys(1)[0]), ValueError, "images must have the shape"),
)  # fmt: skip
