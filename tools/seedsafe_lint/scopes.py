"""The names that statements bind, in any order."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from seedsafe_lint.syntax import by_kind

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
                if method := _METHODS.get(type(statement)):
                    method(self, statement)
        return self._names

    def _add(self, name: str, binding: Binding) -> None:
        self.names.setdefault(name, []).append(binding)

    def _assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            for name, binding in targets(target, node.value):
                self._add(name, binding)
            match target:
                case ast.Subscript(value=ast.Name(id=name)) if name in self.names:
                    element: ast.expr = ast.List(elts=[node.value], ctx=ast.Load())
                    self._add(name, Binding("value", ast.copy_location(element, node.value)))

    def _annotated(self, node: ast.AnnAssign) -> None:
        if isinstance(node.target, ast.Name) and node.value:
            self._add(node.target.id, Binding("value", node.value))

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.asname or alias.name.partition(".")[0]
            self._add(top, Binding("import", node, alias.name if alias.asname else top))

    def _from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(node)
            else:
                self._add(alias.asname or alias.name, Binding("from", node, alias.name))

    def _def(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._add(node.name, Binding("class" if isinstance(node, ast.ClassDef) else "def", node))

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        for name, binding in targets(node.target, node.iter):
            self._add(name, Binding("item", node.iter) if binding.kind == "value" else binding)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            if isinstance(item.optional_vars, ast.Name):
                self._add(item.optional_vars.id, Binding("value", item.context_expr))

    def _expression(self, node: ast.Expr) -> None:
        match node.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=[*_, value]) if (
                method in ("append", "add", "insert", "extend") and name in self.names
            ):
                element = value if method == "extend" else ast.List(elts=[value], ctx=ast.Load())
                self._add(name, Binding("value", ast.copy_location(element, value)))


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
_METHODS = by_kind(
    Scope,
    "_",
    """
    assign: Assign | annotated: AnnAssign | import: Import | from: ImportFrom | for: For AsyncFor | with: With AsyncWith
    | def: FunctionDef AsyncFunctionDef ClassDef | expression: Expr
    """,
)
