"""Samples of datasets: arrays, tuples, lists, named tuples and dicts."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe.reading import augment_sample, augment_views, check_targets

KEY = ss.SampleKey(42, 0, 0)
FLIP = ss.Compose([ss.HorizontalFlip(p=1)])
IMAGE = np.array([[1, 2]], np.uint8)
Pair = namedtuple("Pair", ["image", "label"])


def test_forms() -> None:
    label = object()
    assert augment_sample(FLIP, IMAGE, KEY).tolist() == [[2, 1]]
    for sample in ((IMAGE, label, None), [IMAGE, label], Pair(IMAGE, label)):
        made = augment_sample(FLIP, sample, KEY)
        assert type(made) is type(sample)
        assert made[0].tolist() == [[2, 1]]
        assert made[1] is label
        assert sample[0] is IMAGE
    made = augment_sample(FLIP, {"image": IMAGE, "label": label}, KEY)
    assert made["image"].tolist() == [[2, 1]]
    assert made["label"] is label
    made = augment_sample(FLIP, ({"image": IMAGE}, label), KEY)
    assert made[0]["image"].tolist() == [[2, 1]]


def test_targets() -> None:
    label = object()
    made = augment_sample(FLIP, (label, IMAGE, IMAGE), KEY, (None, "mask", "image"))
    assert made[0] is label
    assert made[1].tolist() == made[2].tolist() == [[2, 1]]
    with pytest.raises(ValueError, match=r"\['b'\], an array of shape \(1, 2\), must be named"):
        augment_sample(FLIP, {"a": IMAGE, "b": IMAGE}, KEY, {"a": "image"})
    made = augment_sample(FLIP, {"a": IMAGE, "b": IMAGE}, KEY, {"a": "image", "b": None})
    assert made["a"].tolist() == [[2, 1]]
    assert made["b"] is IMAGE
    assert check_targets(("image", "mask", "masks"))  # two masks would be `masks` themselves


def test_views() -> None:
    keys = [ss.SampleKey(1, 0, 0, view=view) for view in range(2)]
    noise = ss.Compose([ss.GaussianNoise()])
    one, other = augment_views(noise, IMAGE, keys)
    assert one.tolist() == noise(IMAGE, key=keys[0]).tolist()
    assert other.tolist() == noise(IMAGE, key=keys[1]).tolist()
    made = augment_views(noise, {"image": IMAGE, "y": 3}, keys)
    assert made["image"][1].tolist() == other.tolist()
    assert made["y"] == 3


@pytest.mark.parametrize(
    ("sample", "targets", "error", "message"),
    [
        (None, None, TypeError, "the dataset returned None"),
        ((), None, ValueError, "empty tuple"),
        ((3, IMAGE), None, TypeError, "first element of a sample is augmented and must be a NumPy array"),
        ((IMAGE, 3), ("image",), ValueError, "name 1 parts, but the sample has 2"),
        ((IMAGE, 3), {"a": "image"}, ValueError, "pass a tuple of targets"),
        (IMAGE, ("image",), ValueError, "leave targets out"),
        ({"x": IMAGE}, None, ValueError, "name the parts with targets={key: target}"),
        ({"x": IMAGE}, ("image",), ValueError, "pass a dict of targets"),
        ({"x": IMAGE}, {"y": "image"}, ValueError, "which the sample lacks"),
    ],
    ids=map(str, range(9)),
)
def test_samples_that_do_not_fit(sample: Any, targets: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        augment_sample(FLIP, sample, KEY, targets)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("targets", "error"),
    [
        ("mask", TypeError),
        (5, TypeError),
        (("img",), ValueError),
        ((None,), ValueError),
        (("boxes",) * 2, ValueError),
    ],
    ids=str,
)
def test_bad_targets(targets: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="targets must"):
        check_targets(targets)
