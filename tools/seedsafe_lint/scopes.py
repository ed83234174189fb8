"""The names that statements bind, in any order."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Binding", "Scope", "statements", "targets"]


class Binding(NamedTuple):
    """One statement that binds a name: its kind, and the node."""

    kind: str  # import, from, def, class, value, item, unpack, other
    node: ast.AST
    detail: object = None


class Scope:
    """The names that a body of statements binds, collected at the first use."""

    def __init__(self, body: list[ast.stmt]) -> None:
        self.body = body
        self._names: dict[str, list[Binding]] | None = None
        self.stars: list[ast.ImportFrom] = []

    @property
    def names(self) -> dict[str, list[Binding]]:
        """Bindings by name."""
        if self._names is None:
            self._names = {}
            for statement in statements(self.body):
                self._bind(self._names, statement)
        return self._names

    def _bind(self, names: dict[str, list[Binding]], node: ast.stmt) -> None:
        def add(name: str, binding: Binding) -> None:
            names.setdefault(name, []).append(binding)

        match node:
            case ast.Assign():
                for target in node.targets:
                    for name, binding in targets(target, node.value):
                        add(name, binding)
                    match target:
                        case ast.Subscript(value=ast.Name(id=name)) if name in names:
                            element: ast.expr = ast.List(elts=[node.value], ctx=ast.Load())
                            add(name, Binding("value", ast.copy_location(element, node.value)))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                add(name, Binding("value", value))
            case ast.Import():
                for alias in node.names:
                    top = alias.asname or alias.name.partition(".")[0]
                    add(top, Binding("import", node, alias.name if alias.asname else top))
            case ast.ImportFrom():
                for alias in node.names:
                    if alias.name == "*":
                        self.stars.append(node)
                    else:
                        add(alias.asname or alias.name, Binding("from", node, alias.name))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                add(node.name, Binding("def", node))
            case ast.ClassDef():
                add(node.name, Binding("class", node))
            case ast.For() | ast.AsyncFor():
                for name, binding in targets(node.target, node.iter):
                    add(name, Binding("item", node.iter) if binding.kind == "value" else binding)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    if isinstance(item.optional_vars, ast.Name):
                        add(item.optional_vars.id, Binding("value", item.context_expr))
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=[*_, value])
            ) if method in ("append", "add", "insert", "extend") and name in names:
                element = value if method == "extend" else ast.List(elts=[value], ctx=ast.Load())
                add(name, Binding("value", ast.copy_location(element, value)))


def targets(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, Binding]]:
    """Yield the names that an assignment to `target` binds."""
    if isinstance(target, ast.Name):
        yield target.id, Binding("value", value)
    elif isinstance(target, ast.Tuple | ast.List):
        paired = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
        for i, element in enumerate(target.elts):
            if paired and isinstance(value, ast.Tuple | ast.List):
                yield from targets(element, value.elts[i])
            elif isinstance(element, ast.Name):
                yield element.id, Binding("unpack", value)


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a body in order, except those of nested functions and classes."""
    todo = body[::-1]
    while todo:
        node = todo.pop()
        yield node
        kind = type(node)
        if kind in _COMPOUND:
            inner: list[ast.stmt] = [*getattr(node, "body", ())]
            for handler in getattr(node, "handlers", ()):
                inner += handler.body
            for case in getattr(node, "cases", ()):
                inner += case.body
            todo += [*inner, *getattr(node, "orelse", ()), *getattr(node, "finalbody", ())][::-1]


_COMPOUND = frozenset(
    {ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match}
)
