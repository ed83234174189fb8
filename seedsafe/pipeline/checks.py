"""Checks of a sample before a pipeline runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray

from seedsafe.ground.info import TARGETS, check_frames, check_last, check_sound, check_target
from seedsafe.pipeline.boxes import require_format
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.unnamed import check_names

__all__ = ["checked", "checks_of"]


def checks_of(rules: Rules) -> tuple[Callable[[dict[Any, Any]], None], ...]:
    """Return the checks that look at a dict as a whole; each target has its own besides."""
    layout = (_check_layout,) if rules.spatial and not rules.last else ()
    names = (partial(check_names, rules=rules),) if rules.asks else ()
    sound = (_check_sound,) if rules.hears else ()
    return (*layout, *sound, *names)


def checked(sample: dict[Any, Any], rules: Rules) -> dict[Any, Any]:
    """Return a copy of a dict, whose targets are plain NumPy arrays over the same memory.

    Raises:
        TypeError: a target is not an array, or holds anything but numbers.
        ValueError: a target has the wrong shape, or another entry looks like a target.
    """
    parts = dict(sample)
    for target in TARGETS:
        if target in parts:
            check_target(target, parts)
            if type(parts[target]) is not ndarray:
                parts[target] = _plain(parts[target])
    if "boxes" in sample and rules.spatial and rules.boxes is None:
        require_format(sample["boxes"])
    for check in rules.checks:
        check(parts)
    return parts


def _check_layout(parts: dict[Any, Any]) -> None:
    """Raise an error if the image or the video seems to have its channels first."""
    if "image" in parts:
        check_last(parts["image"].shape)
    if "video" in parts:
        check_frames(parts["video"].shape)


def _check_sound(parts: dict[str, Any]) -> None:
    """Raise an error if the audio seems to have its channels last."""
    if "audio" in parts:
        check_sound(parts["audio"].shape)


def _plain(part: Any) -> Any:
    """Return arrays of a subclass, a memory map for instance, as plain NumPy arrays over the same memory."""
    return np.asarray(part) if isinstance(part, ndarray) else type(part)(map(_plain, part))
