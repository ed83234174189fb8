"""ToGray, ToSepia, RGBShift, ChannelShuffle, ChannelDropout and FancyPCA."""

from __future__ import annotations

from typing import Any, NamedTuple

from seedsafe.functional import channels
from seedsafe.functional.carrier import refuse_volume
from seedsafe.ground.checks import real, span
from seedsafe.ground.exactness import AT_LEAST_UINT8, EVERYWHERE, NUMPY
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import UNITS, Often, Sometimes
from seedsafe.keys.decisions import normal
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = [
    "ChannelDropout",
    "ChannelShuffle",
    "Dropped",
    "FancyPCA",
    "Order",
    "RGBShift",
    "Shift",
    "ToGray",
    "ToSepia",
    "Weights",
]


class Shift(NamedTuple):
    """The amounts added to red, green and blue, on the scale of 0 to 255."""

    red: float
    green: float
    blue: float


class Order(NamedTuple):
    """The old position of each new channel."""

    order: tuple[int, ...]


class Dropped(NamedTuple):
    """The positions of the channels to fill."""

    dropped: tuple[int, ...]


class Weights(NamedTuple):
    """How far the colours move along each principal axis, the widest first."""

    weights: tuple[float, ...]


@primitive(exact=AT_LEAST_UINT8)
class ToGray(Sometimes):
    """Make an RGB image grey, in three channels. Draws only whether it fires.

    Follows ``torchvision.transforms.RandomGrayscale(p)``, with OpenCV's weights 0.299, 0.587 and 0.114.

    Raises:
        ValueError: when applied, the image has neither 3 channels nor 1.

    Example:
        >>> ToGray(p=1)(np.array([[[200, 50, 50]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[95, 95, 95]]]
    """

    def apply_image(self, image: Array, params: Any) -> Array:
        return channels.to_grey(image)


@primitive(exact=AT_LEAST_UINT8, clips=True)
class ToSepia(Sometimes):
    """Make an RGB image brown. Draws only whether it fires.

    Follows albumentations' ``ToSepia``.

    Raises:
        ValueError: when applied, the image does not have 3 channels.

    Example:
        >>> ToSepia(p=1)(np.array([[[200, 50, 50]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[126, 112, 88]]]
    """

    def apply_image(self, image: Array, params: Any) -> Array:
        return channels.to_sepia(image)


@primitive(exact=EVERYWHERE, clips=True)
class RGBShift(Often):
    """Add a random number to each of red, green and blue, clipped to the range.

    Follows albumentations' ``RGBShift``. Draws the three shifts (words 1 to 3).

    Args:
        red: the largest shift of red up or down, on the scale of 0 to 255, or a range (low, high) in [-255, 255].
        green: the same for green.
        blue: the same for blue.

    Raises:
        ValueError: when applied, the image does not have 3 channels.

    Example:
        >>> RGBShift()(np.array([[[200, 50, 50]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[194, 44, 49]]]
    """

    red: Range = option(span, -255.0, 255.0, UNITS, about=0.0, cut=True, default=20.0)
    green: Range = option(span, -255.0, 255.0, UNITS, about=0.0, cut=True, default=20.0)
    blue: Range = option(span, -255.0, 255.0, UNITS, about=0.0, cut=True, default=20.0)

    def draw(self, rng: Draws, info: Info) -> Shift:
        return Shift(
            rng.uniform(*self.red),
            rng.uniform(*self.green),
            rng.uniform(*self.blue),
        )

    def apply_image(self, image: Array, params: Any) -> Array:
        return channels.shift_channels(image, [one / 255.0 for one in params])


@primitive(exact=EVERYWHERE)
class ChannelShuffle(Often):
    """Put the channels into a random order.

    Follows albumentations' and torchvision's ``RandomChannelPermutation``. Draws the order (one word fewer than there
    are channels). Any dtype, any number of channels.

    Raises:
        TypeError: an argument has the wrong type.

    Example:
        >>> ChannelShuffle()(np.array([[[1, 2, 3]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[1, 3, 2]]]
    """

    def draw(self, rng: Draws, info: Info) -> Order:
        remaining = list(range(info.shape[2] if len(info.shape) == 3 else 1))
        order = [remaining.pop(rng.integer(n)) for n in range(len(remaining), 1, -1)]
        return Order((*order, remaining[0]))

    def apply_image(self, image: Array, params: Any) -> Array:
        refuse_volume(image)
        return channels.shuffle_channels(image, params[0])


@primitive(exact=EVERYWHERE, opencv=False)
class ChannelDropout(Often):
    """Fill some of the channels.

    Follows albumentations' ``ChannelDropout``. Draws how many channels (word 1), then which (as many words as the largest
    count). Any dtype.

    Args:
        count: the number of channels to fill, or a range (low, high), both included; less than the image has.
        fill: the value, in the image's own units.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: when applied, the image has too few channels for `count`.

    Example:
        >>> ChannelDropout()(np.array([[[1, 2, 3]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[1, 2, 0]]]
    """

    count: Pair = option(span, 1, 127, "pass how many channels are filled", whole=True, default=1)
    fill: float = option(
        real, -1e30, 1e30, "pass a value in the image's own units", default=0.0, kw_only=True
    )

    def draw(self, rng: Draws, info: Info) -> Dropped:
        low, high = self.count
        remaining = list(range(info.shape[2] if len(info.shape) == 3 else 1))
        if high >= len(remaining):
            raise ValueError(
                f"ChannelDropout of up to {high} channels needs an image with more of them, got the shape {info.shape}: "
                "pass a smaller count"
            )
        count = low + rng.integer(high - low + 1)
        # The largest count of words, whatever the count is, so that every sample takes the same number.
        chosen = [remaining.pop(rng.integer(len(remaining))) for _ in range(high)]
        return Dropped(tuple(sorted(chosen[:count])))

    def apply_image(self, image: Array, params: Any) -> Array:
        return channels.drop_channels(image, params[0], self.fill)


@primitive(exact=NUMPY, clips=True)
class FancyPCA(Often):
    """Move all colours along the principal axes of the image's colours.

    Follows A. Krizhevsky et al., "ImageNet classification with deep convolutional neural networks", 2012, section 4.1,
    with the axes of the image itself. Draws a normal weight for each axis (one word for each channel).

    Args:
        alpha: the standard deviation of the weights.

    Example:
        >>> image = np.array([[[200, 50, 50], [0, 10, 20]]], np.uint8)
        >>> FancyPCA(alpha=2.0)(image, key=SampleKey(42, 0, 0)).tolist()
        [[[95, 29, 34], [0, 0, 4]]]
    """

    alpha: float = option(real, 0.0, 1e6, "pass the standard deviation of the weights", default=0.1)

    def draw(self, rng: Draws, info: Info) -> Weights:
        axes = info.shape[2] if len(info.shape) == 3 else 1
        return Weights(tuple(self.alpha * normal(rng) for _ in range(axes)))

    def apply_image(self, image: Array, params: Any) -> Array:
        return channels.shift_principal(image, params[0])
