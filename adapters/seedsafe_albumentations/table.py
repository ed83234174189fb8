"""Classes with albumentations' names, from a table.

A row says which transform of seedsafe stands for one of albumentations, and how its arguments are converted.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, Final

import seedsafe as ss
from seedsafe_albumentations.arguments import (
    Converter,
    RefusedError,
    any_of,
    check_only,
    interpolation_of,
    mask_fill_of,
    method_of,
    mode_of,
    nearest,
    number_of,
)
from seedsafe_albumentations.caller import is_original
from seedsafe_albumentations.originals import Original, bound, lack, original, theirs

__all__ = [
    "Name",
    "Row",
    "Rule",
    "name_for",
    "name_of",
    "name_with",
    "names_of",
    "with_masks",
    "with_p",
]


Rule = str | Converter | tuple[str, Converter] | None
"""The rule of an argument: our name for it, a converter, or both. An empty name means that it is only checked, and None that
it has its default alone."""

_ORIGINAL: Final = "pass that, or install albumentations 2.0.8, whose own transform is then used"
_SHARED: Final[Mapping[str, Rule]] = {
    "interpolation": interpolation_of,
    "mask_interpolation": ("", nearest),
    "area_for_downscale": None,
    "rotate_method": method_of,
    "keypoint_remapping_method": any_of("mask", "direct"),
    "border_mode": ("mode", mode_of),
    "fill_mask": ("mask_fill", mask_fill_of),
}


@dataclass(frozen=True)
class Row:
    """A transform of albumentations.

    Args:
        ours: the class of seedsafe that stands for it.
        signature: its parameters, as in a def, in the order of 2.0.8.
        rules: the rules of its arguments, in addition to those that all rows share. Arguments without a rule are passed on
            unchanged.
        note: the end of its docstring.
        build: called instead of the class, with the converted arguments.
        older: the row of the arguments of 1.x, for calls that this one does not take.
        then: the names of the arguments that 1.x takes by position, where their order was another.
    """

    ours: Any
    signature: str
    rules: Mapping[str, Rule] = field(default_factory=dict)
    note: str = ""
    build: Callable[..., Any] | None = None
    older: Row | None = None
    then: str = ""

    @cached_property
    def parameters(self) -> inspect.Signature:
        """Return the parameters as a signature."""
        return inspect.signature(eval(f"lambda {self.signature}: None"))  # the table's own text

    def transform(self, **arguments: Any) -> Any:
        """Return seedsafe's transform for albumentations' arguments."""
        p = arguments.pop("p")
        if {"height", "width"} <= arguments.keys():
            arguments["size"] = arguments.pop("height"), arguments.pop("width")
        rules: dict[str, Any] = {**_SHARED, **self.rules}
        options: dict[str, Any] = {}
        for name, value in arguments.items():
            rule = rules.get(name, name)
            if rule is None:
                check_only(value, name, self.parameters.parameters[name].default, _ORIGINAL)
                continue
            ours, convert = rule if isinstance(rule, tuple) else (rule, None)
            if callable(ours):
                ours, convert = name, ours
            new = convert(value, name) if convert else value
            options |= {ours: new} if ours else {}
        return with_p((self.build or self.ours)(**options), p)


def with_p(transform: Any, p: Any) -> Any:
    """Return the transform with the probability p."""
    p = number_of(p, "p")
    if hasattr(transform, "p"):
        return replace(transform, p=p)
    return transform if p == 1 else ss.RandomApply([transform], p=p)


_made: Final[dict[str, tuple[Any, Any, Any]]] = {}
"""The class and the arguments with which a transform was made, by its repr."""


def _noted(result: Any, *call: Any) -> Any:
    if len(_made) > 4096:
        _made.clear()
    _made[repr(result)] = call
    return result


def name_of(transform: Any) -> str:
    """Return albumentations' name of a transform: that by which it was made, else its class's name."""
    if isinstance(transform, Original):
        return transform.kind
    call = _made.get(repr(transform))
    return str((type(transform) if call is None else call[0]).__name__)


def with_masks(transform: Any, interpolation: Any) -> Any:
    """Return a transform with another interpolation of its masks, as albumentations' own unless it is the nearest pixel."""
    change = {"mask_interpolation": interpolation}
    if isinstance(transform, Original):
        takes = hasattr(transform.function.transform, "mask_interpolation")
        arguments = dict(transform.arguments) | (change if takes else {})
        return replace(transform, arguments=tuple(arguments.items()))
    kind, arguments, options = _made.get(repr(transform), (None, (), {}))
    if kind is not None and "mask_interpolation" in inspect.signature(kind).parameters:
        return kind(*arguments, **options | change)
    if hasattr(transform, "transforms"):
        inner = [with_masks(one, interpolation) for one in transform.transforms]
        return (
            ss.Compose(inner) if isinstance(transform, ss.Compose) else replace(transform, transforms=inner)
        )
    if kind is None and isinstance(transform, ss.SpatialTransform):
        nearest(interpolation, "mask_interpolation")
    return transform


