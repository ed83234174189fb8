"""Policies: their operations equal Pillow's, and what they choose follows the papers."""

from __future__ import annotations

import math
import platform
from collections import Counter
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageEnhance, ImageOps
from scipy import stats
from skimage import data

import seedsafe as ss
from seedsafe.functional import pillow
from seedsafe.image.policies import OPS, Operation
from seedsafe.image.policy_tables import TABLES

PHOTO = data.astronaut()[100:261, 150:341]
IMAGES = [PHOTO, PHOTO[::3, ::2], np.random.default_rng(0).integers(0, 256, (31, 40, 3), dtype=np.uint8)]
RESAMPLES = {"nearest": 0, "bilinear": 2, "bicubic": 3}
KEYS = [ss.SampleKey(3, 1, index) for index in range(4000)]
FOURTEEN = [op for op in OPS if op not in ("SolarizeAdd", "Invert")]


@pytest.mark.parametrize("factor", [0.0, 0.1, 0.37, 0.91, 1.0, 1.27, 1.9, 1.99])
@pytest.mark.parametrize("name", ["Brightness", "Color", "Contrast", "Sharpness"])
def test_enhancements_equal_pillow(name: str, factor: float) -> None:
    enhance = getattr(pillow, f"enhance_{name.lower()}")
    for image in (*IMAGES, *[one[..., 0] for one in IMAGES], PHOTO[:2], PHOTO[:, :1]):
        wanted = getattr(ImageEnhance, name)(Image.fromarray(np.ascontiguousarray(image))).enhance(factor)
        np.testing.assert_array_equal(enhance(image, factor), np.asarray(wanted))


@pytest.mark.parametrize("resample", RESAMPLES)
@pytest.mark.parametrize(
    "matrix",
    [
        (1, 0.3, 0, 0, 1, 0),
        (1, 0, 0, -0.7, 1, 0),
        (1, 0, -13.0, 0, 1, 0),
        (1, 0, 0, 0, 1, 7.4),
        (1, 0, 900, 0, 1, 0),
        (0.866, 0.5, -20.25, -0.5, 0.866, 71.1),
        (3.0, -200.0, 31.0, 250.0, 2.0, 9.0),
    ],
    ids=str,
)
def test_transform_equals_pillow(matrix: Any, resample: str) -> None:
    for image in (*IMAGES, IMAGES[0][..., 1]):
        fill = (3, 90, 200) if image.ndim == 3 else 90
        wanted = Image.fromarray(np.ascontiguousarray(image)).transform(
            image.shape[1::-1], Image.Transform.AFFINE, matrix, RESAMPLES[resample], fillcolor=fill
        )
        made = pillow.transform_affine(image, matrix, resample=resample, fill=fill)
        np.testing.assert_array_equal(made, np.asarray(wanted))


@pytest.mark.parametrize("degrees", [0.0, 4.5, -30.0, 90.0, -90.0, 135.0, 180.0, 77.7])
@pytest.mark.parametrize("resample", RESAMPLES)
def test_rotation_equals_pillow(degrees: float, resample: str) -> None:
    """To the bit for "nearest"; else a rounded 15th digit of a sine moves a value in ten thousand by 1."""
    turn = ss.PolicyOp("Rotate", (degrees, degrees), bins=1, signed=False, interpolation=resample, fill=11)
    for image in IMAGES:
        made = turn(image, key=KEYS[0]).astype(int)
        wanted = Image.fromarray(np.ascontiguousarray(image)).rotate(
            float(np.float32(degrees)), RESAMPLES[resample], fillcolor=(11, 11, 11)
        )
        apart = np.abs(made - np.asarray(wanted))
        assert apart.max() <= (resample != "nearest")
        assert apart.mean() < 1e-3


@pytest.mark.parametrize("resample", ["bilinear", "bicubic"])
@pytest.mark.parametrize("channels", [None, 1, 2, 3, 4, 5, 9])
def test_with_and_without_the_kernels_the_bytes_are_pillows(
    channels: int | None, resample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        height, width = rng.integers(1, 40, 2).tolist()
        shape = (height, width) if channels is None else (height, width, channels)
        image = rng.integers(0, 256, shape, np.uint8)
        fill: Any = 200 if channels is None else rng.integers(0, 256, channels).tolist()
        matrix: Any = (rng.normal(0, 1, 6) * [1, 1, width, 1, 1, height]).tolist()
        made = pillow.transform_affine(image, matrix, resample=resample, fill=fill)
        with monkeypatch.context() as patch:
            patch.setattr(pillow, "library", lambda: None)
            without = pillow.transform_affine(image, matrix, resample=resample, fill=fill)
        np.testing.assert_array_equal(made, without)
        if platform.machine() in ("x86_64", "AMD64") and channels in (
            None,
            3,
        ):  # Pillow rounds each product and sum by itself there
            code = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}[resample]
            colour = fill if channels is None else tuple(fill)
            wanted = Image.fromarray(image).transform(
                (width, height), Image.Transform.AFFINE, matrix, code, fillcolor=colour
            )
            np.testing.assert_array_equal(made, np.asarray(wanted))


