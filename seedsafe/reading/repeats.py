"""Keys that are served twice in one pass without a sampler's asking: noticed, and warned of once."""

from __future__ import annotations

import inspect
import warnings
from types import FrameType
from typing import Any, Final

from seedsafe.keys.key import SampleKey
from seedsafe.reading.inside import Keyed, outermost

__all__ = ["Repeats", "SharedSeedError", "Told", "shared_seed"]

_MOST: Final = 2**14  # keys that are remembered, some megabytes


class SharedSeedError(ValueError):
    """Two datasets, one inside the other, have the same seed: their augmentations would not be independent."""


def shared_seed(seed: int) -> SharedSeedError:
    """Return the error for a dataset that is read by another one of the same seed."""
    return SharedSeedError(f"base is augmented with the same seed {seed}: give one of them another seed")


class Told:
    """Which warnings a dataset has given."""

    def __init__(self) -> None:
        self._told = 0

    def first(self, what: int) -> bool:
        """Return whether a warning, a power of two, is to be given now: True once."""
        if self._told & what:
            return False
        self._told |= what
        return True


class Repeats:
    """What a dataset reads, and for which index each key inside was served, as far as this process has seen.

    Equal keys give equal samples, which is right, and seldom meant where a wrapper asks for one twice. At most 16,384 keys
    are remembered: beyond, those of other epochs go, then all but a share that their hashes choose. What is
    repeated throughout is found nevertheless.

    Args:
        base: what is read.
        seed: of the dataset that reads it; None if it has none.
        told: where it is noted that a warning was given; by default where a keyed dataset inside notes its own.
    """

    WITHIN_ONE, FOR_TWO = 1, 2

    def __init__(self, base: Any, seed: int | None = None, told: Told | None = None) -> None:
        self.wrapper = type(base).__qualname__
        self.seed = seed
        inside = (one.reader.repeats.told for one in outermost(base))
        self.told = told or next(inside, None) or Told()
        self._indices: dict[tuple[int, ...], int] = {}
        self._mask = 0

    def served_for(self, place: tuple[int, ...], index: int) -> int | None:
        """Note that a key (seed, epoch, …) is served for an index, and return another one that it was served for before."""
        if self._mask and hash(place) & self._mask:
            return None
        before = self._indices.setdefault(place, index)
        if before != index:
            return before
        if len(self._indices) > _MOST:
            self._forget(place[1])
        return None

    def _forget(self, epoch: int) -> None:
        kept = {place: index for place, index in self._indices.copy().items() if place[1] == epoch}
        while len(kept) > _MOST // 2:
            self._mask = 2 * self._mask + 1
            kept = {place: index for place, index in kept.items() if not hash(place) & self._mask}
        self._indices = kept

    def warn_within_one(self, key: SampleKey) -> None:
        """Warn, once, that one sample of a wrapper holds one key twice."""
        if self.told.first(self.WITHIN_ONE):
            warnings.warn(
                f"{self._wrapper()} reads index {key.index} twice for one sample of epoch {key.epoch}, and gets the same "
                "augmentation twice: pass views=2 to the dataset inside for two different ones, or read it once",
                stacklevel=6,
            )

    def warn_for_two(self, key: SampleKey, one: int, other: int) -> None:
        """Warn, once, that a wrapper maps two indices to one key."""
        if self.told.first(self.FOR_TWO):
            warnings.warn(
                f"{self._wrapper()} reads index {key.index} of seed {key.seed} for the samples {one} and {other} of epoch "
                f"{key.epoch}, and both get the same augmentation: repeat indices with sampler= instead, which counts the "
                "occurrences, or give each dataset inside another seed or index_offset=",
                stacklevel=6,
            )

    def _wrapper(self) -> str:
        """Return the class of the wrapper that is reading now: of the innermost one."""
        frame: FrameType | None = inspect.currentframe()
        while frame is not None:
            if frame.f_code.co_name in ("__getitem__", "__getitems__"):
                reads = frame.f_locals.get("self")
                if reads is not None and not isinstance(reads, Keyed):
                    return type(reads).__qualname__
            frame = frame.f_back
        return self.wrapper

    def __reduce__(self) -> Any:
        return _anew, (self.wrapper, self.seed, self.told)


def _anew(wrapper: str, seed: int | None, told: Told) -> Repeats:
    made = Repeats(None, seed, told)
    made.wrapper = wrapper
    return made
