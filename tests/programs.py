"""Programs of Python that tests run in a process of their own, with this checkout's packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "environment", "photographs", "python"]

ROOT = Path(__file__).parents[1]


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a script that imports this checkout and its tests."""
    own = map(str, (ROOT, ROOT / "adapters", ROOT / "tools", ROOT / "tests"))
    paths = os.pathsep.join([*own, *filter(None, [os.environ.get("PYTHONPATH")])])
    usual = {"PYTHONPATH": paths, "TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1"}
    return os.environ | usual | more


def python(*arguments: Any, check: bool = True, **how: Any) -> subprocess.CompletedProcess[str]:
    """Return what a program printed: a script, or ``"-c"`` and code. One that fails raises, with its errors, unless `check` is off."""
    options = {"env": environment(), "timeout": 300, "text": True, "capture_output": True} | how
    done = subprocess.run([sys.executable, *map(str, arguments)], check=False, **options)
    assert not (check and done.returncode), done.stderr
    return done


def photographs(folder: Path) -> None:
    """Write ``photos``, the eight photographs of pages that begin with a reader's own, in two classes."""
    import cv2

    from demo.inputs import photographs

    shown = photographs()
    first = shown.pop("chelsea")
    for number, image in enumerate([first, *shown.values()]):
        of_class = folder / "photos" / ("cat", "dog")[number // 4]
        of_class.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(of_class / f"{number % 4}.jpg"), image[..., ::-1])
