"""Fabric, whose loaders count passes, not epochs."""

from __future__ import annotations

from typing import Any

__all__ = ["counts_passes"]


def counts_passes(setter: Any) -> bool:
    """Return whether a Fabric loader sets the epoch.

    It sets the number of its passes, which begins with 0 in each process, whatever state was loaded, so it
    tells a sampler that counts its own passes nothing new.
    """
    return hasattr(setter, "_num_iter_calls")
