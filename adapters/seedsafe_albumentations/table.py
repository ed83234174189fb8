"""The table's machinery: rows say what albumentations' transforms are here, and names are classes made of rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import seedsafe as ss
from seedsafe_albumentations.arguments import (
    Converter,
    flag_of,
    interpolation_of,
    known,
    mask_fill_of,
    method_of,
    mode_of,
    nearest,
    number_of,
    only,
)
from seedsafe_albumentations.nan import FILL, Filled, is_nan

__all__ = ["Name", "Old", "Row", "fires", "named", "names_of"]


@dataclass(frozen=True)
class Old:
    """The rule of an argument that is now called otherwise: unless it is None it counts instead of that."""

    now: str


Rule = str | Converter | tuple[str, Converter] | Old
"""What becomes of an argument: our name for it, a converter, or both; without a name it is only checked."""

_SHARED: Final[Mapping[str, Rule]] = {
    "interpolation": interpolation_of,
    "mask_interpolation": ("", nearest),
    "area_for_downscale": only(None, "put a Resize with interpolation=cv2.INTER_AREA before it"),
    "rotate_method": method_of,
    "keypoint_remapping_method": known("mask", "direct"),
    "border_mode": ("mode", mode_of),
    "fill_mask": ("mask_fill", mask_fill_of),
    "pad_mode": Old("border_mode"),
    **dict.fromkeys(("value", "fill_value", "cval", "pad_cval", "pad_val"), Old("fill")),
    **dict.fromkeys(
        ("mask_value", "mask_fill_value", "cval_mask", "pad_cval_mask", "mask_pad_val"), Old("fill_mask")
    ),
}


@dataclass(frozen=True)
class Row:
    """One of albumentations' transforms.

    Args:
        ours: the class that it is here.
        signature: its parameters, as they stand in brackets; ``always_apply``, of 1.x, is added.
        rules: what becomes of its arguments; those of all rows are shared, and others are passed on as they are.
        note: what its documentation says more.
        build: called instead of the class, with the converted arguments.
    """

    ours: Any
    signature: str
    rules: Mapping[str, Rule] = field(default_factory=dict)
    note: str = ""
    build: Callable[..., Any] | None = None

    def parameters(self) -> inspect.Signature:
        """Return the parameters as a signature."""
        text = self.signature
        if "always_apply" not in text:
            text += ", always_apply=None" if "*" in text else ", *, always_apply=None"
        return inspect.signature(eval(f"lambda {text}: None"))  # the table's own text

    def made(self, **given: Any) -> Any:
        """Return seedsafe's transform for albumentations' arguments."""
        p, always_apply = given.pop("p"), given.pop("always_apply")
        rules: dict[str, Any] = {**_SHARED, **self.rules}
        for name in [name for name in given if isinstance(rules.get(name), Old)]:
            value = given.pop(name)
            given |= {} if value is None else {rules[name].now: value}
        holes = is_nan(given.get("fill"))
        given |= {"fill": FILL} if holes else {}
        options: dict[str, Any] = {}
        for name, value in given.items():
            ours, convert = _split(name, rules.get(name, name))
            converted = convert(value, name) if convert else value
            options |= {ours: converted} if ours else {}
        result = (self.build or self.ours)(**options)
        return fires(
            ss.Compose([Filled(), fires(result, 1.0), Filled()]) if holes else result, p, always_apply
        )


def _split(name: str, rule: Any) -> tuple[str, Converter | None]:
    """Return our name for an argument, and its converter."""
    if isinstance(rule, tuple):
        return rule
    return (rule, None) if isinstance(rule, str) else (name, rule)


def fires(transform: Any, p: Any, always_apply: Any = None) -> Any:
    """Return a transform that fires with a probability; always_apply, of albumentations 1.x, goes before it."""
    p = 1.0 if always_apply is not None and flag_of(always_apply, "always_apply") else number_of(p, "p")
    if hasattr(transform, "p"):
        return replace(transform, p=p)
    return transform if p == 1 else ss.RandomApply([transform], p=p)


class Name(type):
    """What albumentations' names are: classes whose call returns a transform of seedsafe, which isinstance knows as theirs."""

    _build: Callable[..., Any]
    _ours: Any

    def __new__(cls, name: str, bases: tuple[Any, ...], body: dict[str, Any]) -> Any:
        """Return a class, unless it derives from one of these."""
        if bases:
            raise TypeError(
                f"a class cannot derive from {', '.join(one.__name__ for one in bases)} of seedsafe_albumentations, which "
                "makes a transform of seedsafe: derive it from ImageOnlyTransform or DualTransform, or put seedsafe.bridge "
                "around a class that derives from the original"
            )
        return super().__new__(cls, name, bases, body)

    def __call__(cls, *arguments: Any, **given: Any) -> Any:
        """Return the transform for albumentations' arguments."""
        signature = inspect.signature(cls)
        try:
            bound = signature.bind(*arguments, **given)
        except TypeError as error:
            raise TypeError(
                f"{cls.__name__}() {error}: it takes {', '.join(signature.parameters) or 'no arguments'}"
            ) from None
        bound.apply_defaults()
        return cls._build(**bound.arguments)

    def __instancecheck__(cls, thing: Any) -> bool:
        """Return whether a transform is what a call returns, perhaps with a probability around it."""
        inside = thing.transforms if isinstance(thing, ss.RandomApply) else ()
        return isinstance(thing, cls._ours) or (len(inside) == 1 and isinstance(inside[0], cls._ours))


def named(ours: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that makes a class of albumentations' name out of a function that returns one of our transforms."""

    def name_of(function: Callable[..., Any]) -> Any:
        return _name(function.__name__, function, ours, inspect.signature(function), function.__doc__)

    return name_of


def names_of(rows: Mapping[str, Row]) -> dict[str, Any]:
    """Return the classes of a table."""
    return {
        name: _name(name, row.made, row.ours, row.parameters(), f"Return ``{_path(row.ours)}``{row.note}.")
        for name, row in rows.items()
    }


def _path(kind: type) -> str:
    package = kind.__module__.partition(".")[0]
    return f"{package if package == 'seedsafe' else kind.__module__}.{kind.__name__}"


def _name(name: str, build: Any, ours: Any, signature: inspect.Signature, doc: str | None) -> Any:
    body = {"_build": staticmethod(build), "_ours": ours, "__signature__": signature, "__doc__": doc}
    return Name(name, (), body | {"__module__": "seedsafe_albumentations"})
