"""Audit a dataset in real loaders, with evidence."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seedsafe_audit.api import audit
    from seedsafe_audit.report import Answer, Report

__all__ = ["Answer", "Report", "audit"]

# Names are imported on first use, because the help of a command needs none of them.
_MODULE_OF = {name: f"seedsafe_audit.{'api' if name == 'audit' else 'report'}" for name in __all__}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value
