"""What the proofs of libraries share: digests of samples, and the states of the global generators."""

from __future__ import annotations

import hashlib
import random
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import operators  # noqa: F401  # it declares what libraries miss: spawned workers import this module first
import rich.style  # noqa: F401  # importing it draws from `random`, once; some libraries do when they are first used
import torch

from seedsafe_torch import AugmentedDataset

__all__ = ["Digests", "digest", "untouched"]


def digest(sample: Any) -> str:
    """Return a digest of all arrays, tensors and numbers that a sample holds."""
    found = hashlib.sha256()
    for part in _parts(sample):
        found.update(part)
    return found.hexdigest()


def _parts(sample: Any) -> Iterator[bytes]:
    if not isinstance(sample, np.ndarray) and hasattr(sample, "__array__"):
        sample = np.asarray(sample)
    if hasattr(sample, "to_dict"):  # torch_geometric's Data
        sample = sample.to_dict()
    if isinstance(sample, np.ndarray):
        yield str((sample.shape, sample.dtype)).encode() + sample.tobytes()
    elif isinstance(sample, Mapping):
        for name, part in sample.items():
            yield str(name).encode()
            yield from _parts(part)
    elif isinstance(sample, list | tuple):
        yield str(len(sample)).encode()
        for part in sample:
            yield from _parts(part)
    else:
        assert sample is None or isinstance(sample, str | int | float), type(sample)
        yield repr(sample).encode()


class Digests:
    """An AugmentedDataset whose samples are their digests, so that any shape can be put into a batch."""

    def __init__(self, inner: AugmentedDataset) -> None:
        self.inner = inner
        self.seed = inner.seed

    def __len__(self) -> int:
        return len(self.inner)

    def __getitem__(self, index: int) -> tuple[int, str]:
        return int(index), digest(self.inner[index])


@contextmanager
def untouched() -> Iterator[None]:
    """Fail what leaves a global generator changed."""
    random.seed(1)
    np.random.seed(1)
    np.random.randn()
    torch.manual_seed(1)
    before = _states()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries' own
        yield
    assert _states() == before, "a global generator was left changed"


def _states() -> list[Any]:
    return [random.getstate(), repr(np.random.get_state(legacy=False)), torch.get_rng_state().tolist()]
