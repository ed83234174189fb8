"""Keyed datasets whose samples depend on more than their key, and some that look like it, for the audit."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import random
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import seedsafe as ss
from seedsafe_torch import AugmentedDataset

IMAGES = np.random.default_rng(0).integers(0, 255, (48, 16, 16, 3), dtype=np.uint8)
PIPELINE = ss.Compose([ss.RandomCrop(8), ss.HorizontalFlip(), ss.GaussianNoise(std=(5, 20))])


class Base:
    def __len__(self) -> int:
        return len(IMAGES)

    def __getitem__(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self.sample(index)

    def sample(self, index: int) -> Any:
        return PIPELINE(IMAGES[index])


class Cached(Base):
    def __init__(self) -> None:
        self.cache: dict[int, Any] = {}

    def sample(self, index: int) -> Any:
        if index not in self.cache:
            self.cache[index] = PIPELINE(IMAGES[index])
        return self.cache[index].copy()


@functools.lru_cache(maxsize=None)  # noqa: UP033
def _augmented(index: int) -> Any:
    return PIPELINE(IMAGES[index])


class CachedByFunction(Base):
    def sample(self, index: int) -> Any:
        return _augmented(index).copy()


class AllAtOnce(Base):
    """The whole dataset is augmented when the first sample is read."""

    samples: Any = None

    def sample(self, index: int) -> Any:
        if self.samples is None:
            self.samples = [PIPELINE(image) for image in IMAGES]
        return self.samples[index].copy()


class CachedOnDisk(Base):
    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(dir=os.environ.get("AUDIT_CASES"))

    def sample(self, index: int) -> Any:
        path = Path(self.folder, f"{index}.npy")
        if not path.exists():
            np.save(path, PIPELINE(IMAGES[index]))
        return np.load(path)


class CachedCorner(Base):
    """Not the sample is kept but what was drawn for it."""

    def __init__(self) -> None:
        self.corners: dict[int, tuple[int, int]] = {}

    def sample(self, index: int) -> Any:
        if index not in self.corners:
            rng = ss.generator()
            self.corners[index] = int(rng.integers(8)), int(rng.integers(8))
        top, left = self.corners[index]
        return IMAGES[index, top : top + 8, left : left + 8].copy()


class KeptGenerator(Base):
    def __init__(self) -> None:
        self.rng: Any = None

    def sample(self, index: int) -> Any:
        if self.rng is None:
            self.rng = ss.generator()
        return IMAGES[index] + self.rng.integers(0, 50, IMAGES[index].shape, dtype=np.uint8)


class KeptInTheClass(Base):
    @functools.cached_property
    def rng(self) -> Any:
        return ss.generator()

    def sample(self, index: int) -> Any:
        return IMAGES[index] + self.rng.integers(0, 50, IMAGES[index].shape, dtype=np.uint8)


class KeptKey(Base):
    key: Any = None

    def sample(self, index: int) -> Any:
        self.key = self.key or ss.current_key()
        return PIPELINE(IMAGES[index], key=self.key)


class CachedBefore(Base):
    """What is right: the image is kept, not what was made of it."""

    def __init__(self) -> None:
        self.cache: dict[int, Any] = {}

    def sample(self, index: int) -> Any:
        if index not in self.cache:
            self.cache[index] = IMAGES[index].copy()
        return PIPELINE(self.cache[index])


class ClosedLate(Base):
    """What is right: no augmentation in the last epochs."""

    def sample(self, index: int) -> Any:
        key = ss.current_key()
        return IMAGES[index, :8, :8].copy() if key is None or key.epoch >= 1 else PIPELINE(IMAGES[index])


def keyed(base: Any, **options: Any) -> AugmentedDataset:
    return AugmentedDataset(base, seed=42, **options)


class PlainCache(torch.utils.data.Dataset):
    """Without keys: the draws of the first reading are kept."""

    def __init__(self) -> None:
        self.cache: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(IMAGES)

    def __getitem__(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        if index not in self.cache:
            self.cache[index] = IMAGES[index] + np.random.randint(0, 50, IMAGES[index].shape).astype(np.uint8)
        return self.cache[index].copy()


def by_dict(kept: dict[int, int], index: int) -> int:
    if index not in kept:
        kept[index] = np.random.randint(8)
    return kept[index]


def by_default(kept: dict[int, int], index: int) -> int:
    return kept.setdefault(index, int(np.random.default_rng().integers(8)))


@functools.cache
def _corner(index: int) -> int:
    return random.randrange(8)


KEEPING: dict[str, Callable[[dict[int, int], int], int]] = {
    "a dict": by_dict,
    "without a seed": by_default,
    "cache": lambda kept, index: _corner(index),
}


class NoisyPlace(Base):
    """Keeps the place of a sample's crop, and covers the crop by fresh noise."""

    def __init__(self, keep: Callable[[dict[int, int], int], int]) -> None:
        self.keep, self.kept = keep, dict[int, int]()

    def sample(self, index: int) -> Any:
        at = self.keep(self.kept, index)
        return IMAGES[index, at : at + 8] + np.random.normal(size=(8, 16, 3))


NAMES = [f"photograph {number}" for number in range(len(IMAGES))]


