"""`ChannelStats`: exact statistics, and their JSON."""

from __future__ import annotations

import dataclasses
import json
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, Self

from seedsafe.ground.html import table

if TYPE_CHECKING:
    from seedsafe import Normalize

__all__ = ["DTYPES", "FLOAT_BITS", "IMAGE_BITS", "MAX_FAULTY", "SUMS", "ChannelStats", "Faulty", "best"]

_FORMAT = "seedsafe/channel-stats"
_VERSION = 1

_PLAIN = ("dtype", "images", "nan", "inf")
_SHORT = ("count", "minimum", "maximum", "image_count")
_LONG = ("total", "squares", "mean_total", "std_total")
"""Integers that may exceed 2^53, where other readers of JSON round: they are saved as text."""

FLOAT_BITS = 149
DTYPES = ("uint8", "uint16", "float32")
IMAGE_BITS = 64
MAX_FAULTY = 1000

SUMS = ("count", "total", "squares", "image_count", "mean_total", "std_total")
"""The fields that are sums over the images, for each channel."""

Faulty = tuple[int, int, int]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class ChannelStats:
    """Exact channel statistics of a set of images, as `channel_stats` returns them.

    Sums are Python integers, with the same bits for any order of the images, any number of workers and any machine.
    `a | b` returns the statistics of both sets together. The unit of the sums is 1 for uint8 and uint16, and 2^-149 for
    float32 (every float32 is a whole number of those). Values that are masked out, NaN or infinite do not count.

    `mean` and `std` describe all pixels together; `std` is the population's (divided by the count). `image_std`, the mean
    of the images' own standard deviations, ignores differences between images, and is never larger than `std` for images
    of one size. ImageNet's usual numbers, 0.229, 0.224, 0.225, are probably such means, of some resized and cropped images
    (https://github.com/pytorch/vision/issues/1439). By the same source, the standard deviation of all its training pixels
    is 0.281, 0.274, 0.288.

    Attributes:
        dtype: "uint8", "uint16" or "float32".
        images: the number of images.
        count: values counted, for each channel.
        total: their sums, in units.
        squares: the sums of their squares, in units squared.
        minimum: the smallest value of each channel; None if no value was counted.
        maximum: the largest.
        image_count: images with at least one counted value, for each channel.
        mean_total: the sum of the images' means, in units of 2^-64, each rounded down.
        std_total: the sum of the images' standard deviations, in the same units.
        nan: the number of NaN values.
        inf: the number of infinite values.
        faulty: (image number, NaN values, infinite values) of the first 1,000 images that have any.

    Example:
        >>> import numpy as np, seedsafe as ss
        >>> a = ss.channel_stats([np.array([[0, 1], [2, 3]], np.uint8)])
        >>> b = ss.channel_stats([np.array([[4, 5]], np.uint8)])
        >>> (a | b).mean, (a | b).count
        ((2.5,), (6,))
    """

    dtype: str
    images: int
    count: tuple[int, ...]
    total: tuple[int, ...]
    squares: tuple[int, ...]
    minimum: tuple[float | None, ...]
    maximum: tuple[float | None, ...]
    image_count: tuple[int, ...]
    mean_total: tuple[int, ...]
    std_total: tuple[int, ...]
    nan: int = 0
    inf: int = 0
    faulty: tuple[Faulty, ...] = ()

    @property
    def mean(self) -> tuple[float, ...]:
        """The mean of each channel in the images' own units (0 to 255 for uint8), correctly rounded.

        NaN for a channel without a counted value.
        """
        return self._ratios(self.total, self.count, 0)

    @property
    def std(self) -> tuple[float, ...]:
        """The population standard deviation of each channel, correctly rounded."""
        sums = zip(self.count, self.total, self.squares, strict=True)
        return tuple(_root(n * squares - total * total, n << self._bits) for n, total, squares in sums)

    @property
    def image_mean(self) -> tuple[float, ...]:
        """The mean of the images' means, in which small and large images weigh the same."""
        return self._ratios(self.mean_total, self.image_count, IMAGE_BITS)

    @property
    def image_std(self) -> tuple[float, ...]:
        """The mean of the images' standard deviations: see the class for how it differs from `std`."""
        return self._ratios(self.std_total, self.image_count, IMAGE_BITS)

    @property
    def _bits(self) -> int:
        return FLOAT_BITS if self.dtype == "float32" else 0

    def _ratios(self, totals: tuple[int, ...], counts: tuple[int, ...], bits: int) -> tuple[float, ...]:
        bits += self._bits
        pairs = zip(totals, counts, strict=True)
        return tuple(total / (count << bits) if count else math.nan for total, count in pairs)

    def normalize(self) -> Normalize:
        """Return the transform that brings each channel to mean 0 and standard deviation 1.

        Returns:
            `seedsafe.Normalize(mean, std)`, for uint8 images with both divided by 255, as it expects them.

        Raises:
            ValueError: the images are uint16, or a channel is constant or has no value.

        Example:
            >>> import numpy as np, seedsafe as ss
            >>> ss.channel_stats([np.array([[0, 255]], np.uint8)]).normalize()
            Normalize(mean=(0.5,), std=(0.5,))
        """
        import seedsafe

        if self.dtype == "uint16":
            raise ValueError(
                "Normalize takes uint8 or float32 images, but these statistics are of uint16: convert the images to "
                "float32 in [0, 1] and compute the statistics of those"
            )
        for channel, std in enumerate(self.std):
            if not std > 0:
                raise ValueError(
                    f"channel {channel} has the standard deviation {std}, and Normalize cannot divide by it: pass mean "
                    "and std to Normalize yourself"
                )
        top = 255.0 if self.dtype == "uint8" else 1.0
        return seedsafe.Normalize(tuple(m / top for m in self.mean), tuple(s / top for s in self.std))

    def __or__(self, other: ChannelStats) -> Self:
        """Return the statistics of both sets of images together; the order does not matter."""
        if not isinstance(other, ChannelStats):
            return NotImplemented
        if (self.dtype, len(self.count)) != (other.dtype, len(other.count)):
            raise ValueError(
                f"images must have one dtype and number of channels, got {len(self.count)} channels of {self.dtype} and "
                f"{len(other.count)} of {other.dtype}: convert them to one form, or compute the statistics of each separately"
            )
        sums: dict[str, Any] = {
            name: tuple(map(operator.add, getattr(self, name), getattr(other, name))) for name in SUMS
        }
        return dataclasses.replace(
            self,
            images=self.images + other.images,
            minimum=tuple(map(best, repeat(min), self.minimum, other.minimum)),
            maximum=tuple(map(best, repeat(max), self.maximum, other.maximum)),
            **sums,
            nan=self.nan + other.nan,
            inf=self.inf + other.inf,
            faulty=tuple(sorted(self.faulty + other.faulty)[:MAX_FAULTY]),
        )

    def renumbered(self, first: int) -> Self:
        """Return the statistics with `first` added to all image numbers, to merge parts of one dataset.

        Example:
            >>> import numpy as np, seedsafe as ss
            >>> part = ss.channel_stats([np.full((1, 1), np.nan, np.float32)])
            >>> part.faulty, part.renumbered(60000).faulty
            (((0, 1, 0),), ((60000, 1, 0),))
        """
        faulty = tuple((number + first, nan, inf) for number, nan, inf in self.faulty)
        return dataclasses.replace(self, faulty=faulty)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON. Integers that may exceed 2^53 become strings.

        Example:
            >>> import numpy as np, seedsafe as ss
            >>> stats = ss.channel_stats([np.zeros((2, 2), np.uint8)])
            >>> ss.ChannelStats.from_dict(stats.to_dict()) == stats
            True
        """
        data: dict[str, Any] = {"format": _FORMAT, "version": _VERSION}
        data |= {name: getattr(self, name) for name in _PLAIN}
        data |= {name: list(getattr(self, name)) for name in _SHORT}
        data |= {name: [str(number) for number in getattr(self, name)] for name in _LONG}
        data["faulty"] = [list(entry) for entry in self.faulty]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the statistics in a dict from `to_dict`. Histograms and means of images, in those of earlier releases, are left out.

        Raises:
            TypeError: data is not a dict.
            ValueError: data is not a dict from `to_dict`.
        """
        if not isinstance(data, Mapping):
            raise TypeError(
                f"data must be a dict from ChannelStats.to_dict(), got {data!r:.60}: pass json.load(file), for instance"
            )
        if data.get("format") != _FORMAT or data.get("version") != _VERSION:
            raise ValueError(
                f"data are not channel statistics of version {_VERSION}, got format {data.get('format')!r} and version "
                f"{data.get('version')!r}: compute them again with channel_stats"
            )
        missing = [name for name in (*_PLAIN, *_SHORT, *_LONG, "faulty") if name not in data]
        if missing:
            raise ValueError(
                f"data must be a dict from ChannelStats.to_dict(), got one without {missing}: compute the statistics again"
            )
        fields: dict[str, Any] = {name: data[name] for name in _PLAIN}
        fields |= {name: tuple(data[name]) for name in _SHORT}
        fields |= {name: tuple(int(number) for number in data[name]) for name in _LONG}
        fields["faulty"] = tuple(tuple(entry) for entry in data["faulty"])
        return cls(**fields)

    def to_json(self) -> str:
        """Return `to_dict` as JSON text.

        Example:
            >>> import numpy as np, seedsafe as ss
            >>> stats = ss.channel_stats([np.zeros((2, 2), np.uint8)])
            >>> ss.ChannelStats.from_json(stats.to_json()) == stats
            True
        """
        return json.dumps(self.to_dict(), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the statistics in a text from `to_json`."""
        return cls.from_dict(json.loads(text))

    def __repr__(self) -> str:
        return f"ChannelStats(images={self.images}, dtype={self.dtype!r}, mean={self.mean}, std={self.std})"

    def _repr_html_(self) -> str:
        """Return the statistics as a table, for notebooks."""
        values = zip(self.mean, self.std, self.minimum, self.maximum, strict=True)
        return table(
            f"{self.images:,} images of {self.dtype}",
            ("channel", "mean", "std", "minimum", "maximum"),
            ((number, *row) for number, row in enumerate(values)),
        )


def _root(radicand: int, denominator: int) -> float:
    """Return sqrt(radicand) / denominator, correctly rounded, from a root of 64 bits or more and a sticky bit."""
    if denominator == 0:
        return math.nan
    square = denominator * denominator
    shift = max(0, 130 - radicand.bit_length() + square.bit_length())
    shift += shift & 1
    quotient, rest = divmod(radicand << shift, square)
    root = math.isqrt(quotient)
    inexact = rest != 0 or root * root != quotient
    return math.ldexp(float(root << 1 | inexact), -(shift // 2) - 1)


def best(choose: Callable[..., Any], first: float | None, second: float | None) -> float | None:
    """Return the smaller or the larger of two numbers, by `choose`, min or max; None does not count."""
    if first is None or second is None:
        return second if first is None else first
    result: float = choose(first, second)
    return result
