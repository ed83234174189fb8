"""Abstract values of expressions."""

import ast
from collections.abc import Callable
from dataclasses import dataclass

from seedsafe_lint.alternatives import Values, join
from seedsafe_lint.conditions import Conditions, truthy
from seedsafe_lint.context import Part
from seedsafe_lint.index import Frame, Function
from seedsafe_lint.members import Members
from seedsafe_lint.names import Names
from seedsafe_lint.shapes import hide_plain
from seedsafe_lint.syntax import by_kind
from seedsafe_lint.targets import Targets
from seedsafe_lint.values import STATIC, Const, Ext, Fn, Group, Inst, constant, contents

__all__ = ["Expressions"]

_STEPS = 15_000


@dataclass(eq=False)
class Expressions(Part):
    """Finds the values of expressions."""

    names: Names
    members: Members
    targets: Targets
    conditions: Conditions

    def evaluate(self, node: ast.expr | None, frame: Frame) -> Values:
        """Return the alternative values of an expression."""
        if node is None:
            return (Const(None),)
        self.context.steps += 1
        if self.context.steps > _STEPS:
            self.context.events += 1
            return self.context.nothing
        method = _METHODS.get(type(node))
        return self._children(node, frame) if method is None else method(self, node, frame)

    def _children(self, node: ast.AST, frame: Frame) -> Values:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child, frame)
            elif not isinstance(child, ast.expr_context | ast.operator):
                self._children(child, frame)
        return self.context.nothing

    def _constant(self, node: ast.Constant, frame: Frame) -> Values:
        return (Const(node.value),) if node.value is not ... else STATIC

    def _name(self, node: ast.Name, frame: Frame) -> Values:
        return self.names.lookup(node.id, frame)

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Values:
        result: Values = ()
        for value in self.evaluate(node.value, frame):
            result = join(result, self.members.member(value, node.attr))
        return result

    def _sequence(self, node: ast.Tuple | ast.List | ast.Set, frame: Frame) -> Values:
        items: Values = ()
        for element in node.elts:
            if isinstance(element, ast.Starred):
                items = join(items, contents(self.evaluate(element.value, frame)))
            else:
                items = join(items, self.evaluate(element, frame))
        return (self._group(items),)

    def _group(self, items: Values) -> Group:
        """Return a container. In worker code, containers of plain values inside it become unknown values."""
        return Group(tuple(dict.fromkeys(map(hide_plain, items))) if self.context.worker else items)

    def _dict(self, node: ast.Dict, frame: Frame) -> Values:
        items: Values = ()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                items = join(items, contents(self.evaluate(value, frame)))
            else:
                self.evaluate(key, frame)
                items = join(items, self.evaluate(value, frame))
        return (self._group(items),)

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Values:
        index = self.evaluate(node.slice, frame)
        result: Values = ()
        for value in self.evaluate(node.value, frame):
            if isinstance(value, Inst) and self.context.worker:
                method = self.members.method(value, "__getitem__")
                result = join(result, self.steps.run(method, [index], {}) if method else self.context.nothing)
            elif isinstance(value, Group):
                result = join(result, value.items or self.context.nothing)
            elif isinstance(value, Ext):
                result = join(result, (Ext(f"{value.name}[]"),))
            else:
                result = join(result, STATIC if constant((value, *index)) else self.context.nothing)
        return result

    def _binary(self, node: ast.BinOp, frame: Frame) -> Values:
        left, right = self.evaluate(node.left, frame), self.evaluate(node.right, frame)
        groups = tuple(v for v in left + right if isinstance(v, Group))
        if groups:
            return (self._group(contents(groups)),)
        return STATIC if constant(left) and constant(right) else self.context.nothing

    def _unary(self, node: ast.UnaryOp, frame: Frame) -> Values:
        value = self.evaluate(node.operand, frame)
        return STATIC if constant(value) else self.context.nothing

    def _boolean(self, node: ast.BoolOp, frame: Frame) -> Values:
        result: Values = ()
        for i, operand in enumerate(node.values):
            values = self.evaluate(operand, frame)
            last = i == len(node.values) - 1
            if isinstance(node.op, ast.Or) and not last:
                result = join(result, tuple(v for v in values if v != Const(None)))
                if all(truthy(v) for v in values):
                    return result
            else:
                result = join(result, values)
        return result or self.context.nothing

    def _conditional(self, node: ast.IfExp, frame: Frame) -> Values:
        truth = self.conditions.truth(node.test, frame)
        if truth is True:
            return self.evaluate(node.body, frame)
        if truth is False:
            return self.evaluate(node.orelse, frame)
        return join(self.evaluate(node.body, frame), self.evaluate(node.orelse, frame))

    def _compare(self, node: ast.Compare, frame: Frame) -> Values:
        parts = [self.evaluate(part, frame) for part in (node.left, *node.comparators)]
        return STATIC if all(constant(part) for part in parts) else self.context.nothing

    def _lambda(self, node: ast.Lambda, frame: Frame) -> Values:
        return (Fn(Function(node, frame.module, frame, frame.cls), None, frame),)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, frame: Frame
    ) -> Values:
        inner = Frame(frame.module, parent=frame, this=frame.this)
        inner.cls, inner.function = frame.cls, frame.function
        for generator in node.generators:
            items = self.targets.iterate(self.evaluate(generator.iter, inner))
            self.targets.assign(generator.target, items, inner)
            for condition in generator.ifs:
                self.evaluate(condition, inner)
        if isinstance(node, ast.DictComp):
            self.evaluate(node.key, inner)
            return (self._group(self.evaluate(node.value, inner)),)
        return (self._group(self.evaluate(node.elt, inner)),)

    def _named(self, node: ast.NamedExpr, frame: Frame) -> Values:
        values = self.evaluate(node.value, frame)
        self.targets.assign(node.target, values, frame)
        return values

    def _through(self, node: ast.Await | ast.Starred, frame: Frame) -> Values:
        return self.evaluate(node.value, frame)

    def _yield(self, node: ast.Yield | ast.YieldFrom, frame: Frame) -> Values:
        values = self.evaluate(node.value, frame) if node.value else (Const(None),)
        if isinstance(node, ast.YieldFrom):
            values = self.targets.iterate(values)
        frame.vars["<yield>"] = join(frame.vars.get("<yield>", ()), values)
        return self.context.nothing

    def _call(self, node: ast.Call, frame: Frame) -> Values:
        return self.steps.call(node, frame)


_METHODS: dict[type[ast.AST], Callable[..., Values]] = by_kind(
    Expressions,
    """
    constant: Constant | name: Name | attribute: Attribute | call: Call | sequence: Tuple List Set | dict: Dict
    | subscript: Subscript | binary: BinOp | unary: UnaryOp | boolean: BoolOp | conditional: IfExp | compare: Compare
    | lambda: Lambda | comprehension: ListComp SetComp GeneratorExp DictComp | named: NamedExpr
    | through: Await Starred | yield: Yield YieldFrom
    """,
)
