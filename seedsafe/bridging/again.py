"""Run calls again, and compare their results.

`content` makes a digest of a result. `put_back`, `set_states` and `rerun` run a call with generators in chosen states. `Undisturbed` runs
one until no other thread has drawn meanwhile.
"""

from __future__ import annotations

import hashlib
import sys
import threading
import types
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from types import FrameType
from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.bridging.generators import State, Stateful
from seedsafe.bridging.options import NotReproducible
from seedsafe.bridging.region import PATIENCE, regions
from seedsafe.bridging.sources import Source
from seedsafe.ground.info import is_masked
from seedsafe.ground.process import frames_of_threads, is_worker

__all__ = [
    "RUNS",
    "Content",
    "Marks",
    "OtherThreads",
    "Run",
    "Undisturbed",
    "as_array",
    "content",
    "digests_of",
    "has_moved",
    "is_tensor",
    "others_run",
    "put_back",
    "rerun",
    "set_states",
    "states_of",
    "within",
]


_DEEPEST = 200
"""Parts below are not seen: a linked list of records would reach Python's limit of recursion."""


class Content(NamedTuple):
    """A digest of a result: equal for two results of equal type, structure and bits."""

    digest: bytes
    unseen: str | None
    """The type of the first part that could not be read, so that only its type is in the digest; None if all could."""


def is_tensor(thing: Any) -> bool:
    """Return whether this is a torch tensor."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return isinstance(kind, type) and isinstance(thing, kind)


def as_array(result: Any) -> Any:
    """Return an array, a tensor or a picture as a NumPy array, or None for anything else."""
    if isinstance(result, np.ndarray):
        return result
    if is_tensor(result):
        return result.detach().cpu().numpy()
    if not isinstance(result, type) and (
        hasattr(result, "__array__") or hasattr(result, "__array_interface__")
    ):
        return np.asarray(result)
    return None


def content(result: Any) -> Content:
    """Return a digest of a result: of arrays by their bytes, of objects by their pickled parts.

    Example:
        >>> content({"x": np.array([np.nan])}) == content({"x": np.array([np.nan])})
        True
        >>> content([1, 2.0]) == content([1, 2]), content([lambda: 1]).unseen
        (False, 'function')
    """
    walk = _Walk()
    walk.add(result)
    return Content(walk.hash.digest(), walk.unseen)


def _bytes_of(tensor: Any) -> Any:
    """Return a tensor's bytes with its shape and dtype, which NumPy may not have."""
    torch: Any = sys.modules["torch"]
    here = tensor.detach().cpu()
    dense = here.to_dense() if here.layout is not torch.strided else here
    plain = (dense.int_repr() if dense.is_quantized else dense).resolve_conj().resolve_neg().contiguous()
    raw = plain.reshape(-1).view(torch.uint8).numpy().tobytes()
    return np.array([repr((tuple(tensor.shape), tensor.dtype, tensor.layout)).encode(), raw + b"."])


