"""The transforms of `albumentations` called by themselves, which spares 2.0.8 some 2 µs of its Compose."""

from __future__ import annotations

import albumentations

from benchmarks.peers.albumentations import DTYPE, NAME, single
from benchmarks.scene import Array, Scene
from benchmarks.timing import Call

__all__ = ["DTYPE", "NAME", "calls"]

NAME += ", bare"


def calls(scene: Scene) -> dict[str, Call]:
    """Return the call of each case that this peer has."""
    return {case: _call(image, transform) for case, (image, transform) in single(scene).items()}


def _call(image: Array, transform: albumentations.BasicTransform) -> Call:
    return lambda: transform(image=image)["image"]