@pytest.mark.parametrize("threshold", [0, 8.5, 127, 128, 255, 256])
def test_solarize_equals_pillow(threshold: float) -> None:
    wanted = ImageOps.solarize(Image.fromarray(np.ascontiguousarray(PHOTO)), threshold)
    np.testing.assert_array_equal(pillow.invert_from(PHOTO, threshold), np.asarray(wanted))


@pytest.mark.parametrize("op", OPS)
def test_what_an_operation_is(op: str) -> None:
    """The parameters say all: with them Pillow gives the same."""
    for image in IMAGES:
        given = Image.fromarray(np.ascontiguousarray(image))
        transform = ss.PolicyOp(op)
        for key in KEYS[:12]:
            (applied,) = ss.Compose([transform]).params(key, image.shape)
            made = transform(image, key=key)
            np.testing.assert_array_equal(made, np.asarray(by_pillow(given, applied.params)))


def by_pillow(image: Image.Image, step: Operation) -> Image.Image:
    if step.op in ("Brightness", "Color", "Contrast", "Sharpness"):
        enhanced: Image.Image = getattr(ImageEnhance, step.op)(image).enhance(1.0 + step.amount)
        return enhanced
    if step.data is not None:
        return image.transform(image.size, Image.Transform.AFFINE, step.data, 0)
    if step.op == "SolarizeAdd":
        return image.point([min(255, v + int(step.amount)) if v < 128 else v for v in range(256)] * 3)
    return {
        "Identity": lambda: image,
        "Posterize": lambda: ImageOps.posterize(image, int(step.amount)),
        "Solarize": lambda: ImageOps.solarize(image, step.amount),
        "AutoContrast": lambda: ImageOps.autocontrast(image),
        "Equalize": lambda: ImageOps.equalize(image),
        "Invert": lambda: ImageOps.invert(image),
    }[step.op]()


def chosen(transform: ss.Transform, shape: Any = (60, 80, 3)) -> list[list[tuple[str, Any]]]:
    """Return what a policy applies at each key, without what it chose."""
    augment = ss.Compose([transform])
    return [augment.params(key, shape)[1:] for key in KEYS]


def even(counts: Counter[Any], kinds: int) -> None:
    """Raise AssertionError where so many kinds are not equally frequent."""
    assert len(counts) == kinds
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


def test_rand_augment_draws_evenly_with_repeats() -> None:
    drawn = chosen(ss.RandAugment(2, 9))
    even(Counter(params.op for one in drawn for _, params in one), 14)
    repeated = sum(one[0][1].op == one[1][1].op for one in drawn)
    assert stats.binomtest(repeated, len(drawn), 1 / 14).pvalue > 1e-4
    shears = Counter(params.amount for one in drawn for _, params in one if params.op == "ShearX")
    even(shears, 2)
    assert {abs(amount) for amount in shears} == {float(np.float32(0.09))}


def test_the_second_use_of_an_operation_has_a_stream_of_its_own() -> None:
    augment = ss.Compose([ss.RandAugment(3, 9)])
    names = {one.name for one in augment.streams()}
    assert {"RandAugment", "RandAugment.Rotate", "RandAugment.Rotate@1", "RandAugment.Rotate@2"} < names
    twice = [
        record
        for record in (augment.params(key, (60, 80, 3)) for key in KEYS[:200])
        if any("@1" in name for name, _ in record)
    ]
    assert twice
    for name, params in twice[0][1:]:
        assert params.op == name.removeprefix("RandAugment.").partition("@")[0]


def test_trivial_augment_draws_operation_bin_and_sign_evenly() -> None:
    drawn = [one[0][1] for one in chosen(ss.TrivialAugmentWide())]
    even(Counter(params.op for params in drawn), 14)
    turns = Counter(round(params.amount / 4.5) for params in drawn if params.op == "Rotate")
    assert set(turns) <= set(range(-30, 31))
    assert max(turns) > 25
    assert min(turns) < -25