def _readings(arguments: Any, options: dict[str, Any], then: str) -> list[tuple[Any, dict[str, Any]]]:
    """Return the ways to read a call: as in 2.0.8, by the names that 1.x has by position, and with its always_apply last or before p."""
    result = [(arguments, options)]
    for end in range(len(arguments), max(len(arguments) - 2, 0), -1):
        if isinstance(arguments[end - 1], bool):
            p = dict(zip(("p",), arguments[end:], strict=False))
            result.append((arguments[: end - 1], {"always_apply": arguments[end - 1]} | p | options))
    names = then.split()
    fitting = [one for one in result if 0 < len(one[0]) <= len(names)]
    older = [((), dict(zip(names, first, strict=False)) | more) for first, more in fitting]
    return result[:1] + older + result[1:]


class Name(type):
    """Metaclass of the classes with albumentations' names. A call returns a transform of seedsafe, which counts as an instance."""

    _ways: list[tuple[inspect.Signature, Callable[..., Any]]]
    _ours: Any
    _then: str

    def __new__(cls, name: str, bases: tuple[Any, ...], body: dict[str, Any]) -> Any:
        """Return a class. One that derives from these derives from albumentations' own instead."""
        if bases and (why := lack()):
            raise TypeError(
                f"a class cannot derive from {', '.join(one.__name__ for one in bases)} of seedsafe_albumentations: derive it "
                f"from ImageOnlyTransform or DualTransform; or {why}, from whose transform it then derives"
            )
        if bases:
            kinds = tuple(theirs(one.__name__) if isinstance(one, Name) else one for one in bases)
            return type(kinds[0])(name, kinds, body)
        return super().__new__(cls, name, bases, body)

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        """Return the transform for albumentations' arguments."""
        options.pop("strict", None)  # unknown arguments are always errors
        wrong: list[Exception] = []
        unknown: list[Exception] = []
        read = _readings(arguments, options, cls._then)
        for (given, named), (signature, build) in product(read, cls._ways):
            try:
                values = bound(cls.__name__, signature, given, named)
            except TypeError as error:
                unknown.append(error)
                continue
            values.apply_defaults()
            try:
                return _noted(build(**values.arguments), cls, given, named)
            except RefusedError:
                raise
            except (TypeError, ValueError) as error:
                wrong.append(error)
        first = (wrong + unknown)[0]
        for given, named in read:
            try:
                return original(cls.__name__, given, named, str(first))
            except (AttributeError, ImportError, TypeError, ValueError) as error:
                first.add_note(str(error))
        raise first

    def __instancecheck__(cls, thing: Any) -> bool:
        """Return whether a transform is of the kind that a call returns, perhaps inside a RandomApply."""
        if isinstance(thing, Original):
            return bool(thing.kind == cls.__name__)
        if is_original(thing):
            return any(one.__name__ == cls.__name__ for one in type(thing).__mro__)
        inside = thing.transforms if isinstance(thing, ss.RandomApply) else ()
        return isinstance(thing, cls._ours) or (len(inside) == 1 and isinstance(inside[0], cls._ours))


def name_for(ours: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a function that returns a transform of `ours`: it becomes a class with albumentations' name."""
    return lambda function: name_with(
        function.__name__, [(inspect.signature(function), function)], ours, function.__doc__
    )


def names_of(rows: Mapping[str, Row]) -> dict[str, Any]:
    """Return the classes of a table, by name."""
    return {
        name: name_with(
            name,
            [(one.parameters, one.transform) for one in (row, row.older) if one is not None],
            row.ours,
            f"Return ``seedsafe.{row.ours.__name__}``{row.note}.",
            row.then,
        )
        for name, row in rows.items()
    }


def name_with(name: str, ways: Any, ours: Any, doc: str | None, then: str = "") -> Any:
    """Return a class whose call binds the arguments to the first signature that takes them, and passes them on by name.

    Args:
        name: its name.
        ways: pairs of a signature and of what is called with the bound arguments.
        ours: the class of what it returns.
        doc: its docstring.
        then: the names of the arguments that 1.x takes by position, where their order was another.
    """
    body = {"_ways": ways, "_ours": ours, "_then": then, "__signature__": ways[0][0], "__doc__": doc}
    return Name(name, (), body | {"__module__": "seedsafe_albumentations"})
