"""The transform that an error comes from."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

__all__ = ["blame", "blamed", "code_name"]

_TRANSFORM: Final = "_seedsafe_transform"


def blame(error: Exception, name: str) -> None:
    """Record on an error the name of a transform that it passes through. The outermost name remains.

    Example:
        >>> error = ValueError("too small")
        >>> blame(error, "RandomCrop")
        >>> blamed(error)
        'RandomCrop'
    """
    vars(error)[_TRANSFORM] = name  # the class may forbid setattr


def blamed(error: Exception) -> str | None:
    """Return the name of the transform that an error comes from, or None if it comes from elsewhere."""
    return vars(error).get(_TRANSFORM)


def code_name(function: Any) -> str:
    """Return the name of a function, or of the class of any other callable.

    Example:
        >>> code_name(partial(blame, ValueError())), code_name(ValueError())
        ('blame', 'ValueError')
    """
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__qualname__", type(function).__qualname__))
