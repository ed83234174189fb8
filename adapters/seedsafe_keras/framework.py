"""Keras 3 or tf-keras 2, without importing either."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any, Final

__all__ = ["check", "default", "framework_of", "module_of", "of_class"]

_MODULES: Final = {"keras": "seedsafe_keras.keras3", "tf_keras": "seedsafe_keras.keras2"}


def framework_of(thing: Any) -> str | None:
    """Return the package that an object's class derives from, "keras" or "tf_keras", or None."""
    return of_class(type(thing))


def of_class(kind: type) -> str | None:
    """Return the package that a class derives from; see `framework_of`."""
    roots = [cls.__module__.partition(".")[0] for cls in kind.__mro__]
    return next((root for root in roots if root in _MODULES), None)


def check(framework: Any) -> str:
    """Return the name of a framework, or raise a ValueError."""
    if framework not in _MODULES:
        raise ValueError(f"framework must be one of {', '.join(map(repr, _MODULES))}, got {framework!r}")
    return str(framework)


def default() -> str:
    """Return the framework that the program has imported, or Keras 3 if it has imported both or neither."""
    return "tf_keras" if "tf_keras" in sys.modules and "keras" not in sys.modules else "keras"


def module_of(framework: str) -> ModuleType:
    """Return the module of this package with the classes for a framework."""
    try:
        return importlib.import_module(_MODULES[framework])
    except ModuleNotFoundError as error:
        missing = error.name
        if missing == framework == "keras":
            way_out = "pip install 'seedsafe[keras]', and a backend such as 'seedsafe[tensorflow]'"
        elif missing in ("tensorflow", "torch", "jax"):  # Keras's backend
            extra = "jax" if missing == "jax" else f"'seedsafe[{missing}]'"
            way_out = f"pip install {extra}, or choose another backend with KERAS_BACKEND"
        else:
            raise
        raise ModuleNotFoundError(f"{missing} is not installed: {way_out}", name=missing) from error
