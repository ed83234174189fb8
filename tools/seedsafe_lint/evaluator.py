"""Abstract values of expressions."""

import ast
from abc import abstractmethod
from collections.abc import Callable

from seedsafe_lint.index import Frame, Function
from seedsafe_lint.members import Members
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
    Mod,
    Opaque,
    Value,
    Values,
    constant,
    contents,
    join,
)

__all__ = ["Evaluator"]

_STEPS = 15_000


class Evaluator(Members):
    """Values of expressions; calls are left to the subclass.

    Args:
        project: The given files.
    """

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.filling = False
        self._steps = 0

    @abstractmethod
    def call(self, node: ast.Call, frame: Frame) -> Values:
        """Value of a call."""

    def evaluate(self, node: ast.expr | None, frame: Frame) -> Values:
        """Alternatives for the value of an expression."""
        if node is None:
            return (Const(None),)
        self._steps += 1
        if self._steps > _STEPS:
            return self.nothing
        method = _METHODS.get(type(node))
        return self._children(node, frame) if method is None else method(self, node, frame)

    def _children(self, node: ast.AST, frame: Frame) -> Values:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child, frame)
            elif not isinstance(child, ast.expr_context | ast.operator):
                self._children(child, frame)
        return self.nothing

    def _constant(self, node: ast.Constant, frame: Frame) -> Values:
        return (Const(node.value),) if node.value is not ... else STATIC

    def _name(self, node: ast.Name, frame: Frame) -> Values:
        return self.lookup(node.id, frame)

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Values:
        found: Values = ()
        for value in self.evaluate(node.value, frame):
            found = join(found, self.member(value, node.attr))
        return found

    def _sequence(self, node: ast.Tuple | ast.List | ast.Set, frame: Frame) -> Values:
        items: Values = ()
        for element in node.elts:
            if isinstance(element, ast.Starred):
                items = join(items, contents(self.evaluate(element.value, frame)))
            else:
                items = join(items, self.evaluate(element, frame))
        return (Group(items),)

    def _dict(self, node: ast.Dict, frame: Frame) -> Values:
        items: Values = ()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                items = join(items, contents(self.evaluate(value, frame)))
            else:
                self.evaluate(key, frame)
                items = join(items, self.evaluate(value, frame))
        return (Group(items),)

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Values:
        index = self.evaluate(node.slice, frame)
        found: Values = ()
        for value in self.evaluate(node.value, frame):
            if isinstance(value, Inst) and self.worker:
                method = self.method(value, "__getitem__")
                found = join(found, self.run(method, [index], {}) if method else self.nothing)
            elif isinstance(value, Group):
                found = join(found, value.items or self.nothing)
            elif isinstance(value, Ext):
                found = join(found, (Ext(f"{value.name}[]"),))
            else:
                found = join(found, STATIC if constant((value, *index)) else self.nothing)
        return found

    def _binary(self, node: ast.BinOp, frame: Frame) -> Values:
        left, right = self.evaluate(node.left, frame), self.evaluate(node.right, frame)
        groups = tuple(v for v in left + right if isinstance(v, Group))
        if groups:
            return (Group(contents(groups)),)
        return STATIC if constant(left) and constant(right) else self.nothing

    def _unary(self, node: ast.UnaryOp, frame: Frame) -> Values:
        value = self.evaluate(node.operand, frame)
        return STATIC if constant(value) else self.nothing

    def _boolean(self, node: ast.BoolOp, frame: Frame) -> Values:
        found: Values = ()
        for i, operand in enumerate(node.values):
            values = self.evaluate(operand, frame)
            last = i == len(node.values) - 1
            if isinstance(node.op, ast.Or) and not last:
                found = join(found, tuple(v for v in values if v != Const(None)))
                if all(truthy(v) for v in values):
                    return found
            else:
                found = join(found, values)
        return found or self.nothing

    def _conditional(self, node: ast.IfExp, frame: Frame) -> Values:
        truth = self.truth(node.test, frame)
        if truth is True:
            return self.evaluate(node.body, frame)
        if truth is False:
            return self.evaluate(node.orelse, frame)
        return join(self.evaluate(node.body, frame), self.evaluate(node.orelse, frame))

    def _compare(self, node: ast.Compare, frame: Frame) -> Values:
        parts = [self.evaluate(part, frame) for part in (node.left, *node.comparators)]
        return STATIC if all(constant(part) for part in parts) else self.nothing

    def _lambda(self, node: ast.Lambda, frame: Frame) -> Values:
        return (Fn(Function(node, frame.module, frame, frame.cls), None, frame),)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, frame: Frame
    ) -> Values:
        inner = Frame(frame.module, parent=frame, this=frame.this)
        inner.cls, inner.function = frame.cls, frame.function
        for generator in node.generators:
            items = self.iterate(self.evaluate(generator.iter, inner))
            self.assign(generator.target, items, inner)
            for condition in generator.ifs:
                self.evaluate(condition, inner)
        if isinstance(node, ast.DictComp):
            self.evaluate(node.key, inner)
            return (Group(self.evaluate(node.value, inner)),)
        return (Group(self.evaluate(node.elt, inner)),)

    def _named(self, node: ast.NamedExpr, frame: Frame) -> Values:
        values = self.evaluate(node.value, frame)
        self.assign(node.target, values, frame)
        return values

    def _through(self, node: ast.Await | ast.Starred, frame: Frame) -> Values:
        return self.evaluate(node.value, frame)

    def _yield(self, node: ast.Yield | ast.YieldFrom, frame: Frame) -> Values:
        values = self.evaluate(node.value, frame) if node.value else (Const(None),)
        if isinstance(node, ast.YieldFrom):
            values = self.iterate(values)
        frame.vars["<yield>"] = join(frame.vars.get("<yield>", ()), values)
        return self.nothing

    def iterate(self, values: Values) -> Values:
        """What a loop over these values gives."""
        found: Values = ()
        for value in values:
            if isinstance(value, Group) and value.origin == "generator":
                for item in value.items:
                    found = join(found, contents(self.run(item, [], {})) if isinstance(item, Fn) else (item,))
                continue
            method = self.method(value, "__iter__") if isinstance(value, Inst) and self.worker else None
            found = join(found, contents(self.run(method, [], {})) if method else contents((value,)))
        return found or self.nothing

    def assign(self, target: ast.expr, values: Values, frame: Frame) -> None:
        """Stores values in a target."""
        match target:
            case ast.Name(id=name):
                frame.vars[name] = values
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                parts = contents(values)
                for element in elements:
                    self.assign(element, parts, frame)
            case ast.Starred(value=inner):
                self.assign(inner, (Group(contents(values)),), frame)
            case ast.Attribute(value=owner, attr=attr):
                for holder in self.evaluate(owner, frame):
                    if isinstance(holder, Inst):
                        self.state.stored[holder.key, attr] = values
                    elif isinstance(holder, Gen | Bound) and attr == "state":
                        gen = holder if isinstance(holder, Gen) else holder.gen
                        self.state.seeded[gen.node] = "varying"
            case ast.Subscript(value=owner, slice=index):
                self.evaluate(index, frame)
                self.evaluate(owner, frame)
            case _:
                pass

    def truth(self, test: ast.expr, frame: Frame) -> bool | None:
        """Outcome of a condition, where it is known; evaluates it in any case."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.truth(operand, frame)
                return None if inner is None else not inner
            case ast.Compare(
                left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
            ):
                outcome = self._is_none(self.evaluate(left, frame))
                if isinstance(left, ast.Subscript):
                    return None
                return outcome if outcome is None or isinstance(op, ast.Is) else not outcome
            case ast.Constant(value=value):
                return bool(value)
            case ast.Name(id="TYPE_CHECKING"):
                return False
            case _:
                values = self.evaluate(test, frame)
                if values == (Const(None),):
                    return False
                if all(isinstance(v, Ext) and v.name.endswith("get_worker_info()") for v in values):
                    return True
                return None

    def _is_none(self, values: Values) -> bool | None:
        if all(v == Const(None) for v in values):
            return True
        if all(
            isinstance(v, Gen | Fn | Inst | Cls | Mod | Group)
            or (isinstance(v, Opaque) and v.given)
            or (isinstance(v, Ext) and self.worker and v.name.endswith("get_worker_info()"))
            for v in values
        ):
            return False
        return None


def truthy(value: Value) -> bool:
    """True if the value is certainly true."""
    return isinstance(value, Gen | Fn | Inst | Cls | Mod) or (isinstance(value, Opaque) and value.given)


_METHODS: dict[type[ast.AST], Callable[..., Values]] = {
    ast.Constant: Evaluator._constant,
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.Call: lambda self, node, frame: self.call(node, frame),
    ast.Tuple: Evaluator._sequence,
    ast.List: Evaluator._sequence,
    ast.Set: Evaluator._sequence,
    ast.Dict: Evaluator._dict,
    ast.Subscript: Evaluator._subscript,
    ast.BinOp: Evaluator._binary,
    ast.UnaryOp: Evaluator._unary,
    ast.BoolOp: Evaluator._boolean,
    ast.IfExp: Evaluator._conditional,
    ast.Compare: Evaluator._compare,
    ast.Lambda: Evaluator._lambda,
    ast.ListComp: Evaluator._comprehension,
    ast.SetComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
    ast.DictComp: Evaluator._comprehension,
    ast.NamedExpr: Evaluator._named,
    ast.Await: Evaluator._through,
    ast.Starred: Evaluator._through,
    ast.Yield: Evaluator._yield,
    ast.YieldFrom: Evaluator._yield,
}
