"""What an object's call does with its transforms."""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any, Final

import torch

from seedsafe_torch.conversion.names import PLAIN, Image, Opaque, UnknownError, stand_ins
from seedsafe_torch.conversion.traced import Chance, OfPictures, Several, Stored, filled, same

__all__ = ["chains_of"]

_MOST: Final = 4
"""The most decisions that one run may take."""


class _Run:
    """One run of code on stand-ins, which takes its decisions from a list, and true beyond its end."""

    def __init__(self, decisions: Sequence[bool]) -> None:
        self._decisions = decisions
        self.odds: list[float] = []
        self.of_pictures = False

    def decide(self, p: float) -> bool:
        """Return the next decision about something that has a probability."""
        number = len(self.odds)
        if number == _MOST:
            raise UnknownError
        self.odds.append(p)
        return self._decisions[number] if number < len(self._decisions) else True

    def assume(self) -> None:
        """Note that the code asks for the kind of its image."""
        self.of_pictures = True

    def standing(self, function: FunctionType) -> FunctionType:
        """Return a function with stand-ins for all that it can reach by itself.

        Raises:
            UnknownError: it can reach something else.
        """
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        if not all(isinstance(value, PLAIN) for value in defaults):
            raise UnknownError
        code = function.__code__
        if any(_sets(one, code.co_freevars) for one in _codes(code)):
            raise UnknownError
        names = {name for one in _codes(code) for name in _globals_of(one)}
        found = self._stand_ins(names, function.__globals__) | {"__builtins__": {}}
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        around = self._stand_ins(code.co_freevars, dict(zip(code.co_freevars, cells, strict=True)))
        closure = tuple(CellType(around[name]) for name in code.co_freevars)
        result = FunctionType(code, found, function.__name__, function.__defaults__, closure)
        result.__kwdefaults__ = function.__kwdefaults__
        return result

    def _stand_ins(self, names: Iterable[str], meanings: Mapping[str, Any]) -> dict[str, Any]:
        return stand_ins(names, meanings, self.decide, self.assume, _of_object)

    def called(self, thing: Any, function: FunctionType) -> Any:
        """Return the result of the function that an object's call runs."""
        standing = self.standing(function)
        if isinstance(thing, partial):
            given = [_stand_in(f"args[{number}]", value) for number, value in enumerate(thing.args)]
            named = {name: _stand_in(name, value) for name, value in thing.keywords.items()}
            return standing(*given, self._image(), **named)
        return standing(*([] if thing is function else [_Self(thing, self)]), self._image())

    def _image(self) -> Image:
        """Return what stands for the image."""
        return Image(lambda image, known: Image(image._through, (*image.chain, Stored("", known))))


class _Transform(Opaque):
    """Stands for a transform: it returns an image with one transform more, or several images if the transform does."""

    __slots__ = ("_stored",)

    def __init__(self, stored: Stored) -> None:
        self._stored = stored

    def __call__(self, image: Any) -> Any:
        if type(image) is not Image:
            raise UnknownError
        path, theirs = self._stored
        several = chains_of(theirs)
        if not isinstance(several, Several):
            return Image(image._through, (*image.chain, Stored(path, theirs)))
        below = {id(one): Stored(f"{path}.{one.path}", one.theirs) for chain in several for one in chain}
        images = [
            Image(image._through, (*image.chain, *(below[id(one)] for one in chain))) for chain in several
        ]
        return images if several.form is None else filled(several.form, images)


class _Self(Opaque):
    """Stands for the object: it has the object's plain values, transforms and methods, and nothing else."""

    __slots__ = ("_run", "_thing")

    def __init__(self, thing: Any, run: _Run) -> None:
        object.__setattr__(self, "_thing", thing)
        object.__setattr__(self, "_run", run)

    def __getattribute__(self, name: str) -> Any:
        thing = object.__getattribute__(self, "_thing")
        inside = vars(thing) | vars(thing).get("_modules", {})
        if name in inside:
            return _stand_in(name, inside[name])
        of_class = next(
            (vars(kind)[name] for kind in type(thing).__mro__ if name in vars(kind)), UnknownError
        )
        if isinstance(of_class, FunctionType):
            return MethodType(object.__getattribute__(self, "_run").standing(of_class), self)
        if isinstance(of_class, staticmethod):
            return object.__getattribute__(self, "_run").standing(of_class.__func__)
        return _stand_in(name, of_class)

    def __setattr__(self, name: str, value: Any) -> None:
        raise UnknownError


