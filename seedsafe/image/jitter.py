"""ColorJitter and LinearColorJitter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from seedsafe.functional.jitter import apply_matrix, color_jitter, jitter_matrix
from seedsafe.functional.kinds import is_rgb, is_uint8
from seedsafe.functional.tones import adjust_tones
from seedsafe.ground.checks import around
from seedsafe.ground.info import Array, Info
from seedsafe.image.sometimes import Often, store
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.primitive import primitive

__all__ = ["ColorJitter", "Jitter", "LinearColorJitter", "LinearJitter"]

Range = float | tuple[float, float]


class Jitter(NamedTuple):
    """Factors of brightness, contrast and saturation, a share of the hue circle, and the order of the four."""

    brightness: float
    contrast: float
    saturation: float
    hue: float
    order: tuple[int, ...]


class LinearJitter(NamedTuple):
    """Factors of brightness, contrast and saturation, and a share of the hue circle."""

    brightness: float
    contrast: float
    saturation: float
    hue: float


@dataclass(frozen=True, slots=True, repr=False)
class _Jitter(Often):
    brightness: Range = 0.0
    contrast: Range = 0.0
    saturation: Range = 0.0
    hue: Range = 0.0

    def __post_init__(self) -> None:
        Often.__post_init__(self)
        for name in ("brightness", "contrast", "saturation"):
            way_out = "pass how far its factor may differ from 1, or a range of factors (low, high)"
            store(self, **{name: around(name, getattr(self, name), 1.0, 0.0, 1e6, way_out)})
        reach = 1.0 if isinstance(self.hue, tuple | list) else 0.5
        store(
            self,
            hue=around(
                "hue", self.hue, 0.0, -reach, reach, "pass a share of the circle, at most 0.5, or a range"
            ),
        )

    def _factors(self, rng: Draws) -> tuple[float, float, float, float]:
        return (
            rng.uniform(*self.brightness),  # type: ignore[misc]  # pairs since __post_init__
            rng.uniform(*self.contrast),  # type: ignore[misc]
            rng.uniform(*self.saturation),  # type: ignore[misc]
            rng.uniform(*self.hue),  # type: ignore[misc]
        )


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class ColorJitter(_Jitter):
    """Change brightness, contrast, saturation and hue, in an order that is drawn too.

    Follows ``torchvision.transforms.ColorJitter``: each step is cut off at the ends of the range, and is within 1 of
    255. Draws the three factors and the hue (words 1 to 4) and the order (words 5 to 7). Exact on every machine for
    uint8. A grey image has neither saturation nor hue.

    Args:
        brightness: how far its factor may differ from 1, or a range of factors (low, high).
        contrast: the same.
        saturation: the same.
        hue: the largest turn to either side, a share of the circle in [0, 0.5], or a range in [-1, 1].
        p: the probability that the image is changed.
        name: see Transform.

    Raises:
        TypeError: an argument is not a number; when applied, the image is neither uint8 nor float32.
        ValueError: an argument is out of its range; when applied, the image has neither 3 channels nor 1.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> augment = ColorJitter(brightness=0.4, contrast=0.4, saturation=0.2, hue=0.1)
        >>> augment(np.array([[[200, 50, 50]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[223, 104, 87]]]
    """

    def draw(self, rng: Draws, info: Info) -> Jitter:
        """Return the factors, the hue's turn and the order of the steps."""
        factors = self._factors(rng)
        left = [0, 1, 2, 3]
        order = (left.pop(rng.integer(4)), left.pop(rng.integer(3)), left.pop(rng.integer(2)), left[0])
        return Jitter(*factors, order)

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the image in other colours."""
        return color_jitter(image, *params)


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class LinearColorJitter(_Jitter):
    """Change brightness, contrast, saturation and hue by one matrix: like ColorJitter, and several times faster.

    Contrast is about the middle of the range, not about the image's mean; hue is turned in YIQ; nothing is cut off
    before the end, and the steps have no order. Draws the three factors and the hue (words 1 to 4). Exact on every
    machine for uint8.

    Args:
        brightness: see `ColorJitter`.
        contrast: see `ColorJitter`.
        saturation: see `ColorJitter`.
        hue: see `ColorJitter`.
        p: the probability that the image is changed.
        name: see Transform.

    Raises:
        TypeError: see `ColorJitter`.
        ValueError: see `ColorJitter`.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> augment = LinearColorJitter(brightness=0.4, contrast=0.4, saturation=0.2, hue=0.1)
        >>> augment(np.array([[[200, 50, 50]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[164, 59, 0]]]
    """

    def draw(self, rng: Draws, info: Info) -> LinearJitter:
        """Return the factors and the hue's turn."""
        return LinearJitter(*self._factors(rng))

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the image in other colours."""
        brightness, contrast, saturation, hue = params
        colours = is_rgb(image, "LinearColorJitter")
        top = 255.0 if is_uint8(image) else 1.0
        if colours:
            return apply_matrix(image, jitter_matrix(brightness, contrast, saturation, hue, top))
        return adjust_tones(image, brightness * contrast, 0.5 * (1.0 - contrast))
