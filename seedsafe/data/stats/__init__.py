"""Exact channel statistics of a dataset's images."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seedsafe.data.stats.result import ChannelStats
    from seedsafe.data.stats.run import channel_stats

__all__ = ["ChannelStats", "channel_stats"]


def __getattr__(name: str) -> Any:
    # Imported on first use, so that the help of the command, whose options are in here, does not wait for NumPy.
    if name in __all__:
        return getattr(import_module(f"{__name__}.run"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
