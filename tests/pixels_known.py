"""Pixels of every transform on fixed input, as digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
from cases import Golden
from known import KEYS

import seedsafe as ss


def image(shape: tuple[int, ...]) -> np.ndarray:
    return (np.arange(np.prod(shape), dtype=np.int64) * 2654435761 % 251).astype(np.uint8).reshape(shape)


def pixels(golden: Golden) -> list[str]:
    """Return digests of the results of a golden pipeline at each key."""
    info = golden.shape if isinstance(golden.shape, ss.Info) else None
    shape = golden.shape if info is None else info.shape
    audio = golden.pipeline.transforms[0].primary[0] == "audio"
    dtypes = ["float32"] if audio else ["uint8", "float32"] if info is None else [str(info.dtype)]
    return list(_digests(golden.pipeline, shape, dtypes))


def _digests(pipeline: ss.Compose, shape: tuple[int, ...], dtypes: list[str]) -> Iterator[str]:
    for dtype in dtypes:
        whole = image(shape)
        one = whole.astype(np.float32) / np.float32(256) if dtype == "float32" else whole.astype(dtype)
        for key in KEYS:
            yield hashlib.sha256(pipeline(one, key=key).tobytes()).hexdigest()[:16]
