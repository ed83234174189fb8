"""Seeds that code sets during a read."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable
from typing import Any, Final

__all__ = ["followers", "listen", "seed_of"]

_PLACES: Final = (
    ("random", "random", "seed"),
    ("numpy.random", "numpy.random", "seed"),
    ("torch", "torch", "manual_seed"),
    ("torch", "torch.random", "manual_seed"),
)
"""Each global generator, and where the function that seeds it is: a module and a name."""

followers: Final[list[Callable[[str, Any], None]]] = []
"""Called with the name of a global generator and the seed that it has just been given, in the thread that has set it."""

_replaced: Final[dict[tuple[str, str], Any]] = {}


def seed_of(seed: int, seed_set: Any) -> int:
    """Return the seed, 128 bits, of the streams that begin when code in a read sets a seed; `seed` is the seed of the run.

    It is the BLAKE2b digest of ``seedsafe/seeded/{seed}/{seed_set}``, little-endian.

    Example:
        >>> import numpy as np
        >>> seed_of(42, 7) == seed_of(42, np.int64(7)) != seed_of(42, 8)
        True
    """
    plain = seed_set.tolist() if hasattr(seed_set, "tolist") else seed_set
    text = f"seedsafe/seeded/{seed}/{plain!r}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "little")


def listen() -> None:
    """Let ``random.seed``, ``numpy.random.seed`` and ``torch.manual_seed`` report every seed to the followers.

    It is called when a dataset, a keyed function or a bridge is made, or reaches a worker: an import alone changes nothing.
    """
    modules = sys.modules
    for generator, module, name in _PLACES:
        holder = modules.get(module)
        if holder is None:
            continue
        function = getattr(holder, name, None)
        if function is not None and _replaced.get((module, name)) is not function:
            reporting = _replaced[module, name] = _reporting(function, generator)
            reporting.__module__, reporting.__qualname__ = module, name  # for pickle
            setattr(holder, name, reporting)


def _reporting(function: Callable[..., Any], generator: str) -> Any:
    """Return a function that calls `function`, and then reports the seed it was called with, if any, to the followers."""

    @functools.wraps(function)
    def seed(*arguments: Any, **named: Any) -> Any:
        result = function(*arguments, **named)
        for value in (*arguments[:1], *named.values()):
            if value is not None:
                for follow in tuple(followers):
                    follow(generator, value)
            break
        return result

    return seed