@pytest.mark.parametrize("name", TABLES)
def test_auto_augment_draws_pairs_probabilities_and_signs(name: str) -> None:
    table, augment = TABLES[name], ss.Compose([ss.AutoAugment(name)])
    drawn = [augment.params(key, (60, 80, 3))[0].params for key in KEYS]
    fired = sum(len(one) for one in drawn)
    wanted = sum(p for pair in table for _, p, _ in pair) / len(table)
    assert abs(fired / len(drawn) - wanted) < 5 * math.sqrt(2 / len(drawn))
    signs = Counter(
        step.amount > 0 for one in drawn for step in one if step.op in ("ShearY", "Rotate", "Contrast")
    )
    even(signs, 2)


def test_augmix_blends_its_branches() -> None:
    augment = ss.AugMix(interpolation="nearest")
    for key in KEYS[:8]:
        (applied,) = ss.Compose([augment]).params(key, PHOTO.shape)
        branches, weights, kept = applied.params
        assert math.isclose(sum(weights) + kept, 1.0)
        wanted = np.float32(kept) * PHOTO.astype(np.float32)
        for branch, weight in zip(branches, weights, strict=True):
            image = Image.fromarray(np.ascontiguousarray(PHOTO))
            for step in branch:
                image = by_pillow(image, step)
            wanted += np.float32(weight) * np.asarray(image).astype(np.float32)
        np.testing.assert_array_equal(augment(PHOTO, key=key), wanted.astype(np.uint8))


@pytest.mark.parametrize(
    "transform",
    [
        ss.RandAugment(3, 12, fill=(1, 2, 3)),
        ss.TrivialAugmentWide(11),
        ss.policy("rand-m9-mstd0.5-inc1"),
        ss.policy("rand-m7-n3-mstd101"),
    ],
    ids=["RandAugment", "TrivialAugmentWide", "timm", "timm, even"],
)
def test_json_and_replay(transform: ss.Transform) -> None:
    augment = ss.Compose([transform, ss.HorizontalFlip()])
    again = ss.Compose.from_json(augment.to_json())
    assert again == augment
    for key in KEYS[:6]:
        made = augment(PHOTO, key=key)
        np.testing.assert_array_equal(again(PHOTO, key=key), made)
        np.testing.assert_array_equal(augment.replay(PHOTO, augment.params(key, PHOTO.shape)), made)


def test_strings_of_timm() -> None:
    made = ss.policy("rand-m9-n3-mstd0.5-inc1-p0.7", fill=(124, 116, 104))
    assert (made.n, made.replace, len(made.transforms)) == (3, True, 15)
    members: dict[str, Any] = {one.op: one for one in made.transforms}  # type: ignore[union-attr]
    assert {one.p for one in members.values()} == {0.7}
    assert members["Posterize"].span == (4.0, 0.0)
    assert members["Color"].signed
    plain: dict[str, Any] = {one.op: one for one in ss.policy("rand-m9").transforms}  # type: ignore[union-attr]
    assert plain["Solarize"].span == (0.0, 256.0)
    assert not plain["Color"].signed
    assert plain["Rotate"].signed
    amounts = {
        one[0].params.amount
        for one in (ss.Compose([members["Posterize"]]).params(key, PHOTO.shape) for key in KEYS[:300])
        if one[0].params
    }
    assert amounts <= {0, 1}


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ("augmix-m5", "must begin with"),
        ("original-mstd0.5", "AutoAugment"),
        ("rand-x9", "parts must be m, n, p"),
        ("rand-m", "parts must be m, n, p"),
        ("rand-m9-w0", "parts must be m, n, p"),
    ],
)
def test_other_strings_are_refused(config: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        ss.policy(config)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: ss.RandAugment(0), "n must be"),
        (lambda: ss.RandAugment(2, 31), "magnitude must be"),
        (lambda: ss.RandAugment(2, 9, bins=0), "bins must be"),
        (lambda: ss.TrivialAugmentWide(0), "bins must be .*got 0"),
        (lambda: ss.AugMix(11), "severity must be"),
        (lambda: ss.AugMix(chain_depth=0), "chain_depth must be"),
        (lambda: ss.AugMix(alpha=0), "alpha must be"),
        (lambda: ss.PolicyOp("Posterize", (9, 0)), "bits from 0 to 8"),
        (lambda: ss.PolicyOp("Rotate", level=(5, 2)), "level must be .first, last. with first at most last"),
    ],
)
def test_bad_options(make: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make()
