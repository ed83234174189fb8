"""Reading somebody's dataset with every generator keyed, and what it was read with."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any

import numpy as np

from seedsafe.bridging.options import Bridge, checked_bridge
from seedsafe.bridging.runner import Runner
from seedsafe.bridging.stored import find
from seedsafe.bridging.words import place_of
from seedsafe.key import CONTRACT_VERSION, SampleKey

__all__ = ["Reader", "manifest", "reader_of"]


class Reader:
    """Reads items of a dataset, each with all generators set from its key.

    Args:
        base: the dataset.
        options: see Bridge.

    Example:
        >>> import random
        >>> class Coins:
        ...     def __getitem__(self, index):
        ...         return random.random()
        >>> reader = Reader(Coins(), Bridge())
        >>> reader.read(5, SampleKey(42, 0, 5)) == reader.read(5, SampleKey(42, 0, 5))
        True
    """

    def __init__(self, base: Any, options: Bridge) -> None:
        self._base = base
        self._runner = Runner(base, options, f"the dataset {type(base).__qualname__}")

    @property
    def options(self) -> Bridge:
        """What is keyed."""
        return self._runner.options

    @property
    def verdict(self) -> str:
        """Return "verified" if this process has seen it draw from keyed generators only, else "unverified"."""
        return self._runner.verdict

    def read(self, index: int, key: SampleKey) -> Any:
        """Return ``base[index]`` as it is for a key."""
        return self._runner.run(place_of(key), lambda place: self._base[index])


def reader_of(base: Any, bridge: Any) -> Reader | None:
    """Return the reader that `bridge=` asks for: True, a Bridge, or False for none.

    Raises:
        TypeError: bridge is something else.
    """
    options = checked_bridge(bridge)
    return None if options is None else Reader(base, options)


def manifest(*, seed: int, base: Any, augment: Any, reader: Reader | None) -> dict[str, Any]:
    """Return what a run's samples depend on besides the data, as plain data for a log.

    The samples of a bridge are the same for other workers, orders, ranks and resumes, and not for other versions of the
    libraries that draw them: these are listed.

    Returns:
        A dict with ``contract``, ``seedsafe``, ``python``, ``numpy``, ``seed``, ``augment`` (as `to_dict` gives it, or the
        pipeline's repr where it holds code), ``bridge`` (the options' repr, or None), ``verdict`` and ``libraries``.

    Example:
        >>> found = manifest(seed=42, base=[1, 2], augment=None, reader=None)
        >>> found["contract"], found["seed"], found["augment"], found["libraries"]
        (1, 42, None, {})
    """
    roots = set()
    for root in (augment, base if reader is not None else None):
        roots |= find(root).libraries
    owners = packages_distributions()
    libraries = {}
    for root in sorted(
        roots - {"seedsafe", "seedsafe_torch", "seedsafe_keras", "numpy", "builtins", "__main__"}
    ):
        for distribution in sorted(set(owners.get(root, ()))):
            libraries[distribution] = version(distribution)
    return {
        "contract": CONTRACT_VERSION,
        "seedsafe": _own_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "seed": seed,
        "augment": _plain(augment),
        "bridge": None if reader is None else repr(reader.options),
        "verdict": None if reader is None else reader.verdict,
        "libraries": libraries,
    }


def _plain(augment: Any) -> Any:
    if augment is None:
        return None
    try:
        return augment.to_dict()
    except (AttributeError, TypeError):  # one transform, or one that holds code
        return repr(augment)


def _own_version() -> str | None:
    try:
        return version("seedsafe")
    except PackageNotFoundError:
        return None
