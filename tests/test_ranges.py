"""Pipelines that give a transform floats out of its range are refused when they are made."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from cases import TRANSFORMS

import seedsafe as ss
from seedsafe.pipeline.primitive import marks_of
from seedsafe_torch import AugmentedDataset

NORMALIZE = ss.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
CLIPS = sorted(name for name, case in TRANSFORMS.items() if marks_of(case.kind).clips)
KEYS = [ss.SampleKey(7, 0, index) for index in range(8)]
NO_IMAGE = (TypeError, ValueError)


@pytest.mark.parametrize("name", CLIPS)
def test_a_transform_of_floats_in_0_to_1_is_refused_after_normalize(name: str) -> None:
    one = TRANSFORMS[name].make()
    with pytest.raises(
        ValueError, match=rf"^{name} needs floats in \[0, 1\], .* return -2\.118 to 2\.64: put it before Norm"
    ):
        ss.Compose([NORMALIZE, one])
    for later in (ss.OneOf([one, ss.HorizontalFlip()]), ss.Compose([one]), ss.RandomApply([one])):
        with pytest.raises(ValueError, match=f"^{name} needs floats"):
            ss.Compose([NORMALIZE, ss.HorizontalFlip(), later])
    ss.Compose([one, NORMALIZE])  # the advice
    ss.Compose([ss.ToFloat(), one])
    ss.Compose([ss.Normalize([0.0], [1.0]), one])  # it stays in [0, 1]
    ss.Compose([ss.OneOf([NORMALIZE, one]), one])  # unknown
    ss.Compose([NORMALIZE, ss.bridge(lambda image: image), one])  # unknown


def test_the_library_knows_which_of_its_transforms_clip() -> None:
    image = np.random.default_rng(0).normal(0, 1.5, (64, 64, 3)).astype(np.float32)
    clip = []
    for name, case in TRANSFORMS.items():
        if marks_of(case.kind).clips or name == "AugMix":
            continue
        try:
            results = [case.make()(image, key=key) for key in KEYS]
        except NO_IMAGE:
            continue
        changed = [one for one in results if one.shape != image.shape or not np.array_equal(one, image)]
        if changed and all(one.min() >= 0 and one.max() <= 1 for one in changed):
            clip.append(name)
    assert clip == []


@pytest.mark.parametrize(
    "noise", [ss.GaussianNoise(), ss.GaussianNoise((0, 25)), ss.GaussianNoise(variance=(10, 90000))], ids=repr
)
def test_a_noise_in_steps_of_bytes_is_refused_after_to_float(noise: Any) -> None:
    with pytest.raises(
        ValueError,
        match=r"^the deviation of GaussianNoise is in steps .*pass std=\(0, 0\.0\d+\), or put it before",
    ):
        ss.Compose([ss.ToFloat(), noise])
    with pytest.raises(ValueError, match=r"^the deviation of GaussianNoise"):
        ss.Compose([ss.ToFloat(), ss.SomeOf([noise, ss.HorizontalFlip()], n=1)])
    ss.Compose([noise, ss.ToFloat()])  # the advice
    ss.Compose([ss.ToFloat(), ss.GaussianNoise(std=(0, 0.047))])
    ss.Compose([ss.ToFloat(), ss.GaussianNoise(variance=(10, 50))])  # on the scale of bytes for floats too
    ss.Compose([noise])  # of bytes, or of floats of any range


JITTER = ss.ColorJitter(0.2)


@pytest.mark.parametrize(
    "later",
    [
        ss.RandAugment(),
        ss.TrivialAugmentWide(),
        ss.PolicyOp("Brightness"),
        ss.PolicyOp("Rotate", interpolation="bilinear"),
        ss.Compose([ss.OneOf([ss.HorizontalFlip(), ss.VerticalFlip()]), JITTER]),
        ss.SomeOf([JITTER, ss.HorizontalFlip()], n=1),
        ss.Choice([JITTER, ss.HorizontalFlip()], weights=[1, 9]),
        ss.RandomApply([ss.SomeOf([ss.HorizontalFlip(), JITTER], n=2)], p=0.1),
        ss.GaussianNoise(),
    ],
    ids=repr,
)
def test_containers_and_policies_are_refused_after_normalize(later: Any) -> None:
    with pytest.raises(ValueError, match=r"before Normalize$"):
        ss.Compose([NORMALIZE, later])
    with pytest.raises(ValueError, match=r"before Normalize$"):
        ss.Compose([ss.RandomApply([NORMALIZE, later])])
    with pytest.raises(ValueError, match=r"before Normalize$"):
        ss.Compose([ss.SomeOf([NORMALIZE, later], n=2)])
    ss.Compose([later, NORMALIZE])
    ss.Compose([ss.OneOf([NORMALIZE, later])])


@pytest.mark.parametrize(
    ("mean", "std", "line"),
    [
        ((123.7, 116.3, 103.5), (58.4, 57.1, 57.4), "(0.4851, 0.4561, 0.4059), (0.229, 0.2239, 0.2251)"),
        (127.5, 127.5, "(0.5,), (0.5,)"),
        (0, 255, "(0.0,), (1.0,)"),
    ],
)
def test_statistics_of_bytes_are_refused_where_values_are_in_units(mean: Any, std: Any, line: str) -> None:
    wrong, image = ss.Normalize(mean, std), np.arange(16 * 16 * 3).reshape(16, 16, 3).astype(np.uint8)
    right = re.escape(f"write Normalize({line})")
    passes = [ss.RandomResizedCrop(8, antialias=True), wrong, ss.ToCHW()]
    for chain in ([wrong], [wrong, ss.ToCHW()], passes, [ss.RandomCrop(8), wrong]):
        with pytest.raises(ValueError, match="uint8 is divided by 255 first.*" + right):
            ss.Compose(chain)(image, key=KEYS[0])
        with pytest.raises(ValueError, match="uint8 is divided by 255 first.*" + right):
            ss.Compose(chain)(video=image[None], key=KEYS[0])
    with pytest.raises(ValueError, match="the transforms before it give floats.*" + right):
        ss.Compose([ss.ToFloat(), wrong])
    with pytest.raises(ss.SampleError, match=r"returns floats in \[0, 1\].*" + right):
        AugmentedDataset([image.astype(np.float32) / 255], ss.Compose([wrong]), seed=1)[0]
    dark = (image > 250).astype(np.float32)
    for floats in (image.astype(np.float32), dark):  # of 0 to 255
        assert AugmentedDataset([floats], ss.Compose([wrong]), seed=1)[0].dtype == np.float32


def test_what_takes_any_floats_is_taken_after_normalize() -> None:
    copies = [ss.PolicyOp("Rotate"), ss.PolicyOp("Identity"), ss.HorizontalFlip(), ss.GaussianNoise(0.5)]
    ss.Compose([NORMALIZE, *copies, ss.OneOf(copies)])
    ss.Compose([NORMALIZE, ss.ColorJitter(0.2, p=0), ss.RandomApply([JITTER], p=0)])  # they never fire
    ss.Compose([ss.RandomApply([NORMALIZE]), JITTER])  # unknown


def test_a_direct_call_stays() -> None:
    image = np.full((8, 8, 3), -1.0, np.float32)
    assert ss.ColorJitter(0.2)(image, key=KEYS[0]).max() <= 0
    assert ss.GaussianNoise(12)(image, key=KEYS[0]).std() > 5


def test_a_transform_that_takes_floats_of_bytes_does_the_same_to_them() -> None:
    """Who is not refused for floats in 0 … 255 works on their scale."""
    image = np.random.default_rng(0).uniform(0, 1, (64, 64, 3)).astype(np.float32)
    other = []
    for name, case in TRANSFORMS.items():
        try:
            one = case.make()
            one.out_span((0.0, 255.0), "the dataset returns")
            pairs = [(one(image, key=key) * 255, one(image * np.float32(255), key=key)) for key in KEYS]
        except NO_IMAGE:
            continue
        if any(small.shape != large.shape or np.abs(small - large).max() > 0.1 for small, large in pairs):
            other.append(name)
    assert other == [
        "GaussianNoise",
        "RandAugment",
        "TrivialAugmentWide",
    ]  # in steps; their operations are refused


def test_only_a_large_median_is_refused() -> None:
    for size in ((3, 5), 3, 5):
        ss.Compose([NORMALIZE, ss.MedianBlur(size)])
    with pytest.raises(ValueError, match=r"^MedianBlur needs floats"):
        ss.Compose([NORMALIZE, ss.MedianBlur()])
