"""A training in processes of its own: a script beside this file, run by Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["started"]


def started(
    script: str, *arguments: object, by: tuple[str, ...] = (), cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Return what became of a script and its arguments, run by Python or by a module of Python's, with more variables."""
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent / "bridge"), *filter(None, sys.path)])
    command = [sys.executable, *by, str(here / script), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    return subprocess.run(
        command, check=False, env=environment, timeout=300, capture_output=True, text=True, cwd=cwd
    )
