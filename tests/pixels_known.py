"""Pixels of every transform on fixed input, as digests."""

from __future__ import annotations

import hashlib
import platform
from typing import Any, Final

import numpy as np
from cases import CASES, Golden
from known import KEYS

import seedsafe as ss
from seedsafe.ground.exactness import ARCHITECTURE
from seedsafe.pipeline.boxes import Edges
from seedsafe.reading import KeyedReader

ARCHITECTURES: Final = {
    "x86_64": "x86-64",
    "AMD64": "x86-64",
    "aarch64": "aarch64",
    "arm64": "aarch64",
    "ARM64": "aarch64",
}
HERE: Final = ARCHITECTURES.get(platform.machine(), platform.machine())
"""This machine's architecture, by its name in ``golden/architectures``."""

_NEEDS: Final = {name: case.needs for case in CASES.values() for name in case.golden}


def image(shape: tuple[int, ...]) -> np.ndarray:
    return (np.arange(np.prod(shape), dtype=np.int64) * 2654435761 % 251).astype(np.uint8).reshape(shape)


def dtypes(golden: Golden) -> list[str]:
    """Return the dtypes that a golden pipeline is applied to."""
    if isinstance(golden.shape, ss.Info):
        return [str(golden.shape.dtype)]
    first = getattr(golden.transform, "transforms", (golden.transform,))[0]
    return ["float32"] if getattr(first, "primary", ("",))[0] == "audio" else ["uint8", "float32"]


def digests(name: str, golden: Golden, machines: str) -> list[str]:
    """Return digests of a golden pipeline's results at each key, for the dtypes with which they are the same on these machines."""
    return [
        hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()[:16]
        for dtype in dtypes(golden)
        if golden.machines(dtype) == machines
        for parts in _results(golden, dtype, _NEEDS.get(name))
    ]


def architecture(goldens: dict[str, Golden]) -> dict[str, list[str]]:
    """Return what is the same on machines of this architecture alone, by pipeline."""
    made = {name: digests(name, golden, ARCHITECTURE) for name, golden in goldens.items()}
    return {name: one for name, one in made.items() if one}


def _results(golden: Golden, dtype: str, needs: str | None) -> list[list[Any]]:
    """Return the image at each key, and the label of a mixed one."""
    info = golden.shape if isinstance(golden.shape, ss.Info) else ss.Info(golden.shape)
    whole = image(info.shape)
    one = whole.astype(np.float32) / np.float32(256) if dtype == "float32" else whole.astype(dtype)
    if needs == "dataset":
        return [_mixed(golden.pipeline, one, info, key) for key in KEYS]
    sample: Any = one
    if needs == "boxes":
        sample = {"image": one, "boxes": np.asarray(info.boxes).view(Edges)}
    elif needs == "mask":
        sample = {"image": one, "mask": (whole[..., 0] > 240).astype(np.uint8)}
    made = [golden.pipeline(sample, key=key) for key in KEYS]
    return [[result["image"] if isinstance(result, dict) else result] for result in made]


def _mixed(pipeline: ss.Compose, one: np.ndarray, info: ss.Info, key: ss.SampleKey) -> list[Any]:
    """Return image and label of a sample of a dataset of turned images; CopyPaste takes what is bright as an object."""
    base: list[dict[str, Any]] = [
        {"image": np.roll(one, k, axis=0), "label": np.eye(10, dtype=np.float32)[k % 10]}
        for k in range(info.length)
    ]
    if isinstance(pipeline.transforms[0], ss.CopyPaste):
        base = [sample | {"masks": (sample["image"][None, ..., 0] > 99).astype(np.uint8)} for sample in base]
    at = ss.SampleIndex(key.index % info.length, key.epoch, key.occurrence, key.view)
    result = KeyedReader(base, pipeline, seed=key.seed).sample(at)
    return [result["image"], result["label"]]
