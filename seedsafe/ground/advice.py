"""Advice on the names of other libraries."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

__all__ = ["Meant", "advice", "arguments", "arguments_everywhere", "equivalent", "explanation", "names"]


class Meant(NamedTuple):
    """The equivalent of a name or an argument of another library.

    Example:
        >>> names()["torchvision"]["RandomGrayscale"].call
        'ss.ToGray(p=0.1)'
    """

    call: str = ""
    """The call with the other library's defaults, or what to pass; "" if there is none."""

    note: str = ""
    """The difference, or the advice if there is no call."""


# An error needs the tables and nothing else does, so they are read when the first one is raised, not when this is imported.
@cache
def _table(file: str) -> dict[str, Any]:
    """Return a file beside this module; its head says how it is written."""
    return tomllib.loads(files("seedsafe.ground").joinpath(file).read_text(encoding="utf-8"))


def _entries(own: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a table by each of the names that its keys hold."""

    def meant(value: Any) -> Any:
        if isinstance(value, list):
            return [meant(one) for one in value]
        if isinstance(value, dict):
            return Meant(**value)
        return meant(shared[value[1:]]) if value.startswith("$") else Meant(value)

    return {name: meant(value) for key, value in own.items() for name in key.split()}


@cache
def names() -> dict[str, dict[str, Meant]]:
    """Return the equivalents of names, by library. A name that means the same here has none."""
    table = _table("names.toml")
    return {library: _entries(own, table["shared"]) for library, own in table["library"].items()}


@cache
def arguments() -> dict[str, dict[str, Meant]]:
    """Return the equivalents of arguments, by our class."""
    table = _table("arguments.toml")
    return {kind: _entries(own, table["shared"]) for kind, own in table["class"].items()}


@cache
def arguments_everywhere() -> dict[str, list[Meant]]:
    """Return the equivalents of arguments for all classes. Of several, the first that a class takes counts."""
    table = _table("arguments.toml")
    return _entries(table["everywhere"], table["shared"])


def advice(name: str, known: Collection[str]) -> str:
    """Return advice on an unknown name: the equivalent of another library's name, a similar name, or "".

    Args:
        name: the unknown name.
        known: the known names.

    Example:
        >>> advice("RandomEqualize", [])
        "torchvision's RandomEqualize is ss.Equalize(p=0.5) here; convert() of the adapter for PyTorch makes a pipeline of a whole Compose"
        >>> advice("Horizontalflip", ["HorizontalFlip", "VerticalFlip"])
        'did you mean HorizontalFlip?'
    """
    found = [(library, own[name]) for library, own in names().items() if name in own]
    texts = []
    for library, meant in found:
        whose = f"{library}'" if library.endswith("s") else f"{library}'s"
        note = f" ({meant.note})" if meant.note else ""
        here = f"is {meant.call} here{note}" if meant.call else f"is not here: {meant.note}"
        texts.append(f"{whose} {name} {here}")
    if texts:
        whole: dict[str, str] = _table("names.toml")["whole"]
        return "; ".join([*texts, *(whole[library] for library, _ in found if library in whole)])
    by_lower = {one.lower(): one for one in known}
    close = [by_lower[one] for one in get_close_matches(name.lower(), by_lower, 2, 0.8)]
    return f"did you mean {' or '.join(close)}?" if close else ""


def equivalent(kind: str, name: str, takes: Mapping[str, Any]) -> Meant | None:
    """Return the equivalent of an argument in one of our classes or functions, or None.

    Args:
        kind: the name of the class.
        name: the argument that it does not take, or that it lacks.
        takes: its arguments by name.

    Example:
        >>> equivalent("Rotate", "limit", {"degrees": 0}).call
        'degrees=(-20, 20)'
    """
    own = arguments().get(kind, {})
    anywhere = arguments_everywhere().get(name, ())
    fitting = (one for one in anywhere if not one.call or one.call.partition("=")[0] in takes)
    return own[name] if name in own else next(fitting, None)


def explanation(
    called: str, call: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]
) -> str:
    """Return why a class or function cannot be called with these arguments, what to pass instead, and what it takes.

    Args:
        called: the name of the class or function.
        call: the function, or the class's ``__init__``.
        args: the arguments by position.
        named: the arguments by name.

    Example:
        >>> def turn(image, *, degrees): ...
        >>> explanation("turn", turn, (), {"image": 0, "degree": 20})
        'turn has no degree: did you mean degrees? It takes image, and by name degrees'
    """
    takes = {name: one for name, one in inspect.signature(call).parameters.items() if name != "self"}
    first = [one.name for one in takes.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    passed_on = next((one.name for one in takes.values() if one.kind is one.VAR_KEYWORD), None)
    unknown = [one for one in named if one not in takes] if passed_on is None else []
    twice = [one for one in first[: len(args)] if one in named]
    if unknown:
        fault, advice = f"has no {' and no '.join(unknown)}", _advice(called, unknown, takes)
    elif len(args) > len(first):
        given = f"got {len(args)} value{'s' * (len(args) > 1)}"
        fault = f"takes {_list(first) or 'nothing'} by position, {given}"
        advice = _by_name(called, first, args, takes)
    elif twice:
        fault, advice = f"got {_list(twice)} twice", "pass it once"
    else:
        there = (*named, *first[: len(args)], passed_on)
        needed = [name for name, one in takes.items() if one.default is one.empty and name not in there]
        fault, advice = f"needs {_list(needed)}", _advice(called, needed, takes)
    options = [one.name for one in takes.values() if one.kind is one.KEYWORD_ONLY]
    options += [] if passed_on is None else [f"further {passed_on}"]
    by_name = ", ".join(sorted(options, key="name".__eq__))  # a stream's name comes last
    all_names = ", and by name ".join(filter(None, [", ".join(first), by_name])) or "nothing"
    end = f"{advice} It" if advice.endswith("?") else f"{advice}; it" if advice else "it"
    return f"{called} {fault}: {end} takes {all_names}"


def _list(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


def _advice(kind: str, names: list[str], takes: Mapping[str, Any]) -> str:
    """Return what to pass instead of these names, or for them."""
    calls: dict[str, None] = {}
    notes: dict[str, None] = {}
    for name in names:
        meant = equivalent(kind, name, takes)
        if meant is None:
            near = get_close_matches(name, takes, 1, 0.7)
            notes |= dict.fromkeys(f"did you mean {one}?" for one in near if one != name)
        elif meant.call:
            calls[f"{meant.call} ({meant.note})" if meant.note else meant.call] = None
        else:
            notes[meant.note.replace("leave it", f"leave {name}") if len(names) > 1 else meant.note] = None
    return "; ".join([*([f"pass {', '.join(calls)}"] if calls else []), *notes])


def _by_name(kind: str, first: list[str], args: tuple[Any, ...], takes: Mapping[str, Any]) -> str:
    """Return what to do with more values by position than it takes."""
    needs_seed = "seed" in takes and takes["seed"].default is takes["seed"].empty
    if first == ["base", "augment"] and not callable(args[1]) and callable(args[2]):
        return "pass data and labels as one base, list(zip(images, labels)), and then the augmentation"
    if needs_seed and len(args) == len(first) + 1 and isinstance(args[-1], int):
        return f"pass seed={args[-1]!r} by name"
    if first == ["transforms"] and not isinstance(args[0], list | tuple | int):
        return f"put them in a list, {kind}([...])"
    if first == ["transforms"] and isinstance(args[0], int) and "n" in takes:
        return f"pass the list first, and n={args[0]!r} by name"
    if first == ["size"] and all(type(one) is int for one in args[:2]):
        return f"pass size={args[:2]!r} (height, width)"
    if not first and "p" in takes and isinstance(args[0], int | float):
        return f"pass p={args[0]!r}"
    others = "the others" if first else "them"
    return f"pass {others} by name" if len(takes) > len(first) else "leave the others out"
