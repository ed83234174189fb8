"""Loaders made anew that serve an epoch again."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from seedsafe.ground.warning import lines_above

__all__ = ["description", "identity", "repeats_a_loop", "repeats_an_epoch"]

_ENTRIES: Final = 32  # of a list of indices or weights: enough to tell two folds apart


@dataclass(eq=False, slots=True)
class _First:
    """A first pass of a loader that was not told its epoch."""

    maker: Callable[[], Any]
    """Returns the loader, or its sampler, unless it is gone."""
    lines: Hashable
    """The lines of the calls under way as it began."""
    is_whole: Callable[[], bool]
    """Returns whether it was read to its end."""
    passes: int = 1
    """How many its loader has begun."""
    reads: Hashable = None
    """The lines of the calls under way as its second batch was read."""
    earlier: _First | None = None
    """The one before it, if it may repeat that."""


@dataclass(eq=False, slots=True)
class _Dataset:
    """What loaders have read of a dataset."""

    reference: Any
    passes: dict[Hashable, _First] = field(default_factory=dict)
    """The latest first pass of the loaders of each description."""
    told: bool = False

    def first_of(self, maker: Any) -> _First | None:
        """Return the first pass of a loader, by the loader or its sampler."""
        return next((one for one in self.passes.values() if maker is not None and one.maker() is maker), None)


_datasets: dict[Hashable, _Dataset] = {}  # by their ids, because some cannot be hashed


def repeats_an_epoch(
    dataset: Any, maker: Any, like: Hashable, is_whole: Callable[[], bool], *, first: bool
) -> bool:
    """Note that a pass begins, and return whether to tell that it repeats the only pass of an earlier loader, where the next epoch is meant.

    Another one of the same description must have read its only pass to the end, and be gone. A loop calls from the same lines each time;
    a pass that begins in other lines may have been for statistics, and `repeats_a_loop` tells more.

    Args:
        dataset: the user's dataset.
        maker: the loader, or its sampler, or None if it is not known when it goes.
        like: its description.
        is_whole: returns whether the pass was read to its end. It must not keep the maker.
        first: whether it is the maker's first pass, of an epoch that nobody has set.
    """
    number, reference = identity(dataset)
    if number is None:
        return False
    known = _datasets.setdefault(number, _Dataset(reference))
    own = known.first_of(maker)
    if own is not None:
        own.passes += 1
        return False
    earlier = known.passes.pop(like, None)
    if not first:
        return False
    this = known.passes[like] = _First(
        (lambda: None) if maker is None else weakref.ref(maker), lines_above(), is_whole
    )
    if earlier is None or earlier.maker() is not None or earlier.passes > 1 or not earlier.is_whole():
        return False
    this.earlier, earlier.earlier = earlier, None
    tells = not known.told and this.lines == earlier.lines
    known.told |= tells
    return tells


def repeats_a_loop(dataset: Any, maker: Any) -> bool:
    """Note that a loader's second batch is read, and return whether to tell what `repeats_an_epoch` tells, because the line that reads it also read
    the earlier loader's: a loop may begin each pass but the first in another line.

    Args:
        dataset: the user's dataset.
        maker: the loader, or its sampler.
    """
    known = _datasets.get(identity(dataset)[0])
    own = known and known.first_of(maker)
    if not known or not own or known.told or own.reads:
        return False
    own.reads = lines_above()
    known.told = own.earlier is not None and own.earlier.reads == own.reads
    return known.told


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
        return [len(value), *map(_beginning, islice(value, _ENTRIES))]
    return value if isinstance(value, str) else None
