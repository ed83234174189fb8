"""Drawn parameters as text and as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np

from seedsafe.ground.info import Infos
from seedsafe.keys.key import Address, SampleKey

__all__ = ["plain", "summary", "text"]

_LONG = 60
_SHORT = 4


def summary(augment: Any, key: SampleKey, infos: Infos) -> tuple[list[str], list[dict[str, Any]] | None]:
    """Return what a pipeline drew for a key: a line for each transform that fired, and plain data of all."""
    try:
        applied = augment.params(key, infos)
    except (ValueError, TypeError) as error:  # behind a bridge, the shape is only known after its call
        return [f"not known without the pixels: {error}"], None
    lines = [f"{one.name} {text(one.params)}".rstrip() for one in applied if one.params is not None]
    return lines or ["nothing fired"], [{"name": one.name, "params": plain(one.params)} for one in applied]


def text(params: Any) -> str:
    """Return parameters in one line.

    Example:
        >>> import seedsafe as ss
        >>> applied = ss.Compose([ss.RandomCrop(8)]).params(ss.SampleKey(42, 0, 0), (20, 30))
        >>> text(applied[0].params)
        'top=8, left=9'

        A flip draws nothing but whether it fires:

        >>> flip = ss.Compose([ss.HorizontalFlip()])
        >>> [text(flip.params(ss.SampleKey(42, 0, index), (20, 30))[0].params) for index in (0, 1)]
        ['fired', 'did not fire']
    """
    if params is None:
        return "did not fire"
    fields = _fields(params)
    if isinstance(params, Address):  # of a bridge
        return "drawn by the original"
    if fields and fields != ("size",):
        # An address says nothing to a reader: it is where noise begins to draw.
        values = ((name, getattr(params, name)) for name in fields)
        shown = (f"{name}={_value(value)}" for name, value in values if not isinstance(value, Address))
        return ", ".join(shown) or "fired"
    return "fired" if fields or params in ((), {}) else _value(params)


def _fields(params: Any) -> tuple[str, ...]:
    """Return the names of the fields of a named tuple or a dataclass."""
    return getattr(params, "_fields", None) or tuple(getattr(params, "__dataclass_fields__", ()))


def _value(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size > _SHORT:
            return f"{value.dtype} array of {'×'.join(map(str, value.shape))}"
        value = value.tolist()
    if isinstance(value, float | np.floating):
        return f"{float(value):.5g}"
    if isinstance(value, Address):
        return "its own stream"
    if _fields(value):
        return f"({text(value)})"
    if isinstance(value, tuple | list):
        if len(value) > _SHORT:
            return f"{len(value)} values"
        return f"({', '.join(map(_value, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {_value(one)}' for name, one in value.items())}}}"
    shown = repr(value.item() if isinstance(value, np.generic) else value)
    return shown if len(shown) <= _LONG else shown[: _LONG - 1] + "…"


def plain(params: Any) -> Any:
    """Return parameters in types that JSON has.

    Example:
        >>> plain((1, np.float32(0.5), np.arange(2)))
        [1, 0.5, [0, 1]]
    """
    if isinstance(params, np.ndarray):
        return plain(params.tolist())
    if isinstance(params, np.generic):
        return plain(params.item())
    if isinstance(params, float):
        return params if abs(params) < float("inf") else repr(params)
    if params is None or isinstance(params, int | str):
        return params
    fields = _fields(params)
    if fields:
        return {name: plain(getattr(params, name)) for name in fields}
    if isinstance(params, dict):
        return {str(name): plain(one) for name, one in params.items()}
    if isinstance(params, tuple | list | set | frozenset):
        return [plain(one) for one in params]
    return repr(params)
