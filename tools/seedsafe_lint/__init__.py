"""Find random-state bugs in data loading code.

The linter parses files and imports none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seedsafe_lint.config import Config, ConfigError
    from seedsafe_lint.engine import Report, lint
    from seedsafe_lint.findings import Finding, Place, Skipped

__all__ = ["Config", "ConfigError", "Finding", "Place", "Report", "Skipped", "lint"]

# Names are imported on first use, because the help of a command needs none of them.
_NAMES = {"config": "Config ConfigError", "findings": "Finding Place Skipped", "engine": "Report lint"}
_MODULE_OF = {name: f"seedsafe_lint.{module}" for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value
