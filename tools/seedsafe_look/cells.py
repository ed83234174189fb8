"""What a pipeline makes of a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from seedsafe.keys.key import SampleIndex
from seedsafe_look.parameters import summary
from seedsafe_look.picture import Cell, picture_of
from seedsafe_look.subject import Subject

__all__ = ["columns", "drawn"]


def columns(index: int, epochs: Iterable[int], views: int | None) -> list[tuple[str, SampleIndex]]:
    """Return the title and the stamped index of each column: the epochs, or views of the first of them."""
    if views is None:
        return [(f"epoch {epoch}", SampleIndex(index, epoch)) for epoch in epochs]
    first, *_ = epochs
    places = (SampleIndex(index, first, view=view) for view in range(views))
    return [(f"epoch {first}, view {at.view}", at) for at in places]


def drawn(
    subject: Subject,
    sample: Any,
    at: SampleIndex,
    seed: int,
    title: str,
    scale: Callable[[Any], Any] | None = None,
) -> tuple[Cell, Cell]:
    """Return a cell of a sample, and one of its augmentation at a key.

    Args:
        subject: the pipeline or dataset.
        sample: the sample; a dataset has its own.
        at: the index, epoch and view of the augmentation.
        seed: the run's.
        title: what is written above the second cell.
        scale: a function that resizes an image before anything is drawn on it.

    Raises:
        Exception: from the user's pipeline or dataset.
    """
    one = subject.of_view(at.view)
    boxes = "pascal_voc" if one.augment is None or one.augment.boxes is None else one.augment.boxes.format
    key = one.key(at, seed)
    if one.reader is not None:
        before, after = one.parts(one.read_base(at)), one.parts(one.read(at))
    else:
        before, after = sample, one.augment(sample, key=key)  # type: ignore[misc]  # one of the two is there
    told = one.augment and summary(one.augment, key, one.infos(before, at))
    pictures = (picture_of(parts, boxes=boxes, scale=scale) for parts in (before, after))
    first, second = pictures
    return Cell("sample", first, []), Cell(title, second, *(told or (["drawn by the dataset itself"], None)))
