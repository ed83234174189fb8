"""Collate functions that draw without a bridge."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, Subset, default_collate

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, AugmentedIterable, loader, why_not_in_place

COUNT, BATCH = 80, 4


class Lines(Dataset[Any]):
    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> Any:
        return {"line": [index] * (index % 5 + 1), "array": np.full(2, index)}


class Object:
    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def __call__(self, samples: Any) -> Any:
        return [one["line"][0] + self.rng.random() for one in samples]


def of_closure() -> Callable[[Any], Any]:
    own = torch.Generator().manual_seed(3)
    return lambda samples: [one["line"][0] + torch.rand(1, generator=own).item() for one in samples]


def with_rng(rng: random.Random, samples: Any) -> Any:
    return [one["line"][0] + rng.random() for one in samples]


def of_python(samples: Any) -> Any:
    return [one["line"][0] for one in random.sample(samples, len(samples))]


def of_numpy(samples: Any) -> Any:
    return [one["line"][0] + np.random.rand() for one in samples]


def of_torch(samples: Any) -> Any:
    return [one["line"][0] + torch.rand(1).item() for one in samples]


def of_parts_taken_out(samples: Any) -> Any:
    return [one.pop("line")[0] + random.random() for one in samples]


DRAWING: dict[str, Callable[[], Callable[[Any], Any]]] = {
    "rng": Object,
    "closure": of_closure,
    "Random": lambda: partial(with_rng, random.Random(5)),
    "random": lambda: of_python,
    "Python's global generator": lambda: of_parts_taken_out,
    "numpy.random": lambda: of_numpy,
    "torch": lambda: of_torch,
}


def taking_parts_out(samples: Any) -> Any:
    random.random()  # for nothing
    return [(one.pop("line"), one["array"].__imul__(2)) for one in samples]


def texts(read: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read()
    return [str(one.message) for one in told if "collate function" in str(one.message)]


def dataset(**options: Any) -> Any:
    return AugmentedDataset(Lines(), seed=42, **options)


@pytest.mark.parametrize("name", DRAWING)
@pytest.mark.parametrize(
    "wrap", [lambda whole: whole, lambda whole: Subset(whole, range(COUNT))], ids=["plain", "Subset"]
)
def test_a_collate_function_that_draws_is_told_once(name: str, wrap: Any) -> None:
    loading = loader(wrap(dataset()), batch_size=BATCH, collate_fn=DRAWING[name]())
    (text,) = texts(lambda: [list(loading), list(loading)])
    assert name in text
    assert "sample 0 came out different when it was collated again with that generator in" in text
    assert "bridge=True" in text


@pytest.mark.parametrize("name", ["rng", "torch"])
def test_the_advice_works(name: str) -> None:
    def read(workers: int, **options: Any) -> Any:
        loading = loader(
            dataset(**options),
            batch_size=BATCH,
            collate_fn=DRAWING[name](),
            num_workers=workers,
            shuffle=True,
        )
        return [list(loading), list(loading)]

    found = []
    assert texts(lambda: found.extend([read(0, bridge=True), read(2, bridge=True)])) == []
    assert found[0] == found[1]
    assert texts(lambda: read(0, on_unkeyed="allow")) == []
    plain = loader(Subset(dataset(), range(8)), collate_fn=DRAWING[name](), on_unkeyed="allow")
    assert texts(lambda: list(plain)) == []


def test_the_batches_are_those_of_the_collate_function() -> None:
    loading = loader(dataset(), batch_size=BATCH, collate_fn=taking_parts_out)
    found: list[Any] = []
    assert texts(lambda: found.extend(loading)) == []
    expected = list(DataLoader(Lines(), batch_size=BATCH, collate_fn=taking_parts_out))
    for batch, other in zip(found, expected, strict=True):
        for (line, array), (other_line, other_array) in zip(batch, other, strict=True):
            assert line == other_line
            np.testing.assert_array_equal(array, other_array)


def test_batches_that_are_told_are_those_of_the_collate_function() -> None:
    loading = loader(dataset(), batch_size=BATCH, collate_fn=Object())
    found: list[Any] = []
    assert texts(lambda: found.extend(loading))
    assert found == list(DataLoader(Lines(), batch_size=BATCH, collate_fn=Object()))


class Taking:
    """Takes a caption from a reader for each batch."""

    def __init__(self) -> None:
        self.reader = iter(range(1000))

    def __call__(self, samples: Any) -> Any:
        return next(self.reader), random.random()


def test_a_collate_function_that_changes_is_told_once_and_never_called_again() -> None:
    found: list[Any] = []
    (text,) = texts(lambda: found.extend(loader(dataset(), batch_size=BATCH, collate_fn=Taking())))
    assert [number for number, _ in found] == list(range(COUNT // BATCH))
    assert "drew from Python's global generator (random)" in text
    assert "collate function.reader (a range_iterator)" in text
    assert "bridge=True to the dataset" in text


@pytest.mark.parametrize(
    ("seed", "words"),
    [(None, "from the system's entropy"), (7, "to the same state")],
    ids=["system", "constant"],
)
def test_a_collate_function_that_sets_a_generator_is_told(seed: Any, words: str) -> None:
    def seeded(samples: Any) -> Any:
        random.seed(seed)
        return [one["line"][0] + random.random() for one in samples]

    (text,) = texts(lambda: list(loader(dataset(), batch_size=BATCH, collate_fn=seeded)))
    assert f"the collate function sets Python's global generator (random) {words}" in text


def test_an_error_of_the_collate_function_is_its_own() -> None:
    def fails(samples: Any) -> Any:
        raise KeyError("no such entry")

    with pytest.raises(KeyError, match="no such entry"):
        list(loader(dataset(), batch_size=BATCH, collate_fn=fails))


def test_samples_that_cannot_be_copied() -> None:
    class Locked:
        def __deepcopy__(self, memo: Any) -> Any:
            raise TypeError("not copied")

    base = [Locked() for _ in range(8)]
    loading = loader(
        AugmentedDataset(base, seed=1), batch_size=2, collate_fn=lambda samples: (samples, random.random())
    )
    assert [one for batch, _ in loading for one in batch] == base


def test_workers_tell_it(capfd: pytest.CaptureFixture[str]) -> None:
    loading = loader(
        dataset(), batch_size=BATCH, collate_fn=Object(), num_workers=2, multiprocessing_context="spawn"
    )
    list(loading)
    assert capfd.readouterr().err.count("the collate function draws") == 1


def test_a_streams_collate_function_is_told() -> None:
    records = [
        {"id": number, "line": [number], "image": np.zeros((4, 4, 3), np.uint8)} for number in range(20)
    ]

    def loading(**options: Any) -> Any:
        stream = AugmentedIterable(records, ss.HorizontalFlip(), seed=1, id="id", **options)
        return loader(stream, batch_size=4, collate_fn=of_numpy)

    (text,) = texts(lambda: list(loading()))
    assert "a batch came out different" in text
    assert texts(lambda: list(loading(on_unkeyed="allow"))) == []


def test_why_a_loader_does_not_make_batches_in_place_names_the_users_function() -> None:
    assert "its collate_fn is of_numpy" in str(why_not_in_place(loader(dataset(), collate_fn=of_numpy)))
    images = AugmentedDataset(np.zeros((4, 8, 8, 3), np.uint8), seed=1)
    assert loader(images, collate_fn=default_collate).collate_fn is default_collate
