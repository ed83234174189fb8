"""``import seedsafe`` against the modules of NumPy and the standard library that it needs. Prints JSON.

Each import runs in a process of its own and its processor time is taken inside of it, without the interpreter's
start; the two alternate.
"""

from __future__ import annotations

import json
import subprocess
import sys

__all__ = ["measure"]

NEEDED = "numpy.random, dataclasses, hashlib, json, threading"


def measure(rounds: int = 30) -> dict[str, float]:
    """Return milliseconds, the minimum of `rounds` processes each."""
    statements = ("import seedsafe", f"import {NEEDED}")
    passes = [[_milliseconds(statement) for statement in statements] for _ in range(rounds)]
    return dict(zip(statements, map(min, zip(*passes, strict=True)), strict=True))


def _milliseconds(statement: str) -> float:
    program = f"from time import process_time as now; start = now(); {statement}; print(now() - start)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(done.stdout) * 1e3


if __name__ == "__main__":
    print(json.dumps(measure()))
