"""A linter for random numbers in data loading code; it parses files and imports none of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seedsafe_lint.config import Config, ConfigError
    from seedsafe_lint.findings import Finding, Place, Skipped
    from seedsafe_lint.runner import Report, lint

__all__ = ["Config", "ConfigError", "Finding", "Place", "Report", "Skipped", "lint"]

# Imported when a name is first asked for: the help of a command needs none of them.
_MODULE_OF = {
    "Config": "seedsafe_lint.config",
    "ConfigError": "seedsafe_lint.config",
    "Finding": "seedsafe_lint.findings",
    "Place": "seedsafe_lint.findings",
    "Skipped": "seedsafe_lint.findings",
    "Report": "seedsafe_lint.runner",
    "lint": "seedsafe_lint.runner",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value
