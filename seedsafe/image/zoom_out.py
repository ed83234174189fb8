"""RandomZoomOut."""

from __future__ import annotations

from dataclasses import dataclass, field

from seedsafe.ground.checks import probability, span
from seedsafe.ground.info import Info
from seedsafe.image.options import Filled, put_option
from seedsafe.image.window import Window, Windowed
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.primitive import primitive

__all__ = ["RandomZoomOut"]


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class RandomZoomOut(Windowed):
    """Put the image on a larger canvas, at a drawn place. Exact on every machine.

    Draws how many times larger the canvas is (word 1), and the image's left (word 2) and top (word 3) on it.

    Args:
        side_range: how many times larger the canvas's sides are, a range from 1 on.
        mode: how pixels outside the image are filled: "constant", "edge", "reflect" or "symmetric", as in
            ``numpy.pad``.
        fill: the value outside in the mode "constant", one number or one for each channel.
        mask_fill: the same for masks.
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is not a number.
        ValueError: an argument is out of its range.

    Follows ``torchvision.transforms.v2.RandomZoomOut``, the expansion of single-shot detectors.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> RandomZoomOut((3, 3), p=1)(np.array([[7]], np.uint8), key=SampleKey(42, 0, 2)).tolist()
        [[0, 0, 0], [0, 7, 0], [0, 0, 0]]
    """

    side_range: float | tuple[float, float] = (1.0, 4.0)
    p: float = field(default=0.5, kw_only=True)

    def __post_init__(self) -> None:
        Filled.__post_init__(self)
        way_out = "pass how many times larger the canvas is, such as (1, 4)"
        put_option(self, "side_range", span("side_range", self.side_range, 1.0, 1e4, way_out))
        put_option(self, "p", probability(self.p))

    def draw(self, rng: Draws, info: Info) -> Window:
        """Return the canvas as a window of the image."""
        rows, columns = info.image_size()
        times = rng.uniform(*self.side_range)  # type: ignore[misc]  # a pair since __post_init__
        height, width = int(rows * times), int(columns * times)
        left, top = int((width - columns) * rng.unit()), int((height - rows) * rng.unit())
        return Window(-top, -left, height, width)
