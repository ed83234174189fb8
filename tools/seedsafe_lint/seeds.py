"""What the expression of a seed is computed from."""

import ast
import re
from collections.abc import Container, Iterator

from seedsafe_lint.index import Function
from seedsafe_lint.syntax import dotted

__all__ = ["counted", "expand", "is_whole_seconds", "local_values", "of_clock", "of_worker_alone"]

_OF_WORKER = frozenset({"torch", "utils", "data", "get_worker_info", "id", "num_workers", "int"})

_WHOLE_SECONDS = re.compile(
    r"(np\.|numpy\.)?(int|round|u?int(32|64))\((time\.)?time\(\)\)( (%|&) [\w*() -]+)?$|.*\.now\([^()]*\)\.second$"
)


def is_whole_seconds(node: ast.AST) -> bool:
    """Return True for the clock's whole seconds.

    Example:
        >>> is_whole_seconds(ast.parse("int(time.time()) % 2**32", mode="eval").body)
        True
    """
    return isinstance(node, ast.expr) and bool(_WHOLE_SECONDS.match(ast.unparse(node)))


def expand(expression: ast.AST, function: Function, depth: int = 0) -> Iterator[ast.AST]:
    """Yield the nodes of an expression, and of the expressions that its local variables stand for."""
    for node in ast.walk(expression):
        yield node
        if isinstance(node, ast.Name) and depth < 4:
            for binding in function.scope.names.get(node.id, ()):
                if isinstance(binding.node, ast.expr) and binding.node is not expression:
                    yield from expand(binding.node, function, depth + 1)


def of_worker_alone(node: ast.Call, function: Function | None) -> bool:
    """Return True if a seed depends on nothing but the worker's number, as ``get_worker_info().id`` tells it."""
    if function is None or len(node.args) != 1:
        return False
    parts = list(expand(node.args[0], function))
    local = local_values(function)
    names = {part.id for part in parts if isinstance(part, ast.Name)} - local
    attributes = {part.attr for part in parts if isinstance(part, ast.Attribute)}
    asked = any(isinstance(part, ast.Call) and dotted(part).endswith("get_worker_info") for part in parts)
    return asked and "id" in attributes and names | attributes <= _OF_WORKER


_CLOCK = re.compile(r"(^|\.)((time|perf_counter|monotonic|process_time)(_ns)?|clock|now|utcnow)$")


def of_clock(node: ast.Call, function: Function) -> bool:
    """Return True if a seed is taken from the clock, and nothing in it from an argument of the function."""
    parts = [part for argument in node.args for part in expand(argument, function)]
    given = {p.arg for p in (*function.positional, *function.node.args.kwonlyargs)} - {"self"}
    if any(isinstance(part, ast.Name) and part.id in given for part in parts):
        return False
    return any(isinstance(part, ast.Call) and _CLOCK.search(dotted(part)) for part in parts)


def counted(node: ast.Call, function: Function, entered: Container[Function]) -> bool:
    """Return True if a seed is the count of an attribute or a global variable, and nothing in it from an argument of the function.

    Args:
        node: The call that seeds.
        function: The function that it stands in.
        entered: The functions that worker code has run.
    """
    parts = [part for argument in node.args for part in expand(argument, function)]
    names = [p.arg for p in (*function.positional, *function.node.args.kwonlyargs)]
    this = names[0] if function.cls and names else ""
    for part in parts:
        if isinstance(part, ast.Name) and part.id in names and part.id != this:
            return False
    for part in parts:
        match part:
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if function.cls and owner == this:
                for site in function.cls.sites.get(attr, ()):
                    grows = site.value is None or _mentions(site.value, owner, attr)
                    if grows and (site.function is function or site.function in entered):
                        return True
            case ast.Name(id=name) if name in function.globals:
                return True
            case ast.Call(func=ast.Name(id="next"), args=[ast.Attribute(value=ast.Name(id=owner))]) if (
                owner == this
            ):
                return True
            case _:
                pass
    return False


def _mentions(value: ast.expr, owner: str, attr: str) -> bool:
    return isinstance(value, ast.BinOp) and f"{owner}.{attr}" in ast.unparse(value)


def local_values(function: Function) -> set[str]:
    """Return the names of a function's local variables that stand for expressions."""
    return {name for name, found in function.scope.names.items() if isinstance(found[0].node, ast.expr)}
