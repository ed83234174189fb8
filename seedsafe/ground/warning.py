"""Warnings at a line of the user."""

from __future__ import annotations

import inspect
import warnings
from types import CodeType, FrameType

__all__ = ["calls_above", "warn"]


def warn(message: str, beyond: tuple[str, ...] = ()) -> None:
    """Warn at the innermost line that is not of this library, its adapters or the packages `beyond`.

    That is the line of the wrapper that reads twice, or of the loop that begins a pass, however many calls of ours are in between.
    """
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and _is_ours(frame, beyond):
        frame = frame.f_back
    if frame is None:  # at the end of the program
        warnings.warn_explicit(message, UserWarning, "sys", 1)
        return
    place = (frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__"))
    warnings.warn_explicit(
        message, UserWarning, *place, registry=frame.f_globals.setdefault("__warningregistry__", {})
    )


def calls_above() -> tuple[tuple[CodeType, int], ...]:
    """Return the code of each call under way and the place in it, the outermost first, without those of this library and its adapters."""
    calls, frame = [], inspect.currentframe()
    while frame is not None:
        if not _is_ours(frame):
            calls.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(reversed(calls))


def _is_ours(frame: FrameType, beyond: tuple[str, ...] = ()) -> bool:
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    return package == "seedsafe" or package.startswith("seedsafe_") or package in beyond
