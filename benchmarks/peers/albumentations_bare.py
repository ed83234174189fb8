"""albumentations without Compose, which saves about 2 µs."""

from __future__ import annotations

import albumentations

from benchmarks.peers.albumentations import DTYPE, NAME, single
from benchmarks.scene import Array, Scene
from benchmarks.timing import Call

__all__ = ["DTYPE", "NAME", "calls"]

NAME += ", bare"


def calls(scene: Scene) -> dict[str, Call]:
    return {case: _call(image, transform) for case, (image, transform) in single(scene).items()}


def _call(image: Array, transform: albumentations.BasicTransform) -> Call:
    return lambda: transform(image=image)["image"]
