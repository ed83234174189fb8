"""The contract's known answers, and the table of keys that the golden files are made at."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import seedsafe as ss

GOLDEN = Path(__file__).parent / "golden"

KNOWN_ANSWERS = [
    ((0, 0, 0, 0, 0, 0), "02f4ba6408e4d89b 3dd62b0b9ca8c5b2 1c8667a55d902e79 907d7a052fd5b4dc"),
    ((42, 3, 1234, 0, 0, 0), "38e79bc5ed3937ef e5e62f017887c368 88455b82fdddc488 6dca2eb80faa377c"),
    ((42, 3, 1234, 1, 0, 0), "80bff5857baf5092 332124be753ceb8e ae1f86f27e6e1b47 9f21e628d226c90b"),
    ((42, 3, 1234, 0, 1, 0), "e105ce93ad01e7c0 8d4b9ca1808db9b8 f1e4e5dfef80916a e7ab701fb45c1705"),
    ((42, 3, 1234, 0, 0, 0xA483F57B), "16a69006d20106e7 7730e8250f94af38 7de58cbf70e5ed6b 2d0d8bd30b932431"),
    ((2**64, 0, 0, 0, 0, 0), "d037f8c3f9a1d176 c057419b4c210765 abf13115117b0065 7bae035dea6ea5c0"),
]

KEYS = [
    ss.SampleKey(0, 0, 0),
    ss.SampleKey(42, 3, 1234),
    ss.SampleKey(42, 3, 1234, occurrence=1),
    ss.SampleKey(42, 3, 1234, view=1),
    ss.SampleKey(2**64 + 7, 1, 5),
    ss.SampleKey(2**128 - 1, 2**32 - 1, 2**64 - 1, occurrence=2**16 - 1, view=2**16 - 1),
]

IMAGE = (37, 53, 3)
AUDIO = (2, 16001)

PIPELINES: dict[str, tuple[ss.Compose, tuple[int, ...]]] = {
    "RandomCrop": (ss.Compose([ss.RandomCrop((20, 30))]), IMAGE),
    "RandomCrop, padding": (ss.Compose([ss.RandomCrop(48, padding=4, pad_if_needed=True)]), IMAGE),
    "CenterCrop": (ss.Compose([ss.CenterCrop(16)]), IMAGE),
    "Pad": (ss.Compose([ss.Pad((1, 2, 3, 4))]), IMAGE),
    "HorizontalFlip": (ss.Compose([ss.HorizontalFlip()]), IMAGE),
    "VerticalFlip": (ss.Compose([ss.VerticalFlip(p=0.3)]), IMAGE),
    "GaussianNoise": (ss.Compose([ss.GaussianNoise(std=(1, 12), p=0.8)]), IMAGE),
    "Amplitude": (ss.Compose([ss.Amplitude()]), AUDIO),
    "PolarityInversion": (ss.Compose([ss.PolarityInversion()]), AUDIO),
    "RandomSegment": (ss.Compose([ss.RandomSegment(8192)]), AUDIO),
    "Normalize, ToFloat, ToCHW": (ss.Compose([ss.ToFloat(), ss.Normalize(0.5, 0.25), ss.ToCHW()]), IMAGE),
    "OneOf": (
        ss.Compose([ss.OneOf([ss.HorizontalFlip(), ss.VerticalFlip(), ss.RandomCrop(9)], p=0.9)]),
        IMAGE,
    ),
    "RandomApply": (ss.Compose([ss.RandomApply([ss.RandomCrop(9), ss.HorizontalFlip()], p=0.6)]), IMAGE),
    "SomeOf": (
        ss.Compose([ss.SomeOf([ss.HorizontalFlip(), ss.VerticalFlip(), ss.GaussianNoise()], n=2)]),
        IMAGE,
    ),
    "SomeOf, replace": (
        ss.Compose([ss.SomeOf([ss.GaussianNoise(std=(0, 3)), ss.HorizontalFlip()], n=3, replace=True)]),
        IMAGE,
    ),
    "two of a class, one named": (
        ss.Compose([ss.RandomCrop(36), ss.Compose([ss.RandomCrop(33)]), ss.RandomCrop(30, name="last")]),
        IMAGE,
    ),
}


class Family(NamedTuple):
    """The pipelines of one file ``golden/<family>.py``; its golden values stand beside it in ``golden/<family>.json``."""

    pipelines: dict[str, tuple[ss.Compose, Any]]
    exact: frozenset[str]
    """Those whose pixels are exact on every machine."""


def families() -> dict[str, Family]:
    """Return what the files in ``golden/`` define: PIPELINES, each with a shape (or Info), and EXACT."""
    found = {}
    for path in sorted(GOLDEN.glob("*.py")):
        defined = runpy.run_path(str(path))
        found[path.stem] = Family(defined["PIPELINES"], frozenset(defined.get("EXACT", ())))
    return found


def plain(value: Any) -> Any:
    """Return parameters as JSON has them, floats exactly."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value.hex()
    return [plain(one) for one in value] if isinstance(value, tuple | list) else value


def decisions() -> dict[str, Any]:
    """Return everything that the golden file of decisions holds, as computed now."""
    from seedsafe.keys.draws import sixteenths
    from seedsafe.keys.key import address

    return {
        "pipelines": {
            name: [plain(pipeline.params(key, shape)) for key in KEYS]
            for name, (pipeline, shape) in PIPELINES.items()
        },
        "order": [plain(ss.epoch_order(key.seed, key.epoch, 12).tolist()) for key in KEYS],
        "noise": [sixteenths(address(key, ss.op_of("GaussianNoise")), 7).tolist() for key in KEYS],
        "ops": {name: ss.op_of(name) for name in ("RandomCrop", "RandomCrop#1", "seedsafe/order", "π")},
        "records": {name: str(ss.record_index(name)) for name in ("", "a/b.jpg", "π")},
    }


def family_decisions(family: Family) -> dict[str, Any]:
    """Return what each pipeline of a family draws at each key."""
    return {
        name: [plain(pipeline.params(key, shape)) for key in KEYS]
        for name, (pipeline, shape) in family.pipelines.items()
    }


def stored(name: str) -> Any:
    """Return what a golden file holds."""
    return json.loads((GOLDEN / name).read_text())
