"""Calls into libraries: generators are followed, draws and seedings judged, functions handed over are run."""

import ast
from abc import abstractmethod

from seedsafe_lint.draws import Draws
from seedsafe_lint.evaluator import Evaluator
from seedsafe_lint.index import Frame
from seedsafe_lint.known import BIT_GENERATORS, GENERATORS
from seedsafe_lint.project import Project
from seedsafe_lint.values import (
    STATIC,
    Bound,
    Cls,
    Const,
    Ext,
    Fn,
    Gen,
    Group,
    Inst,
    Value,
    Values,
    constant,
    join,
)

__all__ = ["Libraries"]

_RESEED = frozenset({"seed", "manual_seed", "set_state", "setstate", "__setstate__"})
_ITERATING = frozenset(
    f"builtins.{name}"
    for name in ("next", "iter", "list", "tuple", "reversed", "sorted", "set", "enumerate", "zip")
)
_NUMBERS = frozenset(f"builtins.{name}" for name in ("int", "abs", "str", "hash", "float", "max", "min"))


class Libraries(Evaluator):
    """Values of calls into libraries.

    Args:
        project: The given files.
        draws: Judges and reports what draws.
    """

    def __init__(self, project: Project, draws: Draws) -> None:
        super().__init__(project)
        self.draws = draws

    @abstractmethod
    def invoke(self, callee: Value, args: list[Values], kwargs: dict[str, Values]) -> Values:
        """Value of calling something of the analysed code."""

    @abstractmethod
    def callbacks(self, values: list[Values]) -> Values:
        """Value of calling something unknown, which may call the functions among its arguments."""

    def library(
        self,
        callee: Ext | Bound,
        node: ast.Call,
        frame: Frame,
        args: list[Values],
        kwargs: dict[str, Values],
    ) -> Values:
        """Value of a call into a library, or of a generator's method."""
        if isinstance(callee, Bound):
            return self._generator_method(callee, node, frame, [*args, *kwargs.values()])
        name = callee.name
        if name in GENERATORS or name in BIT_GENERATORS:
            return self._generator(name, node, frame, args, kwargs)
        if name == "functools.partial":
            return self._partial(args, kwargs)
        if name == "dataclasses.field" and "default_factory" in kwargs:
            factories = tuple(v for v in kwargs["default_factory"] if isinstance(v, Ext | Fn | Cls))
            made = [
                self.library(v, node, frame, [], {}) if isinstance(v, Ext) else self.invoke(v, [], {})
                for v in factories
            ]
            return join((), *made) or self.nothing
        if name == "builtins.getattr" and len(args) > 1:
            return self._getattr(node, frame, args)
        if name in _ITERATING:
            self.callbacks(list(kwargs.values()))
            items = self.iterate(join((), *args)) if args else self.nothing
            return items if name.endswith("next") else (Group(items),)
        if name in ("copy.deepcopy", "copy.copy") and args:
            return args[0]
        if name in _NUMBERS and args:
            return STATIC if all(constant(v) for v in args) else self.nothing
        if self.worker:
            self.draws.library(self, name, node, frame, args, kwargs)
        result = self.callbacks([*args, *kwargs.values()])
        if isinstance(result[0], Group):
            return (Group(result[0].items, calls=True, origin=name),)
        return (Ext(f"{name}()"),) if not name.startswith("?.") or "(" not in name else self.nothing

    def _generator(
        self, name: str, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> Values:
        given = [values for values in (*args, *kwargs.values()) if values != (Const(None),)]
        inner = [v for values in given for v in values if isinstance(v, Gen)]
        if name.endswith("check_random_state"):
            if not given:
                return (Ext("numpy.random"),)
            if inner:
                return tuple(inner)
        if inner and name.endswith((".Generator", "default_rng")) and not name.startswith("torch"):
            for gen in inner if self.worker else ():
                self.draws.made(self, gen, node, frame)
            return tuple(inner)
        if name == "torch.Generator":
            given = []
        seed = "none" if not given else "constant" if all(constant(v) for v in given) else "varying"
        if name == "torch.Generator":
            seed = "constant"
        kind = GENERATORS.get(name, name.replace("numpy", "np", 1))
        made = Gen(kind, frame.module, node, stored=not self.worker, seed=seed)  # type: ignore[arg-type]
        if self.worker and name not in BIT_GENERATORS:
            self.draws.made(self, made, node, frame)
        return (made,)

    def _generator_method(self, callee: Bound, node: ast.Call, frame: Frame, args: list[Values]) -> Values:
        gen = callee.gen
        if callee.name in _RESEED:
            self.draws.seeded(self, gen.node, node, frame, args, same=not gen.stored)
            return (gen,)
        if callee.name in ("spawn", "clone_state"):
            return (Group((gen,)),)
        if self.worker:
            self.draws.generator(self, gen, callee.name, node, frame)
        return self.callbacks(args)

    def _partial(self, args: list[Values], kwargs: dict[str, Values]) -> Values:
        found: Values = ()
        for value in args[0] if args else ():
            if isinstance(value, Fn):
                words = tuple((dict(value.kwargs) | kwargs).items())
                found = join(
                    found, (Fn(value.function, value.owner, value.frame, (*value.args, *args[1:]), words),)
                )
            elif isinstance(value, Inst | Cls | Group):
                found = join(found, (Group((value,), calls=True),))
            else:
                found = join(found, (value,))
        return found or self.nothing

    def _getattr(self, node: ast.Call, frame: Frame, args: list[Values]) -> Values:
        found: Values = ()
        names = [v.value for v in args[1] if isinstance(v, Const) and isinstance(v.value, str)]
        prefix = _prefix(node.args[1]) if len(node.args) > 1 else ""
        for value in args[0]:
            for name in names:
                found = join(found, self.member(value, name))
            if not names and isinstance(value, Ext):
                found = join(found, (Ext(f"{value.name}.any"),))
            if not names and prefix and isinstance(value, Inst):
                for cls in self.mro(value.cls):
                    for name in cls.methods:
                        if name.startswith(prefix):
                            found = join(found, self.member(value, name))
        return found or self.nothing


def _prefix(node: ast.expr) -> str:
    match node:
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Add() | ast.Mod()):
            return text.partition("%")[0]
        case _:
            return ""
