"""What is compared with the golden files inside Pyodide; it runs in any Python, with the folder of tests in its path."""

from __future__ import annotations

import hashlib
import json
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["from_the_page", "from_the_wheel"]


LIBRARIES = ("scipy", "soundfile", "python_stretch")


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value.hex()
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


def from_the_page(golden: str) -> tuple[int, list[str]]:
    """Return how many golden pipelines the contract in plain Python decided, and those that it decided otherwise.

    Args:
        golden: the folder of the golden files.
    """
    from contract_from_the_page import Key
    from pipelines_from_the_page import PIPELINES
    from words_from_the_page import decisions

    keys = [Key(0, 0, 0, 0, 0), Key(42, 3, 1234, 0, 0), Key(42, 3, 1234, 1, 0), Key(42, 3, 1234, 0, 1)]
    keys += [Key(2**64 + 7, 1, 5, 0, 0), Key(2**128 - 1, 2**32 - 1, 2**64 - 1, 2**16 - 1, 2**16 - 1)]
    stored: dict[str, Any] = {}
    for path in Path(golden).glob("*.json"):
        content = json.loads(path.read_text())
        stored |= content.get("pipelines", content.get("decisions", {}))
    differ = [
        name
        for name, pipeline in PIPELINES.items()
        if [_plain(decisions(*pipeline, key)) for key in keys] != stored[name]
    ]
    return len(PIPELINES), differ


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
