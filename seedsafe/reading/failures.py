"""The list of failed samples."""

from __future__ import annotations

import glob
import json
import os
import sys
import tempfile
import threading
import weakref
from contextlib import suppress
from functools import partial
from typing import Any

from seedsafe.ground.process import is_worker
from seedsafe.ground.warning import warn
from seedsafe.keys.key import VALIDATION_EPOCH

__all__ = ["FailureLog", "epoch_name"]


def epoch_name(epoch: int) -> str:
    """Return the name of an epoch for a message."""
    return "the validation epoch" if epoch == VALIDATION_EPOCH else f"epoch {epoch}"


_SHOWN = 20
_LONGEST = 1000


class FailureLog:
    """A list of failures that all processes and threads reading one dataset add to.

    It is a temporary file for each process and thread in which samples fail, because two of them cannot append to one file on every
    system. Nothing but files reaches workers under every start method, takes any number of entries, and needs no reader during
    a write. The process that made the list deletes them, and then warns of failures that were not reported. A copy made outside
    a worker starts empty.

    Args:
        outcome: the fate of the samples, "left out" or "replaced".

    Example:
        >>> log = FailureLog("left out")
        >>> log.add(0, 7, "ValueError: cannot read the image")
        >>> log.failures()
        {0: {7: 'ValueError: cannot read the image'}}
    """

    def __init__(self, outcome: str, *, _path: str | None = None) -> None:
        self.outcome = outcome
        self._parent_path = _path
        self._files = _Files(outcome)
        weakref.finalize(self, _end, self._files)

    def add(self, epoch: int, index: int, reason: str) -> None:
        """Add a failure."""
        line = json.dumps([epoch, index, reason[:_LONGEST]]) + "\n"
        own = f"{self._path()}-{os.getpid()}-{threading.get_native_id()}"
        handle = os.open(own, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the reason for each failure by epoch and index, both in order."""
        self._files.update()
        self._files.was_asked = True
        failures = self._files.failures
        return {epoch: dict(sorted(failures[epoch].items())) for epoch in sorted(failures)}

    def report(self, name: str = "") -> None:
        """Warn, once for each epoch, of the failures since the last report."""
        self._files.report(name)

    def _path(self) -> str:
        """Return the path of the parent's files if this is a worker that unpickled the log, else of this process's own."""
        inherits = self._files.process == os.getpid() and is_worker()  # a forked child has its own
        return (self._parent_path if inherits else None) or self._files.path

    def __reduce__(self) -> Any:
        return partial(FailureLog, self.outcome, _path=self._path()), ()


class _Files:
    """The files of one list, which all begin with `path`, and the failures read from them so far."""

    def __init__(self, outcome: str) -> None:
        self.path = os.path.join(tempfile.gettempdir(), f"seedsafe-failures-{os.urandom(16).hex()}")
        self.process = os.getpid()
        self.outcome = outcome
        self.was_asked = False
        self.failures: dict[int, dict[int, str]] = {}
        self._news: dict[int, dict[int, str]] = {}
        self._offsets: dict[str, int] = {}

    def found(self) -> list[str]:
        """Return the files, in the order of their names; some may have been swept out of the temporary folder."""
        return sorted(glob.glob(f"{glob.escape(self.path)}-*"))

    def update(self) -> None:
        self._offsets = {path: self._offsets.get(path, 0) for path in self.found()}
        for path, offset in self._offsets.items():
            with open(path, "rb") as file:
                file.seek(offset)
                data = file.read()
            lines = data[: data.rfind(b"\n") + 1]
            self._offsets[path] += len(lines)
            for line in lines.splitlines():
                epoch, index, reason = json.loads(line)
                for failures in (self.failures, self._news):
                    failures.setdefault(epoch, {})[index] = sys.intern(reason)

    def report(self, name: str) -> None:
        self.update()
        news, self._news = self._news, {}
        for epoch, reasons in sorted(news.items()):
            indices = sorted(reasons)
            shown = ", ".join(map(str, indices[:_SHOWN])) + (", …" if len(indices) > _SHOWN else "")
            many = len(indices) > 1
            warn(
                f"{name}{len(indices)} sample{'s' if many else ''} failed in {epoch_name(epoch)} and "
                f"{'were' if many else 'was'} {self.outcome}: {shown}. The first: {reasons[indices[0]]}. "
                "failures() lists them all"
            )


def _end(files: _Files) -> None:
    if os.getpid() != files.process:  # a forked worker ends, not the owner
        return
    try:
        if not files.was_asked:
            files.report("")
    finally:
        for path in files.found():
            with suppress(OSError):
                os.unlink(path)
