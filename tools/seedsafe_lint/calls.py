"""Values of calls."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from seedsafe_lint.alternatives import Value, Values, join
from seedsafe_lint.context import Part
from seedsafe_lint.functions import Functions, first_of
from seedsafe_lint.index import Frame
from seedsafe_lint.judge import Judge
from seedsafe_lint.known import is_numpy_draw, is_python_draw
from seedsafe_lint.libraries import Libraries
from seedsafe_lint.members import Members
from seedsafe_lint.shapes import plainer
from seedsafe_lint.tame import Tame
from seedsafe_lint.values import Bound, Cls, Ext, Fn, Group, Inst, Super, contents

__all__ = ["Calls"]

_NESTED = 3  # tables of tuples of functions


@dataclass(eq=False)
class Calls(Part):
    """Finds the values of calls."""

    members: Members
    functions: Functions
    libraries: Libraries
    judge: Judge

    def __post_init__(self) -> None:
        self.tame = Tame(self.context, self.members, self.functions)

    def call(self, node: ast.Call, frame: Frame) -> Values:
        """Return the value of a call, with its effects."""
        if isinstance(node.func, ast.Name) and node.func.id == "super" and "super" not in frame.vars:
            return self._super(frame)
        callees = self.steps.evaluate(node.func, frame)
        args = [self.steps.evaluate(arg, frame) for arg in node.args if not isinstance(arg, ast.Starred)]
        stars = [arg.value for arg in node.args if isinstance(arg, ast.Starred)]
        spread = [contents(self.steps.evaluate(arg, frame)) for arg in stars]
        kwargs = {word.arg: self.steps.evaluate(word.value, frame) for word in node.keywords if word.arg}
        for word in node.keywords:
            if word.arg is None:
                self.steps.evaluate(word.value, frame)
        starred = bool(spread) or any(word.arg is None for word in node.keywords)
        if self.context.worker and isinstance(node.func, ast.Attribute):
            self.judge.method(node, frame)
        result: Values = ()
        for callee in callees:
            if isinstance(callee, Ext | Bound):
                result = join(result, self.libraries.call(callee, node, frame, args + spread, kwargs))
            else:
                result = join(result, self.invoke(callee, args, kwargs, starred=starred, spread=spread))
        return result or self.context.nothing

    def invoke(
        self,
        callee: Value,
        args: list[Values],
        kwargs: dict[str, Values],
        *,
        starred: bool = False,
        spread: list[Values] | None = None,
    ) -> Values:
        """Return the value of a call into the analysed code."""
        match callee:
            case Fn():
                if not self.context.worker and callee.function.yields:
                    bound = replace(
                        callee, args=(*callee.args, *args), kwargs=(*callee.kwargs, *kwargs.items())
                    )
                    return (Group((bound,), origin="generator"),)
                return self.functions.run(callee, args, kwargs, starred=starred)
            case Cls():
                return self._construct(callee, args, kwargs, starred)
            case Inst():
                for name in ("__call__", "forward"):
                    if method := self.members.method(callee, name):
                        return self.functions.run(method, args, kwargs, starred=starred)
                return self._each(tuple(v for _, values in callee.args for v in values), args, kwargs)
            case Group(items=items, calls=True, origin=origin):
                if origin == "methods":
                    some = tuple(
                        v
                        for v in items
                        if isinstance(v, Fn) and (starred or v.function.takes(len(args), kwargs))
                    )
                    results = [self.functions.run(v, args, kwargs, starred=starred) for v in some]
                    return join((Group(some, calls=True, origin=origin),) if some else (), *results)
                self._each(items, args, kwargs)
                return join(self.context.nothing, items)
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
        return self.context.nothing

    def callbacks(self, values: list[Values]) -> Values:
        """Return the value of a call of something unknown, which may call the functions among its arguments."""
        functions = tuple(dict.fromkeys(v for some in values for v in self._functions_in(some)))
        if not functions:
            return self.context.nothing
        if self.context.worker:
            for value in functions:
                if isinstance(value, Fn):
                    self.functions.run(value, [], {}, starred=True)
        return (Group(functions, calls=True),)

    def _functions_in(self, values: Values, depth: int = 0) -> Iterator[Value]:
        """Yield the arguments that an unknown callee may call: functions, callable objects, and those in containers."""
        for value in values:
            match value:
                case Fn() | Bound():
                    yield value
                case Inst(cls=cls) if self.members.calls(cls):
                    yield value
                case Group(items=items, calls=True):
                    yield from items
                case Group(items=items) if depth < _NESTED:
                    yield from self._functions_in(items, depth + 1)
                case Ext(name=name) if is_numpy_draw(name) or is_python_draw(name):
                    yield value

    def _super(self, frame: Frame) -> Values:
        scope: Frame | None = frame
        while scope is not None and scope.cls is None:
            scope = scope.parent
        owners = frame.this or (frame.vars.get(first_of(frame.function), ()) if frame.function else ())
        after = scope.cls if scope else None
        result = tuple(Super(v, after) for v in owners if isinstance(v, Inst | Cls) and after)
        return result or self.context.nothing

    def _construct(self, callee: Cls, args: list[Values], kwargs: dict[str, Values], starred: bool) -> Values:
        bare = Inst(callee.cls, stored=not self.context.worker)
        method = self.members.method(bare, "__init__")
        if method is None:
            arguments = tuple((f"<{i}>", values) for i, values in enumerate([*args, *kwargs.values()]))
            return (Inst(callee.cls, arguments, stored=not self.context.worker),)
        known = self.functions.bind(method, args, kwargs, starred)
        known.pop(first_of(method.function), None)
        if self.context.worker:
            known = {name: plainer(values) for name, values in known.items()}
        result = Inst(callee.cls, tuple(known.items()), stored=not self.context.worker)
        if self.context.worker:
            self.functions.run(Fn(method.function, result), args, kwargs, starred=starred)
        return (result,)
