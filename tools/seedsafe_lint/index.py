"""Files with their classes, functions and names."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import NamedTuple, TypeAlias

from seedsafe_lint.known import framework_of_all, imports
from seedsafe_lint.syntax import (
    FunctionNode,
    added,
    assignments_to,
    body_of,
    by_kind,
    dotted,
    listed,
    outside_functions,
    pairs,
)

__all__ = [
    "Binding",
    "Class",
    "Frame",
    "Function",
    "Module",
    "Scope",
    "Site",
    "Value",
    "Values",
    "join",
    "statements",
    "targets",
    "union",
]

_MANY = 6
"""More alternatives than this are merged by family, so that few different runs remain."""

_LIMIT = 24
"""Alternatives beyond this number are dropped: no file may take long."""


class Value:
    """An abstract value. `seedsafe_lint.values` has its kinds."""

    __slots__ = ()

    @property
    def family(self) -> object:
        """The label that mergeable values share, or None if this one cannot be merged."""
        return None

    def unite(self, others: "Iterable[Value]") -> "Value":
        """Return one value in place of this one and others of its family."""
        raise NotImplementedError


Values: TypeAlias = tuple[Value, ...]


def join(first: Values, *more: Values) -> Values:
    """Return all the alternatives without duplicates. If there are many, merge those of one family."""
    if not first and len(more) == 1 and len(more[0]) <= _MANY:
        return more[0]
    result = first
    for values in more:
        if not result:
            result = values
        elif values and values is not result and values != result:
            result = tuple(dict.fromkeys(result + values))
    if len(result) > _MANY and result is not first:
        result = _condense(result)
    return result[:_LIMIT]


def union(parts: Iterable[Values]) -> Values:
    """Return the alternatives of all parts, joined one after the other."""
    return reduce(join, parts, ())


def _condense(values: Values) -> Values:
    kinds = [value.family for value in values]
    if kinds.count(None) + len({*kinds} - {None}) == len(values):
        return values
    families: dict[object, list[Value]] = {}
    for value in dict.fromkeys(values):
        family = value.family
        families.setdefault(value if family is None else family, []).append(value)
    return tuple(of[0].unite(of[1:]) if len(of) > 1 else of[0] for of in families.values())


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
                    self._add(name, Binding("value", listed(node.value)))

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
        match added(node.value):
            case (ast.Name(id=name), value) if name in self.names:
                self._add(name, Binding("value", value))


def targets(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, Binding]]:
    """Yield the names that an assignment to `target` binds."""
    for part, of in pairs(target, value):
        if isinstance(part, ast.Name):
            yield part.id, Binding("value", of) if of else Binding("unpack", value)


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


class Site(NamedTuple):
    """One assignment to an attribute of `self`: the function that contains it, and the value."""

    function: "Function"
    value: ast.expr | None


class Frame:
    """The variables of one scope, with the frames around it.

    Names are looked up in `vars` if the frame's function is running, otherwise in `scope`.
    """

    __slots__ = ("cls", "function", "module", "parent", "scope", "this", "vars")

    def __init__(
        self,
        module: "Module",
        *,
        parent: "Frame | None" = None,
        scope: Scope | None = None,
        function: "Function | None" = None,
        variables: dict[str, Values] | None = None,
        this: Values = (),
    ) -> None:
        self.module = module
        self.parent = parent
        self.scope = scope
        self.function = function
        self.vars = {} if variables is None else variables
        self.this = this
        self.cls = function.cls if function else None


@dataclass(eq=False)
class Function:
    """A function, method (then with its class) or lambda, with the scope around it."""

    node: FunctionNode
    module: "Module"
    frame: Frame
    cls: "Class | None" = None

    @property
    def name(self) -> str:
        """Its name."""
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name

    @property
    def label(self) -> str:
        """Its name, after that of its class."""
        return f"{self.cls.name}.{self.name}" if self.cls else self.name

    @cached_property
    def scope(self) -> Scope:
        """The names that its body binds."""
        return Scope(self.body)

    @cached_property
    def body(self) -> list[ast.stmt]:
        """Its statements. A lambda has one return statement."""
        return body_of(self.node)

    @cached_property
    def text(self) -> str:
        """Its lines."""
        return "\n".join(self.module.lines[self.node.lineno - 1 : self.node.end_lineno])

    def inside(self, variables: dict[str, Values] | None = None) -> Frame:
        """Return the frame of its body, with some variables."""
        frame, scope = self.frame, self.scope
        return Frame(self.module, parent=frame, scope=scope, function=self, variables=variables)

    @property
    def this(self) -> str:
        """The parameter for the method's object, usually `self`, or an empty string for a function."""
        return self.positional[0].arg if self.cls and self.positional else ""

    @cached_property
    def endless(self) -> bool:
        """Whether it loops forever: such a stream has no epochs."""
        loops = (node for node in statements(self.body) if isinstance(node, ast.While))
        return any(isinstance(node.test, ast.Constant) and node.test.value for node in loops)

    @cached_property
    def globals(self) -> frozenset[str]:
        """The names that it declares global."""
        return frozenset(
            name for node in statements(self.body) if isinstance(node, ast.Global) for name in node.names
        )

    @cached_property
    def yields(self) -> bool:
        """Whether it is a generator function, so that a call runs nothing."""
        return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in outside_functions(self.body))

    @cached_property
    def positional(self) -> list[ast.arg]:
        """Its positional parameters."""
        return self.node.args.posonlyargs + self.node.args.args

    @cached_property
    def parameters(self) -> dict[str, ast.arg]:
        """Its parameters by name, without those that take the rest."""
        return {parameter.arg: parameter for parameter in (*self.positional, *self.node.args.kwonlyargs)}

    @cached_property
    def defaults(self) -> dict[str, ast.expr]:
        """The defaults of its parameters by name."""
        given = self.node.args
        last = zip(self.positional[self.required :], given.defaults, strict=True)
        words = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        return {parameter.arg: value for parameter, value in (*last, *words) if value}

    @property
    def required(self) -> int:
        """The number of positional parameters without a default."""
        return len(self.positional) - len(self.node.args.defaults)

    def has(self, node: ast.AST, path: str) -> bool:
        """Return whether a node of a file is in its definition."""
        line = getattr(node, "lineno", 0)
        return path == self.module.path and self.node.lineno <= line <= (self.node.end_lineno or 0)

    def takes(self, count: int, words: Iterable[str]) -> bool:
        """Return whether a call of the method with this many positional arguments and these words is possible."""
        bound, arguments = self.cls is not None and not self.has_decorator("staticmethod"), self.node.args
        own = self.positional[bound:]
        first = len(own) - len(arguments.defaults)
        names = {p.arg for p in (*own[count:], *arguments.kwonlyargs)}
        return (
            (count <= len(own) or arguments.vararg is not None)
            and all(p.arg in words for p in own[count : max(first, count)])
            and (arguments.kwarg is not None or all(word in names for word in words))
        )

    def has_decorator(self, *names: str) -> bool:
        """Return whether one of its decorators has one of these (last) names."""
        return any(dotted(d).rpartition(".")[2] in names for d in self.decorators)

    @property
    def decorators(self) -> list[ast.expr]:
        """Its decorators, outermost first."""
        return [] if isinstance(self.node, ast.Lambda) else self.node.decorator_list


