"""What the samples of a run depend on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any

import numpy as np

from seedsafe.bridging.runner import Runner
from seedsafe.bridging.search import find
from seedsafe.keys.key import CONTRACT_VERSION

__all__ = ["manifest"]


def manifest(*, seed: int, base: Any, augment: Any, runner: Runner | None) -> dict[str, Any]:
    """Return everything but the data that the samples of a run depend on, as plain data for a log.

    Under a bridge, the samples stay the same for other workers, orders, ranks and resumes, but not for other versions of
    the libraries that draw them. So the dict lists these libraries.

    Returns:
        A dict with ``contract``, ``seedsafe``, ``python``, ``numpy``, ``seed``, ``augment`` (the result of `to_dict`, or the
        pipeline's repr if it holds code), ``bridge`` (the options' repr, or None), ``verdict``, ``equal_generators`` (those
        of the bridge that share a stream, a list for each stream) and ``libraries``.

    Example:
        >>> result = manifest(seed=42, base=[1, 2], augment=None, runner=None)
        >>> result["contract"], result["seed"], result["augment"], result["libraries"]
        (1, 42, None, {})
    """
    roots = set()
    for root in (augment, base if runner is not None else None):
        roots |= find(root).libraries
    owners = packages_distributions()
    libraries = {}
    for distribution in sorted({owner for root in roots for owner in owners.get(root, ())}):
        if distribution not in ("seedsafe", "numpy"):  # these two have entries of their own
            libraries[distribution] = version(distribution)
    return {
        "contract": CONTRACT_VERSION,
        "seedsafe": _own_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "seed": seed,
        "augment": _plain(augment),
        "bridge": None if runner is None else repr(runner.options),
        "verdict": None if runner is None else runner.verdict,
        "equal_generators": [] if runner is None else runner.joined(),
        "libraries": libraries,
    }


def _plain(augment: Any) -> Any:
    if augment is None:
        return None
    try:
        return augment.to_dict()
    except (AttributeError, TypeError):  # a single transform has no to_dict, and code no plain data
        return repr(augment)


def _own_version() -> str | None:
    try:
        return version("seedsafe")
    except PackageNotFoundError:
        return None
