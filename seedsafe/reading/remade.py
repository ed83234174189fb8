"""Loaders made anew that serve an epoch again."""

from __future__ import annotations

import dis
import weakref
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import chain, islice
from types import CodeType
from typing import Any, Final

from seedsafe.ground.warning import calls_above

__all__ = ["description", "identity", "note_made", "note_read", "repeats_an_epoch"]

_ENTRIES: Final = 32  # of a list of indices or weights, all along it: enough to tell two folds apart

Calls = tuple[tuple[CodeType, int], ...]


@dataclass(eq=False, slots=True)
class _First:
    """A first pass of a loader that was not told its epoch."""

    maker: Callable[[], Any]
    """Returns the loader, or its sampler, unless it is gone."""
    calls: Calls
    """The calls under way as it began."""
    is_whole: Callable[[], bool]
    """Returns whether it was read to its end."""
    passes: int = 1
    """How many its loader has begun."""


@dataclass(eq=False, slots=True)
class _Dataset:
    """What loaders have read of a dataset."""

    reference: Any
    passes: dict[Hashable, list[_First]] = field(default_factory=dict)
    """The latest two first passes of the loaders of each description."""
    told: bool = False


_datasets: dict[Hashable, _Dataset] = {}  # by their ids, because some cannot be hashed
_made: weakref.WeakKeyDictionary[Any, Calls] = weakref.WeakKeyDictionary()
_read: weakref.WeakKeyDictionary[Any, Calls] = weakref.WeakKeyDictionary()


def note_made(maker: Any) -> None:
    """Record which calls are running when a loader, or its sampler, is made."""
    _made[maker] = calls_above()


def note_read(loading: Any) -> None:
    """Record which calls are running when a loader's pass is requested, before its first batch is."""
    _read[loading] = calls_above()


def repeats_an_epoch(
    dataset: Any, like: Hashable, is_whole: Callable[[], bool], *, maker: Any, loading: Any, first: bool
) -> bool:
    """Record that a pass begins, and return whether to warn that it repeats the epoch of an earlier loader's only pass.

    Another one of the same description must have read its only pass to the end, and be gone. A loop begins its passes at one point, or the
    first before it and the others in it; a pass that begins elsewhere may have been for statistics. A loop inside the function that made
    the loader reads each epoch of it, as many as there are, so that another call of that function is another training.

    Args:
        dataset: the user's dataset.
        like: the description of its loader.
        is_whole: returns whether the pass was read to its end. It must not keep the maker.
        maker: the loader, or its sampler, or None if it is not known when it goes.
        loading: the loader, or None if it does not note its passes.
        first: whether it is the maker's first pass, of an epoch that nobody has set.
    """
    number, reference = identity(dataset)
    if number is None:
        return False
    known = _datasets.setdefault(number, _Dataset(reference))
    own = next((one for one in chain(*known.passes.values()) if one.maker() is maker), None)
    if maker is not None and own is not None:
        own.passes += 1
        return False
    ones = known.passes.pop(like, [])
    if not first:
        return False
    calls = (loading is not None and _read.get(loading)) or calls_above()
    one = _First((lambda: None) if maker is None else weakref.ref(maker), calls, is_whole)
    known.passes[like] = [*ones[-1:], one]
    # A class that draws a batch ahead as it is made takes the place of the one before only then.
    earlier = next((one for one in reversed(ones) if one.maker() is None), None)
    if known.told or earlier is None or earlier.passes > 1 or not earlier.is_whole():
        return False
    again = _points(calls) == _points(earlier.calls) or _in_loops(calls, earlier.calls)[0]
    is_right = loading is not None and any(_in_loops(calls, _made.get(maker, ())))
    known.told = again and not is_right
    return known.told


def _in_loops(calls: Calls, before: Calls) -> list[bool]:
    """Return for each call, from the first that is not among those before, whether it is in a loop in which they were not."""
    pairs = enumerate(zip(_points(calls), _points(before), strict=False))
    same = next((number for number, (now, then) in pairs if now != then), 0)
    if not same:  # another thread
        return [False]
    around, *inside = map(_loops, *zip(*calls[same:], strict=True))
    return [bool(around and not around & _loops(*before[same])), *map(bool, inside)]


def _points(calls: Calls) -> list[tuple[str, int, Any]]:
    """Return the points of calls in the source, which are equal in a cell of a notebook that runs again, and for an instruction that Python
    has meanwhile specialised."""
    return [
        (code.co_filename, code.co_firstlineno, next(islice(code.co_positions(), point // 2, None)))
        for code, point in calls
    ]


def _loops(code: CodeType, point: int) -> set[Any]:
    """Return the loops of a function that are around a point in it, each as the code and the point where it begins again."""
    jumps = (one for one in dis.get_instructions(code) if one.opcode in dis.hasjrel)
    return {(code, jump.argval) for jump in jumps if jump.argval < point < jump.offset}


def identity(dataset: Any) -> tuple[Hashable, Any]:
    """Return what tells a dataset from others, and what has to be kept for that: a weak reference, or two entries of a list, which has none.

    For anything else without one, return None."""
    number = id(dataset)
    try:
        return number, weakref.ref(dataset, lambda _: _datasets.pop(number, None))
    except TypeError:
        if not (isinstance(dataset, list | tuple) and dataset):
            return None, None
        ends = dataset[0], dataset[-1]
        return (len(dataset), *map(id, ends)), ends


def description(samplers: Iterable[Any], *options: Hashable) -> Hashable:
    """Return what is equal for loaders that would serve an epoch alike: their samplers and other options."""
    return (*options, *((type(one), _plain(one)) for one in samplers))


def _plain(sampler: Any) -> str:
    """Return the plain attributes of a sampler, and the beginnings of its lists, such as the indices of a fold."""
    held = vars(sampler) if hasattr(sampler, "__dict__") else {"": sampler}
    return repr([(name, _beginning(value)) for name, value in held.items() if name != "epoch"])


def _beginning(value: Any) -> Any:
    if isinstance(value, int | float) or getattr(value, "ndim", 1) == 0:
        return float(value)
    if isinstance(value, list | tuple | range) or type(value).__name__ in ("ndarray", "Tensor"):
        return [len(value), *map(_beginning, value[:: len(value) // _ENTRIES + 1])]
    return value if isinstance(value, str) else None