@dataclass(eq=False)
class Class:
    """A class, with the scope around it and its methods by name."""

    node: ast.ClassDef
    module: "Module"
    frame: Frame
    methods: dict[str, Function] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for statement in statements(self.node.body):
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                names = [dotted(d) for d in statement.decorator_list]
                name = next((n for n in names if n.endswith((".setter", ".deleter"))), statement.name)
                self.methods[name] = Function(statement, self.module, self.frame, self)

    @property
    def name(self) -> str:
        """Its name."""
        return self.node.name

    @cached_property
    def scope(self) -> Scope:
        """The names that its body binds."""
        return Scope(self.node.body)

    @cached_property
    def code(self) -> str:
        """Its code in one spelling, without comments."""
        return ast.unparse(self.node)

    @cached_property
    def sites(self) -> dict[str, list[Site]]:
        """The assignments to attributes of `self` (or `cls`) in its methods."""
        result: dict[str, list[Site]] = {}
        for method in self.methods.values():
            for node in statements(method.body) if method.positional else ():
                for name, value in assignments_to(node, method.positional[0].arg):
                    result.setdefault(name, []).append(Site(method, value))
        return result


class Module:
    """One parsed file."""

    def __init__(self, path: str, text: str, tree: ast.Module) -> None:
        self.path = path
        self.text = text
        self.scope = Scope(tree.body)
        self.frame = Frame(self, scope=self.scope)
        self.functions: dict[ast.AST, Function] = {}
        self.classes: dict[ast.AST, Class] = {}
        self._index(tree.body, self.frame)

    @cached_property
    def framework(self) -> str:
        """The framework that the file imports, or torch if it imports several."""
        return framework_of_all(self.imports)

    @cached_property
    def imports(self) -> frozenset[str]:
        """The dotted names of the modules that it imports."""
        return imports(self.text)

    @cached_property
    def renamed(self) -> dict[str, str]:
        """The names of other files that it imports under another one."""
        firsts = ((name, bindings[0]) for name, bindings in self.scope.names.items())
        return {name: str(first.detail) for name, first in firsts if first.kind == "from"}

    @cached_property
    def lines(self) -> list[str]:
        """The lines of its text."""
        return self.text.split("\n")

    def close(self) -> None:
        """Break the cycles that keep the tree alive. The module is unusable afterwards."""
        for part in (*self.classes.values(), *self.functions.values(), self):
            part.__dict__.clear()

    def _index(self, body: list[ast.stmt], frame: Frame) -> None:
        for node in statements(body):
            if isinstance(node, ast.ClassDef):
                cls = Class(node, self, frame)
                self.classes[node] = cls
                for method in cls.methods.values():
                    self.functions[method.node] = method
                    self._index(body_of(method.node), method.inside())
                self._index([n for n in node.body if isinstance(n, ast.ClassDef)], frame)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                function = Function(node, self, frame)
                self.functions[node] = function
                self._index(node.body, function.inside())

    def class_of(self, node: ast.ClassDef, frame: Frame) -> Class:
        """Return the `Class` of a class statement."""
        if node not in self.classes:
            self.classes[node] = Class(node, self, frame)
        return self.classes[node]
