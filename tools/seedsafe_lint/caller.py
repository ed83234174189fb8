"""Calls: functions of the analysed code are run, calls into libraries are checked for draws and seeding."""

import ast
from abc import abstractmethod
from dataclasses import replace

from seedsafe_lint.draws import Draws
from seedsafe_lint.index import Frame, Function
from seedsafe_lint.known import (
    is_numpy_draw,
    is_python_draw,
)
from seedsafe_lint.libraries import Libraries
from seedsafe_lint.project import Project
from seedsafe_lint.values import (
    UNKNOWN,
    Bound,
    Cls,
    Const,
    Ext,
    Fn,
    Group,
    Inst,
    Opaque,
    Super,
    Value,
    Values,
    contents,
    join,
)

__all__ = ["Caller"]

_DEEP = 40
_GIVEN: Values = (Opaque(given=True),)


class Caller(Libraries):
    """Runs calls.

    Args:
        project: The given files.
        draws: Judges and reports what draws.
    """

    def __init__(self, project: Project, draws: Draws) -> None:
        super().__init__(project, draws)
        self._stack: list[Function] = []
        self._results: dict[object, tuple[Values, dict[tuple[object, str], Values], dict[object, str]]] = {}

    @abstractmethod
    def execute(self, body: list[ast.stmt], frame: Frame) -> bool:
        """Runs statements; True if they never reach their end."""

    def call(self, node: ast.Call, frame: Frame) -> Values:
        """Value of a call, with its effects."""
        if isinstance(node.func, ast.Name) and node.func.id == "super" and "super" not in frame.vars:
            return self._super(frame)
        callees = self.evaluate(node.func, frame)
        args = [self.evaluate(arg, frame) for arg in node.args if not isinstance(arg, ast.Starred)]
        spread = [
            contents(self.evaluate(arg.value, frame)) for arg in node.args if isinstance(arg, ast.Starred)
        ]
        kwargs = {word.arg: self.evaluate(word.value, frame) for word in node.keywords if word.arg}
        for word in node.keywords:
            if word.arg is None:
                self.evaluate(word.value, frame)
        starred = bool(spread) or any(word.arg is None for word in node.keywords)
        if self.worker and isinstance(node.func, ast.Attribute):
            self.draws.method(self, node, frame)
        found: Values = ()
        for callee in callees:
            if isinstance(callee, Ext | Bound):
                found = join(found, self.library(callee, node, frame, args + spread, kwargs))
            else:
                found = join(found, self.invoke(callee, args, kwargs, starred=starred, spread=spread))
        return found or self.nothing

    def invoke(
        self,
        callee: Value,
        args: list[Values],
        kwargs: dict[str, Values],
        *,
        starred: bool = False,
        spread: list[Values] | None = None,
    ) -> Values:
        """Value of calling something of the analysed code."""
        match callee:
            case Fn():
                if not self.worker and callee.function.yields:
                    bound = replace(
                        callee, args=(*callee.args, *args), kwargs=(*callee.kwargs, *kwargs.items())
                    )
                    return (Group((bound,), origin="generator"),)
                return self.run(callee, args, kwargs, starred=starred)
            case Cls():
                return self._construct(callee, args, kwargs, starred)
            case Inst():
                for name in ("__call__", "forward"):
                    if method := self.method(callee, name):
                        return self.run(method, args, kwargs, starred=starred)
                return self._each(tuple(v for _, values in callee.args for v in values), args, kwargs)
            case Group(items=items, calls=True):
                self._each(items, args, kwargs)
                return join(self.nothing, items)
            case Group(items=items):
                return join((Group(items),), items)
            case _:
                return self.callbacks([*args, *(spread or ()), *kwargs.values()])

    def _each(self, values: Values, args: list[Values], kwargs: dict[str, Values]) -> Values:
        for value in values:
            if isinstance(value, Fn | Inst) or (isinstance(value, Group) and value.calls):
                self.invoke(value, args, kwargs)
            elif isinstance(value, Group) and not value.origin:
                self._each(value.items, args, kwargs)
        return self.nothing

    def callbacks(self, values: list[Values]) -> Values:
        """A call of something unknown: it may call the functions among its arguments."""
        functions = tuple(
            dict.fromkeys(
                v for alternatives in values for v in (*alternatives, *contents(alternatives)) if _callable(v)
            )
        )
        if not functions:
            return self.nothing
        if self.worker:
            for value in functions:
                if isinstance(value, Fn):
                    self.run(value, [], {}, starred=True)
        return (Group(functions, calls=True),)

    def _super(self, frame: Frame) -> Values:
        scope: Frame | None = frame
        while scope is not None and scope.cls is None:
            scope = scope.parent
        owners = frame.this or (frame.vars.get(_first(frame), ()) if frame.function else ())
        found = tuple(
            Super(v, scope.cls)
            for v in owners
            if isinstance(v, Inst | Cls) and scope is not None and scope.cls
        )
        return found or self.nothing

    def _construct(self, callee: Cls, args: list[Values], kwargs: dict[str, Values], starred: bool) -> Values:
        bare = Inst(callee.cls, stored=not self.worker)
        method = self.method(bare, "__init__")
        if method is None:
            held = tuple((f"<{i}>", values) for i, values in enumerate([*args, *kwargs.values()]))
            return (Inst(callee.cls, held, stored=not self.worker),)
        known = self.bind(method, args, kwargs, starred)
        known.pop(_first_of(method.function), None)
        made = Inst(callee.cls, tuple(known.items()), stored=not self.worker)
        if self.worker:
            self.run(Fn(method.function, made), args, kwargs, starred=starred)
        return (made,)

    # Functions of the analysed code

    def bind(self, fn: Fn, args: list[Values], kwargs: dict[str, Values], starred: bool) -> dict[str, Values]:
        """Values of a function's parameters in a call."""
        function = fn.function
        values = [*fn.args, *args]
        if fn.owner is not None and not function.decorated("staticmethod"):
            values.insert(0, (fn.owner,))
        named = dict(fn.kwargs) | kwargs
        known: dict[str, Values] = {}
        positional = function.positional
        for i, parameter in enumerate((*positional, *function.node.args.kwonlyargs)):
            if i < len(values) and i < len(positional):
                known[parameter.arg] = _given(values[i])
            elif parameter.arg in named:
                known[parameter.arg] = _given(named.pop(parameter.arg))
            elif (default := self.default(parameter, function)) is not None:
                known[parameter.arg] = _GIVEN if starred and default == (Const(None),) else default
            else:
                known[parameter.arg] = _GIVEN if starred else self.nothing
        if function.node.args.vararg:
            rest = values[len(positional) :]
            known[function.node.args.vararg.arg] = (Group(join((), *rest) if rest else self.nothing),)
        if function.node.args.kwarg:
            known[function.node.args.kwarg.arg] = (
                Group(join((), *named.values()) if named else self.nothing),
            )
        return known

    def run(self, fn: Fn, args: list[Values], kwargs: dict[str, Values], *, starred: bool = False) -> Values:
        """Value that a function returns, with its effects."""
        function = fn.function
        if len(self._stack) > _DEEP or self._stack.count(function) > 1:
            return self.nothing
        variables = self.bind(fn, args, kwargs, starred)
        key = (
            function.node,
            fn.owner,
            fn.frame,
            self.worker,
            tuple(variables.items()),
            frozenset(self.state.seeded.items()),
            frozenset(self.state.stored.items()),
        )
        if key in self._results:
            values, stored, seeded = self._results[key]
            self.state.stored.update(stored)
            self.state.seeded = dict(seeded)
            return values
        if self.worker:
            self.entered.add(function)
        frame = Frame(
            function.module, parent=fn.frame or function.frame, function=function, variables=variables
        )
        frame.this = (fn.owner,) if isinstance(fn.owner, Inst | Cls) else getattr(fn.frame, "this", ())
        self._stack.append(function)
        try:
            body = function.body
            self.execute(body, frame)
        finally:
            self._stack.pop()
        values = frame.vars.get("<return>") or (Const(None),)
        if "<yield>" in frame.vars:
            values = (Group(frame.vars["<yield>"]),)
        self._results[key] = (values, dict(self.state.stored), dict(self.state.seeded))
        return values


def _callable(value: Value) -> bool:
    return (
        isinstance(value, Fn | Bound | Inst)
        or (isinstance(value, Group) and value.calls)
        or (isinstance(value, Ext) and (is_numpy_draw(value.name) or is_python_draw(value.name)))
    )


def _given(values: Values) -> Values:
    return tuple(_GIVEN[0] if v == UNKNOWN[0] else v for v in values)


def _first(frame: Frame) -> str:
    return _first_of(frame.function) if frame.function else ""


def _first_of(function: Function) -> str:
    return function.positional[0].arg if function.positional else ""
