"""Each warning names the user's line, however many calls of ours are in between."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from torch.utils.data import DataLoader, Dataset, Subset

import seedsafe as ss
from seedsafe.ground.warning import warn
from seedsafe.reading import FailureLog
from seedsafe_torch import AugmentedDataset, Envelope, KeyedSampler, loader

IMAGES = [np.full((8, 8, 3), number, np.uint8) for number in range(60)]
FLIP = ss.Compose([ss.HorizontalFlip()])


def lines(call: Callable[[], Any]) -> list[tuple[str, str]]:
    """Return the file and the source of the line of each warning that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [
        (Path(one.filename).name, Path(one.filename).read_text().splitlines()[one.lineno - 1].strip())
        for one in caught
    ]


class Wrapper(Dataset[Any]):
    def __init__(self, inner: Any, length: int = len(IMAGES)) -> None:
        self.inner = inner
        self.length = length

    def __len__(self) -> int:
        return self.length


class Twins(Wrapper):
    def __getitem__(self, index: int) -> Any:
        first = self.inner[index]
        return first, self.inner[index]  # the second


class Halved(Wrapper):
    def __getitem__(self, index: int) -> Any:
        return self.inner[index // 2]  # the same for two


def dataset(**options: Any) -> AugmentedDataset:
    return AugmentedDataset(IMAGES, FLIP, seed=42, **options)


def first(batch: Any) -> Any:
    return batch[0]


WAYS: dict[str, Callable[[Any], Any]] = {
    "loader": lambda data: loader(data, batch_size=4, collate_fn=first),
    "an Envelope": lambda data: DataLoader(
        Envelope(data), 4, sampler=KeyedSampler(range(len(data)), seed=1), collate_fn=first
    ),
    "a DataLoader": lambda data: DataLoader(
        data, 4, sampler=KeyedSampler(range(len(data)), seed=1), collate_fn=first
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_key_twice(way: str) -> None:
    (found,) = lines(lambda: list(WAYS[way](Twins(dataset()))))
    assert found == (Path(__file__).name, "return first, self.inner[index]  # the second")


@pytest.mark.parametrize("way", WAYS)
def test_a_key_for_two(way: str) -> None:
    (found,) = lines(lambda: list(WAYS[way](Halved(dataset()))))
    assert found == (Path(__file__).name, "return self.inner[index // 2]  # the same for two")


def test_a_key_twice_inside_another_dataset() -> None:
    outer = AugmentedDataset(Twins(dataset()), FLIP, seed=1, targets=("image", None))
    (found,) = lines(lambda: list(loader(outer, batch_size=4, collate_fn=first)))
    assert found == (Path(__file__).name, "return first, self.inner[index]  # the second")


def test_a_subset_that_lists_an_index_twice() -> None:
    subset = Subset(dataset(), [5, 1, 2, 1])
    (found,) = lines(lambda: list(WAYS["a DataLoader"](subset)))
    assert found[0] == "dataset.py"  # torch's
    assert "self.dataset" in found[1]


class Broken(Wrapper):
    def __getitem__(self, index: int) -> Any:
        if index == 3:
            raise OSError("gone")
        return self.inner[index]


def test_failures_of_a_pass() -> None:
    data = AugmentedDataset(Broken(IMAGES), FLIP, seed=42, on_error="replace")
    loading = loader(data, batch_size=4)

    def read() -> None:
        for _ in loading:  # a pass
            pass

    assert lines(read) == [(Path(__file__).name, "for _ in loading:  # a pass")]


@pytest.mark.parametrize("ask", ["a dataset", "its reader", "a log"])
def test_failures_of_a_report(ask: str) -> None:
    data = AugmentedDataset(Broken(IMAGES), FLIP, seed=42, on_error="replace")
    log = FailureLog("left out")
    log.add(0, 3, "gone")
    data.at(3, epoch=0)
    report = {
        "a dataset": data.report_failures,
        "its reader": data.reader.report_failures,
        "a log": log.report,
    }

    def tell() -> None:
        report[ask]()  # a report

    assert lines(tell) == [(Path(__file__).name, "report[ask]()  # a report")]
    for one in (data, log):
        one.failures()


def test_a_warning_is_given_once_for_each_line() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(2):
            warn("here")
        warn("here")
    assert [one.lineno for one in caught] == lines_of('warn("here")')
    assert {one.filename for one in caught} == {__file__}


def lines_of(text: str) -> list[int]:
    source = Path(__file__).read_text().splitlines()
    return [number for number, line in enumerate(source, 1) if line.strip() == text]


def test_without_a_line_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_getframe", lambda depth=0: None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn("at the end")
    assert [(one.filename, one.lineno) for one in caught] == [("sys", 1)]


class Asks(ss.ImageTransform):
    """Notes the key of the read in which it is applied."""

    def __init__(self) -> None:
        self.keys: list[Any] = []

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        self.keys.append(ss.current_key())
        return image


@pytest.mark.parametrize("form", ["an image", "a pair", "entries"])
def test_the_key_of_an_outer_read_is_not_that_of_an_inner_augmentation(form: str) -> None:
    """Neither in the first calls, which are watched, nor later."""
    sample = {"an image": IMAGES[0], "a pair": (IMAGES[0], 1), "entries": {"image": IMAGES[0], "label": 1}}[
        form
    ]
    asks = Asks()
    inner = AugmentedDataset([sample] * 60, ss.Compose([asks]), seed=42)
    outer = AugmentedDataset(Wrapped(inner), None, seed=1)
    for index in range(60):
        outer.at(index, epoch=0)
    assert len(asks.keys) >= 60
    assert set(asks.keys) == {None}
    assert outer.base.key is not None


class Wrapped(Wrapper):
    key: Any = None

    def __getitem__(self, index: int) -> Any:
        self.key = ss.current_key()
        return self.inner[index]
