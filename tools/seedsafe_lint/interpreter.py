"""Runs the statements of worker code abstractly: each path joined, each loop once."""

import ast
import re
from collections.abc import Iterator

from seedsafe_lint.caller import Caller
from seedsafe_lint.draws import IMGAUG, NUMPY, OPENCV, PYTHON, Draws
from seedsafe_lint.index import Class, Frame, Function, dotted
from seedsafe_lint.names import State
from seedsafe_lint.project import Project
from seedsafe_lint.roots import Root
from seedsafe_lint.scopes import statements, targets
from seedsafe_lint.values import UNKNOWN, Cls, Fn, Inst, Values, contents, join

__all__ = ["Interpreter"]

_SEEDING = re.compile(
    r"seed|determin|fixed_rng|random_state|rng_state|rng_context|temp_rng|fixed_random", re.IGNORECASE
)
_FROM_SELF = re.compile(r"seed|determin|reproduc", re.IGNORECASE)


class Interpreter(Caller):
    """Runs worker code from its entry points."""

    def __init__(self, project: Project, draws: Draws) -> None:
        super().__init__(project, draws)
        self._assigned: dict[ast.AST, set[str]] = {}

    def start(self, root: Root) -> None:
        """Runs what a worker calls first, and reports what it draws."""
        self.draws.root = root
        self.worker, self.state = True, State()
        self.entered, self._steps, self._results = set(), 0, {}
        try:
            function = root.fn.function
            given = (root.fn.owner is not None) + len(root.fn.args) + len(function.node.args.defaults)
            required = max(0, len(function.positional) - given)
            self.run(root.fn, [UNKNOWN] * required, {}, starred=root.fn.owner is None and required > 1)
        finally:
            self.worker = False
            self.draws.root = None

    def execute(self, body: list[ast.stmt], frame: Frame) -> bool:
        """Runs statements; True if they never reach their end."""
        return any(self._statement(node, frame) for node in body)

    def _statement(self, node: ast.stmt, frame: Frame) -> bool:
        match node:
            case ast.Expr(value=value):
                self.evaluate(value, frame)
            case ast.Assign():
                self._assign(node, frame)
            case ast.Return(value=value):
                values = self.evaluate(value, frame)
                frame.vars["<return>"] = join(frame.vars.get("<return>", ()), values)
                return True
            case ast.If():
                return self._if(node, frame)
            case ast.For() | ast.AsyncFor():
                items = self.iterate(self.evaluate(node.iter, frame))
                self._loop(node, frame, lambda: self.assign(node.target, items, frame))
            case ast.While():
                self._loop(node, frame, lambda: self.evaluate(node.test, frame))
            case ast.With() | ast.AsyncWith():
                return self._with(node, frame)
            case ast.Try() | ast.TryStar():
                return self._try(node, frame)
            case ast.AugAssign():
                self._augmented(node, frame)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, self.evaluate(value, frame), frame)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                function = Function(node, frame.module, frame, None)
                function.cls = None
                fn = Fn(function, None, frame)
                frame.vars[node.name] = (fn,)
                frame.vars[node.name] = self.decorated(fn)
            case ast.ClassDef():
                frame.vars[node.name] = (Cls(frame.module.class_of(node, frame)),)
            case ast.Import() | ast.ImportFrom():
                self.bind_import(node, frame)
            case ast.Match():
                self._match(node, frame)
            case ast.Raise():
                self.evaluate(node.exc, frame)
                return True
            case ast.Continue() | ast.Break():
                return True
            case ast.Assert():
                self.evaluate(node.test, frame)
            case ast.Global():
                pass
            case _:
                pass
        return False

    def _assign(self, node: ast.Assign, frame: Frame) -> None:
        value = node.value
        for target in node.targets:
            if (
                isinstance(target, ast.Tuple | ast.List)
                and isinstance(value, ast.Tuple | ast.List)
                and len(target.elts) == len(value.elts)
            ):
                parts = [self.evaluate(part, frame) for part in value.elts]
                for element, part in zip(target.elts, parts, strict=True):
                    self.assign(element, contents(part) if isinstance(element, ast.Starred) else part, frame)
                continue
            values = self.evaluate(value, frame)
            if isinstance(target, ast.Name) and self._is_global(target.id, frame):
                self.state.stored[frame.module, target.id] = values
            self.assign(target, values, frame)

    def _is_global(self, name: str, frame: Frame) -> bool:
        return frame.function is not None and name in frame.function.globals

    def _augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        self.evaluate(node.value, frame)
        self.evaluate(node.target, frame)
        owner = node.target.value if isinstance(node.target, ast.Subscript) else node.target
        if (
            isinstance(owner, ast.Attribute)
            and self.worker
            and isinstance(owner.value, ast.Name | ast.Attribute)
        ):
            for value in self.evaluate(owner.value, frame):
                if (
                    isinstance(value, Inst)
                    and value.stored
                    and not _cleared(node)
                    and (value.key, owner.attr) not in self.state.stored
                ):
                    self.draws.accumulated(self, node, owner, frame)
        if isinstance(node.target, ast.Name):
            frame.vars[node.target.id] = self.nothing

    def _if(self, node: ast.If, frame: Frame) -> bool:
        truth = self.truth(node.test, frame)
        if truth is False:
            return self.execute(node.orelse, frame)
        filling, self.filling = self.filling, self.filling or _fills(node)
        if truth is True:
            ended = self.execute(node.body, frame)
            self.filling = filling
            return ended
        lenient = bool(_FROM_SELF.search(ast.unparse(node.test)))
        before, state = dict(frame.vars), self.state
        self.state = state.copy()
        ended = self.execute(node.body, frame)
        self.filling = filling
        after, first = frame.vars, self.state
        frame.vars, self.state = before, state.copy()
        ended_else = self.execute(node.orelse, frame)
        returned: dict[str, Values] = {
            name: join(after.get(name, ()), frame.vars.get(name, ()))
            for name in ("<return>", "<yield>")
            if name in after or name in frame.vars
        }
        if ended and not ended_else:
            pass
        elif ended_else and not ended:
            frame.vars, self.state = after, first
        else:
            frame.vars = _merge(after, frame.vars)
            self.state = self._join_states(first, self.state, lenient)
        frame.vars.update(returned)
        return ended and ended_else

    def _join_states(self, first: State, second: State, lenient: bool = False) -> State:
        joined = State()
        for key in {**first.stored, **second.stored}:
            parts = [s.stored[key] for s in (first, second) if key in s.stored]
            if len(parts) == 1:
                owner, name = key
                parts.append(self.field(Inst(owner), name) if isinstance(owner, Class) else ())
            joined.stored[key] = join(*parts)
        for what in {**first.seeded, **second.seeded}:
            if lenient or (what in first.seeded and what in second.seeded):
                joined.seeded[what] = first.seeded.get(what) or second.seeded[what]
        return joined

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, head: object) -> None:
        if node not in self._assigned:
            self._assigned[node] = {
                name for statement in statements(node.body) for name in _stored_names(statement)
            }
        for name in self._assigned[node] & frame.vars.keys():
            frame.vars[name] = join(frame.vars[name], UNKNOWN)
        assert callable(head)
        head()
        before, state = dict(frame.vars), self.state.copy()
        self.execute(node.body, frame)
        frame.vars = _merge(frame.vars, before)
        endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value
        self.state = self.state if endless else self._join_states(self.state, state, lenient=True)
        self.execute(node.orelse, frame)

    def _with(self, node: ast.With | ast.AsyncWith, frame: Frame) -> bool:
        seeds = False
        for item in node.items:
            call = item.context_expr
            values = self.evaluate(call, frame)
            if isinstance(call, ast.Call) and (call.args or call.keywords):
                seeds = seeds or self._seeds(call, frame)
            for value in values:
                if isinstance(value, Inst) and (enter := self.method(value, "__enter__")):
                    values = self.run(enter, [], {})
            if item.optional_vars is not None:
                self.assign(item.optional_vars, values, frame)
        before = dict(self.state.seeded)
        if seeds:
            self.state.seeded.update(dict.fromkeys((NUMPY, PYTHON, OPENCV, IMGAUG), "varying"))
        ended = self.execute(node.body, frame)
        if seeds:
            self.state.seeded = before
        return ended

    def _seeds(self, call: ast.Call, frame: Frame) -> bool:
        """True if a context manager seeds the global generators for its body."""
        if _SEEDING.search(dotted(call)):
            return True
        for value in self.evaluate(call.func, frame):
            bodies = [value.function] if isinstance(value, Fn) else []
            if isinstance(value, Cls):
                bodies = [f for cls in self.mro(value.cls) for f in cls.methods.values()]
            for function in bodies:
                for inner in ast.walk(function.node):
                    if isinstance(inner, ast.Call) and dotted(inner).endswith(("random.seed", "set_state")):
                        return True
        return False

    def _try(self, node: ast.Try | ast.TryStar, frame: Frame) -> bool:
        before, state = dict(frame.vars), self.state.copy()
        ended = self.execute(node.body, frame) or self.execute(node.orelse, frame)
        variables, after = frame.vars, self.state
        for handler in node.handlers:
            frame.vars = _merge(dict(before), variables)
            self.state = self._join_states(state, after)
            stopped = self.execute(handler.body, frame)
            variables = {**variables, **{k: v for k, v in frame.vars.items() if k in ("<return>", "<yield>")}}
            if not stopped:
                variables = frame.vars if ended else _merge(variables, frame.vars)
                after = self.state if ended else self._join_states(after, self.state)
                ended = False
        frame.vars, self.state = variables, after
        return self.execute(node.finalbody, frame) or ended

    def _match(self, node: ast.Match, frame: Frame) -> None:
        self.evaluate(node.subject, frame)
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None)
                if isinstance(name, str):
                    frame.vars[name] = self.nothing
            if case.guard:
                self.evaluate(case.guard, frame)
            before, state = dict(frame.vars), self.state.copy()
            self.execute(case.body, frame)
            frame.vars = _merge(frame.vars, before)
            self.state = self._join_states(self.state, state)


def _fills(node: ast.If) -> bool:
    """True for ``if self.table is None: self.table = ...``: what it draws is kept, the same in each worker."""
    match node.test:
        case ast.Compare(
            left=ast.Attribute() as owner, ops=[ast.Is()], comparators=[ast.Constant(value=None)]
        ):
            return any(
                isinstance(inner, ast.Assign) and any(ast.dump(t) == _as_stored(owner) for t in inner.targets)
                for inner in statements(node.body)
            )
        case _:
            return False


def _cleared(node: ast.AugAssign) -> bool:
    """True for ``self.buffer *= 0``: nothing of the last sample is left."""
    match node:
        case ast.AugAssign(op=ast.Mult() | ast.BitAnd(), value=ast.Constant(value=0 | False)):
            return True
        case _:
            return False


def _as_stored(node: ast.Attribute) -> str:
    return ast.dump(ast.Attribute(value=node.value, attr=node.attr, ctx=ast.Store()))


def _merge(first: dict[str, Values], second: dict[str, Values]) -> dict[str, Values]:
    merged = dict(second)
    for name, values in first.items():
        merged[name] = join(values, second[name]) if name in second else values
    return merged


def _stored_names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            for name, _ in targets(target, node.value):
                yield name
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