class SeededByHash(Base):
    def sample(self, index: int) -> Any:
        return np.random.default_rng(hash(NAMES[index]) % 2**32).random(4)


class SetOrder(Base):
    def sample(self, index: int) -> Any:
        words = {"cat", "dog", "horse", "bird", "fish", "cow", NAMES[index]}
        return [len(word) for word in words]


class SplitByHash(Base):
    """The files of this split are those with an even hash, listed when the dataset is made and again in each worker."""

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]

    def __init__(self) -> None:
        self.chosen = sorted(range(len(IMAGES)), key=lambda number: hash(NAMES[number]))

    def sample(self, index: int) -> Any:
        return IMAGES[self.chosen[index]].copy()


class SeededByCrc(Base):
    """What is right."""

    def sample(self, index: int) -> Any:
        words = sorted({"cat", "dog", "horse", NAMES[index]})
        return np.random.default_rng(zlib.crc32(NAMES[index].encode())).random(4), [
            len(word) for word in words
        ]


class SometimesEntropy(Base):
    """About one reading in 200 is noisy, by chance of the system's."""

    def sample(self, index: int) -> Any:
        noisy = random.SystemRandom().randrange(200) == 0
        return IMAGES[index] ^ np.uint8(noisy)


class SometimesClock(Base):
    def sample(self, index: int) -> Any:
        return IMAGES[index] ^ np.uint8(time.perf_counter_ns() // 100 % 150 == 0)


class MapDataset:
    """detectron2's, shortened: a record that cannot be mapped is replaced by one that is drawn among those thought good."""

    def __init__(self, bad: tuple[int, ...] = (5, 20, 33)) -> None:
        self.bad = set(bad)
        self._rng = random.Random(42)
        self._fallback_candidates = set(range(len(IMAGES)))

    def __len__(self) -> int:
        return len(IMAGES)

    def __getitem__(self, idx: int) -> Any:
        if not -len(self) <= idx < len(self):
            raise IndexError(idx)
        cur_idx = int(idx)
        while True:
            data = None if cur_idx in self.bad else IMAGES[cur_idx].copy()
            if data is not None:
                self._fallback_candidates.add(cur_idx)
                return data
            self._fallback_candidates.discard(cur_idx)
            cur_idx = self._rng.sample(sorted(self._fallback_candidates), k=1)[0]


class LastGood(MapDataset):
    """A variant: the last good record stands in."""

    last = 0

    def __getitem__(self, idx: int) -> Any:
        if not -len(self) <= idx < len(self):
            raise IndexError(idx)
        if idx not in self.bad:
            self.last = idx
        return IMAGES[self.last].copy()


_calls = itertools.count(1)


@dataclasses.dataclass(frozen=True)
class Counting(ss.Transform):
    """Every seventieth call of this process comes out dark."""

    def draw(self, rng: Any, info: Any) -> Any:
        return ()

    def apply_image(self, image: Any, params: Any) -> Any:
        return image // 2 if next(_calls) % 70 == 0 else image.copy()


class ClockSeeded(torch.utils.data.Dataset):
    """Whole seconds: whatever is read meanwhile gets the same numbers."""

    ticks = 1.0

    def __len__(self) -> int:
        return len(IMAGES)

    def __getitem__(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return IMAGES[index] + self.noise(int(time.time() * self.ticks) % 2**32)

    def noise(self, seed: int) -> Any:
        return np.random.default_rng(seed).integers(0, 50, IMAGES[0].shape, dtype=np.uint8)


class ClockSeedsNumpy(ClockSeeded):
    def noise(self, seed: int) -> Any:
        np.random.seed(seed)
        return np.random.randint(0, 50, IMAGES[0].shape).astype(np.uint8)


class ClockSeedsPython(ClockSeeded):
    def noise(self, seed: int) -> Any:
        return np.uint8(random.Random(seed).randrange(250))


class ClockSeedsTorch(ClockSeeded):
    def noise(self, seed: int) -> Any:
        torch.manual_seed(seed)
        return torch.randint(0, 50, IMAGES[0].shape, dtype=torch.uint8).numpy()


class ClockOfMilliseconds(ClockSeeded):
    ticks = 1000.0


class ClockPlusIndex(ClockSeeded):
    def __getitem__(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return IMAGES[index] + self.noise((int(time.time() * 1e3) + index) % 2**32)


class OnceForEachRun(ClockSeeded):
    """What is added is the same in all processes of a run, as a clock's time at its start is."""

    def noise(self, seed: int) -> Any:
        return np.uint8(os.getpgrp() % 251)


class FineClock(ClockSeeded):
    """Not reproducible, but no two readings get the same."""

    def __getitem__(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return IMAGES[index] + self.noise((time.time_ns() + os.getpid() * 2**40 + next(_calls)) % 2**63)


class Reseeded:
    """A transform as albumentations has them: a bridge tells its generator by a hook, which puts another in its place."""

    def __init__(self) -> None:
        self.set_random_state(np.random.default_rng(3))

    def set_random_state(self, rng: Any) -> None:
        self.rng = np.random.default_rng(int(rng.integers(2**32)))

    def __call__(self, image: Any) -> Any:
        return image + self.rng.integers(0, 50, image.shape, dtype=np.uint8)
