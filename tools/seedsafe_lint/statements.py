"""Run statements abstractly: every path, each loop once."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from seedsafe_lint.alternatives import Values, join
from seedsafe_lint.conditions import Conditions
from seedsafe_lint.context import Part, State
from seedsafe_lint.index import Class, Frame, Function
from seedsafe_lint.known import IMGAUG, NUMPY, OPENCV, PYTHON
from seedsafe_lint.members import Members
from seedsafe_lint.names import Names
from seedsafe_lint.patterns import asks_for_seed, cleared, fills, seeds_body, stored_names
from seedsafe_lint.scopes import statements
from seedsafe_lint.syntax import by_kind
from seedsafe_lint.targets import Targets
from seedsafe_lint.values import UNKNOWN, Cls, Fn, Inst, contents
from seedsafe_lint.verdicts import Verdicts

__all__ = ["Statements"]


@dataclass(eq=False)
class Statements(Part):
    """Runs statements of the analysed code."""

    names: Names
    members: Members
    targets: Targets
    conditions: Conditions
    verdicts: Verdicts
    _loop_names: dict[ast.AST, set[str]] = field(default_factory=dict, init=False)

    def execute(self, body: list[ast.stmt], frame: Frame) -> bool:
        """Run statements, and return whether they never reach their end."""
        for node in body:
            method = _METHODS.get(type(node))
            if method is not None and method(self, node, frame):
                return True
        return False

    def _value(self, node: ast.Expr | ast.Assert, frame: Frame) -> None:
        self.steps.evaluate(node.value if isinstance(node, ast.Expr) else node.test, frame)

    def _return(self, node: ast.Return, frame: Frame) -> bool:
        values = self.steps.evaluate(node.value, frame)
        frame.vars["<return>"] = join(frame.vars.get("<return>", ()), values)
        return True

    def _for(self, node: ast.For | ast.AsyncFor, frame: Frame) -> None:
        items = self.targets.iterate(self.steps.evaluate(node.iter, frame))
        self._loop(node, frame, lambda: self.targets.assign(node.target, items, frame))

    def _while(self, node: ast.While, frame: Frame) -> None:
        self._loop(node, frame, lambda: self.steps.evaluate(node.test, frame))

    def _annotated(self, node: ast.AnnAssign, frame: Frame) -> None:
        if node.value is not None:
            self.targets.assign(node.target, self.steps.evaluate(node.value, frame), frame)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> None:
        fn = Fn(Function(node, frame.module, frame), None, frame)
        frame.vars[node.name] = (fn,)
        frame.vars[node.name] = self.steps.decorate(fn)

    def _class(self, node: ast.ClassDef, frame: Frame) -> None:
        frame.vars[node.name] = (Cls(frame.module.class_of(node, frame)),)

    def _import(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        self.names.bind_import(node, frame)

    def _raise(self, node: ast.Raise, frame: Frame) -> bool:
        self.steps.evaluate(node.exc, frame)
        return True

    def _jump(self, node: ast.Continue | ast.Break, frame: Frame) -> bool:
        return True

    def _assign(self, node: ast.Assign, frame: Frame) -> None:
        value = node.value
        for target in node.targets:
            if (
                isinstance(target, ast.Tuple | ast.List)
                and isinstance(value, ast.Tuple | ast.List)
                and len(target.elts) == len(value.elts)
            ):
                parts = [self.steps.evaluate(part, frame) for part in value.elts]
                for element, part in zip(target.elts, parts, strict=True):
                    several = isinstance(element, ast.Starred)
                    self.targets.assign(element, contents(part) if several else part, frame)
                continue
            values = self.steps.evaluate(value, frame)
            if isinstance(target, ast.Name) and self._is_global(target.id, frame):
                self.context.state.variables[frame.module, target.id] = values
            self.targets.assign(target, values, frame)

    def _is_global(self, name: str, frame: Frame) -> bool:
        return frame.function is not None and name in frame.function.globals

    def _augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        self.steps.evaluate(node.value, frame)
        self.steps.evaluate(node.target, frame)
        owner = node.target.value if isinstance(node.target, ast.Subscript) else node.target
        if isinstance(owner, ast.Attribute) and self.context.worker:
            named = isinstance(owner.value, ast.Name | ast.Attribute)
            for value in self.steps.evaluate(owner.value, frame) if named else ():
                if (
                    isinstance(value, Inst)
                    and value.stored
                    and not cleared(node)
                    and (value.key, owner.attr) not in self.context.state.variables
                    and not self.members.is_shared(value, owner.attr)
                ):
                    self.verdicts.growth(node, owner, frame)
        if isinstance(node.target, ast.Name):
            frame.vars[node.target.id] = self.context.nothing

    def _if(self, node: ast.If, frame: Frame) -> bool:
        truth = self.conditions.truth(node.test, frame)
        if truth is False:
            return self.execute(node.orelse, frame)
        filling, self.context.filling = self.context.filling, self.context.filling or fills(node)
        if truth is True:
            ended = self.execute(node.body, frame)
            self.context.filling = filling
            return ended
        lenient = asks_for_seed(node.test)
        before, state = dict(frame.vars), self.context.state
        self.context.state = state.copy()
        ended = self.execute(node.body, frame)
        self.context.filling = filling
        after, first = frame.vars, self.context.state
        frame.vars, self.context.state = before, state.copy()
        ended_else = self.execute(node.orelse, frame)
        returns: dict[str, Values] = {
            name: join(after.get(name, ()), frame.vars.get(name, ()))
            for name in ("<return>", "<yield>")
            if name in after or name in frame.vars
        }
        if ended and not ended_else:
            pass
        elif ended_else and not ended:
            frame.vars, self.context.state = after, first
        else:
            frame.vars = _merge(after, frame.vars)
            on = not node.orelse and self.conditions.is_on(node.test, frame)
            self.context.state = first if on else self._join_states(first, self.context.state, lenient)
        frame.vars.update(returns)
        return ended and ended_else

    def _join_states(self, first: State, second: State, lenient: bool = False) -> State:
        result = State()
        for key in {**first.variables, **second.variables}:
            if (same := first.variables.get(key)) is not None and same is second.variables.get(key):
                result.variables[key] = same
                continue
            parts = [s.variables[key] for s in (first, second) if key in s.variables]
            if len(parts) == 1:
                owner, name = key
                parts.append(self.members.field(Inst(owner), name) if isinstance(owner, Class) else ())
            result.variables[key] = join(*parts)
        for what in {**first.seeds, **second.seeds}:
            if lenient or (what in first.seeds and what in second.seeds):
                result.seeds[what] = first.seeds.get(what) or second.seeds[what]
        return result

    def _loop(
        self, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, head: Callable[[], object]
    ) -> None:
        if node not in self._loop_names:
            self._loop_names[node] = {
                name for statement in statements(node.body) for name in stored_names(statement)
            }
        for name in self._loop_names[node] & frame.vars.keys():
            frame.vars[name] = join(frame.vars[name], UNKNOWN)
        head()
        before, state = dict(frame.vars), self.context.state.copy()
        self.execute(node.body, frame)
        frame.vars = _merge(frame.vars, before)
        endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value
        self.context.state = (
            self.context.state if endless else self._join_states(self.context.state, state, lenient=True)
        )
        self.execute(node.orelse, frame)

    def _with(self, node: ast.With | ast.AsyncWith, frame: Frame) -> bool:
        seeds, before = False, dict(self.context.state.seeds)
        exits: list[Fn] = []
        for item in node.items:
            call = item.context_expr
            values = self.steps.evaluate(call, frame)
            seeds = seeds or (
                isinstance(call, ast.Call) and seeds_body(call, frame, self.members, self.steps)
            )
            for value in values:
                if isinstance(value, Inst) and (enter := self.members.method(value, "__enter__")):
                    values = self.steps.run(enter, [], {})
                    leave = self.members.method(value, "__exit__")
                    exits += [leave] if leave else []
            if item.optional_vars is not None:
                self.targets.assign(item.optional_vars, values, frame)
        if seeds:
            self.context.state.seeds.update(dict.fromkeys((NUMPY, PYTHON, OPENCV, IMGAUG), "varying"))
        ended = self.execute(node.body, frame)
        for leave in reversed(exits):
            self.steps.run(leave, [UNKNOWN] * 3, {})
        if seeds:
            self.context.state.seeds = before
        return ended

    def _try(self, node: ast.Try | ast.TryStar, frame: Frame) -> bool:
        before, state = dict(frame.vars), self.context.state.copy()
        ended = self.execute(node.body, frame) or self.execute(node.orelse, frame)
        variables, after = frame.vars, self.context.state
        for handler in node.handlers:
            frame.vars = _merge(dict(before), variables)
            self.context.state = self._join_states(state, after)
            stopped = self.execute(handler.body, frame)
            variables = {**variables, **{k: v for k, v in frame.vars.items() if k in ("<return>", "<yield>")}}
            if not stopped:
                variables = frame.vars if ended else _merge(variables, frame.vars)
                after = self.context.state if ended else self._join_states(after, self.context.state)
                ended = False
        frame.vars, self.context.state = variables, after
        return self.execute(node.finalbody, frame) or ended

    def _match(self, node: ast.Match, frame: Frame) -> None:
        self.steps.evaluate(node.subject, frame)
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None)
                if isinstance(name, str):
                    frame.vars[name] = self.context.nothing
            if case.guard:
                self.steps.evaluate(case.guard, frame)
            before, state = dict(frame.vars), self.context.state.copy()
            self.execute(case.body, frame)
            frame.vars = _merge(frame.vars, before)
            self.context.state = self._join_states(self.context.state, state)


def _merge(first: dict[str, Values], second: dict[str, Values]) -> dict[str, Values]:
    result = dict(second)
    for name, values in first.items():
        other = second.get(name, values)
        result[name] = values if other is values else join(values, other)
    return result


_METHODS: dict[type[ast.AST], Callable[..., bool | None]] = by_kind(
    Statements,
    """
    value: Expr Assert | assign: Assign | return: Return | if: If | for: For AsyncFor | while: While | raise: Raise
    | with: With AsyncWith | try: Try TryStar | augmented: AugAssign | annotated: AnnAssign | class: ClassDef
    | function: FunctionDef AsyncFunctionDef | import: Import ImportFrom | match: Match | jump: Continue Break
    """,
)
