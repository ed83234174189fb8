"""Pixels of every transform on fixed input, as digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
from known import AUDIO, KEYS, PIPELINES, Family

import seedsafe as ss


def image(shape: tuple[int, ...]) -> np.ndarray:
    return (np.arange(np.prod(shape), dtype=np.int64) * 2654435761 % 251).astype(np.uint8).reshape(shape)


def pixels() -> dict[str, list[str]]:
    """Return digests of the result of every pipeline at every key, uint8 and float32."""
    return {
        name: list(_digests(pipeline, shape, ["float32"] if shape == AUDIO else ["uint8", "float32"]))
        for name, (pipeline, shape) in PIPELINES.items()
    }


def family_pixels(family: Family) -> dict[str, list[str]]:
    """Return digests of the results of those pipelines whose pixels are exact on every machine."""
    made = {}
    for name, (pipeline, described) in family.pipelines.items():
        if name not in family.exact:
            continue
        info = described if isinstance(described, ss.Info) else None
        shape = described if info is None else info.shape
        audio = pipeline.transforms[0].primary[0] == "audio"
        dtypes = ["float32"] if audio else ["uint8", "float32"] if info is None else [str(info.dtype)]
        made[name] = list(_digests(pipeline, shape, dtypes))
    return made


def _digests(pipeline: ss.Compose, shape: tuple[int, ...], dtypes: list[str]) -> Iterator[str]:
    for dtype in dtypes:
        whole = image(shape)
        one = whole.astype(np.float32) / np.float32(256) if dtype == "float32" else whole.astype(dtype)
        for key in KEYS:
            yield hashlib.sha256(pipeline(one, key=key).tobytes()).hexdigest()[:16]
