"""Drawn parameters as text and as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np

from seedsafe.keys.key import Address

__all__ = ["plain", "text"]

_LONG = 60
_SHORT = 4


def text(params: Any) -> str:
    """Return parameters in one line.

    Example:
        >>> import seedsafe as ss
        >>> applied = ss.Compose([ss.RandomCrop(8)]).params(ss.SampleKey(42, 0, 0), (20, 30))
        >>> text(applied[0].params)
        'top=8, left=9'
    """
    if params is None:
        return "did not fire"
    if isinstance(params, Address):
        return "its own stream"  # noise and bridges
    fields = getattr(params, "_fields", None) or tuple(getattr(params, "__dataclass_fields__", ()))
    if fields:
        return ", ".join(f"{name}={_value(getattr(params, name))}" for name in fields)
    return "" if params in ((), {}) else _value(params)


def _value(value: Any) -> str:
    if isinstance(value, np.ndarray):
        small = value.size <= _SHORT
        return (
            _value(value.tolist()) if small else f"{value.dtype} array of {'×'.join(map(str, value.shape))}"
        )
    if isinstance(value, float | np.floating):
        return f"{float(value):.5g}"
    if isinstance(value, Address):
        return "its own stream"
    if hasattr(value, "_fields") or hasattr(value, "__dataclass_fields__"):
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
    fields = getattr(params, "_fields", None) or tuple(getattr(params, "__dataclass_fields__", ()))
    if fields:
        return {name: plain(getattr(params, name)) for name in fields}
    if isinstance(params, dict):
        return {str(name): plain(one) for name, one in params.items()}
    if isinstance(params, tuple | list | set | frozenset):
        return [plain(one) for one in params]
    return repr(params)
