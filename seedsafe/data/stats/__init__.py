"""Exact channel statistics of a dataset's images."""

from seedsafe.data.stats.result import ChannelStats
from seedsafe.data.stats.run import channel_stats

__all__ = ["ChannelStats", "channel_stats"]
