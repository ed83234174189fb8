"""What only the calling frames tell.

No documented interface tells it: which DataLoader fetches, which loop sets an epoch, which line is the user's. All that looks at frames
is here. Nothing depends on how many there are: a frame is known by its function.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, Final

from seedsafe import SampleIndex, reading
from seedsafe.reading import frames_of_threads, uncollected

__all__ = [
    "callers_of",
    "fetch_under_way",
    "looked_at_by_keras",
    "names_in",
    "objects_in",
    "objects_in_threads",
    "warn",
]

_NOT_THE_USERS: Final = (
    *("torch", "torchdata", "multiprocessing", "keras", "tensorflow"),
    *("accelerate", "lightning", "lightning_fabric", "pytorch_lightning", "transformers"),
    *("ultralytics", "timm", "ignite", "speechbrain", "torchio", "tqdm"),
)
_LOOKS: Final = ("_symbolic_build", "get_tf_dataset")


def warn(message: str) -> None:
    """Warn at the user's line."""
    reading.warn(message, _NOT_THE_USERS)


def objects_in(function: str) -> Iterator[Any]:
    """Yield the object of each method of that name that is being called, the nearest first."""
    return (names["self"] for names in names_in(function) if "self" in names)


def objects_in_threads(function: str) -> Iterator[Any]:
    """Yield the object of each method of that name that is being called in any thread."""
    with uncollected():
        every = [frame for innermost in frames_of_threads().values() for frame in _above(innermost)]
        found = [frame.f_locals.get("self") for frame in every if frame.f_code.co_name == function]
    yield from found


def names_in(function: str) -> Iterator[dict[str, Any]]:
    """Yield the local names of each function of that name that is being called, the nearest first."""
    return (frame.f_locals for frame in _above() if frame.f_code.co_name == function)


def callers_of(function: str) -> Iterator[Any]:
    """Yield the object whose method calls a function of that name, for each call under way, the nearest first."""
    for frame in _above():
        if frame.f_code.co_name == function and frame.f_back is not None:
            yield frame.f_back.f_locals.get("self")


def looked_at_by_keras() -> bool:
    """Return whether Keras reads the loader that calls this function, and only to learn the form of its batches."""
    callers = [frame for frame in _above() if _package(frame) not in ("seedsafe_torch", "torch")]
    if not callers or _package(callers[0]) != "keras":  # a peek of seedsafe_keras uses up nothing
        return False
    return any(frame.f_code.co_name in _LOOKS and _package(frame) == "keras" for frame in callers)


def fetch_under_way() -> tuple[Any, Any, Any] | None:
    """Return what a DataLoader's nearest fetch was asked for, the index that it reads now, and its dataset, or None."""
    reading: Any = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:  # once for each sample, or batch, that is read without a stamp
        name = frame.f_code.co_name
        # In Python 3.11 a comprehension has its own frame.
        if name in ("<listcomp>", "__getitems__", "fetch") and _package(frame) == "torch":
            here = frame.f_locals
            index = here.get("idx")
            reading = index if isinstance(index, SampleIndex) else reading
            if "possibly_batched_index" in here:
                asked = here["possibly_batched_index"]
                return asked, reading if isinstance(asked, list) else asked, here["self"].dataset
        frame = frame.f_back
    return None


def _above(frame: FrameType | None = None) -> Iterator[FrameType]:
    """Yield a frame, or that of the caller, and those of the functions that are being called there, the nearest first."""
    frame = frame or sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
