"""The options of a folder's index: which names count as images, and what goes together."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seedsafe.keys.key import checked_int

__all__ = ["IMAGE_EXTENSIONS", "check_options", "one_or_several"]

IMAGE_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")
"""The endings of names that count as images, in any case: those of torchvision."""


def one_or_several(extensions: Iterable[str]) -> tuple[str, ...]:
    """Return endings as a tuple; a string counts as one ending, as in torchvision.

    Raises:
        TypeError: one of them is not a string.
    """
    endings = (
        (extensions,)
        if isinstance(extensions, str) or not isinstance(extensions, Iterable)
        else tuple(extensions)
    )
    for ending in endings:
        if not isinstance(ending, str):
            raise TypeError(
                f'extensions must be strings, got {ending!r}: pass (".jpg", ".png"), for instance'
            )
    return endings


def check_options(root: str, is_valid_file: Any, cache: Any, threads: int, on_problem: str) -> None:
    """Raise an error if the options do not go together, or there is no such folder."""
    if not os.path.isdir(root):
        raise FileNotFoundError(f"root must be a folder that exists, got {root!r}: check the path")
    if on_problem not in ("raise", "warn", "ignore"):
        raise ValueError(f'on_problem must be "raise", "warn" or "ignore", got {on_problem!r}')
    checked_int("threads", threads, 1, 2**15, "pass the number of threads that read folders")
    if cache is None:
        return
    if is_valid_file is not None:
        raise ValueError(
            "is_valid_file cannot be combined with cache: its answers may change while the folders' times do not; use "
            "extensions, or leave out cache"
        )
    if Path(cache).resolve().is_relative_to(Path(root).resolve()):
        raise ValueError(
            f"cache must lie outside root, got {os.fspath(cache)!r}: writing it would change a folder that it describes"
        )
