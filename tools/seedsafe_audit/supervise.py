"""Run something in a supervised process."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import pickle
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

__all__ = ["Hang", "Outcome", "at_once", "supervise", "write_stack_on_signal"]

_POLL, _LOOK, _STACKS, _GRACE = 0.01, 0.25, 2.0, 2.0


@dataclass(frozen=True, slots=True)
class Hang:
    """A process that hung, with its activity and its stack."""

    pid: int
    doing: str
    stack: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a supervised run ended.

    Attributes:
        items: the results, also if the run failed later.
        error: the last lines of the error, or how the process died.
        hangs: the processes that hung, if the run was ended.
        seconds: the duration.
        log: the end of the output.
    """

    items: list[Any]
    error: str | None
    hangs: tuple[Hang, ...]
    seconds: float
    log: str


def at_once(*running: Generator[None, None, Any]) -> list[Any]:
    """Advance generators such as `supervise` in turn, and return what each returns.

    One thread waits for all processes, because a process that forks must have no other.
    """
    results, left = dict.fromkeys(running), list(running)
    try:
        while left:
            for one in list(left):
                try:
                    next(one)
                except StopIteration as end:
                    results[one] = end.value
                    left.remove(one)
            time.sleep(_POLL if left else 0)
    finally:
        for one in left:
            one.close()  # ends its processes
    return list(results.values())


def supervise(
    work: Callable[[str], Iterator[Any]], *, timeout: float, beat: Callable[[], None]
) -> Generator[None, None, Outcome]:
    """Run a generator in a forked process and return its results. Yields while that runs.

    The process leads its own group. If no reading of a sample begins or ends for `timeout` seconds, every process of the
    group writes its stack. In any case the whole group is killed at the end.

    Args:
        work: a generator function, which gets a folder for the notes of `Recorder`. Its results must pickle.
        timeout: the timeout in seconds.
        beat: a function to call about 4 times a second.
    """
    folder = tempfile.mkdtemp(prefix="seedsafe-audit-")
    begun = time.monotonic()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _child(work, folder)
        hangs: tuple[Hang, ...] = ()
        status = None
        try:
            status = yield from _wait(child, Path(folder), timeout, beat)
            hangs = () if status is not None else _stacks(Path(folder))
        finally:
            status = _end(child, status)
        items, error, done = _results(Path(folder, "results"))
        code = os.waitstatus_to_exitcode(status)
        if error is None and (code or not done) and not hangs:
            error = f"the process died: {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"
        log = _text(Path(folder, "log"))[-4000:]
        return Outcome(items, error, hangs, time.monotonic() - begun, log)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _end(group: int, status: int | None) -> int:
    """End all processes of a group and return the status of the first, which is None as long as it runs.

    SIGTERM comes first, so that multiprocessing's resource tracker can remove the semaphores after the others have ended.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
        if status is None:
            os.kill(group, number)  # the process may not lead its group yet
        end = time.monotonic() + _GRACE
        while number == signal.SIGTERM and _members(group) and time.monotonic() < end:
            time.sleep(_POLL)
    return os.waitpid(group, 0)[1] if status is None else status


def _members(group: int) -> bool:
    """Return whether a process of the group runs. Zombies do not count, except on macOS, which has no /proc."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    stats = list(Path("/proc").glob("[0-9]*/stat"))
    for path in stats:
        with contextlib.suppress(OSError):
            state, _, leader = path.read_text().rpartition(")")[2].split()[:3]
            if int(leader) == group and state not in "ZX":
                return True
    return not stats


def _child(work: Callable[[str], Iterator[Any]], folder: str) -> NoReturn:
    code = 1
    try:
        os.setsid()
        warnings.simplefilter("default")  # a warning must not end the run
        _die_with_parent()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        log = os.open(f"{folder}/log", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        # New objects, because another thread may have locked the old ones during the fork.
        sys.stdout = open(1, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
        if process := sys.modules.get("multiprocessing.process"):
            process.current_process()._config["tempdir"] = folder
        faulthandler.enable(sys.stderr)
        write_stack_on_signal(Path(folder))
        with open(f"{folder}/results", "wb") as results:
            try:
                for item in work(folder):
                    pickle.dump(("item", item), results)
                    results.flush()
                pickle.dump(("done", None), results)
            except BaseException as error:  # noqa: BLE001  # the parent reports any error
                traceback.print_exc()
                text = "".join(traceback.format_exception_only(error)).strip()
                pickle.dump(("error", _last_lines(text)), results)
        if util := sys.modules.get("multiprocessing.util"):
            util._run_finalizers()  # `os._exit` would leave the semaphores and files of this process
        code = 0
    finally:
        os._exit(code)


def write_stack_on_signal(folder: Path) -> None:
    """Write this process's stack to a file in a folder on SIGUSR1."""
    stack = os.open(folder / f"stack-{os.getpid()}", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    faulthandler.register(signal.SIGUSR1, file=stack, all_threads=True, chain=False)


def _last_lines(text: str) -> str:
    """Return the first and last line of a long message, because torch includes a worker's whole traceback."""
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join(lines[:1] + lines[-1:] if len(lines) > 6 else lines)


def _die_with_parent() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG


def _wait(
    child: int, folder: Path, timeout: float, beat: Callable[[], None]
) -> Generator[None, None, int | None]:
    """Yield until the process ends, and return its status, or None if it hangs."""
    progress = looked = time.time()
    while True:
        number, status = os.waitpid(child, os.WNOHANG)
        if number:
            return status
        yield
        now = time.time()
        if now - looked < _LOOK:
            continue
        looked = now
        beat()
        notes = {path: path.stat().st_mtime for path in folder.glob("at-*")}
        progress = max(progress, *notes.values()) if notes else progress
        reading = [path for path, mtime in notes.items() if now - mtime > timeout and _text(path) != "read"]
        if reading or now - progress > timeout:
            return None


def _stacks(folder: Path) -> tuple[Hang, ...]:
    """Get the stacks of the processes, and return those that hang in a reading, or else all."""
    stacks = [path for path in folder.glob("stack-*") if _alive(path)]
    for path in stacks:  # only these: the signal would end a process without a handler
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(path.name.partition("-")[2]), signal.SIGUSR1)
    end = time.monotonic() + _STACKS
    while time.monotonic() < end and not all(path.stat().st_size for path in stacks if _alive(path)):
        time.sleep(_POLL)
    pids = sorted(int(path.name.partition("-")[2]) for path in stacks)
    hangs = [
        Hang(pid, _text(folder / f"at-{pid}") or "waiting for its workers", _text(folder / f"stack-{pid}"))
        for pid in pids
    ]
    stuck = [hang for hang in hangs if hang.doing.startswith("reading")]
    return tuple(stuck or hangs)


def _alive(path: Path) -> bool:
    try:
        os.kill(int(path.name.partition("-")[2]), 0)
    except ProcessLookupError:
        return False
    return True


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _results(path: Path) -> tuple[list[Any], str | None, bool]:
    """Return the results, the error, and whether the work was done to its end."""
    found: list[tuple[str, Any]] = []
    with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError), path.open("rb") as file:
        while True:
            found.append(pickle.load(file))
    items = [value for kind, value in found if kind == "item"]
    end = dict(found[-1:])
    return items, end.get("error"), "done" in end
