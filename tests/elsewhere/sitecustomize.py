"""Linux as macOS or Windows: what these lack is hidden from the library and its tests, in every process.

``SEEDSAFE_ELSEWHERE=macos`` or ``windows`` with this folder on ``PYTHONPATH``, as ``make test-elsewhere`` has it. Python's own library and
others see the machine as it is: those for other systems do without these names in their own way. As Windows, the library also meets
text files in cp1252 with other ends of lines, names that are refused, and files that nobody can replace or delete while they are open.
Separators and drives of Windows are not there.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import multiprocessing
import multiprocessing.context
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

SYSTEM = os.environ.get("SEEDSAFE_ELSEWHERE", "")
ROOT = str(Path(__file__).parents[2]) + os.sep
OURS = tuple(ROOT + room for room in ("seedsafe", "adapters", "tools", "demo", "tests"))

LINUX = {
    os: (
        "memfd_create MFD_CLOEXEC sched_getaffinity sched_setaffinity waitid pipe2 eventfd posix_fadvise posix_fallocate"
    ),
    signal: "sigtimedwait sigwaitinfo SIGSTKFLT SIGPOLL",
}
"""What Linux alone has; ``os.waitid`` came to macOS with Python 3.13."""
UNIX = {
    os: (
        "fork forkpty killpg getpgid getpgrp setpgid setsid getsid getuid geteuid getgid getegid uname mkfifo mknod "
        "chown statvfs sysconf getloadavg nice pread pwrite preadv openpty posix_spawn wait wait3 wait4 WNOHANG "
        "WUNTRACED getpriority sync fchmod fchown O_NOFOLLOW O_CLOEXEC"
    ),
    signal: (
        "SIGKILL SIGUSR1 SIGUSR2 SIGHUP SIGALRM SIGCHLD SIGPIPE SIGQUIT SIGSTOP SIGCONT SIGTSTP alarm setitimer "
        "pthread_kill pthread_sigmask siginterrupt"
    ),
}
UNIX_MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "curses")


PASSED_ON = (__file__, *(str(one.__file__) for one in (pathlib, tempfile, subprocess, shutil)))


def _asked_by_us() -> bool:
    """Return whether our files call what called this."""
    return sys._getframe(2).f_code.co_filename.startswith(OURS)


def _asked_for_us() -> bool:
    """Return whether our files call what called this, themselves or through a module that only passes calls on."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename in PASSED_ON:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(OURS)


def hide(module: types.ModuleType, names: list[str]) -> None:
    """Hide names of a module from our files."""
    show(module, dict.fromkeys(names))


def show(module: types.ModuleType, values: dict[str, Any]) -> None:
    """Show our files other values of a module's names, or, for None, no such name."""
    usual = {name: getattr(module, name) for name in values if hasattr(module, name)}
    ours: dict[str, Any]
    usual, ours = vars(module).get("_usual", {}) | usual, vars(module).get("_ours", {}) | values
    for name in usual:
        vars(module).pop(name, None)

    def found(name: str) -> Any:
        value = ours.get(name) if _asked_by_us() else usual.get(name)
        if value is None:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return value

    vars(module).update(_usual=usual, _ours=ours, __getattr__=found)


def hide_modules(names: tuple[str, ...]) -> None:
    """Let our files fail to import some modules."""
    usual = builtins.__import__

    def importing(name: str, *given: Any, **named: Any) -> Any:
        if name in names and _asked_by_us():
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return usual(name, *given, **named)

    builtins.__import__ = importing


def hide_proc() -> None:
    """Let our files find nothing below /proc."""

    def without(usual: Any) -> Any:
        def looked(path: Any, *given: Any, **named: Any) -> Any:
            if isinstance(path, str | os.PathLike) and str(os.fspath(path)).startswith("/proc"):
                raise FileNotFoundError(2, "No such file or directory", str(path))
            return usual(path, *given, **named)

        return looked

    _open_with(without)
    for name in ("stat", "listdir", "scandir", "readlink", "open"):
        setattr(os, name, without(getattr(os, name)))


def _open_with(wrapped: Any) -> None:
    io.open = builtins.open = wrapped(open)


def refuse_names(forbidden: str) -> None:
    """Refuse names with these characters, and those that are no Unicode."""

    def refusing(usual: Any) -> Any:
        def called(path: Any, *given: Any, **named: Any) -> Any:
            if isinstance(path, str | os.PathLike | bytes) and _asked_for_us():
                name = os.fsencode(path).rpartition(b"/")[2].decode(errors="replace")
                if "\ufffd" in name or any(character in forbidden for character in name):
                    raise OSError(errno.EINVAL, "Invalid argument", path)
            return usual(path, *given, **named)

        return called

    _open_with(refusing)
    for name in ("mkdir", "open"):
        setattr(os, name, refusing(getattr(os, name)))


