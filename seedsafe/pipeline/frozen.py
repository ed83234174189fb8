"""Parameters and parts that nobody can change."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

from numpy import ndarray
from numpy.random import Generator, RandomState

from seedsafe.ground.tree import mapped
from seedsafe.keys.draws import Draws

__all__ = ["freeze", "read_only"]


def freeze(params: Any, name: str) -> Any:
    """Return a user's parameters with read-only copies of their arrays, which no replay can change.

    Raises:
        TypeError: a generator is among them.
    """
    return mapped(partial(_frozen, name), params)


def _frozen(name: str, param: Any) -> Any:
    if isinstance(param, Generator | RandomState | Random | Draws):
        raise TypeError(
            f"draw of {name} returned a {type(param).__name__}, which gives different numbers at each replay: draw the numbers "
            "first, and return them"
        )
    if isinstance(param, ndarray):
        param = param.copy()
        param.flags.writeable = False
    return param


def read_only(part: Any) -> Any:
    """Return a read-only view of an array, or of each of a list."""
    if isinstance(part, list | tuple):
        return tuple(read_only(array) for array in part)
    if not isinstance(part, ndarray):
        return part
    view = part.view()
    view.flags.writeable = False
    return view
