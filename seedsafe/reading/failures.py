"""The list of failed samples."""

from __future__ import annotations

import json
import os
import sys
import tempfile
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

    It is a temporary file to which each failure appends a line in one write. Nothing else reaches workers under every start
    method, takes any number of entries, and needs no reader during a write. The process that made the file deletes it, and
    then warns of failures that were not reported. A copy made outside a worker starts empty.

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
        self._file = _File(outcome)
        weakref.finalize(self, _end, self._file)

    def add(self, epoch: int, index: int, reason: str) -> None:
        """Add a failure."""
        line = json.dumps([epoch, index, reason[:_LONGEST]]) + "\n"
        handle = os.open(self._path(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the reason for each failure by epoch and index, both in order."""
        self._file.update()
        self._file.was_asked = True
        failures = self._file.failures
        return {epoch: dict(sorted(failures[epoch].items())) for epoch in sorted(failures)}

    def report(self, name: str = "") -> None:
        """Warn, once for each epoch, of the failures since the last report."""
        self._file.report(name)

    def _path(self) -> str:
        """Return the file of the parent if this is a worker that unpickled the log, else this process's own."""
        inherits = self._file.process == os.getpid() and is_worker()  # a forked child has its own
        return (self._parent_path if inherits else None) or self._file.path

    def __reduce__(self) -> Any:
        return partial(FailureLog, self.outcome, _path=self._path()), ()


class _File:
    """The file of one process, which its first failure creates, and the failures read from it so far."""

    def __init__(self, outcome: str) -> None:
        self.path = os.path.join(tempfile.gettempdir(), f"seedsafe-failures-{os.urandom(16).hex()}")
        self.process = os.getpid()
        self.outcome = outcome
        self.was_asked = False
        self.failures: dict[int, dict[int, str]] = {}
        self._news: dict[int, dict[int, str]] = {}
        self._offset = 0

    def update(self) -> None:
        # The file does not exist yet, or was swept out of the temporary folder and may be created again.
        if not os.path.exists(self.path):
            self._offset = 0
            return
        with open(self.path, "rb") as file:
            file.seek(self._offset)
            data = file.read()
        lines = data[: data.rfind(b"\n") + 1]
        self._offset += len(lines)
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


def _end(file: _File) -> None:
    if os.getpid() != file.process:  # a forked worker ends, not the owner
        return
    try:
        if not file.was_asked:
            file.report("")
    finally:
        with suppress(OSError):
            os.unlink(file.path)
