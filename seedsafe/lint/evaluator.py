"""Abstract values of expressions."""

import ast
import builtins
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from seedsafe.lint.index import Binding, Class, Frame, Function, Module, Site
from seedsafe.lint.known import RNG_NAME, canonical, guess, is_numpy_draw, is_python_draw, kind_of_base
from seedsafe.lint.project import Project
from seedsafe.lint.values import (
    STATIC,
    UNKNOWN,
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
    Super,
    Value,
    Values,
    constant,
    contents,
    join,
)

__all__ = ["Evaluator", "State"]

_INITIAL = frozenset({"__init__", "__post_init__", "__new__", "<class>"})
_IN_WORKERS = re.compile(r"worker|__setstate__|__iter__$|__enter__")
_STEPS = 15_000


@dataclass(slots=True)
class State:
    """What the code run so far has changed: attributes and globals stored, generators seeded anew."""

    stored: dict[tuple[object, str], Values] = field(default_factory=dict)
    seeded: dict[object, str] = field(default_factory=dict)

    def copy(self) -> "State":
        """An independent copy."""
        return State(dict(self.stored), dict(self.seeded))


class Evaluator(ABC):
    """Values of expressions; calls are left to the subclass.

    Args:
        project: The given files.

    With `worker` True the code is one that a worker runs, and draws count; else it is code that ran before in the main
    process, and what it makes is `stored`.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.worker = False
        self.state = State()
        self.filling = False
        self.entered: set[Function] = set()
        self.reassigned: frozenset[str] = frozenset()
        self._known: dict[object, Values] = {}
        self._open: set[object] = set()
        self._steps = 0
        self._depth = 0

    @abstractmethod
    def call(self, node: ast.Call, frame: Frame) -> Values:
        """Value of a call."""

    @abstractmethod
    def run(self, fn: Fn, args: list[Values], kwargs: dict[str, Values], *, starred: bool = False) -> Values:
        """Value that a function returns."""

    @property
    def nothing(self) -> Values:
        """A value of which nothing is known."""
        return UNKNOWN if self.worker else STATIC

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
                        self.state.stored[holder.cls, attr] = values
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

    # Names

    def lookup(self, name: str, frame: Frame) -> Values:
        """Value of a variable."""
        scope: Frame | None = frame
        while scope is not None:
            if name in scope.vars:
                return scope.vars[name]
            if scope.scope is not None:
                if scope.function and (found := self._parameter(name, scope.function)):
                    return found
                if bindings := scope.scope.names.get(name):
                    stored = self.state.stored.get((frame.module, name)) if scope.parent is None else None
                    return stored or self._static(bindings, scope, (scope.scope, name))
            scope = scope.parent
        return self._from_star(name, frame.module)

    def _from_star(self, name: str, module: Module) -> Values:
        module.scope.names  # noqa: B018 - collects the star imports
        for star in module.scope.stars:
            source = star.module or ""
            if local := self.project.find(source, module.path, star.level):
                if found := self.exported(local, name):
                    return found
            elif star.level == 0:
                full = canonical(f"{source}.{name}")
                if (
                    is_numpy_draw(full)
                    or is_python_draw(full)
                    or full in ("numpy.random", "torch.utils.data")
                ):
                    return (Ext(full),)
                if source.startswith(("torch", "keras", "tensorflow")) and (
                    kind_of_base(full) or name == "DataLoader"
                ):
                    return (Ext(full),)
        if hasattr(builtins, name):
            return (Ext(f"builtins.{name}"),)
        return (Ext(guess(name) if module.scope.stars else f"?.{name}"),)

    def exported(self, module: Module, name: str) -> Values:
        """A module's variable, or nothing."""
        if stored := self.state.stored.get((module, name)):
            return stored
        if bindings := module.scope.names.get(name):
            return self._static(bindings, module.frame, (module.scope, name))
        key = (module, name, "star")
        if not module.scope.stars or key in self._open:
            return ()
        self._open.add(key)
        try:
            for star in module.scope.stars:
                local = self.project.find(star.module or "", module.path, star.level)
                if local and (found := self.exported(local, name)):
                    return found
        finally:
            self._open.discard(key)
        return ()

    def _parameter(self, name: str, function: Function) -> Values:
        arguments = function.node.args
        for parameter in (*function.positional, *arguments.kwonlyargs):
            if parameter.arg == name:
                return self.parameter(parameter, function)
        return (
            STATIC
            if name in (getattr(arguments.vararg, "arg", ""), getattr(arguments.kwarg, "arg", ""))
            else ()
        )

    def parameter(self, parameter: ast.arg, function: Function) -> Values:
        """What a parameter of a function of the main process holds, by its name, annotation and default."""
        annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
        default = self.default(parameter, function)
        named = RNG_NAME.match(parameter.arg) and not re.search(r"\b(int|float|str|bool)\b", annotation)
        typed = re.search(r"\b(RandomState|random\.Generator|torch\.Generator|random\.Random)\b", annotation)
        if typed or (named and (default is None or Const(None) in default)):
            made = Gen("argument", function.module, parameter, stored=True, seed="varying")
            return join((made,), default or ())
        return join(default or (), STATIC)

    def default(self, parameter: ast.arg, function: Function) -> Values | None:
        """Value of a parameter's default, or None if it has none."""
        arguments, positional = function.node.args, function.positional
        expression: ast.expr | None = None
        if parameter in positional:
            place = positional.index(parameter) - len(positional) + len(arguments.defaults)
            expression = arguments.defaults[place] if place >= 0 else None
        elif parameter in arguments.kwonlyargs:
            expression = arguments.kw_defaults[arguments.kwonlyargs.index(parameter)]
        if expression is None:
            return None
        return self._static([Binding("value", expression)], function.frame, expression)

    def _static(self, bindings: list[Binding], frame: Frame, key: object) -> Values:
        """Value of a variable that was bound before the workers started."""
        if key in self._known:
            return self._known[key]
        if key in self._open or self._depth > 40:
            return STATIC
        self._open.add(key)
        try:
            found: Values = ()
            for binding in bindings:
                found = join(found, self.before(lambda b=binding: self._bound(b, frame)))  # type: ignore[misc]
        finally:
            self._open.discard(key)
        self._known[key] = found
        return found

    def before(self, action: Callable[[], Values]) -> Values:
        """Runs something as code of the main process, before the workers started."""
        worker, state = self.worker, self.state
        self.worker, self.state = False, State()
        self._depth += 1
        try:
            return action()
        finally:
            self._depth -= 1
            self.worker, self.state = worker, state

    def _bound(self, binding: Binding, frame: Frame) -> Values:
        node = binding.node
        if isinstance(node, ast.Import):
            return self._module(str(binding.detail), frame.module)
        if isinstance(node, ast.ImportFrom):
            return self._imported(node, str(binding.detail), frame.module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = frame.module.functions.get(node) or Function(node, frame.module, frame)
            return self.decorated(Fn(function, None, None))
        if isinstance(node, ast.ClassDef):
            return (Cls(frame.module.class_of(node, frame)),)
        if isinstance(node, ast.expr):
            values = self.evaluate(node, frame)
            return values if binding.kind == "value" else contents(values)
        return STATIC

    def _module(self, name: str, importer: Module) -> Values:
        local = self.project.find(name, importer.path)
        return (Mod(local),) if local else (Ext(canonical(name)),)

    def _imported(self, node: ast.ImportFrom, name: str, importer: Module) -> Values:
        source = node.module or ""
        if local := self.project.find(source, importer.path, node.level):
            if found := self.exported(local, name):
                return found
        full = f"{source}.{name}" if source else name
        if local := self.project.find(full, importer.path, node.level):
            return (Mod(local),)
        return (Ext(f"?.{full}" if node.level else canonical(full)),)

    def bind_import(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """Runs an import statement inside a function."""
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                frame.vars[alias.asname or alias.name] = self._imported(node, alias.name, frame.module)
            else:
                top = alias.name.partition(".")[0]
                frame.vars[alias.asname or top] = self._module(
                    alias.name if alias.asname else top, frame.module
                )

    def decorated(self, fn: Fn) -> Values:
        """A function as its decorators of the analysed code leave it."""
        values: Values = (fn,)
        for decorator in reversed(fn.function.decorators):
            wrappers = tuple(v for v in self.evaluate(decorator, fn.function.frame) if isinstance(v, Fn))
            for wrapper in wrappers:
                result = self.before(lambda w=wrapper, v=values: self.run(w, [v], {}))  # type: ignore[misc]
                callables = tuple(v for v in result if isinstance(v, Fn | Group | Inst))
                values = callables or values
        return values

    # Members

    def member(self, value: Value, name: str) -> Values:
        """An attribute of a value."""
        match value:
            case Ext(name=full):
                local = (
                    self.project.find(f"{full}.{name}", "") if "(" not in full and "?" not in full else None
                )
                return (Mod(local),) if local else (Ext(canonical(f"{full}.{name}")),)
            case Mod(module=module):
                found = self.exported(module, name)
                if not found and (local := self.project.find(name, module.path, 1)):
                    return (Mod(local),)
                return found or (Ext(f"?.{name}"),)
            case Gen():
                return (Bound(value, name),)
            case Bound():
                return (value,) if value.name in ("bit_generator", "spawn") else self.nothing
            case Inst():
                return self.attribute(value, name)
            case Cls(cls=cls):
                return self._of_class(cls, name, value) or self.nothing
            case Super(owner=owner, after=after):
                order = list(self.mro(owner.cls))
                for cls in order[order.index(after) + 1 :] if after in order else order:
                    if name in cls.methods:
                        return (Fn(cls.methods[name], owner),)
                return self.nothing
            case Group(items=items):
                return (Group(items, origin="method"),)
            case _:
                return STATIC if constant((value,)) else self.nothing

    def _of_class(self, cls: Class, name: str, owner: Cls) -> Values:
        for base in self.mro(cls):
            if name in base.methods:
                method = base.methods[name]
                return self.decorated(Fn(method, owner if method.decorated("classmethod") else None))
            if bindings := base.scope.names.get(name):
                frame = Frame(base.module, parent=base.frame, scope=base.scope)
                return self._static(bindings, frame, (base.scope, name))
        return ()

    def method(self, owner: Inst, name: str) -> Fn | None:
        """A method of an instance, undecorated."""
        for cls in self.mro(owner.cls):
            if name in cls.methods:
                return Fn(cls.methods[name], owner)
        return None

    def attribute(self, owner: Inst, name: str) -> Values:
        """An attribute of an instance."""
        for cls in self.mro(owner.cls):
            if name in cls.methods:
                method = cls.methods[name]
                fn = Fn(method, Cls(owner.cls) if method.decorated("classmethod") else owner)
                if method.decorated("property", "cached_property", "lazy_property"):
                    return self.run(fn, [], {})
                return self.decorated(fn)
        stored = self.state.stored.get((owner.cls, name))
        return self.field(owner, name) if stored is None else stored

    def field(self, owner: Inst, name: str) -> Values:
        """An attribute as it was before the workers started."""
        if name in self.reassigned or (
            name == "R" and any(c.name == "Randomizable" for c in self.mro(owner.cls))
        ):
            return self.nothing
        found: Values = ()
        for cls in self.mro(owner.cls):
            for site in cls.sites.get(name, ()):
                if site.function not in self.entered or site.function.name in _INITIAL:
                    found = join(found, self._at_site(site, owner))
        found = found or self._of_class(owner.cls, name, Cls(owner.cls))
        if not found and name == "__class__":
            return (Cls(owner.cls),)
        return found or UNKNOWN

    def _at_site(self, site: Site, owner: Inst) -> Values:
        function = site.function
        if _IN_WORKERS.search(function.name):
            return UNKNOWN
        key = (site.value, owner)
        if site.value is None:
            return UNKNOWN
        if key in self._known:
            return self._known[key]
        if key in self._open or self._depth > 12:
            return STATIC
        self._open.add(key)
        known = dict(owner.args) if function.name in _INITIAL else {}
        if function.positional:
            known[function.positional[0].arg] = (owner,)
        frame = Frame(
            function.module, parent=function.frame, scope=function.scope, function=function, variables=known
        )
        try:
            found = self.before(lambda: self.evaluate(site.value, frame))
        finally:
            self._open.discard(key)
        if function.name not in _INITIAL:
            found = tuple(v for v in found if not constant((v,)) or v == Const(None)) or UNKNOWN
        self._known[key] = found
        return found

    # Classes

    def mro(self, cls: Class) -> Iterator[Class]:
        """The class and its bases in the analysed code, each once, itself first."""
        seen: list[Class] = []
        todo = [cls]
        while todo:
            current = todo.pop(0)
            if current in seen or len(seen) > 50:
                continue
            seen.append(current)
            yield current
            todo[:0] = [v.cls for v in self.bases(current) if isinstance(v, Cls)]

    def bases(self, cls: Class) -> Values:
        """Its bases, as written in its definition."""
        key = (cls, "bases")
        if key not in self._known:
            self._known[key] = STATIC
            found: Values = ()
            for base in cls.node.bases:
                base = base.value if isinstance(base, ast.Subscript) else base
                found = join(found, self.before(lambda b=base: self.evaluate(b, cls.frame)))  # type: ignore[misc]
            self._known[key] = found
        return self._known[key]

    def libraries(self, cls: Class) -> list[str]:
        """Dotted names of the libraries' classes that it derives from."""
        return [v.name for c in self.mro(cls) for v in self.bases(c) if isinstance(v, Ext)]


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
