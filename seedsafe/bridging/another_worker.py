"""A call as another worker would make it."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from threading import get_ident
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from seedsafe.bridging.walk import is_installed

__all__ = ["AnotherWorker"]


class AnotherWorker:
    """Shows this thread the number and seed of another worker, and another process's number, inside a with statement.

    It replaces the public functions `os.getpid` and `torch.utils.data.get_worker_info` where modules name them: the first in the user's
    own modules alone, because finalizers of libraries ask for it to know what is theirs, and may run at any time. Other threads get
    what they always get.

    Args:
        dataset: what a worker would have as ``get_worker_info().dataset``.
        shown: the names of the functions.
    """

    PROCESS, INFO = "os.getpid()", "torch.utils.data.get_worker_info()"

    def __init__(self, dataset: Any, shown: Sequence[str] = (PROCESS, INFO)) -> None:
        self._dataset, self._shown, self._thread = dataset, shown, get_ident()
        self._replaced: list[tuple[dict[str, Any], str, Any]] = []

    def __enter__(self) -> None:
        if self.PROCESS in self._shown:
            getpid = self._standing_in(os.getpid, lambda own: own + 1)
            other = ModuleType("os", os.__doc__)
            vars(other).update(__getattr__=partial(getattr, os), getpid=getpid)

            def imported(found: Any, name: str, names: Any = None, *_: Any) -> Any:  # inside a function
                return other if found is os and names and _users(names.get("__name__", "")) else found

            imports = builtins.__import__
            self._replace(os.getpid, getpid, _users)
            self._replace(os, other, _users)
            self._replace(imports, self._standing_in(imports, imported), "builtins".__eq__)
        info = getattr(sys.modules.get("torch.utils.data"), "get_worker_info", None)
        if self.INFO in self._shown and info is not None:
            self._replace(info, self._standing_in(info, self._info), _not_ours)

    def __exit__(self, *error: object) -> None:
        while self._replaced:
            names, bound, original = self._replaced[-1]
            names[bound] = original  # an interrupt may come before the next line
            del self._replaced[-1]

    def _replace(self, original: Any, other: Any, has: Callable[[str], bool]) -> None:
        for names, bound in _bindings(original, has):
            self._replaced.append((names, bound, original))
            names[bound] = other

    def _standing_in(self, original: Callable[..., Any], answer: Callable[..., Any]) -> Callable[..., Any]:
        def stand_in(*arguments: Any, **options: Any) -> Any:
            found = original(*arguments, **options)
            return answer(found, *arguments) if get_ident() == self._thread else found

        return stand_in

    def _info(self, own: Any) -> Any:
        """Return what a further worker would get, whose number no other one has, since files may be named after it."""
        other = SimpleNamespace(num_workers=1, seed=0, dataset=self._dataset) if own is None else copy(own)
        count = other.num_workers
        for name, value in (("id", count), ("num_workers", count + 1), ("seed", other.seed + count + 1)):
            object.__setattr__(other, name, value)  # it is frozen
        return other


def _not_ours(name: str) -> bool:
    home = name.partition(".")[0]
    return name == "torch.utils.data" or not (home in _LIBRARIES or home.startswith("seedsafe"))


def _users(name: str) -> bool:
    return _not_ours(name) and not is_installed(name)


_LIBRARIES: Final = {*sys.stdlib_module_names, "numpy", "torch"}
_bound: dict[int, tuple[int, list[tuple[dict[str, Any], str]]]] = {}


def _bindings(thing: Any, has: Callable[[str], bool]) -> list[tuple[dict[str, Any], str]]:
    """Return the names of a thing in modules: each module's dict, and the name in it."""
    count, found = _bound.get(id(thing), (0, []))
    if count != len(sys.modules):  # a look through all of them takes milliseconds
        modules = [(name, one) for name, one in list(sys.modules.items()) if isinstance(one, ModuleType)]
        dicts = [vars(one) for name, one in modules if has(name)]
        found = [(names, name) for names in dicts for name, value in list(names.items()) if value is thing]
        _bound[id(thing)] = len(sys.modules), found
    return found