def _stand_in(path: str, value: Any) -> Any:
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, list | tuple | torch.nn.ModuleList):
        return tuple(_stand_in(f"{path}[{number}]", part) for number, part in enumerate(value))
    if isinstance(value, dict | torch.nn.ModuleDict):
        return MappingProxyType({name: _stand_in(f"{path}[{name!r}]", part) for name, part in value.items()})
    if callable(value) and not isinstance(value, type):
        return _Transform(Stored(path, value))
    raise UnknownError


def _of_object(name: str, value: Any) -> Any:
    """Return what stands for a variable outside of the code: an object or a list of them, but no function."""
    values = value if isinstance(value, list | tuple) else [value]
    if any(isinstance(one, _FUNCTIONS) for one in values):
        raise UnknownError
    return _stand_in(name, value)


_FUNCTIONS: Final = (FunctionType, MethodType, BuiltinFunctionType, partial)


def chains_of(thing: Any) -> Several | tuple[Stored, ...] | None:
    """Return the transforms that an object's call passes its image through, or those of each image if it returns several.

    The call's code is run on objects that stand for the image, the transforms, and what it draws: once for each outcome of
    the comparisons of drawn numbers. Return None if it does anything else: if it draws otherwise, looks at the image, changes
    the object, or calls a function that is not known.

    Args:
        thing: an object of a class with ``__call__``, or with ``forward`` if it is a torch module; or a function or a partial
            one, of which only several images count.

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
    if function is None:
        return None
    of_pictures = False

    def outcome(decisions: tuple[bool, ...]) -> Any:
        """Return the transforms after some decisions, with the further ones as chances."""
        nonlocal of_pictures
        run = _Run(decisions)
        result = run.called(thing, function)
        of_pictures = of_pictures or run.of_pictures
        if len(run.odds) == len(decisions):
            return _images(result)
        then, otherwise = (outcome((*decisions, choice)) for choice in (True, False))
        return _merged(run.odds[len(decisions)], then, otherwise, thing)

    try:
        found = outcome(())
    except Exception:  # noqa: BLE001  # the user's code, on objects that it does not know
        return None
    if isinstance(thing, _FUNCTIONS) and not isinstance(found, Several):
        return None
    if not found or not of_pictures:
        return found or None
    return None if isinstance(found, Several) else (Stored("", OfPictures(found, thing)),)


def _images(result: Any) -> Several | tuple[Stored, ...] | None:
    """Return the transforms of an image that code returned, or of several."""
    if type(result) is Image:
        return result.chain
    images: list[Image] = []
    form = _form(result, images)
    if not images or not all(image.chain for image in images):
        return None
    is_plain = isinstance(result, list | tuple) and list(form) == list(range(len(result)))
    return Several([image.chain for image in images], None if is_plain else form)


def _form(result: Any, images: list[Image]) -> Any:
    """Return a result with numbers instead of images, and append the images to a list."""
    if type(result) is Image:
        if not any(result is image for image in images):
            images.append(result)
        return next(number for number, image in enumerate(images) if image is result)
    if isinstance(result, dict):
        return {name: _form(part, images) for name, part in result.items()}
    if type(result) in (list, tuple):
        return type(result)(_form(part, images) for part in result)
    raise UnknownError


def _merged(p: float, then: Any, otherwise: Any, whole: Any) -> tuple[Stored, ...]:
    """Return the transforms of an image from those of both outcomes; equal ones at both ends happen anyway."""
    if not isinstance(then, tuple) or not isinstance(otherwise, tuple):
        raise UnknownError
    most = min(len(then), len(otherwise))
    before = next((n for n in range(most) if same(then[n].theirs) != same(otherwise[n].theirs)), most)
    after = next(
        (n for n in range(most - before) if same(then[-1 - n].theirs) != same(otherwise[-1 - n].theirs)),
        most - before,
    )
    first, other = (chain[before : len(chain) - after] for chain in (then, otherwise))
    if not first and not other:
        return then
    return (*then[:before], Stored("", Chance(p, first, other, whole)), *then[len(then) - after :])


def _call_of(thing: Any) -> FunctionType | None:
    """Return the function that an object's call runs, if it takes an image alone."""
    if isinstance(thing, partial):
        return thing.func if isinstance(thing.func, FunctionType) else None
    if isinstance(thing, FunctionType):
        return thing if _takes_one(thing, 1) else None
    kind = type(thing)
    is_module = isinstance(thing, torch.nn.Module)
    if (
        not hasattr(thing, "__dict__")
        or any("__getattribute__" in vars(cls) for cls in kind.__mro__[:-1])
        or (is_module and _is_called_otherwise(thing))
        or _may_be_set(kind)
    ):
        return None
    function = getattr(kind, "forward" if is_module else "__call__", None)
    return function if isinstance(function, FunctionType) and _takes_one(function) else None


