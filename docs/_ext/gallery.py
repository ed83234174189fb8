"""The gallery's contents: a thumbnail of each transform, and the facts to filter by. Sphinx is not needed; see cards.py.

Both are read from the classes and from their cases (tests/cases).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import cv2
import numpy as np
import pictures
import sounds
from cases import CASES, FAMILIES
from skimage import data

import seedsafe as ss
from seedsafe.ground.advice import names
from seedsafe.pipeline.primitive import marks_of

__all__ = [
    "TARGETS",
    "describe",
    "elsewhere",
    "exactness",
    "families",
    "thumbnail",
    "thumbnails",
    "transforms",
]

TARGETS = ("image", "video", "mask", "boxes", "keypoints", "audio", "spectrogram")
SIDE = pictures.CELL


def transforms() -> dict[str, Any]:
    """Return every public transform by its name; what mixes batches is one of them."""
    named = {name: getattr(ss, name) for name in ss.__all__}
    kinds = {name: kind for name, kind in named.items() if inspect.isclass(kind)}
    return {
        name: kind
        for name, kind in kinds.items()
        if kind is ss.BatchMix or (issubclass(kind, ss.Transform) and marks_of(kind).own)
    }


def families() -> dict[str, str]:
    """Return the family of each transform, by its name."""
    return {
        case.name: family.TITLE or "Containers and mixing" for family in FAMILIES for case in family.CASES
    }


def elsewhere() -> dict[str, list[str]]:
    """Return what other libraries call each transform, by its name."""
    called: dict[str, dict[str, None]] = {}
    for own in names().values():
        for name, meant in own.items():
            for here in re.findall(r"ss\.(\w+)\(", meant.call or ""):
                called.setdefault(here, {})[name] = None
    return {name: list(called[name]) for name in transforms() if name in called}


def _holds_yours(name: str) -> bool:
    """Return whether a transform applies those that it is given."""
    return CASES[name].holds and ("transforms" in CASES[name].arguments or transforms()[name] is ss.Bridged)


def exactness(name: str) -> str:
    """Return where a transform's results are the same on every machine: yes, uint8, nearest, partly, as its transforms, or no."""
    case = CASES[name]
    if _holds_yours(name):
        return "as its transforms" if case.golden else "no"
    declared = marks_of(case.kind).exact
    if declared is None or not declared.machines:
        return "no"
    words = " ".join(when.words for when in declared.machines)
    return next((word for word in ("uint8", "nearest") if word in words), "partly" if words else "yes")


def describe(name: str) -> dict[str, Any]:
    """Return what the gallery filters by: family, targets, where it is exact, and whether it may need OpenCV."""
    kind = transforms()[name]
    holds = _holds_yours(name)
    if CASES[name].needs == "dataset":
        return {
            "family": families()[name],
            "targets": ["image", "mask", "boxes"],
            "exact": exactness(name),
            "opencv": False,
        }
    able = TARGETS[:2] if CASES[name].alone else TARGETS
    inner = CASES[name].holds and not holds and kind is not ss.BatchMix  # it chooses among its own
    parts = CASES[name].make().transforms if inner else (kind,)
    applied = {"video": ("video", "image")}  # what is done to an image is done to each frame
    targets = [
        target
        for target in able
        if holds or any(hasattr(one, f"apply_{of}") for one in parts for of in applied.get(target, (target,)))
    ]
    return {
        "family": families()[name],
        "targets": targets or ["image"],  # of a batch
        "exact": exactness(name),
        "opencv": marks_of(kind).opencv and not holds,
    }


def _mixed() -> np.ndarray:
    others = [
        cv2.resize(one, (SIDE, SIDE), interpolation=cv2.INTER_AREA) for one in (data.chelsea(), data.coffee())
    ]
    mix = ss.BatchMix(3, cutmix=0)
    return mix(np.stack([pictures.PHOTO, *others]), np.arange(3), key=ss.SampleKey(0, 0, 0))[0][0]


def _seen(name: str) -> np.ndarray:
    """Return the first of 16 results that differs from what was given, drawn: else the first."""
    transform = eval(sounds.call(name), {"ss": ss, "np": np})
    augment = ss.Compose([transform])
    if CASES[name].takes == ("video",):
        return pictures.cell(
            pictures.filmed(augment(video=pictures.FILM, key=ss.SampleKey(0, 0, 0))["video"])
        )
    before = pictures.PARTS if pictures.moves(name) else {"image": pictures.PHOTO}
    keys = [ss.SampleKey(0, 0, 0, view=k) if CASES[name].views else ss.SampleKey(0, 0, k) for k in range(16)]
    results = [augment(dict(before), key=key) for key in keys]
    changed = [one for one in results if not np.array_equal(one["image"], pictures.PHOTO)]
    shown = (changed or results)[0]
    return pictures.cell({**shown, "image": pictures.seen(shown["image"])})


def _heard(name: str) -> np.ndarray:
    """Return a waveform with its spectrogram below it, of the first of 16 results that differs from what was given."""
    augment = ss.Compose([eval(sounds.call(name), sounds.NAMES)])
    given = sounds.given(name)
    if given.ndim == 2:
        given = sounds.levels(sounds.SOUND, SIDE)
    results = [augment(given, key=ss.SampleKey(0, 0, k)) for k in range(16)]
    changed = [one for one in results if not np.array_equal(one, given)]
    return sounds.seen((changed or results)[0], SIDE, SIDE // 2, SIDE // 2)


def thumbnail(name: str) -> np.ndarray | None:
    """Return the thumbnail of a transform, SIDE pixels square, RGB; None if its case says nothing to show."""
    case = CASES.get(name)
    if case is None or (case.holds and not case.picture and case.kind is not ss.BatchMix):
        return None
    if case.kind is ss.BatchMix:
        return _mixed()
    if name in pictures.MIXING:
        return pictures.cell(pictures.mixed(name)[1])
    return _heard(name) if name in sounds.TRANSFORMS else _seen(name)


def thumbnails(
    names: Mapping[str, Any], make: Callable[[str], np.ndarray | None] = thumbnail
) -> dict[str, np.ndarray]:
    """Return the thumbnail of each transform.

    Raises:
        ValueError: a transform has none.
    """
    made = {name: make(name) for name in names}
    missing = [name for name, one in made.items() if one is None]
    if missing:
        raise ValueError(f"no thumbnail of {', '.join(missing)}: give its case in tests/cases a picture=")
    return {name: one for name, one in made.items() if one is not None}
