"""Other threads, which may draw meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Final

from seedsafe.bridging.options import NotReproducible
from seedsafe.bridging.same import content
from seedsafe.bridging.watch import Run
from seedsafe.ground.process import frames_of_threads, is_worker

__all__ = ["RUNS", "OtherThreads", "others_run", "undisturbed"]

RUNS = 12
"""How often a call is run before its error: in a pass of training, another thread seldom draws in as many reads of one sample."""
_WAITING: Final = frozenset(
    (
        *("threading", "queue", "selectors", "multiprocessing.connection", "multiprocessing.synchronize"),
        *("seedsafe.bridging.region", "seedsafe.bridging.regions"),
        *("execnet.gateway_base", "ipykernel.heartbeat", "tqdm._monitor"),
    )
)
"""Modules whose functions draw nothing and do nothing but wait, each wait in a frame of its own."""


def others_run() -> bool:
    """Return whether this process has other threads. Those of a worker process belong to its reads."""
    return threading.active_count() > 1 and not is_worker()


class OtherThreads:
    """The other threads of this process, and where each stood when this was created.

    Example:
        >>> others, done = OtherThreads(), threading.Event()
        >>> threading.Thread(target=done.wait, name="a new one").start()
        >>> "a new one" in others.awake()
        True
        >>> done.set()
    """

    def __init__(self) -> None:
        self._before = _frames()

    def awake(self) -> list[str]:
        """Return the names of the threads that may have done more than wait since then."""
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        now = _frames()
        asleep = {
            ident
            for ident, (frame, line) in now.items()
            if self._before.get(ident) == (frame, line) and frame.f_globals.get("__name__") in _WAITING
        }
        return sorted(names.get(ident, f"thread {ident}") for ident in {*self._before, *now} - asleep)


def _frames() -> dict[int, tuple[FrameType, int]]:
    """Return each other thread's innermost frame, with its position there. Whoever holds the frame keeps it from being another one later."""
    me = threading.get_ident()
    return {ident: (frame, frame.f_lasti) for ident, frame in frames_of_threads().items() if ident != me}


def undisturbed(trace: Callable[[], Run], shared: Sequence[str], label: str) -> Run:
    """Return a run of a call during which no other thread has drawn.

    The generators of the process are one set for all threads. So a run counts if they stayed where they were, or if no other thread did
    anything, or if it equals an earlier run of the call.

    Args:
        trace: runs the call with its key.
        shared: the names of the generators that all threads share.
        label: the object's name in errors.

    Raises:
        NotReproducible: no two runs were equal.
    """
    earlier: list[Any] = []
    awake: list[str] = []
    for _ in range(RUNS):
        others = OtherThreads()
        run = trace()
        awake = others.awake()
        moved = any(name in run.marks and run.marks[name][0] != run.marks[name][1] for name in shared)
        found = content(run.result), run.marks
        if not awake or not (moved or earlier) or found in earlier:
            return run
        earlier.append(found)
    raise NotReproducible(
        f"{label} gave {RUNS} results for one key while {'other threads' if len(awake) > 1 else 'another thread'} ran ({', '.join(awake)}). "
        f"The generators of a process ({', '.join(shared)}) are the same for all threads: read in worker processes (num_workers=2), or let "
        "other threads draw from generators of their own. If no other thread draws, it keeps something from call to call, or draws from a "
        "source that a bridge does not reach"
    )
