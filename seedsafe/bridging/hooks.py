"""Hooks: seed objects that hide their generators."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState

__all__ = ["Hook", "hook_of", "library_of", "register_hook", "registrations", "takes_seed"]

Hook = Callable[[Any, Generator], Any]
"""Called before each sample with the object and a fresh NumPy Generator for that sample."""

_SELF = frozenset({"self"})
_registered: dict[type, Hook] = {}
_registrations = 0


def register_hook(cls: type, hook: Hook) -> None:
    """Let every bridge key the objects of a class with your own function.

    A registered hook takes precedence over the ones that the bridge knows. It also applies to subclasses. Spawned workers
    import your modules again, so register it in a module that they import.

    Args:
        cls: the class.
        hook: called as ``hook(object, rng)`` before each sample. `rng` is a fresh NumPy Generator for that sample; the
            object may keep it.

    Raises:
        TypeError: cls is not a class, or hook is not callable.

    Example:
        >>> import random
        >>> class Scale:
        ...     def __init__(self):
        ...         self.secret = {1: random.SystemRandom()}
        ...
        ...     def reseed(self, seed):
        ...         self.secret = {1: random.Random(seed)}
        >>> register_hook(Scale, lambda scale, rng: scale.reseed(int(rng.integers(2**63))))
    """
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a class, got {cls!r}: pass type(object)")
    if not callable(hook):
        raise TypeError(f"hook must be callable, got {hook!r}: pass a function hook(object, rng)")
    global _registrations
    _registered[cls] = hook
    _registrations += 1


def registrations() -> int:
    """Return how many times a hook was registered."""
    return _registrations


def hook_of(thing: Any) -> Hook | None:
    """Return the hook for an object: a registered one, else the first that fits its methods, else None.

    A class that has such a method but draws from the key itself sets its attribute ``follows_key`` to True.
    """
    for cls in type(thing).__mro__:
        if cls in _registered:
            return _registered[cls]
    if getattr(type(thing), "follows_key", False):
        return None
    for method, hook in _KNOWN.items():
        if callable(getattr(type(thing), method, None)):
            return hook
    return None


def takes_seed(function: Any) -> bool:
    """Return whether a function takes ``invocation_seed=``."""
    try:
        return "invocation_seed" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


@lru_cache(256)
def _parameters_of(function: Any) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def _random_state(thing: Any, rng: Generator) -> Any:
    """Call ``set_random_state`` with the arguments of albumentations or MONAI."""
    method = thing.set_random_state
    names = _parameters_of(getattr(method, "__func__", method))
    if {"random_generator", "py_random"} <= names:
        python = random.Random(_seed(rng, 2))
        thing.set_random_state(random_generator=rng, py_random=python)
        return rng, python
    if "state" in names:
        thing.set_random_state(state=RandomState(rng.bit_generator))
        return (rng,)
    if "seed" in names:
        return _call(thing, "set_random_state", seed=_seed(rng) % 2**32)
    raise TypeError(
        f"{type(thing).__name__}.set_random_state of {library_of(thing)} takes {sorted(names - _SELF)}, but a bridge passes "
        "(seed, state) or (random_generator, py_random): use a version with one of these, or register_hook"
    )


def _set_rng(thing: Any, rng: Generator) -> Any:
    thing.set_rng(rng)
    return (rng,)


_KNOWN: dict[str, Hook] = {
    "set_random_state": _random_state,
    "set_random_seed": lambda thing, rng: _call(thing, "set_random_seed", _seed(rng) % 2**32),
    "seed_": lambda thing, rng: _call(thing, "seed_", _seed(rng) % 2**31),
    "set_rng": _set_rng,
}


def _seed(rng: Generator, words: int = 1) -> int:
    raw: Any = rng.bit_generator
    return int.from_bytes(np.asarray(raw.random_raw(words), "<u8").tobytes(), "little")


def _call(thing: Any, method: str, *arguments: Any, **named: Any) -> None:
    try:
        getattr(thing, method)(*arguments, **named)
    except TypeError as error:
        raise TypeError(
            f"{type(thing).__name__}.{method} of {library_of(thing)} does not take a seed ({error}): use another version, "
            "or register_hook"
        ) from error


def library_of(thing: Any) -> str:
    """Return the top-level module of an object's class, with the version of its distribution if known."""
    from importlib.metadata import PackageNotFoundError, version

    root = (getattr(thing, "__module__", None) or type(thing).__module__).partition(".")[0]
    try:
        return f"{root} {version(root)}"
    except (PackageNotFoundError, ValueError):
        return root
