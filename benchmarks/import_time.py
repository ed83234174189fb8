"""``import seedsafe`` against the imports that it needs.

Prints JSON. Each import runs in its own process, which measures its processor time without the interpreter's start. The imports
alternate. seedsafe imports its rooms when they are first named, so a first pipeline is measured as well.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

__all__ = ["measure"]

STATEMENTS = (
    "import seedsafe",
    "import numpy.random, dataclasses, hashlib, json, threading",
    "import seedsafe as ss; ss.Compose([ss.RandomCrop(32), ss.HorizontalFlip()])",
)


def measure(rounds: int = 30) -> dict[str, float]:
    """Return the milliseconds of each statement, the minimum of `rounds` processes."""
    passes = [[_milliseconds(statement) for statement in STATEMENTS] for _ in range(rounds)]
    return dict(zip(STATEMENTS, map(min, zip(*passes, strict=True)), strict=True))


def _milliseconds(statement: str) -> float:
    program = f"from time import process_time as now; start = now(); {statement}; print(now() - start)"
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=variables
    )
    return float(process.stdout) * 1e3


if __name__ == "__main__":
    print(json.dumps(measure()))