class _Walk:
    """Adds the parts of a result to a hash."""

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=16)
        self.unseen: str | None = None
        self._inside: dict[int, int] = {}

    def add(self, thing: Any) -> None:
        kind = type(thing)
        self._text(f"{kind.__module__}.{kind.__qualname__}")
        if thing is None or kind in (bool, int, float, complex, str):
            self._text(thing.hex() if isinstance(thing, float) else repr(thing))
        elif kind in (bytes, bytearray):
            self._bytes(thing)
        elif isinstance(thing, type | types.BuiltinFunctionType | np.ufunc):
            self._text(getattr(thing, "__qualname__", "") or repr(thing))
        elif id(thing) in self._inside:
            self._text(f"the part that {self._inside[id(thing)]} are around")  # a circular reference
        elif len(self._inside) >= _DEEPEST:
            self._miss(kind)
        else:
            self._inside[id(thing)] = len(self._inside)
            try:
                self._add_parts(thing)
            finally:
                del self._inside[id(thing)]

    def _add_parts(self, thing: Any) -> None:
        if isinstance(thing, list | tuple):
            self._each(thing)
            if type(thing) not in (list, tuple):
                self.add(getattr(thing, "__dict__", None))
        elif isinstance(thing, set | frozenset):
            self._text(" ".join(sorted(self._digest(part) for part in thing)))
        elif isinstance(thing, Mapping):
            self._each(part for name in thing for part in (name, thing[name]))
        elif not self._add_array(thing) and not self._add_pickle(thing):
            self._miss(type(thing))

    def _each(self, parts: Iterable[Any]) -> None:
        number = 0
        for part in parts:
            self.add(part)
            number += 1
        self._text(f"{number} parts")

    def _digest(self, thing: Any) -> str:
        own = content(thing)
        self.unseen = self.unseen or own.unseen
        return own.digest.hex()

    def _add_array(self, thing: Any) -> bool:
        try:
            array = _bytes_of(thing) if is_tensor(thing) else as_array(thing)
        except Exception:  # noqa: BLE001  # the user's conversion
            if not is_tensor(thing):
                return False
            self._miss(type(thing))  # pickle would write a pointer
            return True
        if array is None or array.dtype.hasobject or is_masked(array):
            return False
        self._text(f"{array.shape} {array.dtype.str} {array.dtype}")
        self._bytes(array.tobytes())
        return True

    def _add_pickle(self, thing: Any) -> bool:
        """Add what pickle would write: the constructor, its arguments, the state and the entries."""
        try:
            recipe = thing.__reduce_ex__(4)
        except Exception:  # noqa: BLE001  # the user's pickling
            return False
        if isinstance(recipe, str):
            self._text(recipe)
            return True
        function, arguments, *more = recipe
        self._text(getattr(function, "__qualname__", repr(type(function))))
        self.add(arguments)
        for part in more:
            self._each(part) if hasattr(part, "__next__") else self.add(part)
        return True

    def _miss(self, kind: type) -> None:
        self.unseen = self.unseen or kind.__qualname__

    def _text(self, text: str) -> None:
        self._bytes(text.encode("utf-8", "surrogatepass"))

    def _bytes(self, data: Any) -> None:
        self.hash.update(len(data).to_bytes(8, "little"))
        self.hash.update(data)


_LARGE: Final = 64
"""A longer list holds data, so one digest is enough to compare it."""

Marks = dict[str, tuple[Any, Any]]
"""Each source's state before and after a call, by name."""


class Run(NamedTuple):
    """A call's result, and the states of the sources around it."""

    result: Any
    marks: Marks


def rerun(
    call: Callable[[], Any], generators: Iterable[Source], set_states: Callable[[], None]
) -> tuple[Any, list[Any]]:
    """Run a call after `set_states` has set generators. Return its result, and the generators' marks after it."""
    set_states()
    return call(), [generator.mark() for generator in generators]


def within(statement: Any, call: Callable[[], Any]) -> tuple[Any, Any]:
    """Return what a call in a with statement returns, and the statement's value. An interrupt at any point leaves it too."""
    try:
        with statement as value:
            return call(), value
    except BaseException:
        statement.__exit__()
        raise


def set_states(pairs: Iterable[tuple[Stateful, State]]) -> None:
    """Set generators to states while no other thread is in a region, whose generators follow a key."""
    with regions.lock:
        for generator, state in pairs:
            generator.set(state)


def states_of(generators: Iterable[Stateful]) -> list[tuple[Stateful, State]]:
    """Return the generators whose states can be read now, with their states."""
    result = []
    for generator in generators:
        with suppress(Exception):  # Keras's cannot while a graph is traced
            result.append((generator, generator.read()))
    return result


def has_moved(generator: Stateful, before: State) -> bool:
    """Return whether a generator is in another state than before."""
    return any(state.mark != before.mark for _, state in states_of([generator]))


@contextmanager
def put_back(generators: Iterable[Stateful]) -> Generator[bool, None, None]:
    """Put generators back into their present states at the end of a with statement. One thread at a time is inside.

    The value of the statement is False if another thread does not leave it, or a region, in time; then it must set nothing. Regions of
    other threads go on meanwhile, since a call may wait for them.
    """
    lock = regions.setting
    if not lock.acquire(timeout=PATIENCE):
        yield False
        return
    try:
        if not regions.lock.acquire(timeout=PATIENCE):
            yield False
            return
        try:
            before = states_of(generators)
        finally:
            regions.lock.release()
        try:
            yield True
        finally:
            set_states(pair for pair in before if has_moved(*pair))
    finally:
        lock.release()


def digests_of(result: Any) -> dict[Any, bytes]:
    """Return a digest of each part of a result by its path."""
    digests: dict[Any, bytes] = {}
    _add_digests(digests, (), result)
    return digests


