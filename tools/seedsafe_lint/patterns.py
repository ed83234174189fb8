"""Statements and seeds with a meaning."""

import ast
from collections.abc import Container, Iterable, Iterator

from seedsafe_lint.index import Function, statements
from seedsafe_lint.known import FACTS
from seedsafe_lint.syntax import dotted
from seedsafe_lint.tables import patterns

__all__ = [
    "adds_epoch",
    "asks_for_seed",
    "chooses_sample",
    "cleared",
    "clock_kind",
    "expand",
    "fills",
    "hashes_string",
    "is_counter",
    "is_whole_seconds",
    "is_worker_alone",
    "local_values",
    "orders_alone",
]

_RE = patterns("patterns")


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
        case (
            ast.Compare(left=ast.Attribute() as owner, ops=[ast.Is()], comparators=[ast.Constant(value=None)])
            | ast.UnaryOp(op=ast.Not(), operand=ast.Attribute() as owner)
        ):
            stored = ast.unparse(owner)
        case ast.UnaryOp(
            op=ast.Not(),
            operand=ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=str(name))]),
        ):
            stored = f"{ast.unparse(owner)}.{name}"
        case _:
            return False
    targets_of = (inner.targets for inner in statements(node.body) if isinstance(inner, ast.Assign))
    return any(ast.unparse(target) == stored for some in targets_of for target in some)


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


def orders_alone(node: ast.Call, function: Function) -> bool:
    """Return whether a generator that a call makes or seeds draws nothing but orders, such as ``rng.permutation(n)``."""
    seeds = isinstance(node.func, ast.Attribute) and node.func.attr.endswith("seed")
    names = {ast.unparse(node.func.value if seeds else node)}  # type: ignore[attr-defined]
    for statement in statements(function.body):
        if isinstance(statement, ast.Assign) and node in ast.walk(statement.value):
            names |= set(map(ast.unparse, statement.targets))
    around = function.cls.node if function.cls else function.node
    drawn: set[str] = set()
    for part in ast.walk(around):
        if isinstance(part, ast.Attribute) and ast.unparse(part.value) in names:
            drawn.add(part.attr)
        elif isinstance(part, ast.Call) and any(ast.unparse(word.value) in names for word in part.keywords):
            drawn.add(dotted(part).rpartition(".")[2])
    return not drawn & FACTS.DRAW_METHODS - _RE.ORDERS


def cleared(node: ast.AugAssign) -> bool:
    """Return whether a statement is like ``self.buffer *= 0``, which leaves nothing of the last sample."""
    match node:
        case ast.AugAssign(op=ast.Mult() | ast.BitAnd(), value=ast.Constant(value=0 | False)):
            return True
        case _:
            return False


def is_whole_seconds(node: ast.AST) -> bool:
    """Return whether an expression is the clock's whole seconds.

    Example:
        >>> is_whole_seconds(ast.parse("int(time.time()) % 2**32", mode="eval").body)
        True
    """
    return isinstance(node, ast.expr) and bool(_RE.WHOLE_SECONDS.match(ast.unparse(node)))


def expand(expression: ast.AST, function: Function, depth: int = 0) -> Iterator[ast.AST]:
    """Yield the nodes of an expression and of the expressions in its local variables."""
    for node in ast.walk(expression):
        yield node
        if isinstance(node, ast.Name) and depth < 4:
            for binding in function.scope.names.get(node.id, ()):
                if isinstance(binding.node, ast.expr) and binding.node is not expression:
                    yield from expand(binding.node, function, depth + 1)


def is_worker_alone(parts: list[ast.AST], function: Function) -> bool:
    """Return whether a seed depends only on the worker's number (``get_worker_info().id``) and fixed values."""
    local, this = local_values(function), function.this
    asked = any(isinstance(part, ast.Call) and dotted(part).endswith("get_worker_info") for part in parts)
    numbered = any(isinstance(part, ast.Attribute) and part.attr == "id" for part in parts)
    if not (asked and numbered) or function.endless:
        return False
    for part in parts:
        match part:
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if owner == this:
                if not _fixed(function, attr):
                    return False
            case ast.Attribute(attr=attr) if attr not in _RE.OF_WORKER:
                return False
            case ast.Name(id=name) if name not in local | _RE.OF_WORKER and name != this:
                return False
    return True


