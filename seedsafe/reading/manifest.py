"""What a run's samples depend on besides the data."""

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
    """Return what a run's samples depend on besides the data, as plain data for a log.

    The samples of a bridge stay the same for other workers, orders, ranks and resumes, but not for other versions of
    the libraries that draw them: these are listed.

    Returns:
        A dict with ``contract``, ``seedsafe``, ``python``, ``numpy``, ``seed``, ``augment`` (as `to_dict` gives it, or the
        pipeline's repr where it holds code), ``bridge`` (the options' repr, or None), ``verdict`` and ``libraries``.

    Example:
        >>> found = manifest(seed=42, base=[1, 2], augment=None, runner=None)
        >>> found["contract"], found["seed"], found["augment"], found["libraries"]
        (1, 42, None, {})
    """
    roots = set()
    for root in (augment, base if runner is not None else None):
        roots |= find(root).libraries
    owners = packages_distributions()
    libraries = {}
    for distribution in sorted({owner for root in roots for owner in owners.get(root, ())}):
        if distribution not in ("seedsafe", "numpy"):  # they have entries of their own
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
