"""Every transform, made so that it fires, and large samples that it takes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from cases import TRANSFORMS, Case
from cases.case import Memory
from skimage import data

import seedsafe as ss
from seedsafe.pipeline.boxes import Edges

PHOTO = np.ascontiguousarray(data.astronaut()[:256, 100:356])
"""uint8, (256, 256, 3)."""


class One(NamedTuple):
    """A transform that fires, of a case, and what it takes."""

    case: Case
    transform: ss.Transform
    takes: tuple[str, ...]
    """The dtypes of images, "video", "audio", and "spectrogram"."""
    memory: Memory


def every(case: Case) -> dict[str, One]:
    """Return a case's transform, and `also`, by name."""
    dtypes = ("uint8", "float32") if "image" in case.takes else ()
    takes = (*dtypes, *(one for one in case.takes if one != "image"))
    found = {case.name: One(case, case.fires, takes, case.memory_of(""))}
    for name, one in case.also.items():
        found[f"{case.name} {name}"] = One(case, one, takes, case.memory_of(name))
    for one in case.of_audio:
        found[f"{case.name} of audio"] = One(case, one, ("audio",), case.memory_of(""))
    return found


EVERY = {name: one for case in TRANSFORMS.values() if not case.holds for name, one in every(case).items()}
GIVEN = [(name, dtype) for name, one in EVERY.items() for dtype in one.takes]
"""Names of transforms, and what they are given."""


def sample_of(case: Case, dtype: str) -> dict[str, Any]:
    """Return a sample for a transform: an image of a dtype, a video, audio or a spectrogram, and what else it needs."""
    if dtype == "video":
        return {"video": np.random.default_rng(0).integers(0, 256, (16, 64, 80, 3), np.uint8)}
    if dtype == "spectrogram":
        return {"spectrogram": np.random.default_rng(0).normal(size=(2, 80, 400)).astype(np.float32)}
    if dtype == "audio":
        return {"audio": np.random.default_rng(0).uniform(-1, 1, (2, 32000)).astype(np.float32)}
    image = PHOTO if dtype == "uint8" else (PHOTO / 255).astype(np.float32)
    if case.needs == "boxes":
        return {"image": image, "boxes": np.array([[30.0, 40.0, 220.0, 200.0]]).view(Edges)}
    if case.needs == "mask":
        return {"image": image, "mask": (PHOTO[..., 0] > 100).astype(np.uint8)}
    return {"image": image}
