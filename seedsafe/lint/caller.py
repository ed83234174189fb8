"""Calls: functions of the analysed code are run, calls into libraries are checked for draws and seeding."""

import ast
from abc import abstractmethod

from seedsafe.lint.draws import Draws
from seedsafe.lint.evaluator import Evaluator
from seedsafe.lint.index import Frame, Function
from seedsafe.lint.known import (
    BIT_GENERATORS,
    GENERATORS,
    is_numpy_draw,
    is_python_draw,
)
from seedsafe.lint.project import Project
from seedsafe.lint.values import (
    STATIC,
    UNKNOWN,
    Bound,
    Cls,
    Const,
    Ext,
    Fn,
    Gen,
    Group,
    Inst,
    Opaque,
    Super,
    Value,
    Values,
    constant,
    contents,
    join,
)

__all__ = ["Caller"]

_DEEP = 40
_RESEED = frozenset({"seed", "manual_seed", "set_state", "setstate", "__setstate__"})
_TAKES_NO_DRAW = frozenset(
    [
        "isinstance",
        "print",
        "len",
        "repr",
        "str",
        "type",
        "id",
        "hasattr",
        "getattr",
        "setattr",
        "deepcopy",
        "copy",
        "super",
    ]
)
_GIVEN: Values = (Opaque(given=True),)


class Caller(Evaluator):
    """Runs calls.

    Args:
        project: The given files.
        draws: Judges and reports what draws.
    """

    def __init__(self, project: Project, draws: Draws) -> None:
        super().__init__(project)
        self.draws = draws
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
        found: Values = ()
        for callee in callees:
            if isinstance(callee, Ext | Bound):
                found = join(found, self._library(callee, node, frame, args + spread, kwargs))
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
                return self._callbacks([*args, *(spread or ()), *kwargs.values()])

    def _each(self, values: Values, args: list[Values], kwargs: dict[str, Values]) -> Values:
        for value in values:
            if isinstance(value, Fn | Inst) or (isinstance(value, Group) and value.calls):
                self.invoke(value, args, kwargs)
            elif isinstance(value, Group) and not value.origin:
                self._each(value.items, args, kwargs)
        return self.nothing

    def _callbacks(self, values: list[Values]) -> Values:
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

    # Libraries

    def _library(
        self,
        callee: Ext | Bound,
        node: ast.Call,
        frame: Frame,
        args: list[Values],
        kwargs: dict[str, Values],
    ) -> Values:
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
                self._library(v, node, frame, [], {}) if isinstance(v, Ext) else self.invoke(v, [], {}) for v in factories
            ]
            return join((), *made) or self.nothing
        if name == "builtins.getattr" and len(args) > 1:
            return self._getattr(node, frame, args)
        if name in (
            "builtins.next",
            "builtins.iter",
            "builtins.list",
            "builtins.tuple",
            "builtins.reversed",
            "builtins.sorted",
            "builtins.set",
            "builtins.enumerate",
            "builtins.zip",
        ):
            self._callbacks(list(kwargs.values()))
            items = self.iterate(join((), *args)) if args else self.nothing
            return items if name.endswith("next") else (Group(items),)
        if name in ("copy.deepcopy", "copy.copy") and args:
            return args[0]
        if (
            name
            in (
                "builtins.int",
                "builtins.abs",
                "builtins.str",
                "builtins.hash",
                "builtins.float",
                "builtins.max",
                "builtins.min",
            )
            and args
        ):
            return STATIC if all(constant(v) for v in args) else self.nothing
        if self.worker:
            self.draws.library(self, name, node, frame, args, kwargs)
        result = self._callbacks([*args, *kwargs.values()])
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
            return tuple(inner)
        if name == "torch.Generator":
            given = []
        seed = "none" if not given else "constant" if all(constant(v) for v in given) else "varying"
        if name == "torch.Generator":
            seed = "constant"
        kind = GENERATORS.get(name, name.replace("numpy", "np", 1))
        made = Gen(kind, frame.module, node, stored=not self.worker, seed=seed)  # type: ignore[arg-type]
        if self.worker:
            self.draws.made(self, made, node, frame)
        return (made,)

    def _generator_method(self, callee: Bound, node: ast.Call, frame: Frame, args: list[Values]) -> Values:
        gen = callee.gen
        if callee.name in _RESEED:
            self.draws.seeded(self, gen.node, node, frame, args, same=not gen.stored)
            return (gen,)
        if callee.name in ("spawn", "bit_generator", "clone_state"):
            return (Group((gen,)),)
        if self.worker:
            self.draws.generator(self, gen, callee.name, node, frame)
        return self._callbacks(args)

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


def _prefix(node: ast.expr) -> str:
    match node:
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Add() | ast.Mod()):
            return text.partition("%")[0]
        case _:
            return ""
