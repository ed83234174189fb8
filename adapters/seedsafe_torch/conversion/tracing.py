"""What an object's call does with its transforms."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any, Final, NamedTuple

import torch

__all__ = ["Stored", "chains_of"]

_HARMLESS: Final = frozenset({"append", "enumerate", "extend", "len", "list", "map", "range", "tuple", "zip"})
"""The global names that traced code may use: none of them draws, or looks at an image."""

_PLAIN: Final = (bool, int, float, str, type(None))


class Stored(NamedTuple):
    """A transform that an object stores."""

    path: str
    theirs: Any


class _UnknownError(Exception):
    """The code does something else."""


class _Image:
    """Stands for an image that has gone through some transforms. Nothing can be done with it but to pass it on."""

    __slots__ = ("chain",)

    def __init__(self, chain: tuple[Stored, ...] = ()) -> None:
        self.chain = chain


class _Transform:
    """Stands for a transform: it returns an image with one transform more, or several images if the transform does."""

    __slots__ = ("_stored",)

    def __init__(self, stored: Stored) -> None:
        self._stored = stored

    def __call__(self, image: Any) -> Any:
        if type(image) is not _Image:
            raise _UnknownError
        several = chains_of(self._stored.theirs)
        if not isinstance(several, list):
            return _Image((*image.chain, self._stored))
        path = self._stored.path
        return [
            _Image((*image.chain, *(Stored(f"{path}.{one.path}", one.theirs) for one in chain)))
            for chain in several
        ]


class _Self:
    """Stands for the object: it has the object's plain values, transforms and methods, and nothing else."""

    __slots__ = ("_thing",)

    def __init__(self, thing: Any) -> None:
        object.__setattr__(self, "_thing", thing)

    def __getattribute__(self, name: str) -> Any:
        thing = object.__getattribute__(self, "_thing")
        inside = vars(thing) | vars(thing).get("_modules", {})
        if name in inside:
            return _stand_in(name, inside[name])
        of_class = next(
            (vars(kind)[name] for kind in type(thing).__mro__ if name in vars(kind)), _UnknownError
        )
        if isinstance(of_class, FunctionType):
            if not _is_safe(of_class):
                raise _UnknownError
            return MethodType(of_class, self)
        return _stand_in(name, of_class)

    def __setattr__(self, name: str, value: Any) -> None:
        raise _UnknownError


def _stand_in(path: str, value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list | tuple | torch.nn.ModuleList):
        return [_stand_in(f"{path}[{number}]", part) for number, part in enumerate(value)]
    if callable(value) and not isinstance(value, type):
        return _Transform(Stored(path, value))
    raise _UnknownError


def chains_of(thing: Any) -> list[tuple[Stored, ...]] | tuple[Stored, ...] | None:
    """Return the transforms that an object's call passes its image through, or a list of these if it returns several images.

    The call's code is run on objects that stand for the image and the transforms. Return None if it does anything else: if it
    draws, looks at the image, changes the object, or calls a function of its own.

    Args:
        thing: an object of a class with ``__call__``, or with ``forward`` if it is a torch module.

    Example:
        >>> class Twice:
        ...     def __init__(self, transform):
        ...         self.transform = transform
        ...
        ...     def __call__(self, image):
        ...         return [self.transform(image) for _ in range(2)]
        >>> [[stored.path for stored in chain] for chain in chains_of(Twice(abs))]
        [['transform'], ['transform']]
    """
    function = _call_of(thing)
    if function is None or not _is_safe(function):
        return None
    try:
        result = function(_Self(thing), _Image())
    except Exception:  # noqa: BLE001  # the user's code, on objects that it does not know
        return None
    if type(result) is _Image:
        return result.chain or None
    if not isinstance(result, list | tuple) or not result:
        return None
    several = all(type(image) is _Image and image.chain for image in result)
    return [image.chain for image in result] if several else None


def _call_of(thing: Any) -> FunctionType | None:
    """Return the function that an object's call runs, if it takes an image alone."""
    kind = type(thing)
    is_module = isinstance(thing, torch.nn.Module)
    if not hasattr(thing, "__dict__") or (is_module and _has_hooks(thing)):
        return None
    function = getattr(kind, "forward" if is_module else "__call__", None)
    return function if isinstance(function, FunctionType) and _takes_one(function) else None


def _takes_one(function: FunctionType) -> bool:
    """Return whether a method can be called with an image alone."""
    code = function.__code__
    optional = len(function.__defaults__ or ())
    optional_by_name = len(function.__kwdefaults__ or ())
    return code.co_argcount - optional <= 2 <= code.co_argcount and code.co_kwonlyargcount == optional_by_name


def _is_safe(function: FunctionType) -> bool:
    """Return whether code can be run on stand-ins: all that it can reach by itself is harmless."""
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return (
        function.__closure__ is None
        and all(isinstance(value, _PLAIN) for value in defaults)
        and all(map(_is_harmless, _codes(function.__code__)))
    )


def _has_hooks(module: torch.nn.Module) -> bool:
    return bool(module._forward_hooks or module._forward_pre_hooks)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield code and that of its comprehensions and lambdas."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _is_harmless(code: CodeType) -> bool:
    return all(
        instruction.argval in _HARMLESS
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "IMPORT_NAME", "STORE_GLOBAL")
    )
