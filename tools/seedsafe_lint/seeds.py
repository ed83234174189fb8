"""What the expression of a seed is computed from."""

import ast
from collections.abc import Iterator

from seedsafe_lint.index import Function
from seedsafe_lint.syntax import dotted

__all__ = ["expand", "local_values", "of_worker_alone"]

_OF_WORKER = frozenset({"torch", "utils", "data", "get_worker_info", "id", "num_workers", "int"})


def expand(expression: ast.AST, function: Function, depth: int = 0) -> Iterator[ast.AST]:
    """Nodes of an expression, and of the expressions that its local variables stand for."""
    for node in ast.walk(expression):
        yield node
        if isinstance(node, ast.Name) and depth < 4:
            for binding in function.scope.names.get(node.id, ()):
                if isinstance(binding.node, ast.expr) and binding.node is not expression:
                    yield from expand(binding.node, function, depth + 1)


def of_worker_alone(node: ast.Call, function: Function | None) -> bool:
    """True if a seed depends on nothing but the worker's number, as ``get_worker_info().id`` tells it."""
    if function is None or len(node.args) != 1:
        return False
    parts = list(expand(node.args[0], function))
    local = local_values(function)
    names = {part.id for part in parts if isinstance(part, ast.Name)} - local
    attributes = {part.attr for part in parts if isinstance(part, ast.Attribute)}
    asked = any(isinstance(part, ast.Call) and dotted(part).endswith("get_worker_info") for part in parts)
    return asked and "id" in attributes and names | attributes <= _OF_WORKER


def local_values(function: Function) -> set[str]:
    """Names of a function's local variables that stand for expressions."""
    return {name for name, found in function.scope.names.items() if isinstance(found[0].node, ast.expr)}
