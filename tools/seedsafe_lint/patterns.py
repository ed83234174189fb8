"""Statement patterns with a meaning of their own."""

import ast
from collections.abc import Iterator

from seedsafe_lint.index import Function
from seedsafe_lint.scopes import statements, targets

__all__ = ["asks_for_seed", "chooses_sample", "cleared", "fills", "stored_names"]


def asks_for_seed(test: ast.expr) -> bool:
    """Return whether a condition is like ``if self.seed is not None:``, so that all samples take the same branch."""
    match test:
        case ast.Compare(left=left, ops=[ast.IsNot() | ast.NotEq()], comparators=[ast.Constant(value=None)]):
            return asks_for_seed(left)
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant()]):
            return asks_for_seed(left)
        case ast.Attribute(value=ast.Name(), attr=attr):
            return "seed" in attr.lower()
        case _:
            return False


def fills(node: ast.If) -> bool:
    """Return whether a statement is ``if self.table is None: self.table = ...``, whose draws are the same in each worker."""
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


def chooses_sample(function: Function, attr: str) -> bool:
    """Return whether a function ends like ``return self.load(self.rescue)``: it reads another sample in place of a bad one."""
    for node in statements(function.body):
        match node:
            case ast.Return(
                value=ast.Call(args=[ast.Attribute(attr=name)])
                | ast.Subscript(slice=ast.Attribute(attr=name))
            ):
                if name == attr:
                    return True
    return False


def cleared(node: ast.AugAssign) -> bool:
    """Return whether a statement is like ``self.buffer *= 0``, which leaves nothing of the last sample."""
    match node:
        case ast.AugAssign(op=ast.Mult() | ast.BitAnd(), value=ast.Constant(value=0 | False)):
            return True
        case _:
            return False


def stored_names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that an assignment binds."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            for name, _ in targets(target, node.value):
                yield name
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _as_stored(node: ast.Attribute) -> str:
    return ast.dump(ast.Attribute(value=node.value, attr=node.attr, ctx=ast.Store()))