def _fixed(function: Function, attr: str) -> bool:
    """Return whether only the constructor sets an attribute."""
    sites = function.cls.sites.get(attr, ()) if function.cls else ()
    return bool(sites) and all(site.function.name == "__init__" for site in sites)


def clock_kind(parts: list[ast.AST], function: Function) -> str:
    """Return ``clock`` for a seed from the clock alone, ``clock sum`` for the clock plus an argument, or an empty string."""
    parameters = function.parameters.keys() - {"self"}

    def reads_clock(inside: Iterable[ast.AST]) -> bool:
        return any(isinstance(part, ast.Call) and bool(_RE.CLOCK.search(dotted(part))) for part in inside)

    def reads_parameter(inside: Iterable[ast.AST]) -> bool:
        return any(isinstance(part, ast.Name) and part.id in parameters for part in inside)

    if not reads_parameter(parts):
        return "clock" if reads_clock(parts) else ""
    for part in parts:
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add | ast.Sub | ast.BitXor):
            sides = [list(expand(side, function)) for side in (part.left, part.right)]
            if any(reads_clock(sides[i]) and reads_parameter(sides[1 - i]) for i in (0, 1)):
                return "clock sum"
    return ""


def adds_epoch(parts: list[ast.AST], function: Function) -> bool:
    """Return whether a seed is a sum of an epoch and an argument of the function as they are, such as ``seed + epoch + index``."""
    arguments = {p.arg for p in function.positional if "epoch" not in p.arg} - {function.this}
    for terms in map(_terms, parts):
        epoch = any(
            "epoch" in dotted(term).rpartition(".")[2] for term in terms if not isinstance(term, ast.Call)
        )
        if epoch and any(isinstance(term, ast.Name) and term.id in arguments for term in terms):
            return True
    return False


def _terms(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_terms(node.left), *_terms(node.right)]
    return [node]


def hashes_string(parts: list[ast.AST], function: Function) -> bool:
    """Return whether a seed comes from `hash` of a string, which Python salts differently in each run."""
    calls = [part for part in parts if isinstance(part, ast.Call) and dotted(part) == "hash"]
    for part in (part for call in calls for argument in call.args for part in expand(argument, function)):
        match part:
            case ast.JoinedStr() | ast.Constant(value=str()):
                return True
            case ast.Name(id=name) | ast.Attribute(attr=name) if _RE.STRING.search(name):
                return True
    return False


def is_counter(parts: list[ast.AST], function: Function, functions: Container[Function]) -> bool:
    """Return whether a seed counts calls in an attribute or a global variable, and uses no argument of the function.

    Attributes that change only outside `functions`, which worker code runs, do not count.
    """
    names, this = function.parameters, function.this
    for part in parts:
        if isinstance(part, ast.Name) and part.id in names and part.id != this:
            return False
    for part in parts:
        match part:
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if function.cls and owner == this:
                for site in function.cls.sites.get(attr, ()):
                    grows = site.value is None or _mentions(site.value, owner, attr)
                    if grows and (site.function is function or site.function in functions):
                        return True
            case ast.Name(id=name) if name in function.globals:
                return True
            case ast.Call(func=ast.Name(id="next"), args=[ast.Attribute(value=ast.Name(id=owner))]) if (
                owner == this
            ):
                return True
    return False


def _mentions(value: ast.expr, owner: str, attr: str) -> bool:
    return isinstance(value, ast.BinOp) and f"{owner}.{attr}" in ast.unparse(value)


def local_values(function: Function) -> set[str]:
    """Return the names of the local variables that are bound to expressions."""
    return {name for name, bindings in function.scope.names.items() if isinstance(bindings[0].node, ast.expr)}