_VARARGS: Final = 4
"""The flag of code with ``*args``."""


def _takes_one(function: FunctionType, count: int = 2) -> bool:
    """Return whether a method can be called with an image alone, or a function if the count of what it takes then is 1."""
    code = function.__code__
    optional = len(function.__defaults__ or ())
    optional_by_name = len(function.__kwdefaults__ or ())
    takes = code.co_argcount >= count or bool(code.co_flags & _VARARGS)
    return takes and code.co_argcount - optional <= count and code.co_kwonlyargcount == optional_by_name


def _is_called_otherwise(module: torch.nn.Module) -> bool:
    """Return whether a module's call does more than its class's forward."""
    return bool(
        module._forward_hooks
        or module._forward_pre_hooks
        or "forward" in vars(module)
        or type(module).__call__ is not torch.nn.Module.__call__
    )


_MAKING: Final = ("__init__", "__post_init__", "__setstate__", "__setattr__")


def _may_be_set(kind: type) -> bool:
    """Return whether a class has methods that set attributes later, as a set_epoch does, which the code's call may follow.

    Those that only `__init__` seems to use do not count: they are private or take no argument.
    """
    methods = {
        name: function
        for cls in reversed(kind.__mro__)
        if cls.__module__.partition(".")[0] not in ("torch", "torchvision", "builtins")
        for name, value in vars(cls).items()
        for function in _functions_of(value)
    }
    used = methods["__init__"].__code__.co_names if "__init__" in methods else ()
    return any(
        name not in _MAKING
        and not (name in used and (name.startswith("_") or function.__code__.co_argcount == 1))
        and any(
            instruction.opname == "STORE_ATTR"
            for code in _codes(function.__code__)
            for instruction in dis.get_instructions(code)
        )
        for name, function in methods.items()
    )


def _functions_of(value: Any) -> list[FunctionType]:
    """Return the function of a method, or that which sets a property."""
    function = value.fset if isinstance(value, property) else value
    return [function] if isinstance(function, FunctionType) else []


def _sets(code: CodeType, names: Sequence[str]) -> bool:
    """Return whether code sets one of the variables around a function."""
    return any(
        instruction.opname in ("STORE_DEREF", "DELETE_DEREF") and instruction.argval in names
        for instruction in dis.get_instructions(code)
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield code and that of its comprehensions and lambdas."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


_REFUSED: Final = frozenset(
    {
        *("IMPORT_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"),
        *(
            "PUSH_EXC_INFO",
            "IS_OP",
        ),  # stand-ins raise errors for reasons of their own, and are no object twice
    }
)


def _globals_of(code: CodeType) -> set[str]:
    """Return the global names that code uses.

    Raises:
        UnknownError: it imports a module, sets a global name, handles errors, or asks whether two things are one.
    """
    found = set()
    for instruction in dis.get_instructions(code):
        if instruction.opname in _REFUSED:
            raise UnknownError
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found.add(instruction.argval)
    return found
