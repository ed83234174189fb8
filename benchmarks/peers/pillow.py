"""Pillow, from an Image to an array."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageOps

from benchmarks.scene import PADDING, Scene
from benchmarks.timing import Call

__all__ = ["DTYPE", "NAME", "calls"]

DTYPE = "uint8"
NAME = "Pillow"


def calls(scene: Scene) -> dict[str, Call]:
    image, size = Image.fromarray(scene.uint8), scene.crop
    draw, flip = random.Random(0).randrange, Image.Transpose
    free, middle = scene.size - size, (scene.size - size) // 2

    def window(source: Image.Image, left: int, top: int) -> Image.Image:
        return source.crop((left, top, left + size, top + size))

    def call(make: Callable[[], Image.Image]) -> Call:
        return lambda: np.asarray(make())

    return {
        "RandomCrop": call(lambda: window(image, draw(free + 1), draw(free + 1))),
        "RandomCrop, padding 4": call(
            lambda: window(
                image, draw(free + 2 * PADDING + 1) - PADDING, draw(free + 2 * PADDING + 1) - PADDING
            )
        ),
        "CenterCrop": call(lambda: window(image, middle, middle)),
        "Pad 4": call(lambda: ImageOps.expand(image, PADDING)),
        "HorizontalFlip": call(lambda: image.transpose(flip.FLIP_LEFT_RIGHT)),
        "VerticalFlip": call(lambda: image.transpose(flip.FLIP_TOP_BOTTOM)),
        "Resize, antialias": call(lambda: image.resize((size, size), Image.Resampling.BILINEAR)),
    }
