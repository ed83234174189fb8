"""Exact channel statistics of a dataset's images."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seedsafe.data.stats.result import ChannelStats
    from seedsafe.data.stats.run import channel_stats

__all__ = ["ChannelStats", "channel_stats"]

# Imported on first use, so that the help of a command loads none of them.
_MODULE_OF = {"ChannelStats": "seedsafe.data.stats.result", "channel_stats": "seedsafe.data.stats.run"}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value
