"""Linux as macOS or Windows: what these lack is hidden from the library and its tests, in every process.

``SEEDSAFE_ELSEWHERE=macos`` or ``windows`` with this folder on ``PYTHONPATH``, as ``make test-elsewhere`` has it. Python's own library and
others see the machine as it is: those for other systems do without these names in their own way.
"""

from __future__ import annotations

import builtins
import io
import multiprocessing
import multiprocessing.context
import os
import signal
import sys
import types
from pathlib import Path
from typing import Any

SYSTEM = os.environ.get("SEEDSAFE_ELSEWHERE", "")
ROOT = str(Path(__file__).parents[2]) + os.sep
OURS = tuple(ROOT + room for room in ("seedsafe", "adapters", "tools", "demo", "tests"))

LINUX = {
    os: (
        "memfd_create",
        "MFD_CLOEXEC",
        "sched_getaffinity",
        "sched_setaffinity",
        "waitid",
        "pipe2",
        "eventfd",
        "posix_fadvise",
        "posix_fallocate",
    ),
    signal: ("sigtimedwait", "sigwaitinfo", "SIGSTKFLT", "SIGPOLL"),
}
"""What Linux alone has; ``os.waitid`` came to macOS with Python 3.13."""
UNIX = {
    os: (
        *(
            "fork",
            "forkpty",
            "killpg",
            "getpgid",
            "getpgrp",
            "setpgid",
            "setsid",
            "getsid",
            "getuid",
            "geteuid",
            "getgid",
            "getegid",
        ),
        *(
            "uname",
            "mkfifo",
            "mknod",
            "chown",
            "statvfs",
            "sysconf",
            "getloadavg",
            "nice",
            "pread",
            "pwrite",
            "preadv",
            "openpty",
        ),
        *(
            "posix_spawn",
            "wait",
            "wait3",
            "wait4",
            "WNOHANG",
            "WUNTRACED",
            "getpriority",
            "sync",
            "fchmod",
            "fchown",
            "O_NOFOLLOW",
            "O_CLOEXEC",
        ),
    ),
    signal: (
        *(
            "SIGKILL",
            "SIGUSR1",
            "SIGUSR2",
            "SIGHUP",
            "SIGALRM",
            "SIGCHLD",
            "SIGPIPE",
            "SIGQUIT",
            "SIGSTOP",
            "SIGCONT",
            "SIGTSTP",
        ),
        *("alarm", "setitimer", "pthread_kill", "pthread_sigmask", "siginterrupt"),
    ),
}
UNIX_MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "curses")


def _asked_by_us() -> bool:
    return sys._getframe(2).f_code.co_filename.startswith(OURS)


def hide(module: types.ModuleType, names: tuple[str, ...]) -> None:
    """Hide names of a module from our files."""
    hidden = {name: getattr(module, name) for name in names if hasattr(module, name)}
    hidden |= vars(module).get("_hidden", {})
    for name in hidden:
        vars(module).pop(name, None)

    def found(name: str) -> Any:
        if name not in hidden or _asked_by_us():
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return hidden[name]

    vars(module).update(_hidden=hidden, __getattr__=found)


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

    io.open = builtins.open = without(open)  # type: ignore[assignment]
    for name in ("stat", "listdir", "scandir", "readlink", "open"):
        setattr(os, name, without(getattr(os, name)))


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


if SYSTEM:
    for module, names in LINUX.items():
        hide(module, names)
    hide_proc()
    start(["spawn"] if SYSTEM == "windows" else ["spawn", "fork", "forkserver"])
    if SYSTEM == "windows":
        for module, names in UNIX.items():
            hide(module, names)
        hide_modules(UNIX_MODULES)
