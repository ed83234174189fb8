"""Calls that others' habits suggest: what each error says, or that it works."""

import re
from inspect import signature

import numpy as np
import pytest
from torch.utils.data import DataLoader

import seedsafe as ss
from seedsafe.keys.decisions import beta
from seedsafe.keys.key import address
from seedsafe_torch import AugmentedDataset, AugmentedIterable, KeyedSampler, loader
from seedsafe_torch.loading import _Options

IMAGES = np.zeros((4, 8, 8, 3), np.uint8)
FLIP = ss.Compose([ss.HorizontalFlip()])
KEY = ss.SampleKey(42, 3, 7)
LABELS = [0, 1, 2, 3]

CALLS = {
    "seed of a call": (lambda: FLIP(IMAGES[0], seed=3), "takes no seed: pass key=SampleKey"),
    "generator of a call": (
        lambda: ss.HorizontalFlip()(IMAGES[0], rng=3),
        "takes no rng: pass key=SampleKey",
    ),
    "labels beside images": (
        lambda: AugmentedDataset(IMAGES, LABELS, FLIP, seed=1),
        r"list\(zip\(images, labels\)\)",
    ),
    "labels as augmentation": (
        lambda: AugmentedDataset(IMAGES, LABELS, seed=1),
        r"list\(zip\(images, labels\)\)",
    ),
    "seed by position": (lambda: AugmentedDataset(IMAGES, FLIP, 42), "pass seed=42 by name"),
    "shuffled sampler": (
        lambda: KeyedSampler(range(3), seed=1, shuffle=True),
        r"EpochOrder\(dataset, seed=42\)",
    ),
    "uniform of a word": (
        lambda: ss.draws(KEY).uniform("a", 1),
        "low and high must be numbers, got 'a' and 1",
    ),
    "chance of a word": (lambda: ss.draws(KEY).chance("x"), "p must be a probability .* got 'x'"),
    "beta of a word": (lambda: ss.draws(KEY).beta("a", 1), "a must be a number, got 'a'"),
    "crop of a sound": (
        lambda: ss.RandomCrop(100)(np.zeros((1, 16000), np.float32), key=KEY),
        "RandomSegment",
    ),
    "crop of samples": (lambda: ss.RandomCrop(100)(np.zeros(16000, np.float32), key=KEY), "RandomSegment"),
    "crop of audio": (
        lambda: ss.RandomCrop(9)({"audio": np.zeros(99, np.float32)}, key=KEY),
        "RandomSegment",
    ),
    "beta of 0": (lambda: ss.draws(KEY).beta(1, 0), "b must be in .* got 0"),
}


@pytest.mark.parametrize("name", CALLS)
def test_error_says_what_to_write(name):
    call, text = CALLS[name]
    with pytest.raises((TypeError, ValueError), match=text) as told:
        call()
    assert "SomeOf" not in str(told.value)
    assert not re.search(r"seed=Compose", str(told.value))


@pytest.mark.parametrize(
    "refused",
    [lambda d: d.uniform("a", 1), lambda d: d.chance("x"), lambda d: d.beta(0, 1)],
    ids=["uniform", "chance", "beta"],
)
def test_refused_draws_take_no_word(refused):
    draws = ss.draws(KEY)
    with pytest.raises((TypeError, ValueError)):
        refused(draws)
    assert draws.word() == ss.draws(KEY).word()


def test_beta_is_that_of_the_contract():
    draws = ss.draws(KEY)
    assert draws.beta(0.2, 0.2) == beta(ss.draws(KEY), 0.2, 0.2)
    assert draws.word() == ss.draws(KEY).words(35)[34]
    assert address(KEY) == ss.draws(KEY).address


def test_typed_options_of_a_loader_are_all_that_it_takes():
    takes = {*signature(loader).parameters, *signature(DataLoader).parameters}
    assert {*_Options.__annotations__} == takes - {"dataset", "options"}


def crop(record, *, key):
    start = ss.draws(key, name="crop").integer(9)
    return {**record, "tokens": record["tokens"][start : start + 8]}


def by_position(record, key):
    return crop(record, key=key)


def by_default(record, key=None):
    assert key is None
    return crop(record, key=ss.current_key())


RECORDS = [{"id": n, "tokens": np.arange(16) + 100 * n} for n in range(6)]


@pytest.mark.parametrize("function", [crop, by_position, by_default])
@pytest.mark.parametrize("workers", [0, 2])
def test_function_with_a_key_in_a_stream(function, workers):
    expected = {n: crop(RECORDS[n], key=ss.SampleKey(42, 0, n))["tokens"].tolist() for n in range(6)}
    stream = AugmentedIterable(RECORDS, function, seed=42, id="id", split=True)
    read = {
        int(one["id"]): one["tokens"].tolist() for one in loader(stream, batch_size=None, num_workers=workers)
    }
    assert read == expected
    mapped = map(ss.keyed_map(function, seed=42, id="id", epoch=0), RECORDS)
    assert {one["id"]: one["tokens"].tolist() for one in mapped} == expected


NOT_FINITE = {
    "complex number": (complex(0, np.inf), "infj in [1]"),
    "NumPy's complex number": (np.complex64(complex(np.nan, 0)), "nan+0j) in [1]"),
    "array of objects": (np.array([1.0, float("nan")], object), "nan in [1][1]"),
    "arrays in an array": (np.array([np.array([np.nan]), None], object), "in [1][0]"),
    "dicts in an array": (np.array([[{"a": float("nan")}]], object), "nan in [1][0][0]['a']"),
    "records": (np.array([(1.0, np.nan)], [("a", "f4"), ("b", "f4")]), "in [1]['b']"),
}


@pytest.mark.parametrize("name", NOT_FINITE)
def test_check_finite(name):
    value, place = NOT_FINITE[name]
    with pytest.raises(ss.SampleError, match=re.escape(place)):
        AugmentedDataset([(IMAGES[0], value)], seed=1, check_finite=True)[0]


def test_check_finite_lets_objects_pass():
    objects = np.array(["a", None, 3, 1.5, 2j, {"b": [0.0]}], object)
    assert AugmentedDataset([(IMAGES[0], objects)], seed=1, check_finite=True)[0][1] is objects
