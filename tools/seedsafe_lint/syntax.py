"""The names and values that syntax nodes spell."""

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

__all__ = [
    "FunctionNode",
    "added",
    "assignments_to",
    "body_of",
    "by_kind",
    "dotted",
    "listed",
    "outside_functions",
]

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def by_kind(owner: type, prefix: str, table: str) -> dict[type[ast.AST], Callable[..., Any]]:
    """Return the methods of a class by the type of node that they handle. The table is ``method: Kind Kind | method: Kind``, without the prefix."""
    rows = (row.split(":") for row in table.split("|"))
    return {
        getattr(ast, kind): getattr(owner, f"{prefix}{name.strip()}")
        for name, kinds in rows
        for kind in kinds.split()
    }


def body_of(node: FunctionNode) -> list[ast.stmt]:
    """Return the statements of a function. A lambda has one return statement."""
    if isinstance(node, ast.Lambda):
        return [ast.copy_location(ast.Return(value=node.body), node.body)]
    return node.body


def outside_functions(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of statements, except those of nested functions and classes."""
    todo: list[ast.AST] = [*body]
    while todo:
        node = todo.pop()
        if not isinstance(node, FunctionNode | ast.ClassDef):
            yield node
            todo += ast.iter_child_nodes(node)


def dotted(node: ast.AST) -> str:
    """Return the dotted name of an expression without arguments, or an empty string.

    Example:
        >>> dotted(ast.parse("@a.b(1)\\ndef f(): pass").body[0].decorator_list[0])
        'a.b'
    """
    parts: list[str] = []
    if isinstance(node, ast.Call):
        node = node.func
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id] if isinstance(node, ast.Name) else parts))


def assignments_to(node: ast.stmt, this: str) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield the attributes of `this` that a statement sets, with their values, or None if a value is not written there."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _attributes(target, node.value, this)
    elif isinstance(node, ast.AugAssign):
        for name, _ in _attributes(node.target, node.value, this):
            yield name, None
    elif isinstance(node, ast.AnnAssign) and node.value:
        yield from _attributes(node.target, node.value, this)
    elif isinstance(node, ast.Expr) and (found := added(node.value)) and isinstance(found[0], ast.Attribute):
        yield from _attributes(*found, this)


def listed(value: ast.expr) -> ast.expr:
    """Return a list of a value alone."""
    return ast.copy_location(ast.List(elts=[value], ctx=ast.Load()), value)


def added(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """Return the container, and a list of what it gets, of a call like ``container.append(value)``, or None."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=owner, attr="append" | "add" | "insert" | "extend" as method),
            args=[*_, value],
        ):
            return owner, value if method == "extend" else listed(value)
    return None


def _attributes(target: ast.expr, value: ast.expr | None, this: str) -> Iterator[tuple[str, ast.expr | None]]:
    match target:
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == this:
            yield attr, value
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr=attr)) if (
            name == this and value is not None
        ):
            yield attr, listed(value)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            paired = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(elements)
            for i, element in enumerate(elements):
                part = value.elts[i] if paired and isinstance(value, ast.Tuple | ast.List) else None
                yield from _attributes(element, part, this)
