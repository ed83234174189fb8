"""Seed and observe the process-wide generators."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np

from seedsafe_audit.content import digest

__all__ = ["NAMES", "loaded", "seed", "states"]

NAMES = ("random", "numpy.random", "torch", "cv2")
"""The generators that can be seeded. OpenCV's state cannot be read."""


def loaded() -> tuple[str, ...]:
    """Return the names of the generators in this process."""
    return tuple(name for name in NAMES if name in ("random", "numpy.random") or name in sys.modules)


def seed(value: int, other: str | None = None) -> None:
    """Seed all generators with a value, except the one named `other`, which gets the next value."""
    for name in loaded():
        _SEED[name](value + (name == other))


def states() -> dict[str, str]:
    """Return a digest of the state of each generator."""
    result = {"random": digest(np.array(random.getstate()[1], np.uint64)), "numpy.random": _numpy_state()}
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        result["torch"] = digest(torch.get_rng_state().numpy())
    return result


def _numpy_state() -> str:
    state: Any = np.random.get_state(legacy=False)
    inner = state["state"]
    if isinstance(inner, dict) and isinstance(inner.get("key"), np.ndarray):
        head = np.append(inner["key"].astype(np.uint64), np.uint64(inner.get("pos", 0)))
        return digest((head, state.get("has_gauss", 0), state.get("gauss", 0.0)))
    return digest(state)


_SEED: dict[str, Any] = {
    "random": random.seed,
    "numpy.random": np.random.seed,
    "torch": lambda value: sys.modules["torch"].manual_seed(value),
    "cv2": lambda value: sys.modules["cv2"].setRNGSeed(value),
}
