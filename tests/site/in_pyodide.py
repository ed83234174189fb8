"""What is compared with the golden files inside Pyodide; it runs in any Python, with the folder of tests in its path."""

from __future__ import annotations

import hashlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["from_the_page", "from_the_wheel"]


LIBRARIES = ("scipy", "soundfile", "python_stretch")


def from_the_page() -> tuple[int, list[str]]:
    """Return how many of the known answers the contract in plain Python gives, and what it answers otherwise."""
    import pipelines_from_the_page as page

    content = page.read(page.ANSWERS)
    return len(content["pipelines"]), page.differing(content)


class _Absent(ModuleType):
    """A library that is there until it is asked for something: decisions never ask."""

    def __getattr__(self, name: str) -> Any:
        raise ImportError(f"{self.__name__} is asked for {name}")


def _absent(name: str) -> ModuleType:
    made = _Absent(name)
    made.__spec__ = ModuleSpec(name, None)
    return made


def from_the_wheel() -> dict[str, Any]:
    """Return what the library itself decides and makes without OpenCV, compared with the golden files.

    Pixels that need OpenCV or another library are counted. A pipeline is not made without a library that a transform in it may
    need, so that decisions get such that answer nothing.
    """
    for name in ("cv2", *LIBRARIES):
        sys.modules[name] = _absent(name)
    import known
    import numpy as np
    import pixels_known

    import seedsafe as ss
    from seedsafe.functional import carrier
    from seedsafe.ground.exactness import MACHINES

    stored = known.parts(known.files())
    goldens = known.pipelines()
    wrong = [
        f"decisions of {name}"
        for name, one in goldens.items()
        if known.decisions(one) != stored["decisions"][name]
    ]
    for name in ("cv2", *LIBRARIES):
        sys.modules[name] = None  # type: ignore[assignment]  # as where it is not installed
    carrier.opencv.cache_clear()
    carrier.has_opencv.cache_clear()
    made = opencv = 0
    for name, one in goldens.items():
        if name in stored["pixels"]:
            try:
                same = pixels_known.digests(name, one, MACHINES) == stored["pixels"][name]
            except ImportError:
                opencv += 1
                continue
            made += 1
            wrong += [f"pixels of {name}"] * (not same)
    order = hashlib.sha256(np.asarray(ss.epoch_order(42, 3, 100_000)).astype("<i8").tobytes()).hexdigest()
    return {"decisions": len(goldens), "pixels": made, "opencv": opencv, "wrong": wrong, "order": order}
