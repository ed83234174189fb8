"""Memory, threads and libraries of a process."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["ProcessFacts", "private_memory", "process_facts"]

_LIBRARIES = {
    "libgomp": "OpenMP (libgomp)",
    "libiomp": "OpenMP (libiomp)",
    "libomp": "OpenMP (libomp)",
    "openblas": "OpenBLAS",
    "libmkl": "MKL",
    "libblis": "BLIS",
    "libtbb": "TBB",
}


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """The memory and the threads of a process.

    Attributes:
        private: bytes of memory that no other process shares, or None if the system does not report them.
        native: the number of threads that Python did not start.
        libraries: the libraries that may have started them.
    """

    private: int | None
    native: int
    libraries: tuple[str, ...]


def process_facts() -> ProcessFacts:
    """Measure this process."""
    try:
        tasks = len(list(Path("/proc/self/task").iterdir()))
    except OSError:
        tasks = threading.active_count()
    return ProcessFacts(private_memory(), max(tasks - threading.active_count(), 0), _libraries())


def private_memory() -> int | None:
    """Return the bytes of memory that no other process shares, or None if the system does not report them."""
    try:
        lines = Path("/proc/self/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return 1024 * sum(
        int(line.split()[1]) for line in lines if line.startswith(("Private_Dirty", "Private_Clean"))
    )


def _libraries() -> tuple[str, ...]:
    """Return the libraries with thread pools in this process, from threadpoolctl or the memory map."""
    result = []
    cv2: Any = sys.modules.get("cv2")
    if cv2 is not None and hasattr(cv2, "getNumThreads"):
        result.append(f"OpenCV ({cv2.getNumThreads()} threads)")
    try:
        from threadpoolctl import threadpool_info  # type: ignore[import-not-found,import-untyped,unused-ignore]

        pools = threadpool_info()
        result += sorted({f"{pool['internal_api']} ({pool['num_threads']} threads)" for pool in pools})
    except Exception:  # noqa: BLE001  # not installed, or it cannot read these libraries
        try:
            mapped = Path("/proc/self/maps").read_text(encoding="utf-8")
        except OSError:
            mapped = ""
        result += sorted(name for part, name in _LIBRARIES.items() if part in mapped)
    return tuple(result)
