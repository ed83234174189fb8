"""Pipelines as tables in notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seedsafe.ground.html import table

__all__ = ["pipeline_table"]


def pipeline_table(augment: Any, title: str) -> str:
    """Return the HTML table of a pipeline: the transforms and the names of their streams, those of a container below it.

    Args:
        augment: a Compose.
        title: the caption.

    Example:
        >>> import seedsafe as ss
        >>> table = pipeline_table(ss.Compose([ss.OneOf([ss.RandomCrop(8)])]), "A pipeline")
        >>> "OneOf" in table, "RandomCrop(size=(8, 8))" in table
        (True, True)
    """
    names = iter([stream.name for stream in augment.streams() if "@" not in stream.name])
    rows = [*_rows(augment, names, 0), *((f"{k}=", repr(value)) for k, value in augment.options().items())]
    return table(title, ("stream", "transform"), rows)


def _rows(augment: Any, names: Iterator[str], depth: int) -> Iterator[tuple[str, str]]:
    for transform in augment.transforms:
        inner = getattr(transform, "transforms", None)
        if hasattr(transform, "streams"):  # a Compose adds nothing to the names
            yield from _rows(transform, names, depth)
        else:
            indent = "\N{EM SPACE}" * depth
            p = f"(p={transform.p})" if inner is not None and hasattr(transform, "p") else ""
            yield indent + next(names, ""), repr(transform) if inner is None else type(transform).__name__ + p
            if inner is not None:
                yield from _rows(transform, names, depth + 1)
