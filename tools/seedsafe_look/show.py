"""The figure of ``Compose.show``, drawn with matplotlib."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from seedsafe.ground.checks import checked_int
from seedsafe.ground.info import described
from seedsafe.keys.key import SampleKey
from seedsafe_look.parameters import lines
from seedsafe_look.picture import picture_of

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError('show needs matplotlib: pip install "seedsafe[tools]"') from error

__all__ = ["Sheet", "show"]

_INCHES, _ACROSS, _LETTERS = 2.6, 5, 38


class Sheet(Figure):
    """A figure that a notebook shows although pyplot does not know it."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png", bbox_inches="tight")
        return file.getvalue()


def show(
    augment: Any, sample: Any, *, seed: int, index: int, epochs: int | Iterable[int], views: int | None
) -> Sheet:
    """Return the figure; see `Compose.show`."""
    keys = _keys(seed, index, epochs, views)
    boxes = "pascal_voc" if augment.boxes is None else augment.boxes.format
    pictures = [("sample", "", picture_of(sample, boxes=boxes))]
    for title, key in keys:
        result = augment(sample, key=key)
        pictures.append((title, _parameters(augment, key, sample), picture_of(result, boxes=boxes)))
    across = min(len(pictures), _ACROSS)
    down = -(-len(pictures) // across)
    figure = Sheet(figsize=(_INCHES * across, _INCHES * 1.35 * down), layout="constrained")
    for number, (title, below, picture) in enumerate(pictures, 1):
        axes = figure.add_subplot(down, across, number)
        axes.imshow(picture)
        axes.set_title(title, fontsize=9)
        axes.set_xlabel(below, fontsize=6, loc="left")
        axes.set_xticks([])
        axes.set_yticks([])
    return figure


def _keys(
    seed: int, index: int, epochs: int | Iterable[int], views: int | None
) -> list[tuple[str, SampleKey]]:
    advice = "pass the number of epochs, or a list of epochs"
    if isinstance(epochs, Iterable):
        numbers = list(epochs)
    else:
        numbers = list(range(checked_int("epochs", epochs, 1, 1000, advice)))
    if not numbers:
        raise ValueError(f"epochs must be at least one, got none: {advice}")
    if views is None:
        return [(f"epoch {epoch}", SampleKey(seed, epoch, index)) for epoch in numbers]
    count = checked_int("views", views, 1, 1000, "pass the number of views")
    first = numbers[0]
    return [
        (f"epoch {first}, view {view}", SampleKey(seed, first, index, view=view)) for view in range(count)
    ]


def _parameters(augment: Any, key: SampleKey, sample: Any) -> str:
    try:
        applied = augment.params(key, described(sample))
    except ValueError:
        return ""  # the shape after a bridge is only known after its call
    return "\n".join(line if len(line) <= _LETTERS else line[: _LETTERS - 1] + "…" for line in lines(applied))
