"""What persistent workers have copies of."""

from __future__ import annotations

import warnings
from typing import Any, Final

import numpy as np

from seedsafe.reading import nested, walk
from seedsafe_torch import frames
from seedsafe_torch.cell import STALE

__all__ = ["Copied"]

_MOST: Final = 1024  # entries of a list or an array; more are data
_SCALARS: Final = (int, float, complex, str, bytes, np.generic, type(None))


class Copied:
    """A dataset as workers get it when they start: how often its attributes were set, and the plain attributes of those inside.

    Args:
        dataset: the dataset of a loader.
    """

    def __init__(self, dataset: Any) -> None:
        self._changes = [
            (inside._changes, inside._changes.count)
            for inside in nested(dataset)
            if hasattr(inside, "_changes")
        ]
        self._plain = [
            (inside, name, content)
            for inside in walk(dataset)
            for name, value in getattr(inside, "__dict__", {}).items()
            if not name.startswith("_") and (content := _plain(value)) is not None
        ]

    def check(self) -> None:
        """Compare the dataset with the copies that workers go on to read, and warn once if a plain attribute changed by itself.

        Raises:
            RuntimeError: an attribute was set through an AugmentedDataset.
        """
        for changes, count in self._changes:
            if changes.count != count:
                raise RuntimeError(STALE.format(changes.name))
        for inside, name, content in self._plain:
            if _plain(vars(inside).get(name)) != content:
                self._plain = []
                warnings.warn(
                    f"{name} of the {type(inside).__qualname__} changed after the persistent workers began, which read their own copies "
                    "with the old value: change it before the first pass, or make the loader without persistent_workers",
                    stacklevel=frames.users_level(),
                )
                return


def _plain(value: Any) -> str | None:
    """Return the content of a number, a string, or a short list or array, or None for other things."""
    if isinstance(value, np.ndarray):
        return str(value.tobytes()) if value.size <= _MOST and not value.dtype.hasobject else None
    entries = value if isinstance(value, list | tuple) else (value,)
    plain = len(entries) <= _MOST and all(isinstance(entry, _SCALARS) for entry in entries)
    return repr(value) if plain else None
