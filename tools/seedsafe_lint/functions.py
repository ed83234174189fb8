"""Run functions of the analysed code."""

from dataclasses import dataclass, field

from seedsafe_lint.alternatives import Values, join
from seedsafe_lint.context import Part
from seedsafe_lint.index import Frame, Function
from seedsafe_lint.names import Names
from seedsafe_lint.quiet import Quiet
from seedsafe_lint.values import ARGUMENT, UNKNOWN, Cls, Const, Fn, Group, Inst

__all__ = ["Functions", "first_of"]

_DEEP = 40


@dataclass(eq=False)
class Functions(Part):
    """Runs functions of the analysed code."""

    names: Names
    _stack: list[Function] = field(default_factory=list, init=False)
    _results: dict[object, tuple[Values, dict[tuple[object, str], Values], dict[object, str]]] = field(
        default_factory=dict, init=False
    )

    def __post_init__(self) -> None:
        self._quiet = Quiet(self.context)

    def forget(self) -> None:
        """Forget the results of functions."""
        self._results = {}

    def bind(self, fn: Fn, args: list[Values], kwargs: dict[str, Values], starred: bool) -> dict[str, Values]:
        """Return the values of a function's parameters in a call."""
        function = fn.function
        values = [*fn.args, *args]
        if fn.owner is not None and not function.has_decorator("staticmethod"):
            values.insert(0, (fn.owner,))
        named = dict(fn.kwargs) | kwargs
        known: dict[str, Values] = {}
        positional = function.positional
        for i, parameter in enumerate((*positional, *function.node.args.kwonlyargs)):
            default = self.names.default(parameter, function)
            if i < len(values) and i < len(positional):
                known[parameter.arg] = _as_arguments(values[i]) if default == (Const(None),) else values[i]
            elif parameter.arg in named:
                value = named.pop(parameter.arg)
                known[parameter.arg] = _as_arguments(value) if default == (Const(None),) else value
            elif default is not None:
                known[parameter.arg] = ARGUMENT if starred and default == (Const(None),) else default
            else:
                known[parameter.arg] = ARGUMENT if starred else self.context.nothing
        if function.node.args.vararg:
            rest = values[len(positional) :]
            known[function.node.args.vararg.arg] = (Group(join((), *rest) if rest else self.context.nothing),)
        if function.node.args.kwarg:
            known[function.node.args.kwarg.arg] = (
                Group(join((), *named.values()) if named else self.context.nothing),
            )
        return known

    def run(self, fn: Fn, args: list[Values], kwargs: dict[str, Values], *, starred: bool = False) -> Values:
        """Run a function and return its value."""
        function = fn.function
        if len(self._stack) > _DEEP or self._stack.count(function) > 1:
            self.context.events += len(self._stack) > _DEEP
            return self.context.nothing
        if self.context.worker:
            args = [self.steps.simplify(values) for values in args]
            kwargs = {name: self.steps.simplify(values) for name, values in kwargs.items()}
        variables = self.bind(fn, args, kwargs, starred)
        mark = self._quiet.mark(fn, variables)
        if (quiet := self._quiet.recall(mark)) is not None:
            return quiet
        key = (
            function.node,
            fn.owner,
            fn.frame,
            self.context.worker,
            tuple(variables.items()),
            frozenset(self.context.state.seeds.items()),
            frozenset(self.context.state.variables.items()),
        )
        if key in self._results:
            values, stored, seeds = self._results[key]
            self.context.state.variables.update(stored)
            self.context.state.seeds = dict(seeds)
            return values
        if self.context.worker:
            self.context.functions.add(function)
        self.context.trail.append(function)
        frame = Frame(
            function.module, parent=fn.frame or function.frame, function=function, variables=variables
        )
        frame.this = (fn.owner,) if isinstance(fn.owner, Inst | Cls) else getattr(fn.frame, "this", ())
        self._stack.append(function)
        try:
            self.steps.execute(function.body, frame)
        finally:
            self._stack.pop()
        values = frame.vars.get("<return>") or (Const(None),)
        if "<yield>" in frame.vars:
            values = (Group(frame.vars["<yield>"]),)
        if self.context.worker:
            values = self.steps.simplify(values)
        self._quiet.keep(mark, values)
        self._results[key] = (values, dict(self.context.state.variables), dict(self.context.state.seeds))
        return values

    def stored_values(self, functions: list[Fn], key: object) -> Values | None:
        """Run methods of the object with this `Inst.key`, and return the values that they store, or None if they draw or seed."""
        with self.context.apart() as context:
            stack, results = self._stack, self._results
            self._stack, self._results = [], {}
            try:
                for fn in functions:
                    context.steps = 0
                    self.run(fn, [UNKNOWN] * (fn.function.required - 1), {})
                    if context.events:
                        return None
            finally:
                self._stack, self._results = stack, results
            stored = context.state.variables.items()
            return tuple(value for (owner, _), values in stored if owner == key for value in values)

    def decorate(self, fn: Fn) -> Values:
        """Return a function after its decorators, as far as these are in the analysed code."""
        values: Values = (fn,)
        for decorator in reversed(fn.function.decorators):
            wrappers = tuple(
                v for v in self.steps.evaluate(decorator, fn.function.frame) if isinstance(v, Fn)
            )
            for wrapper in wrappers:
                result = self.context.before(lambda w=wrapper, v=values: self.run(w, [v], {}))  # type: ignore[misc]
                callables = tuple(v for v in result if isinstance(v, Fn | Group | Inst))
                values = callables or values
        return values


def _as_arguments(values: Values) -> Values:
    return tuple(ARGUMENT[0] if v == UNKNOWN[0] else v for v in values)


def first_of(function: Function) -> str:
    """Return the name of a function's first parameter, or an empty string."""
    return function.positional[0].arg if function.positional else ""
