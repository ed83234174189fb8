"""The key of the current read.

A pipeline, generator() or keyed() takes it when it is called without a key.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final

from seedsafe.keys import seeding
from seedsafe.keys.key import SampleKey
from seedsafe.keys.seeding import seed_of

__all__ = ["MOST_CALLS", "Read", "claim", "current_key", "next_key", "reading", "thread"]

MOST_CALLS: Final = 2**16 - 1
"""The highest number that a call without a key can have."""


_SEED: Final = -1
"""The entry of `Read.numbers` for a seed that the reading code has set. No stream has this number."""


class Read:
    """One read: the sample's key, and the highest call number that each stream has been used with.

    Args:
        key: the sample's key, or None to refuse calls without a key.
    """

    __slots__ = ("_key", "numbers")

    def __init__(self, key: SampleKey | None) -> None:
        self._key: Any = key
        self.numbers: dict[int, int] = {}

    @property
    def key(self) -> SampleKey | None:
        """The key for calls without one."""
        return self._key  # type: ignore[no-any-return]

    @property
    def has_key(self) -> bool:
        """Whether calls without a key are allowed."""
        return self._key is not None


class _Thread(threading.local):
    read: Read | None = None


thread = _Thread()
"""The current read of each thread. Code that sets it restores the previous one afterwards."""


class reading:  # noqa: N801  # a with statement; contextlib.contextmanager costs several times as much for each sample
    """In this thread and inside the with statement, let calls without a key take the key of a read.

    If the code sets a seed s, with ``random.seed``, ``numpy.random.seed`` or ``torch.manual_seed``, the next calls take streams
    of (key, s), numbered from 1. So the calls after equal seeds get equal numbers in one read, and others in other reads.

    Each entry restarts the call numbers, so code that reads a base several times (a bridge's checks, the candidates that
    replace a faulty sample) enters it once for each read. Reads may be nested: the innermost counts.

    Args:
        key: the key of the read, or None to refuse calls without a key, as while a dataset augments.

    Example:
        >>> import seedsafe as ss
        >>> with reading(ss.SampleKey(42, 3, 1234)):
        ...     one, other = ss.generator().random(), ss.generator().random()
        >>> one == ss.generator(ss.SampleKey(42, 3, 1234, call=1)).random(), one == other
        (True, False)
    """

    __slots__ = ("_before", "_key")

    def __init__(self, key: SampleKey | None) -> None:
        self._key = key

    def __enter__(self) -> None:
        self._before = thread.read
        thread.read = None if self._key is None else Read(self._key)

    def __exit__(self, *error: object) -> None:
        thread.read = self._before


def current_key() -> SampleKey | None:
    """Return the key of the sample that this thread is reading, or None outside a read.

    An AugmentedDataset or AugmentedSequence sets it while it reads its base. Threads that the base starts have none.

    Example:
        >>> import seedsafe as ss
        >>> ss.current_key() is None
        True
    """
    read = thread.read
    return None if read is None else read.key


class claim:  # noqa: N801  # used as a with statement
    """Return the key that a call without a key takes: the key of this thread's read, with a call number new to the streams.

    The number is 1 + the highest one that any of the streams was used with in this read. A call that raises leaves the
    numbers unchanged.

    Args:
        ops: the streams that the call can draw from.

    Raises:
        TypeError: on entry: this thread is not in a read.
        ValueError: on entry: the streams have been used 65,535 times in this read.
    """

    __slots__ = ("_before", "_ops", "_read")

    def __init__(self, ops: Sequence[int]) -> None:
        self._ops = ops

    def __enter__(self) -> SampleKey:
        read = thread.read
        key = None if read is None else read.key
        if read is None or key is None:
            raise TypeError(
                "key must be a SampleKey, got None: pass key=SampleKey(seed, epoch, index); you may leave it out only "
                "while an AugmentedDataset or AugmentedSequence reads its base (behind seedsafe.bridge, draw from numpy.random)"
            )
        numbers = read.numbers
        number = 1 + max([numbers.get(op, 0) for op in self._ops], default=0)
        if number > MOST_CALLS:
            raise ValueError(
                f"one read may call a pipeline without a key at most {MOST_CALLS} times, got call {number}: pass key= with "
                "another view= or index="
            )
        self._read, self._before = read, dict(numbers)
        for op in self._ops:
            numbers[op] = number
        return key.of_call(number, numbers.get(_SEED))

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is not None:
            self._read.numbers = self._before


def _follow(generator: str, seed: Any) -> None:
    """Let the next calls without a key follow from a seed that the reading code has just set."""
    read = thread.read
    key = None if read is None else read.key
    if read is not None and key is not None:
        read.numbers = {_SEED: seed_of(key.seed, seed)}


seeding.followers.append(_follow)


def next_key(op: int) -> SampleKey:
    """Return the key for a call without a key that draws from one stream; see `claim`."""
    return claim((op,)).__enter__()
