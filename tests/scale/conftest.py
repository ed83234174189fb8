"""The records that every stream and engine is given, and what has to come out."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seedsafe as ss

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "bridge"))
import operators  # noqa: F401  # torchvision's, which MosaicML imports

os.environ["PYTHONPATH"] = os.pathsep.join(  # of Ray's processes
    str(ROOT / part) for part in (".", "adapters", "tests/scale", "tests/bridge")
)

LENGTH, SEED = 24, 2**70 + 42
IMAGES = np.random.Generator(np.random.Philox(7)).integers(0, 256, (LENGTH, 20, 24, 3), np.uint8)
AUGMENT = ss.Compose([ss.RandomCrop(16), ss.HorizontalFlip(), ss.GaussianNoise(std=(0, 12))])


def digest(image: Any) -> str:
    return hashlib.blake2b(np.ascontiguousarray(image).tobytes(), digest_size=8).hexdigest()


def name_of(n: int) -> str:
    return f"sample/{n:04}"


def expected(epoch: int, *, named: bool = True) -> Counter[tuple[int, str]]:
    """Return the multiset of (number, digest) of an epoch, by the definition."""
    index = (lambda n: ss.record_index(name_of(n))) if named else int
    return Counter(
        (n, digest(AUGMENT(IMAGES[n], key=ss.SampleKey(SEED, epoch, index(n))))) for n in range(LENGTH)
    )


@pytest.fixture(autouse=True)
def start_method() -> Any:
    """Set this process's start method again, which litdata's `optimize` changes for good."""
    method = multiprocessing.get_start_method()
    yield
    multiprocessing.set_start_method(method, force=True)


@pytest.fixture(scope="session")
def cluster() -> Any:
    """Return Ray, running on this machine."""
    import ray

    ray.init(num_cpus=4, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()
