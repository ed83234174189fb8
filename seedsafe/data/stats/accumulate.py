"""Adding up images one at a time."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedsafe.data.stats.result import DTYPES, IMAGE_BITS, MAX_FAULTY, ChannelStats
from seedsafe.data.stats.sums import FLOAT_BITS, PlaneSums, plane_sums, planes

__all__ = ["Accumulator"]


class Accumulator:
    """Sums of the images given to `add` so far; they are numbered from 0.

    Args:
        histogram: count each value of uint8 images.
        per_image: keep each image's means.
    """

    def __init__(self, *, histogram: bool, per_image: bool) -> None:
        self._histogram = histogram
        self._per_image = per_image
        self._images = 0
        self._dtype = ""
        self._totals: list[_Channel] = []
        self._faulty: list[tuple[int, int, int]] = []
        self._means: list[list[float]] = []

    def add(self, image: NDArray[Any], *, channels_first: bool) -> None:
        """Add the pixels of one image, (H, W, C) or (C, H, W)."""
        dtype, channels = image.dtype.name, image.shape[0 if channels_first else 2]
        if not self._totals:
            self._start(dtype, channels)
        if (dtype, channels) != (self._dtype, len(self._totals)):
            raise ValueError(
                f"this image has {channels} channels of {dtype}, those before it {len(self._totals)} of "
                f"{self._dtype}: convert all images to one form, or compute the statistics of each kind separately"
            )
        own = [_Channel(self._histogram) for _ in self._totals]
        for block in planes(image, channels_first=channels_first):
            for channel, plane in zip(own, block, strict=True):
                channel.add(plane_sums(plane, histogram=self._histogram))
        for total, channel in zip(self._totals, own, strict=True):
            channel.close()
            total.merge(channel)
        nan, inf = sum(channel.nan for channel in own), sum(channel.inf for channel in own)
        if (nan or inf) and len(self._faulty) < MAX_FAULTY:
            self._faulty.append((self._images, nan, inf))
        if self._per_image:
            bits = FLOAT_BITS if dtype == "float32" else 0
            self._means.append([c.total / (c.count << bits) if c.count else math.nan for c in own])
        self._images += 1

    def _start(self, dtype: str, channels: int) -> None:
        if dtype not in DTYPES:
            raise TypeError(
                f"images must be uint8, uint16 or float32, got {dtype}: convert them, for instance with "
                "image.astype(np.float32)"
            )
        if channels == 0:
            raise ValueError("images must have at least one channel, got none")
        if self._histogram and dtype != "uint8":
            raise ValueError(
                f"histogram=True needs uint8 images, got {dtype}: leave it out or convert the images"
            )
        self._dtype = dtype
        self._totals = [_Channel(self._histogram) for _ in range(channels)]

    def result(self) -> ChannelStats | None:
        """Return the statistics so far; None if there was no image."""
        if not self._images:
            return None
        totals = self._totals
        return ChannelStats(
            dtype=self._dtype,
            images=self._images,
            count=tuple(c.count for c in totals),
            total=tuple(c.total for c in totals),
            squares=tuple(c.squares for c in totals),
            minimum=tuple(c.minimum for c in totals),
            maximum=tuple(c.maximum for c in totals),
            image_count=tuple(c.images for c in totals),
            mean_total=tuple(c.mean_total for c in totals),
            std_total=tuple(c.std_total for c in totals),
            nan=sum(c.nan for c in totals),
            inf=sum(c.inf for c in totals),
            faulty=tuple(self._faulty),
            histogram=np.stack([c.histogram for c in totals]) if self._histogram else None,
            image_numbers=np.arange(self._images) if self._per_image else None,
            image_means=np.array(self._means, dtype=np.float64) if self._per_image else None,
        )


class _Channel:
    """The running sums of one channel, over one image or over many."""

    def __init__(self, histogram: bool) -> None:
        self.count = self.total = self.squares = 0
        self.images = self.mean_total = self.std_total = 0
        self.nan = self.inf = 0
        self.minimum: float | None = None
        self.maximum: float | None = None
        self.histogram = np.zeros(256 if histogram else 0, np.int64)

    def add(self, sums: PlaneSums) -> None:
        self.count += sums.counted
        self.total += sums.total
        self.squares += sums.squares
        self.nan += sums.nan
        self.inf += sums.inf
        self._widen(sums.minimum, sums.maximum)
        if sums.histogram is not None:
            self.histogram += sums.histogram

    def _widen(self, low: float | None, high: float | None) -> None:
        if low is not None and (self.minimum is None or low < self.minimum):
            self.minimum = low
        if high is not None and (self.maximum is None or high > self.maximum):
            self.maximum = high

    def close(self) -> None:
        """Take the channel as one image's, and add its mean and deviation in fixed point."""
        if self.count:
            self.images = 1
            self.mean_total = (self.total << IMAGE_BITS) // self.count
            radicand = self.count * self.squares - self.total * self.total
            self.std_total = math.isqrt(radicand << 2 * IMAGE_BITS) // self.count

    def merge(self, other: "_Channel") -> None:
        self.add(PlaneSums(other.count, other.total, other.squares, other.minimum, other.maximum))
        self.nan += other.nan
        self.inf += other.inf
        self.images += other.images
        self.mean_total += other.mean_total
        self.std_total += other.std_total
        self.histogram += other.histogram