def text_of_windows() -> None:
    """Read and write text without a named encoding in cp1252, and end its lines in the other way."""

    def in_text(usual: Any) -> Any:
        def opened(file: Any, mode: str = "r", *given: Any, **named: Any) -> Any:
            if "b" in mode or not _asked_for_us():
                return usual(file, mode, *given, **named)
            words = dict(zip(("buffering", "encoding", "errors", "newline"), given, strict=False)) | named
            if words.get("encoding") in (None, "locale"):
                words["encoding"] = "cp1252"
            if words.get("newline") is None and not mode.startswith("r"):
                words["newline"] = "\r\n"
            return usual(file, mode, **words)

        return opened

    _open_with(in_text)
    usual = subprocess.Popen.__init__

    def started(self: Any, *given: Any, **named: Any) -> None:
        if named.get("preexec_fn") and _asked_for_us():
            raise ValueError("preexec_fn is not supported on Windows platforms")
        if (named.get("text") or named.get("universal_newlines")) and _asked_for_us():
            named["encoding"] = named.get("encoding") or "cp1252"
        usual(self, *given, **named)

    subprocess.Popen.__init__ = started  # type: ignore[method-assign]
    if "PYTHONIOENCODING" not in os.environ:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="cp1252")


_usual_open, _usual_listdir, _usual_readlink = open, os.listdir, os.readlink


def _read(path: str) -> str:
    with contextlib.suppress(OSError), _usual_open(path) as file:
        return file.read()
    return ""


def _links(folder: str) -> list[str]:
    found = []
    with contextlib.suppress(OSError):
        for name in _usual_listdir(folder):
            with contextlib.suppress(OSError):
                found.append(_usual_readlink(f"{folder}/{name}"))
    return found


def in_use(path: str) -> bool:
    """Return whether this process, its parent or a child has a file open or mapped."""
    path = os.path.realpath(path)
    children = [_read(f"/proc/self/task/{thread}/children") for thread in _usual_listdir("/proc/self/task")]
    return any(
        path in _read(f"/proc/{process}/maps") or path in _links(f"/proc/{process}/fd")
        for process in ("self", os.getppid(), *"".join(children).split())
    )


def keep_files_in_use() -> None:
    """Refuse to replace, rename or delete a file that is in use, or to write one anew that is mapped."""

    def refusing(usual: Any) -> Any:
        def called(*paths: Any, **named: Any) -> Any:
            if named.get("dir_fd") is None and _asked_for_us():
                for path in paths:
                    if os.path.isfile(path) and in_use(os.fsdecode(path)):
                        raise PermissionError(errno.EACCES, "The file is being used by another process", path)
            return usual(*paths, **named)

        return called

    def opening(usual: Any) -> Any:
        def opened(file: Any, mode: str = "r", *given: Any, **named: Any) -> Any:
            anew = "w" in mode and isinstance(file, str | os.PathLike) and _asked_for_us()
            if anew and os.path.realpath(file) in _read("/proc/self/maps"):
                raise OSError(errno.EINVAL, "Invalid argument", file)
            return usual(file, mode, *given, **named)

        return opened

    _open_with(opening)
    for name in ("replace", "rename", "unlink", "remove"):
        setattr(os, name, refusing(getattr(os, name)))


def append_in_two_steps() -> None:
    """Let two writers who append to one file at once overwrite each other."""
    usual = os.open

    def opened(path: Any, flags: int, *given: Any, **named: Any) -> int:
        if not (flags & os.O_APPEND and _asked_for_us()):
            return usual(path, flags, *given, **named)
        file = usual(path, flags & ~os.O_APPEND, *given, **named)
        os.lseek(file, 0, os.SEEK_END)
        return file

    os.open = opened


def start(methods: list[str]) -> None:
    """Offer these start methods, the first one as the default."""
    contexts = multiprocessing.context._concrete_contexts
    default = multiprocessing.context.DefaultContext(contexts[methods[0]])
    for name in ("get_all_start_methods", "get_start_method", "set_start_method", "get_context"):
        setattr(default, name, getattr(default, name))
    usual = default.get_context

    def context(method: str | None = None) -> Any:
        if method is not None and method not in methods:
            raise ValueError(f"cannot find context for {method!r}")
        return usual(method)

    default.get_all_start_methods = lambda: list(methods)  # type: ignore[method-assign]
    default.get_context = context  # type: ignore[method-assign]
    multiprocessing.context._default_context = default
    vars(multiprocessing).update({name: getattr(default, name) for name in multiprocessing.__all__})


if SYSTEM == "windows":
    keep_files_in_use()  # it looks below /proc itself
if SYSTEM:
    for module, names in LINUX.items():
        hide(module, names.split())
    hide_proc()
    show(sys, {"platform": {"windows": "win32", "macos": "darwin"}[SYSTEM]})
    start(["spawn"] if SYSTEM == "windows" else ["spawn", "fork", "forkserver"])
    refuse_names('<>:"|?*\n' if SYSTEM == "windows" else "")
if SYSTEM == "windows":
    for module, names in UNIX.items():
        hide(module, names.split())
    hide_modules(UNIX_MODULES)
    text_of_windows()
    append_in_two_steps()
    show(os, {"name": "nt"})
