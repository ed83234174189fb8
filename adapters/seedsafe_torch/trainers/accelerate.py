"""Accelerate: the epochs of a run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

from seedsafe.reading import checked_int

__all__ = ["epochs"]


def epochs(
    loading: Any, *, start: int = 0, skip: int = 0, stop: int | None = None
) -> Iterator[tuple[int, Any]]:
    """Yield the epochs of a run, each with its batches, from a loader that Accelerate prepared.

    Args:
        loading: the loader from ``accelerator.prepare``, with or without ``use_stateful_dataloader``, which skips nothing.
        start: the first epoch.
        skip: how many batches of it to leave out, on each rank.
        stop: the epoch after the last, or None to go on without end.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range.

    Example:
        >>> for epoch, batches in epochs(loading, start=3, skip=120, stop=90):  # doctest: +SKIP
        ...     for batch in batches:
        ...         train(batch)
    """
    start = checked_int("start", start, 0, 2**32, "pass the epoch to begin with")
    skip = checked_int("skip", skip, 0, 2**63, "pass the number of batches already trained on")
    for epoch in count(start) if stop is None else range(start, stop):
        loading.set_epoch(epoch)
        number = skip if epoch == start else 0
        yield epoch, sys.modules["accelerate"].skip_first_batches(loading, number) if number else loading
