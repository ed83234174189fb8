"""Which samples failed: written by every worker, read in the training process."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
import weakref
from contextlib import suppress
from typing import Any

from seedsafe.faults.error import epoch_name

__all__ = ["FailureLog"]

_SHOWN = 20
_LONGEST = 1000


class FailureLog:
    """A list of failures that all processes and threads reading one dataset add to.

    It is a temporary file to which lines are appended, each in one write, because nothing else reaches workers under
    every start method, takes any number of entries, and needs no reader while it is written. It goes with the process
    that made it, and warns then of what nobody was told. A copy made outside of a worker begins anew.

    Args:
        became: what became of the samples: "left out" or "replaced".

    Example:
        >>> log = FailureLog("left out")
        >>> log.add(0, 7, "ValueError: cannot read the image")
        >>> log.failures()
        {0: {7: 'ValueError: cannot read the image'}}
    """

    def __init__(self, became: str) -> None:
        self.became = became
        self._inherited: str | None = None
        self._begin()

    def _begin(self) -> None:
        handle, self._path = tempfile.mkstemp(prefix="seedsafe-failures-")
        os.close(handle)
        self._read = _Read(self._path, self.became, os.getpid())
        weakref.finalize(self, _end, self._read)

    def add(self, epoch: int, index: int, reason: str) -> None:
        """Add a failure."""
        line = json.dumps([epoch, index, reason[:_LONGEST]]) + "\n"
        handle = os.open(self._place(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the reason of each failure by epoch and index, both in order."""
        self._place()
        self._read.update()
        self._read.asked = True
        found = self._read.found
        return {epoch: dict(sorted(found[epoch].items())) for epoch in sorted(found)}

    def report(self, name: str = "") -> None:
        """Warn of the failures that came since the last time: once for each epoch."""
        self._place()
        self._read.report(name, stacklevel=3)

    def _place(self) -> str:
        """Return the file: in a worker that was handed a pickle the one in it, in any other copy a new one."""
        if self._inherited is not None:
            if _is_worker():
                return self._inherited
            self._inherited = None
            self._begin()
        return self._path

    def __getstate__(self) -> dict[str, Any]:
        return {"became": self.became, "_inherited": self._inherited or self._path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class _Read:
    """What was read of the file so far."""

    def __init__(self, path: str, became: str, process: int) -> None:
        self.path = path
        self.became = became
        self.process = process
        self.asked = False
        self.found: dict[int, dict[int, str]] = {}
        self._untold: dict[int, dict[int, str]] = {}
        self._position = 0

    def update(self) -> None:
        if not os.path.exists(self.path):  # swept out of the temporary folder: what is added makes it again
            self._position = 0
            return
        with open(self.path, "rb") as file:
            file.seek(self._position)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._position += len(whole)
        for line in whole.splitlines():
            epoch, index, reason = json.loads(line)
            for found in (self.found, self._untold):
                found.setdefault(epoch, {})[index] = sys.intern(reason)

    def report(self, name: str, stacklevel: int) -> None:
        self.update()
        untold, self._untold = self._untold, {}
        for epoch, reasons in sorted(untold.items()):
            indices = sorted(reasons)
            shown = ", ".join(map(str, indices[:_SHOWN])) + (", …" if len(indices) > _SHOWN else "")
            many = len(indices) > 1
            warnings.warn(
                f"{name}{len(indices)} sample{'s' if many else ''} failed in {epoch_name(epoch)} and "
                f"{'were' if many else 'was'} {self.became}: {shown}. The first: {reasons[indices[0]]}. "
                "failures() lists them all",
                stacklevel=stacklevel + 1,
            )


def _end(read: _Read) -> None:
    if os.getpid() != read.process:  # a forked worker ends, not the owner
        return
    try:
        if not read.asked:
            read.report("", stacklevel=2)
    finally:
        with suppress(OSError):
            os.unlink(read.path)


def _is_worker() -> bool:
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None and process.current_process().daemon
