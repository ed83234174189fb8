"""RandomZoomOut."""

from __future__ import annotations

from seedsafe.ground.checks import probability, span
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Info
from seedsafe.image.window import Window, Windowed
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["RandomZoomOut"]


@primitive(exact=EVERYWHERE, opencv=False)
class RandomZoomOut(Windowed):
    """Put the image at a random position on a larger canvas.

    Draws the factor of the canvas's size (word 1), and the image's left (word 2) and top (word 3) on it.

    Args:
        side_range: a range of factors of the canvas's sides, from 1 up.

    Follows ``torchvision.transforms.v2.RandomZoomOut``, the expansion of single-shot detectors.

    Example:
        >>> RandomZoomOut((3, 3), p=1)(np.array([[7]], np.uint8), key=SampleKey(42, 0, 2)).tolist()
        [[0, 0, 0], [0, 7, 0], [0, 0, 0]]
    """

    side_range: Range = option(
        span, 1.0, 1e4, "pass a range of factors of the sides, such as (1, 4)", default=(1.0, 4.0)
    )
    p: float = option(probability, default=0.5, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Window:
        """Return the canvas as a window of the image."""
        rows, columns = info.image_size()
        factor = rng.uniform(*self.side_range)
        height, width = int(rows * factor), int(columns * factor)
        left, top = int((width - columns) * rng.unit()), int((height - rows) * rng.unit())
        return Window(-top, -left, height, width)