def _add_digests(digests: dict[Any, bytes], path: tuple[Any, ...], part: Any) -> None:
    is_list = type(part) in (list, tuple)
    named = part.items() if type(part) is dict else enumerate(part) if is_list else ()
    if named and len(part) <= _LARGE and len(path) < 4:
        digests[path] = f"{type(part)} {len(part)}".encode()
        for name, inner in named:
            _add_digests(digests, (*path, name), inner)
    else:
        digests[path] = content(part).digest


RUNS = 12
"""How often a call is run before its error."""
_PAUSE: Final = 0.05
"""Seconds of the first pause beside a thread that draws. Each one is twice as long as the last, so that a step of training may take a minute."""
_MEMORY: Final = 60.0
"""For so many seconds a thread that was seen to draw counts as one that does."""
_LOOK: Final = 0.001
_WAITING: Final = frozenset(
    (
        *("threading", "queue", "selectors", "multiprocessing.connection", "multiprocessing.synchronize"),
        *("seedsafe.bridging.region", "execnet.gateway_base", "ipykernel.heartbeat", "tqdm._monitor"),
    )
)
"""Modules whose functions draw nothing and do nothing but wait, each wait in a frame of its own."""


def others_run() -> bool:
    """Return whether this process has other threads. Those of a worker process belong to its reads."""
    return threading.active_count() > 1 and not is_worker()


class OtherThreads:
    """The other threads of this process, and what each was at when this was created.

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
        """Return the names of those that may have done anything but wait since then."""
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        now = _frames()
        asleep = {
            ident
            for ident, (frame, line) in now.items()
            if self._before.get(ident) == (frame, line) and not _is_busy((frame, line))
        }
        return sorted(names.get(ident, f"thread {ident}") for ident in {*self._before, *now} - asleep)

    @staticmethod
    def pause(seconds: float) -> None:
        """Wait so long, or until all of them wait."""
        until = monotonic() + seconds
        while monotonic() < until and any(map(_is_busy, _frames().values())):
            sleep(_LOOK)


def _is_busy(position: tuple[FrameType, int]) -> bool:
    return position[0].f_globals.get("__name__") not in _WAITING


def _frames() -> dict[int, tuple[FrameType, int]]:
    """Return each other thread's innermost frame, with its position there. Whoever holds the frame keeps it from being another one later."""
    me = threading.get_ident()
    return {ident: (frame, frame.f_lasti) for ident, frame in frames_of_threads().items() if ident != me}


class Undisturbed:
    """Runs calls of one object until no other thread has drawn in one.

    The generators of the process are one set for all threads, and threads may share stored ones. So a run counts if no other thread did
    anything, if all generators stayed where they were, or if it equals an earlier one and none moved outside the runs meanwhile: threads that
    take turns may draw at the same points of each run. Hence the pauses between runs. They end when all others wait, as a thread
    that trains waits for samples sooner or later.

    Args:
        label: the object's name in errors.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._drew = -_MEMORY
        """When another thread was seen to draw."""

    def run(self, trace: Callable[[], Run], sources: Iterable[Source]) -> Run:
        """Return a run of a call into which no other thread has drawn.

        Args:
            trace: runs the call with its key.
            sources: what it keys.

        Raises:
            NotReproducible: there was none in twelve.
        """
        watched = [source for source in sources if isinstance(source, Stateful)]
        outside: list[Any] = []
        equal: list[Any] = []
        awake: list[str] = []
        for number in range(RUNS):
            before, others, start = [source.mark() for source in watched], OtherThreads(), monotonic()
            run = trace()
            took, awake = monotonic() - start, others.awake()
            if not awake or all(keyed == end for keyed, end in run.marks.values()):
                return run
            found = content(run.result), run.marks
            if number and before != outside:
                equal, self._drew = [], start
            if found in equal:
                return run
            equal.append(found)
            outside = before
            OtherThreads.pause(_PAUSE * 2**number if start - self._drew < _MEMORY else took)
        raise NotReproducible(
            f"{self._label} gave {RUNS} results for one key while {'other threads' if len(awake) > 1 else 'another thread'} ran ({', '.join(awake)}), which "
            "waited for nothing in between. "
            "The generators of a process (random, numpy.random, torch) are the same for all threads: read in worker processes (num_workers=2), or let "
            "other threads draw from generators of their own. If no other thread draws, it keeps something from call to call, or draws from a "
            "source that a bridge does not reach"
        )
