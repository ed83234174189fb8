"""Fabric: its loaders tell a sampler the number of their passes, which begins with 0 in each process."""

from __future__ import annotations

from typing import Any

__all__ = ["counts_passes"]


def counts_passes(teller: Any) -> bool:
    """Return whether it is a loader of Fabric's that sets an epoch.

    It does so wherever a state that was loaded stands, and knows no more than a sampler that counts its passes.
    """
    return hasattr(teller, "_num_iter_calls")
