"""convert=True: a dataset that goes on with what its transform returned is told, whatever it does with it."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from PIL import Image
from test_convert import darker

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

GOES_ON: dict[str, Callable[[Any], Any]] = {
    "x * 2 - 1": lambda x: x * 2 - 1,
    "1 - x": lambda x: 1 - x,
    "-x": lambda x: -x,
    "x[:1]": lambda x: x[:1],
    "x.float()": lambda x: x.float(),
    "x.shape": lambda x: np.zeros(x.shape),
    "getattr": lambda x: getattr(x, "unsqueeze", None) or np.zeros(3),
    "abs": abs,
    "~x": operator.invert,
    "x > 0.5": lambda x: x > 0.5,
    "x == 0": lambda x: x == 0,
    "x != 0": lambda x: x != 0,
    "x is false": lambda x: np.zeros(3) if x else np.ones(3),
    "x in a list": lambda x: x in [0],
    "x @ w": lambda x: x @ np.ones(3),
    "array * x": lambda x: np.ones(3) * x,
    "array + x": lambda x: np.ones(3) + x,
    "tensor * x": lambda x: torch.ones(3) * x,
    "number - x": lambda x: np.float32(1) - x,
    "in place": lambda x: operator.iadd(x, 1),
    "len": lambda x: np.zeros(len(x)),
    "iteration": lambda x: np.array([channel for channel in x]),  # noqa: C416
    "unpacking": lambda x: [*x],
    "float": float,
    "round": round,
    "np.asarray": np.asarray,
    "np.flip": lambda x: np.flip(x, 0),
    "np.stack": lambda x: np.stack([x]),
    "np.sqrt": np.sqrt,
    "torch.flip": lambda x: torch.flip(x, [0]),
    "torch.stack": lambda x: torch.stack([x]),
    "torch.as_tensor": torch.as_tensor,
    "torch.from_numpy": torch.from_numpy,
    "fromarray": lambda x: Image.fromarray(x),
    "assignment": lambda x: operator.setitem(x, 0, 1),
    "attribute": lambda x: setattr(x, "label", 1),
    "memoryview": memoryview,
    "set": lambda x: {x},
    "isinstance": lambda x: x if isinstance(x, torch.Tensor) else np.zeros(3),
    "x.__class__": lambda x: np.zeros(3) if x.__class__ is torch.Tensor else np.ones(3),
    "dropped": lambda x: np.zeros((4, 6, 3), np.uint8),
}


class Pair(NamedTuple):
    image: Any
    label: int


RETURNS: dict[str, Callable[[Any], Any]] = {
    "alone": lambda x: x,
    "tuple": lambda x: (x, 1),
    "list": lambda x: [x, 1],
    "dict": lambda x: {"image": x, "label": 1},
    "named": lambda x: Pair(x, 1),
    "nested": lambda x: {"image": x, "more": (1, [2])},
    "told": lambda x: (x, f"{x}{x!r}".count("?")),
    "not None": lambda x: (x, int(x is None)),
    "copied": lambda x: (copy.copy(x), 1),
}


class Photographs:
    """A dataset that does something with what its transform returned."""

    def __init__(self, then: Callable[[Any], Any]) -> None:
        self.transform = darker
        self.then = then

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        image = Image.fromarray(np.full((4, 6, 3), 40 * index + 3, np.uint8))
        return self.then(self.transform(image))


@pytest.mark.parametrize("then", GOES_ON.values(), ids=list(GOES_ON))
def test_what_goes_on_is_refused_with_the_way_out(then: Callable[[Any], Any]) -> None:
    dataset = AugmentedDataset(Photographs(then), seed=42, convert=True)
    with pytest.raises(
        ss.SampleError,
        match=r"TypeError: Photographs goes on with what its transform returns.*bridge=True instead",
    ):
        dataset.at(1, epoch=0)


@pytest.mark.parametrize("then", RETURNS.values(), ids=list(RETURNS))
def test_what_is_returned_is_transformed(then: Callable[[Any], Any]) -> None:
    targets = {"image": "image", "more": None} if then is RETURNS["nested"] else None
    sample = AugmentedDataset(Photographs(then), seed=42, convert=True, targets=targets).at(1, epoch=0)
    image = (
        sample["image"]
        if isinstance(sample, dict)
        else sample[0]
        if isinstance(sample, tuple | list)
        else sample
    )
    assert np.asarray(image).tolist() == np.full((4, 6, 3), 21).tolist()


def test_the_ways_out_work() -> None:
    def tensor(image: Any) -> Any:
        return torch.from_numpy(np.array(image)).permute(2, 0, 1) / 255

    base = Photographs(lambda x: x * 2 - 1)
    base.transform = tensor
    kept = AugmentedDataset(base, seed=42, bridge=True)
    wanted = 43 / 255 * 2 - 1
    assert np.allclose(kept.at(1, epoch=0), wanted)
    base = Photographs(lambda x: (x, 1))
    base.transform = lambda image: tensor(image) * 2 - 1
    assert np.allclose(AugmentedDataset(base, seed=42, convert=True).at(1, epoch=0)[0], wanted)


def test_in_workers() -> None:
    dataset = AugmentedDataset(Photographs(GOES_ON["1 - x"]), seed=42, convert=True)
    with pytest.raises(ss.SampleError, match="Photographs goes on with what its transform returns"):
        list(loader(dataset, batch_size=2, num_workers=1))


def test_errors_of_the_dataset_itself_stay() -> None:
    def fails(x: Any) -> Any:
        raise TypeError("its own")

    with pytest.raises(ss.SampleError, match=r"TypeError: its own \("):
        AugmentedDataset(Photographs(fails), seed=42, convert=True).at(0, epoch=0)
