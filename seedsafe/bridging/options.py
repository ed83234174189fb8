"""Options of a bridge, its error, and hooks."""

from __future__ import annotations

import inspect
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.random import Generator, RandomState

__all__ = [
    "LIBRARIES",
    "Bridge",
    "Hook",
    "NotReproducible",
    "checked_bridge",
    "checked_options",
    "hook_of",
    "library_of",
    "register_hook",
    "registrations",
    "takes_seed",
]


LIBRARIES: Final = {"opencv": "cv2", "tensorflow": "tensorflow", "cuda": "torch"}
"""The modules whose generators are keyed only if an option asks for it."""


class NotReproducible(RuntimeError):  # noqa: N818  # names what the code is, as StopIteration names what happened
    """Code gave two results for one key, or bridged code the same draws for different keys.

    Example:
        >>> import seedsafe as ss
        >>> issubclass(ss.NotReproducible, RuntimeError)
        True
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """Options of a bridge.

    `random`, NumPy's global generator and, if torch is loaded, its CPU generator are always keyed: each gets the whole
    state of its Mersenne Twister, 19,968 bits.

    Args:
        opencv: also key OpenCV's generator, 32 bits wide. OpenCV's state cannot be read, so outside workers the generator
            afterwards continues from a number that was drawn from it before the sample.
        tensorflow: also key TensorFlow's global seed.
        cuda: also key the generators of all CUDA devices.
        verify: check the first 32 calls of a run, and calls 64, 128, 256 and so on. False checks nothing.
        equal: what generators in equal states get, such as two with one seed for an image and its mask. None: one stream
            for two, and of more for those of one role, such as the k-th of two lists, with a warning. "together": one stream for all.
            "apart": a stream each.

    Raises:
        TypeError: opencv, tensorflow, cuda or verify is not a bool.
        ValueError: equal is something else.

    Example:
        >>> Bridge(opencv=True)
        Bridge(opencv=True, tensorflow=False, cuda=False, verify=True, equal=None)
    """

    opencv: bool = False
    tensorflow: bool = False
    cuda: bool = False
    verify: bool = True
    equal: str | None = None

    def __post_init__(self) -> None:
        for name in (*LIBRARIES, "verify"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise TypeError(f"{name} must be True or False, got {value!r}")
        if self.equal not in (None, "together", "apart"):
            raise ValueError(
                f'equal must be "together", "apart" or None, got {self.equal!r}: pass "together" if generators in equal '
                'states are meant to give equal numbers, or "apart" if not'
            )

    def require(self) -> None:
        """Raise a RuntimeError if an option needs a library that has not been imported."""
        for option, module in LIBRARIES.items():
            if getattr(self, option) and module not in sys.modules:
                raise RuntimeError(
                    f"{option}=True keys the generators of {module}, which this process has not imported: "
                    f"import {module} before the first sample, or leave the option out"
                )


def checked_options(options: Any) -> Bridge:
    """Return a value of `options=`."""
    if not isinstance(options, Bridge):
        raise TypeError(f"options must be a Bridge, got {options!r}: pass Bridge(opencv=True), for instance")
    return options


def checked_bridge(bridge: Any) -> Bridge | None:
    """Return the options for a value of `bridge=`: the defaults for True, None for no bridge."""
    if isinstance(bridge, Bridge):
        return bridge
    if bridge is None or bridge is False:
        return None
    if bridge is True:
        return Bridge()
    raise TypeError(
        f"bridge must be True, False or a Bridge, got {bridge!r}: pass Bridge(opencv=True), for instance"
    )


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

    A class that draws from the key itself, although it has such a method, has an attribute ``follows_key``, which is True.
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
