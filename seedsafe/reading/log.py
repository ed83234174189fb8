"""Which samples failed: written by every worker, read in the training process."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
import weakref
from contextlib import suppress
from functools import partial
from typing import Any

from seedsafe.reading.error import epoch_name

__all__ = ["FailureLog"]

_SHOWN = 20
_LONGEST = 1000


class FailureLog:
    """A list of failures that all processes and threads reading one dataset add to.

    It is a temporary file to which lines are appended, each in one write, because nothing else reaches workers under
    every start method, takes any number of entries, and needs no reader while it is written. It goes with the process
    that made it, which then warns of failures that were not reported. A copy made outside a worker starts empty.

    Args:
        became: what became of the samples: "left out" or "replaced".

    Example:
        >>> log = FailureLog("left out")
        >>> log.add(0, 7, "ValueError: cannot read the image")
        >>> log.failures()
        {0: {7: 'ValueError: cannot read the image'}}
    """

    def __init__(self, became: str, *, _path: str | None = None) -> None:
        self.became = became
        self._parents = _path
        self._read = _Read(became)
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
        self._read.update()
        self._read.asked = True
        found = self._read.found
        return {epoch: dict(sorted(found[epoch].items())) for epoch in sorted(found)}

    def report(self, name: str = "") -> None:
        """Warn of the failures that came since the last time: once for each epoch."""
        self._read.report(name, stacklevel=3)

    def _place(self) -> str:
        """Return the file: of the process that this one is a worker of and was handed a pickle by, else its own."""
        here = self._read.process == os.getpid()  # and not in a process that this one was forked from
        return self._parents if self._parents is not None and here and _is_worker() else self._read.path

    def __reduce__(self) -> Any:
        return partial(FailureLog, self.became, _path=self._place()), ()


class _Read:
    """What was read so far of the file of one process, which the first failure makes."""

    def __init__(self, became: str) -> None:
        self.path = os.path.join(tempfile.gettempdir(), f"seedsafe-failures-{os.urandom(16).hex()}")
        self.process = os.getpid()
        self.became = became
        self.asked = False
        self.found: dict[int, dict[int, str]] = {}
        self._untold: dict[int, dict[int, str]] = {}
        self._position = 0

    def update(self) -> None:
        if not os.path.exists(
            self.path
        ):  # not made yet, or swept out of the temporary folder and made again later
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
