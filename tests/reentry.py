"""Reads in the middle of a read, as signal handlers and finalizers make them, at places that the tests choose."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import seedsafe as ss

HERE = str(Path(ss.__file__).parents[1]) + "/"
PLACES = (f"{HERE}seedsafe/", f"{HERE}adapters/seedsafe_")


def interrupted(
    read: Callable[[], Any], act: Callable[[int], None], opcodes: bool = False
) -> tuple[Any, int]:
    """Return what a read gives while `act` is called before each line, or each opcode, of the library, and how many there were."""
    event_of = "opcode" if opcodes else "line"
    count = 0

    def local(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if event == event_of:
            act(count)
            count += 1
        return local

    def begin(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PLACES):
            return None
        frame.f_trace_opcodes = opcodes
        return local

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        made = read()
    finally:
        sys.settrace(before)
    return made, count


def same(one: Any, other: Any) -> bool:
    """Return whether two samples or batches are equal."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(np.asarray(one), np.asarray(other)))
