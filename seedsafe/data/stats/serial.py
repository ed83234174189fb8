"""`ChannelStats` as plain data for JSON."""

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["fields_of", "plain_of"]

_FORMAT = "seedsafe/channel-stats"
_VERSION = 1

_PLAIN = ("dtype", "images", "nan", "inf")
_SHORT = ("count", "minimum", "maximum", "image_count")
_LONG = (
    "total",
    "squares",
    "mean_total",
    "std_total",
)  # beyond 2^53, where other readers of JSON round: as text
_ARRAYS: dict[str, Any] = {"histogram": np.int64, "image_numbers": np.int64, "image_means": np.float64}


def plain_of(stats: Any) -> dict[str, Any]:
    """Return the fields of a `ChannelStats` as plain data."""
    data: dict[str, Any] = {"format": _FORMAT, "version": _VERSION}
    data |= {name: getattr(stats, name) for name in _PLAIN}
    data |= {name: list(getattr(stats, name)) for name in _SHORT}
    data |= {name: [str(number) for number in getattr(stats, name)] for name in _LONG}
    data |= {name: None if (array := getattr(stats, name)) is None else array.tolist() for name in _ARRAYS}
    data["faulty"] = [list(entry) for entry in stats.faulty]
    return data


def fields_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields again.

    Raises:
        TypeError: the data are not a dict.
        ValueError: the data are not a `ChannelStats`, or one of another version.
    """
    if not isinstance(data, Mapping):
        raise TypeError(
            f"data must be a dict that ChannelStats.to_dict() returned, got {data!r:.60}: pass json.load(file), for instance"
        )
    if data.get("format") != _FORMAT or data.get("version") != _VERSION:
        raise ValueError(
            f"these are not channel statistics of version {_VERSION}: format {data.get('format')!r}, version "
            f"{data.get('version')!r}; compute them again with channel_stats"
        )
    missing = [name for name in (*_PLAIN, *_SHORT, *_LONG, *_ARRAYS, "faulty") if name not in data]
    if missing:
        raise ValueError(
            f"data must be what ChannelStats.to_dict() returned, and lack {missing}: compute them again"
        )
    channels = len(data["count"])
    shapes = {"histogram": (channels, 256), "image_numbers": (-1,), "image_means": (-1, channels)}
    fields: dict[str, Any] = {name: data[name] for name in _PLAIN}
    fields |= {name: tuple(data[name]) for name in _SHORT}
    fields |= {name: tuple(int(number) for number in data[name]) for name in _LONG}
    for name, dtype in _ARRAYS.items():
        values = data[name]
        fields[name] = None if values is None else np.array(values, dtype).reshape(shapes[name])
    fields["faulty"] = tuple(tuple(entry) for entry in data["faulty"])
    return fields
