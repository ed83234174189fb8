"""Run worker code abstractly from its entry points."""

import ast
import builtins
import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from seedsafe_lint.callsites import calls_of
from seedsafe_lint.context import EVERY, TRACED, Context, QuietRuns, Root, State
from seedsafe_lint.index import (
    Binding,
    Class,
    Frame,
    Function,
    Module,
    Scope,
    Site,
    Value,
    Values,
    join,
    union,
)
from seedsafe_lint.judge import Judge
from seedsafe_lint.known import (
    ENTROPY,
    FACTS,
    IMGAUG,
    INITIAL,
    NUMPY,
    OPENCV,
    PYTHON,
    SAVERS,
    canonical,
    draws_globally,
    guess,
    is_numpy_draw,
    kind_of_base,
)
from seedsafe_lint.patterns import asks_for_seed, cleared, expand, fills
from seedsafe_lint.project import Project
from seedsafe_lint.syntax import by_kind, dotted
from seedsafe_lint.tables import patterns
from seedsafe_lint.values import (
    ARGUMENT,
    STATIC,
    UNKNOWN,
    Bound,
    Cls,
    Const,
    Drawn,
    Ext,
    Fn,
    Gen,
    Group,
    Inst,
    Mod,
    Opaque,
    Saved,
    Super,
    Table,
    constant,
    contents,
    drawn,
    hide_plain,
    is_plain,
    mixed,
)

__all__ = ["Interpreter"]

_RE = patterns("interpreter")

# Bounds on how far code is followed, so that no file takes long. What lies beyond them is unknown.
_DEEP = 40  # calls within calls, or names within names
_DEEP_ATTRIBUTES = 12
_OF_CLASSES = (Inst, Fn, Cls, Group)
_LEADS_ON = (*_OF_CLASSES, Gen, Bound, Ext)
_MOST = 6  # calls of a function to look into
_NESTED = 3  # tables of tuples of functions
_STEPS = 15_000


class Interpreter:
    """Runs worker code, and finds the values that names and attributes have before the workers start.

    Every path is run, and each loop once. A value is a tuple of alternatives.
    """

    tables = False
    """Whether the values of a dictionary are told apart by their keys."""
    summed: tuple[type[Value], ...] = (Group,)
    """The values whose sums hold their parts, as those of lists do."""

    def __init__(self, project: Project, *, old_torch: bool = False) -> None:
        self.context = Context(project)
        self.judge = Judge(self.context, old_torch)
        self._runs = QuietRuns(self.context)
        self._stars = 0  # star imports that are being followed
        self._open_bases = 0  # classes whose bases are being looked up
        self._orders: dict[Class, tuple[Class, ...]] = {}
        self._calls: dict[Function, list[tuple[ast.Call, Frame]]] = {}

    def start(self, root: Root) -> None:
        """Run a function that a worker calls, and report its draws."""
        context = self.context
        context.begin(root)
        try:
            bound = (root.fn.owner is not None) + len(root.fn.args)
            missing = [p.arg for p in root.fn.function.positional[bound : root.fn.function.required]]
            given = dict.fromkeys((name for name in missing if name not in dict(root.fn.kwargs)), UNKNOWN)
            starred = root.framework == "pool" or (root.fn.owner is None and len(given) > 1)
            self.run(root.fn, [], given, starred=starred)
        finally:
            context.worker = False
            context.root = None

    def earlier(self, node: ast.expr | None, frame: Frame) -> Values:
        """Return the value of an expression before the workers start."""
        return self.context.before(lambda: self.evaluate(node, frame))

    # Names

    def lookup(self, name: str, frame: Frame) -> Values:
        """Return the value of a variable."""
        scope: Frame | None = frame
        while scope is not None:
            if name in scope.vars:
                return scope.vars[name]
            if scope.scope is not None:
                if scope.function and (result := self._named_parameter(name, scope.function)):
                    return result
                if bindings := scope.scope.names.get(name):
                    key = (frame.module, name)
                    stored = None if scope.parent else self.context.state.variables.get(key)
                    return stored or self.static(bindings, scope, (scope.scope, name))
            scope = scope.parent
        return self._from_star(name, frame.module)

    def _from_star(self, name: str, module: Module) -> Values:
        module.scope.names  # noqa: B018 - collects the star imports
        for star in module.scope.stars:
            source = star.module or ""
            if local := self.context.project.find(source, module.path, star.level):
                if result := self.export(local, name):
                    return result
            elif star.level == 0:
                full = canonical(f"{source}.{name}")
                known = full in ("numpy.random", "torch.utils.data") or draws_globally(full)
                base = name == "DataLoader" or kind_of_base(full)
                if known or (base and source.startswith(("torch", "keras", "tensorflow"))):
                    return (Ext(full),)
        if hasattr(builtins, name):
            return (Ext(f"builtins.{name}"),)
        return (Ext(guess(name)),)

    def export(self, module: Module, name: str) -> Values:
        """Return a module's variable, or nothing."""
        if stored := self.context.state.variables.get((module, name)):
            return stored
        if bindings := module.scope.names.get(name):
            key: object = (module.scope, name)
            if key in self.context.open and bindings[0].kind == "from":
                return ()  # two files import from each other, and the name is defined elsewhere
            return self.static(bindings, module.frame, key)
        key = (module, name, "star")
        if not module.scope.stars or key in self.context.open:
            return ()
        if key not in self.context.cache:
            self.context.open.add(key)
            self._stars += 1
            result = next(
                filter(None, (self._through_star(star, module, name) for star in module.scope.stars)), ()
            )
            self._stars -= 1
            self.context.open.discard(key)
            if self._stars and not result:
                return ()  # a file in a circle of imports may still have it
            self.context.cache[key] = result
        return self.context.cache[key]

    def _through_star(self, star: ast.ImportFrom, module: Module, name: str) -> Values:
        local = self.context.project.find(star.module or "", module.path, star.level)
        return self.export(local, name) if local else ()

    def _named_parameter(self, name: str, function: Function) -> Values:
        if parameter := function.parameters.get(name):
            return self.parameter(parameter, function)
        rest = [p.arg for p in (function.node.args.vararg, function.node.args.kwarg) if p]
        return STATIC if name in rest else ()

    def default_of(self, parameter: ast.arg, function: Function) -> Values | None:
        """Return the value of a parameter's default, or None if it has none."""
        default = function.defaults.get(parameter.arg)
        return self.static([Binding("value", default)], function.frame, default) if default else None

    def static(self, bindings: list[Binding], frame: Frame, key: object) -> Values:
        """Return the value of a variable that is bound before the workers start."""
        values = (self.context.before(lambda b=b: self._value_of(b, frame)) for b in bindings)  # type: ignore[misc]
        return self.context.once(key, lambda: union(values), _DEEP)

    def _value_of(self, binding: Binding, frame: Frame) -> Values:
        node = binding.node
        if isinstance(node, ast.Import):
            return self._imported_module(str(binding.detail), frame.module)
        if isinstance(node, ast.ImportFrom):
            return self._imported_name(node, str(binding.detail), frame.module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = frame.module.functions.get(node) or Function(node, frame.module, frame)
            return self.decorate(Fn(function, None, None))
        if isinstance(node, ast.ClassDef):
            return (Cls(frame.module.class_of(node, frame)),)
        if isinstance(node, ast.expr):
            values = self.evaluate(node, frame)
            return values if binding.kind == "value" else contents(values)
        return STATIC

    def _imported_module(self, name: str, importer: Module) -> Values:
        local = self.context.project.find(name, importer.path)
        return (Mod(local),) if local else (Ext(canonical(name)),)

    def _imported_name(self, node: ast.ImportFrom, name: str, importer: Module) -> Values:
        source = node.module or ""
        local = self.context.project.find(source, importer.path, node.level)
        if local and local is not importer and (result := self.export(local, name)):
            return result
        full = f"{source}.{name}" if source else name
        if local := self.context.project.find(full, importer.path, node.level):
            return (Mod(local),)
        return (Ext(f"?.{full}" if node.level else canonical(full)),)

    # Attributes

    def member(self, value: Value, name: str) -> Values:
        """Return an attribute of a value."""
        match value:
            case Ext(name=full):
                return self._of_library(full, name)
            case Mod(module=module):
                result = self.export(module, name)
                if not result and (local := self.context.project.find(name, module.path, 1)):
                    return (Mod(local),)
                return result or (Ext(f"?.{name}"),)
            case Gen():
                return (Bound(value, name),)
            case Bound():
                return (value,) if value.name in ("bit_generator", "spawn") else self.context.nothing
            case Inst():
                return self.attribute(value, name)
            case Cls(cls=cls):
                return self._of_class(cls, name, value) or self.context.nothing
            case Super(owner=owner, after=after):
                order = self.mro(owner.cls)
                rest = order[order.index(after) + 1 :] if after in order else order
                found = (Fn(cls.methods[name], owner) for cls in rest if name in cls.methods)
                return (fn,) if (fn := next(found, None)) else self.context.nothing
            case Group(items=items):
                return (Group(items, origin="method"),)
            case Drawn():
                return (value,)
            case _:
                return STATIC if constant((value,)) else self.context.nothing

    def _of_library(self, full: str, name: str) -> Values:
        called = _RE.CALL.search(full)
        if called and self.context.worker and not FACTS.FOLLOWED.match(full):
            return UNKNOWN  # no rule needs more about the result of a library's call
        local = None if called or "?" in full else self.context.project.find(f"{full}.{name}", "")
        return (Mod(local),) if local else (Ext(canonical(f"{full}.{name}")),)

    def _of_class(self, cls: Class, name: str, owner: Cls) -> Values:
        for base in self.mro(cls):
            if name in base.methods:
                method = base.methods[name]
                return self.decorate(Fn(method, owner if method.has_decorator("classmethod") else None))
            if bindings := base.scope.names.get(name):
                frame = Frame(base.module, parent=base.frame, scope=base.scope)
                return self.static(bindings, frame, (base.scope, name))
        return ()

    def method(self, owner: Inst, name: str) -> Fn | None:
        """Return a method of an instance without its decorators, or None."""
        for cls in self.mro(owner.cls):
            if name in cls.methods:
                return Fn(cls.methods[name], owner)
        return None

    def calls(self, cls: Class) -> bool:
        """Return whether instances of a class may be callable. Those of a library's subclass may."""
        own = any(name in base.methods for base in self.mro(cls) for name in ("__call__", "forward"))
        return own or bool(self.libraries(cls))

    def attribute(self, owner: Inst, name: str) -> Values:
        """Return an attribute of an instance."""
        if fn := self.method(owner, name):
            if fn.function.has_decorator("property", "cached_property", "lazy_property"):
                return self.run(fn, [], {})
            of_class = fn.function.has_decorator("classmethod")
            return self.decorate(Fn(fn.function, Cls(owner.cls)) if of_class else fn)
        stored = self.context.state.variables.get((owner.key, name))
        return self.field(owner, name) if stored is None else stored

    def field(self, owner: Inst, name: str) -> Values:
        """Return the value of an attribute before the workers start."""
        if name in self.context.worker_attributes or (name == "R" and self._is_reseeded(owner.cls)):
            return self.context.nothing
        sites = (site for cls in self.mro(owner.cls) for site in cls.sites.get(name, ()))
        late = self.context.functions
        first = (site for site in sites if site.function not in late or site.function.name in _RE.INITIAL)
        result = union(self._at_site(site, owner) for site in first)
        result = result or dict(owner.args).get(name, ()) or self._of_class(owner.cls, name, Cls(owner.cls))
        if not owner.stored:
            result = tuple(_fresh(value) for value in result)
        if not result and name == "__class__":
            return (Cls(owner.cls),)
        if not result and name == "R" and owner.stored and _is_randomizable(self.libraries(owner.cls)):
            result = (Gen("Randomizable", owner.cls.module, owner.cls.node, stored=True, seed="none"),)
        return result or UNKNOWN

    def _is_reseeded(self, cls: Class) -> bool:
        """Return whether a class is MONAI's Randomizable, and the project seeds its `R` in each worker, as MONAI's loader does."""
        names = [*(c.name for c in self.mro(cls)), *self.libraries(cls)]
        return _is_randomizable(names) and self.context.project.mentions(_RE.RESEEDED)

    def is_shared(self, owner: Inst, name: str) -> bool:
        """Return whether an attribute is in memory that all workers share."""
        names = {name}
        for site in (site for cls in self.mro(owner.cls) for site in cls.sites.get(name, ())):
            for part in expand(site.value, site.function) if site.value else ():
                if isinstance(part, ast.Call | ast.Attribute) and _RE.SHARED.search(dotted(part)):
                    return True
                names |= {part.id} if isinstance(part, ast.Name) else set()
        pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\.share_memory_\(")
        return any(pattern.search(cls.module.text) for cls in self.mro(owner.cls))

    def _at_site(self, site: Site, owner: Inst) -> Values:
        if site.value is None or _RE.IN_WORKERS.search(site.function.name):
            return UNKNOWN
        return self.context.once((site.value, owner), lambda: self._stored_at(site, owner), _DEEP_ATTRIBUTES)

    def _stored_at(self, site: Site, owner: Inst) -> Values:
        function = site.function
        known = dict(owner.args) if function.name in _RE.INITIAL else {}
        if function.positional:
            known[function.positional[0].arg] = (owner,)
        result = self.earlier(site.value, function.inside(known))
        if function.name in _RE.INITIAL:
            return result
        return tuple(v for v in result if not constant((v,)) or v == Const(None)) or UNKNOWN

    def mro(self, cls: Class) -> tuple[Class, ...]:
        """Return the class and then its bases in the analysed code, each once."""
        if cls in self._orders:
            return self._orders[cls]
        seen: dict[Class, None] = {}
        todo = [cls]
        while todo and len(seen) <= 50:
            current = todo.pop(0)
            if current not in seen:
                seen[current] = None
                todo[:0] = [v.cls for v in self.bases(current) if isinstance(v, Cls)]
        order = tuple(seen)
        if not self._open_bases:
            self._orders[cls] = order
        return order

    def bases(self, cls: Class) -> Values:
        """Return the bases of a class's definition."""
        return self.context.once((cls, "bases"), lambda: self._named_bases(cls))

    def _named_bases(self, cls: Class) -> Values:
        self._open_bases += 1
        names = [base.value if isinstance(base, ast.Subscript) else base for base in cls.node.bases]
        found = union(self.earlier(name, cls.frame) for name in names)
        self._open_bases -= 1
        return found

    def libraries(self, cls: Class) -> list[str]:
        """Return the dotted names of the library classes among its bases."""
        return [v.name for c in self.mro(cls) for v in self.bases(c) if isinstance(v, Ext)]

    # Iteration and assignment

    def iterate(self, values: Values) -> Values:
        """Return the values of a loop variable over these values."""
        return union(part for value in values for part in self._items_of(value)) or self.context.nothing

    def _items_of(self, value: Value) -> Iterator[Values]:
        if isinstance(value, Group) and value.origin == "generator":
            for item in value.items:
                yield contents(self.run(item, [], {})) if isinstance(item, Fn) else (item,)
        elif isinstance(value, Inst) and self.context.worker and (method := self.method(value, "__iter__")):
            yield contents(self.run(method, [], {}))
        else:
            yield contents((value,))

    def assign(self, target: ast.expr, values: Values, frame: Frame) -> None:
        """Store values in a target."""
        match target:
            case ast.Name(id=name):
                frame.vars[name] = values
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                parts = contents(tuple(v if isinstance(v, Group) else Group((v,)) for v in values))
                for element in elements:
                    self.assign(element, parts, frame)
            case ast.Starred(value=inner):
                self.assign(inner, (Group(contents(values)),), frame)
            case ast.Attribute(value=owner, attr=attr):
                for holder in self.evaluate(owner, frame):
                    if isinstance(holder, Inst):
                        self.context.state.variables[holder.key, attr] = values
                    elif isinstance(holder, Gen | Bound) and attr == "state":
                        gen = holder if isinstance(holder, Gen) else holder.gen
                        self.context.state.seeds[gen.node] = "varying"
                        self.context.events += 1
            case ast.Subscript(value=owner, slice=index):
                self.evaluate(index, frame)
                self.evaluate(owner, frame)
                if self.context.worker and not isinstance(index, ast.Slice):
                    self.judge.item(owner, values, target, frame)

    # Conditions

    def truth(self, test: ast.expr, frame: Frame) -> bool | None:
        """Evaluate a condition and return its outcome, or None if it is unknown."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.truth(operand, frame)
                return None if inner is None else not inner
            case ast.Compare(
                left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
            ):
                outcome = self._is_none(self.evaluate(left, frame))
                if isinstance(left, ast.Subscript):
                    return None
                return outcome if outcome is None or isinstance(op, ast.Is) else not outcome
            case ast.Constant(value=value):
                return bool(value)
            case ast.Name(id="TYPE_CHECKING"):
                return False
            case _:
                values = self.evaluate(test, frame)
                if values == (Const(None),):
                    return False
                return True if all(map(self._is_worker, values)) else None

    def is_on(self, test: ast.expr, frame: Frame) -> bool:
        """Return whether a condition asks for an option of the object that is on by default."""
        values = self.evaluate(test, frame) if isinstance(test, ast.Attribute) else ()
        return Const(True) in values and not {Const(False), Const(None)} & {*values}

    def _is_none(self, values: Values) -> bool | None:
        if all(v == Const(None) for v in values):
            return True
        return False if all(truthy(v) or isinstance(v, Group) or self._is_worker(v) for v in values) else None

    def _is_worker(self, value: Value) -> bool:
        """Return whether a value is torch's account of the worker that runs the code."""
        return isinstance(value, Ext) and self.context.worker and value.name.endswith("get_worker_info()")

    # Functions

    def bind(self, fn: Fn, args: list[Values], kwargs: dict[str, Values], starred: bool) -> dict[str, Values]:
        """Return the values of a function's parameters in a call."""
        function = fn.function
        values = [*fn.args, *args]
        if fn.owner is not None and not function.has_decorator("staticmethod"):
            values.insert(0, (fn.owner,))
        named = dict(fn.kwargs) | kwargs
        known: dict[str, Values] = {}
        positional = function.positional
        for i, parameter in enumerate(function.parameters.values()):
            default = self.default_of(parameter, function)
            given = values[i] if i < min(len(values), len(positional)) else named.pop(parameter.arg, None)
            optional = default == (Const(None),)
            if given is not None:
                known[parameter.arg] = _as_arguments(given) if optional else given
            elif starred and (optional or default is None):
                known[parameter.arg] = ARGUMENT
            else:
                known[parameter.arg] = self.context.nothing if default is None else default
        if function.node.args.vararg:
            rest = values[len(positional) :]
            known[function.node.args.vararg.arg] = (Group(join((), *rest) if rest else self.context.nothing),)
        if function.node.args.kwarg:
            known[function.node.args.kwarg.arg] = (
                Group(join((), *named.values()) if named else self.context.nothing),
            )
        return known

    def run(self, fn: Fn, args: list[Values], kwargs: dict[str, Values], *, starred: bool = False) -> Values:
        """Run a function and return its value."""
        function = fn.function
        stack = self.context.stack
        if len(stack) > _DEEP or stack.count(function) > 1:
            # A cut is an event, so that the runs around it are not remembered as quiet.
            self.context.events += len(stack) > _DEEP
            return self.context.nothing
        if self.context.worker:
            args = [self.simplify(values) for values in args]
            kwargs = {name: self.simplify(values) for name, values in kwargs.items()}
        variables = self.bind(fn, args, kwargs, starred)
        mark = self._runs.mark(fn, variables)
        if (known := self._runs.recall(mark)) is not None:
            return known
        if self.context.worker:
            self.context.functions.add(function)
        self.context.trail.append(function)
        frame = Frame(
            function.module, parent=fn.frame or function.frame, function=function, variables=variables
        )
        frame.this = (fn.owner,) if isinstance(fn.owner, Inst | Cls) else getattr(fn.frame, "this", ())
        stack.append(function)
        try:
            self.execute(function.body, frame)
        finally:
            stack.pop()
        values = frame.vars.get("<return>") or (Const(None),)
        if self.context.worker and function.has_decorator("cache", "lru_cache", "memoize"):
            self.judge.cached(function, values)
        if "<yield>" in frame.vars:
            values = (Group(frame.vars["<yield>"]),)
        if self.context.worker:
            values = self.simplify(values)
        self._runs.keep(mark, values)
        return values

    def stored_values(self, functions: list[Fn], key: object) -> Values | None:
        """Run methods of the object with this `Inst.key`, and return the values that they store, or None if they draw or seed."""
        with self.context.apart() as context:
            for fn in functions:
                context.steps = 0
                self.run(fn, [UNKNOWN] * (fn.function.required - 1), {})
                if context.events:
                    return None
            stored = context.state.variables.items()
            return tuple(value for (owner, _), values in stored if owner == key for value in values)

    def draws(self, fn: Fn) -> bool:
        """Return whether a function draws or seeds in worker code."""
        with self.context.apart() as context:
            values = self.run(fn, [UNKNOWN] * (fn.function.required - (fn.owner is not None)), {})
            return context.events > 0 or drawn(values)

    def decorate(self, fn: Fn) -> Values:
        """Return a function after its decorators, as far as these are in the analysed code."""
        values: Values = (fn,)
        for decorator in reversed(fn.function.decorators):
            wrappers = tuple(v for v in self.evaluate(decorator, fn.function.frame) if isinstance(v, Fn))
            for wrapper in wrappers:
                result = self.context.before(lambda w=wrapper, v=values: self.run(w, [v], {}))  # type: ignore[misc]
                callables = tuple(v for v in result if isinstance(v, Fn | Group | Inst))
                values = callables or values
        return values

    # Classes whose instances cannot draw

    def simplify(self, values: Values) -> Values:
        """Return the values, with an unknown value in place of those that cannot draw."""
        if not any(isinstance(value, _OF_CLASSES) for value in values):
            return values
        return tuple(dict.fromkeys(map(self._simplified, values)))

    def _simplified(self, value: Value) -> Value:
        if isinstance(value, Group):
            within = self.simplify(value.items)
            return value if within == value.items else Group(within, value.calls, value.origin)
        if is_plain(value) or not all(map(self._is_harmless, (value, *self._stored_in(value)))):
            return value
        return ARGUMENT[0]

    def _stored_in(self, value: Value) -> Iterator[Value]:
        """Yield the values that worker code has stored in an object."""
        result = value.owner if isinstance(value, Fn) else value
        if isinstance(result, Inst):
            for (owner, _), values in self.context.state.variables.items():
                if owner == result.key:
                    yield from values

    def _is_harmless(self, value: Value) -> bool:
        """Return whether a value is plain, or was made from plain values by a class that cannot draw."""
        match value:
            case Inst(cls=cls, args=args, stored=False):
                return self._cannot_draw(cls) and all(is_plain(v) for _, values in args for v in values)
            case Fn(owner=Inst() as owner, frame=None):
                return self._is_harmless(owner)
            case Cls(cls=cls):
                return self._cannot_draw(cls)
            case Group(items=items):
                return all(map(self._is_harmless, items))
            case _:
                return is_plain(value)

    def _cannot_draw(self, cls: Class) -> bool:
        runs, key = self.context.project.runs, (Interpreter, cls)
        if key not in runs:
            before = len(runs)
            runs[key], harmless = True, False  # assumed for now, because the class may make more of its kind
            try:
                harmless = self._draws_nothing(cls)
            finally:
                if not harmless:
                    for result in list(runs)[before:]:  # these runs rely on the wrong assumption
                        del runs[result]
                    runs[key] = False
        return runs[key] is True

    def _draws_nothing(self, cls: Class) -> bool:
        order, result = self.mro(cls), Inst(cls, stored=False)
        if not all(is_plain(base) for c in order for base in self.bases(c) if isinstance(base, Ext)):
            return False
        methods = {name: method for c in reversed(order) for name, method in c.methods.items()}
        for name in dict.fromkeys(name for c in order for name in c.scope.names if name not in methods):
            if not all(map(is_plain, self.member(Cls(cls), name))):
                return False
        # The constructor first, because the other methods use what it stores.
        first = sorted(methods, key=lambda name: name != "__init__")
        values = self.stored_values([Fn(methods[name], result) for name in first], result.key)
        return values is not None and all(map(self._is_harmless, values))

    # Parameters

    def parameter(self, parameter: ast.arg, function: Function) -> Values:
        """Return the values of a parameter, as far as the files tell."""
        key = (function.node, parameter)
        return self.context.once(key, lambda: self._parameter_values(parameter, function))

    def _parameter_values(self, parameter: ast.arg, function: Function) -> Values:
        annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
        default = self.default_of(parameter, function)
        named = FACTS.RNG_NAME.match(parameter.arg) and not _RE.PLAIN.search(annotation)
        arguments = self._passed(parameter, function)
        named = named and not any(isinstance(value, Fn) for value in arguments)  # a generator function
        if _RE.RNG_TYPE.search(annotation) or (named and (default is None or Const(None) in default)):
            argument = Gen("argument", function.module, parameter, stored=True, seed="varying")
            return join((argument,), default or ())
        instances = join(self._annotated_instances(parameter, function), arguments)
        return join(instances or self._namesake(parameter, function), default or (), STATIC)

    def _annotated_instances(self, parameter: ast.arg, function: Function) -> Values:
        """Return instances of the classes in the parameter's annotation."""
        if parameter.annotation is None:
            return ()
        result: Values = ()
        several = _RE.SEVERAL.search(ast.unparse(parameter.annotation)) is not None
        for name in _names_in(parameter.annotation):
            for value in self.earlier(name, function.frame):
                if isinstance(value, Cls):
                    near = value.cls.module is function.module
                    if near or _RE.TOOL.search(value.cls.name) or _RE.TOOL.search(parameter.arg):
                        made = Inst(value.cls)
                        result = join(result, (Group((made,)) if several else made,))
                elif isinstance(value, Ext) and value.name.startswith("imgaug."):
                    result = join(result, (Ext(f"{value.name}()"),))
        return result

    def _passed(self, parameter: ast.arg, function: Function) -> Values:
        """Return the values that calls in the same file pass."""
        positional = [p.arg for p in function.positional]
        bound = function.cls is not None and not function.has_decorator("staticmethod")
        position = positional.index(parameter.arg) - bound if parameter.arg in positional else -1
        result: Values = ()
        if function not in self._calls:
            self._calls[function] = calls_of(function)[:_MOST]
        for call, frame in self._calls[function]:
            expressions = [word.value for word in call.keywords if word.arg == parameter.arg]
            if 0 <= position < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args):
                expressions.append(call.args[position])
            for expression in expressions:
                values = self.earlier(expression, frame)
                result = join(result, tuple(v for v in values if isinstance(v, _LEADS_ON)))
        return result

    def _namesake(self, parameter: ast.arg, function: Function) -> Values:
        """Return an instance of the class with the parameter's name: `augmentor` is an `ImageAugmentor`."""
        name = parameter.arg.strip("_").replace("_", "").lower()
        if function.cls is None or function.name != "__init__" or not _RE.TOOL.search(name):
            return ()
        others = (cls for cls in function.module.classes.values() if cls is not function.cls)
        return tuple(Inst(cls) for cls in others if cls.name.lower().endswith(name))

    # Calls into libraries

    def _call_library(
        self, callee: Ext | Bound, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> Values:
        """Return the value of a call into a library, or of a generator's method."""
        if isinstance(callee, Bound):
            return self._call_generator(callee, node, frame, [*args, *kwargs.values()])
        name, builtin = callee.name, callee.name.removeprefix("builtins.")
        if name in FACTS.GENERATORS or name in FACTS.BIT_GENERATORS:
            return self._new_generator(name, node, frame, args, kwargs)
        if name == "functools.partial":
            return self._partial(args, kwargs)
        if _RE.FIELD.match(name) and (factory := kwargs.get("default_factory") or kwargs.get("factory")):
            return self._dataclass_field(node, frame, factory)
        if name == "builtins.getattr" and len(args) > 1:
            return self._getattr(node, frame, args)
        if builtin in _RE.ITERATING:
            self.callbacks(list(kwargs.values()))
            items = self.iterate(join((), *args)) if args else self.context.nothing
            return items if name.endswith("next") else (Group(items),)
        if name in ("copy.deepcopy", "copy.copy") and args:
            return args[0]
        if name == "builtins.type" and len(args) == 1:
            return tuple(Cls(v.cls) for v in args[0] if isinstance(v, Inst)) or self.context.nothing
        if builtin in _RE.NUMBERS and args:
            return STATIC if all(map(constant, args)) else mixed(join((), *args)) or self.context.nothing
        return self._call_other(name, node, frame, args, kwargs)

    def _call_other(
        self, name: str, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> Values:
        """Return the value of a call that means nothing to the linter itself, and judge it in worker code."""
        if self.context.worker:
            if name in SAVERS:
                self.context.events += 1
                return (Saved(SAVERS[name], self.context.state.seeds.get(SAVERS[name], "")),)
            self.judge.library(name, node, frame, args, kwargs)
            if name.removeprefix("builtins.") in _RE.CALL_NOTHING:
                return self.context.nothing
        root = self.context.root
        if root and root.framework == TRACED and _RE.EAGER.search(name):
            self.context.root = replace(
                root, framework="tf.data"
            )  # runs for each sample, although the code around it is traced
        result = self.callbacks([*args, *kwargs.values()])
        self.context.root = root
        random = filter(is_random_transform, contents(join((), *args)))
        if name.endswith("Compose") and (first := next(random, None)):
            return (first,)
        if isinstance(result[0], Group) and not _RE.ARRAYS.match(name):
            return (Group(result[0].items, calls=True, origin="library"),)
        given = join((), *args, *kwargs.values())
        if self.context.worker and not FACTS.FOLLOWED.match(name):
            return drawn_by(name, kwargs) or mixed(given) or self.context.nothing
        return (Ext(f"{name}()"),) if not name.startswith("?.") or "(" not in name else self.context.nothing

    def _dataclass_field(self, node: ast.Call, frame: Frame, factories: Values) -> Values:
        results = [
            self._call_library(v, node, frame, [], {}) if isinstance(v, Ext) else self.invoke(v, [], {})
            for v in factories
            if isinstance(v, Ext | Fn | Cls)
        ]
        return join((), *results) or self.context.nothing

    def _new_generator(
        self, name: str, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> Values:
        seeds = [values for values in (*args, *kwargs.values()) if values != (Const(None),)]
        inner = [v for values in seeds for v in values if isinstance(v, Gen)]
        if name.endswith("check_random_state"):
            if not seeds:
                return (Ext("numpy.random"),)
            if inner:
                return tuple(inner)
        if inner and name.endswith((".Generator", "default_rng")) and not name.startswith("torch"):
            for gen in inner if self.context.worker else ():
                self.judge.new_generator(gen, node, frame, seeds)
            return tuple(inner)
        fixed = name == "torch.Generator" or (seeds and all(constant(v) for v in seeds))
        seed = "constant" if fixed else "varying" if seeds else "none"
        kind = FACTS.GENERATORS.get(name, name.replace("numpy", "np", 1))
        result = Gen(kind, frame.module, node, stored=not self.context.worker, seed=seed)  # type: ignore[arg-type]
        if self.context.worker and name not in FACTS.BIT_GENERATORS:
            self.judge.new_generator(result, node, frame, seeds)
        return (result,)

    def _call_generator(self, callee: Bound, node: ast.Call, frame: Frame, args: list[Values]) -> Values:
        gen = callee.gen
        if callee.name in _RE.RESEED:
            self.judge.seeding(gen.node, node, frame, args, gen.source)
            return (gen,)
        if callee.name in ("spawn", "clone_state"):
            return (Group(STATIC if gen.kind.endswith("SeedSequence") else (gen,)),)
        if self.context.worker:
            self.judge.generator(gen, callee.name, node, frame)
            if callee.name in FACTS.DRAW_METHODS and self.callbacks(args) == self.context.nothing:
                return (Drawn(gen.source, True),)
        return self.callbacks(args)

    def _partial(self, args: list[Values], kwargs: dict[str, Values]) -> Values:
        result: Values = ()
        for value in args[0] if args else ():
            if isinstance(value, Fn):
                words = tuple((dict(value.kwargs) | kwargs).items())
                result = join(result, (replace(value, args=(*value.args, *args[1:]), kwargs=words),))
            elif isinstance(value, Inst | Cls | Group):
                result = join(result, (Group((value,), calls=True),))
            else:
                result = join(result, (value,))
        return result or self.context.nothing

    def _getattr(self, node: ast.Call, frame: Frame, args: list[Values]) -> Values:
        result: Values = ()
        names = [v.value for v in args[1] if isinstance(v, Const) and isinstance(v.value, str)]
        for value in args[0]:
            for name in names:
                result = join(result, self.member(value, name))
            if not names and isinstance(value, Ext):
                result = join(result, (Ext(f"{value.name}.any"),))
            elif not names and isinstance(value, Inst | Mod):
                result = join(result, self._named_methods(value, _pattern(node.args[1])))
        return result or self.context.nothing

    def _named_methods(self, owner: Inst | Mod, pattern: str) -> Values:
        """Return the methods of an object, or the functions of a module, that a computed name may mean."""
        if isinstance(owner, Mod):
            names = [name for name, bindings in owner.module.scope.names.items() if bindings[0].kind == "def"]
        else:
            names = [name for cls in self.mro(owner.cls) for name in cls.methods]
        found = [
            name for name in dict.fromkeys(names) if re.fullmatch(pattern, name) and not name.startswith("__")
        ]
        methods = tuple(v for name in found for v in self.member(owner, name) if isinstance(v, Fn))
        return (Group(methods, calls=True, origin="methods"),) if methods else ()

    # Calls

    def _value_of_call(self, node: ast.Call, frame: Frame) -> Values:
        """Return the value of a call, with its effects."""
        if isinstance(node.func, ast.Name) and node.func.id == "super" and "super" not in frame.vars:
            return self._super(frame)
        callees = self.evaluate(node.func, frame)
        args = [self.evaluate(arg, frame) for arg in node.args if not isinstance(arg, ast.Starred)]
        stars = [arg.value for arg in node.args if isinstance(arg, ast.Starred)]
        spread = [contents(self.evaluate(arg, frame)) for arg in stars]
        kwargs = {word.arg: self.evaluate(word.value, frame) for word in node.keywords if word.arg}
        for word in node.keywords:
            if word.arg is None:
                self.evaluate(word.value, frame)
        starred = bool(spread) or any(word.arg is None for word in node.keywords)
        if self.context.worker and isinstance(node.func, ast.Attribute):
            self.judge.method(node, frame, args)
        results = (
            self._call_library(callee, node, frame, args + spread, kwargs)
            if isinstance(callee, Ext | Bound)
            else self.invoke(callee, args, kwargs, starred=starred, spread=spread)
            for callee in callees
        )
        return union(results) or self.context.nothing

    def invoke(
        self,
        callee: Value,
        args: list[Values],
        kwargs: dict[str, Values],
        *,
        starred: bool = False,
        spread: list[Values] | None = None,
    ) -> Values:
        """Return the value of a call into the analysed code."""
        match callee:
            case Fn():
                if not self.context.worker and callee.function.yields:
                    bound = replace(
                        callee, args=(*callee.args, *args), kwargs=(*callee.kwargs, *kwargs.items())
                    )
                    return (Group((bound,), origin="generator"),)
                return self.run(callee, args, kwargs, starred=starred)
            case Cls():
                return self._construct(callee, args, kwargs, starred)
            case Inst():
                for name in ("__call__", "forward"):
                    if method := self.method(callee, name):
                        return self.run(method, args, kwargs, starred=starred)
                return self.callbacks([values for _, values in callee.args])
            case Group(items=items, calls=True, origin=origin):
                if origin == "methods":
                    methods = (v for v in items if isinstance(v, Fn))
                    some = tuple(v for v in methods if starred or v.function.takes(len(args), kwargs))
                    results = [self.run(v, args, kwargs, starred=starred) for v in some]
                    return join((Group(some, calls=True, origin=origin),) if some else (), *results)
                self.callbacks([items])
                return join(self.context.nothing, items)
            case Group(items=items):
                return join((Group(items),), items or UNKNOWN)  # the value of a key, or None
            case Drawn():
                return (callee,)
            case _:
                return self.callbacks([*args, *(spread or ()), *kwargs.values()])

    def callbacks(self, values: list[Values]) -> Values:
        """Return the value of a call of something unknown, which may call the functions among its arguments."""
        functions = tuple(dict.fromkeys(v for some in values for v in self._functions_in(some)))
        if not functions:
            return self.context.nothing
        if self.context.worker:
            for value in functions:
                if isinstance(value, Fn):
                    self.run(value, [], {}, starred=True)
        return (Group(functions, calls=True),)

    def _functions_in(self, values: Values, depth: int = 0) -> Iterator[Value]:
        """Yield the arguments that an unknown callee may call: functions, callable objects, and those in containers."""
        for value in values:
            match value:
                case Fn() | Bound():
                    yield value
                case Inst(cls=cls) if self.calls(cls):
                    yield value
                case Group(items=items, calls=True):
                    yield from items
                case Group(items=items) if depth < _NESTED:
                    yield from self._functions_in(items, depth + 1)
                case Ext(name=name) if draws_globally(name):
                    yield value

    def _super(self, frame: Frame) -> Values:
        scope: Frame | None = frame
        while scope is not None and scope.cls is None:
            scope = scope.parent
        owners = frame.this or (frame.vars.get(frame.function.this, ()) if frame.function else ())
        after = scope.cls if scope else None
        result = tuple(Super(v, after) for v in owners if isinstance(v, Inst | Cls) and after)
        return result or self.context.nothing

    def _construct(self, callee: Cls, args: list[Values], kwargs: dict[str, Values], starred: bool) -> Values:
        bare = Inst(callee.cls, stored=not self.context.worker)
        method = self.method(bare, "__init__")
        if method is None:
            fields = [dotted(n.target) for n in callee.cls.node.body if isinstance(n, ast.AnnAssign)]
            fields += [f"<{i}>" for i in range(len(fields), len(args))]
            arguments = dict(zip(fields, args, strict=False)) | kwargs
            return (Inst(callee.cls, tuple(arguments.items()), stored=not self.context.worker),)
        known = self.bind(method, args, kwargs, starred)
        known.pop(method.function.this, None)
        if self.context.worker:
            known = {name: tuple(dict.fromkeys(map(hide_plain, values))) for name, values in known.items()}
        result = Inst(callee.cls, tuple(known.items()), stored=not self.context.worker)
        if self.context.worker:
            self.run(Fn(method.function, result), args, kwargs, starred=starred)
        return (result,)

    # Expressions

    def evaluate(self, node: ast.expr | None, frame: Frame) -> Values:
        """Return the alternative values of an expression."""
        if node is None:
            return (Const(None),)
        self.context.steps += 1
        if self.context.steps > _STEPS:
            self.context.events += 1
            return self.context.nothing
        method = _EXPRESSIONS.get(type(node))
        return self._children(node, frame) if method is None else method(self, node, frame)

    def _children(self, node: ast.AST, frame: Frame) -> Values:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child, frame)
            elif not isinstance(child, ast.expr_context | ast.operator):
                self._children(child, frame)
        return self.context.nothing

    def _value_of_constant(self, node: ast.Constant, frame: Frame) -> Values:
        return (Const(node.value),) if node.value is not ... else STATIC

    def _value_of_name(self, node: ast.Name, frame: Frame) -> Values:
        return self.lookup(node.id, frame)

    def _value_of_attribute(self, node: ast.Attribute, frame: Frame) -> Values:
        return union(self.member(value, node.attr) for value in self.evaluate(node.value, frame))

    def _value_of_sequence(self, node: ast.Tuple | ast.List | ast.Set, frame: Frame) -> Values:
        return (self._group(union(self._element(element, frame) for element in node.elts)),)

    def _element(self, node: ast.expr, frame: Frame) -> Values:
        values = self.evaluate(node, frame)
        return contents(values) if isinstance(node, ast.Starred) else values

    def _group(self, items: Values) -> Group:
        """Return a container. In worker code, containers of plain values inside it become unknown values."""
        return Group(tuple(dict.fromkeys(map(hide_plain, items))) if self.context.worker else items)

    def _value_of_dict(self, node: ast.Dict, frame: Frame) -> Values:
        items: Values = ()
        named: dict[str, Values] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                self.evaluate(key, frame)
            values = self.evaluate(value, frame)
            items = join(items, contents(values) if key is None else values)
            if isinstance(key, ast.Constant):
                named[str(key.value)] = values
        return (Table(items, named=tuple(named.items())) if self.tables else self._group(items),)

    def _value_of_subscript(self, node: ast.Subscript, frame: Frame) -> Values:
        index = self.evaluate(node.slice, frame)
        return union(self._at_index(value, index) for value in self.evaluate(node.value, frame))

    def _at_index(self, value: Value, index: Values) -> Values:
        match value:
            case Inst() if self.context.worker:
                method = self.method(value, "__getitem__")
                return self.run(method, [index], {}) if method else self.context.nothing
            case Table(named=named) if len(index) == 1 and (found := dict(named).get(_text(index[0]))):
                return found
            case Group(items=items):
                varies = constant(items) and not constant(index)  # the sample chooses among seeds
                return join(items, UNKNOWN) if varies else items
            case Ext(name=name):
                return (Ext(f"{name}[]"),)
            case _:
                return STATIC if constant((value, *index)) else mixed((value, *index)) or self.context.nothing

    def _value_of_binary(self, node: ast.BinOp, frame: Frame) -> Values:
        left, right = self.evaluate(node.left, frame), self.evaluate(node.right, frame)
        parts = [
            v.items if isinstance(v, Group) else (v,) for v in left + right if isinstance(v, self.summed)
        ]
        if parts:
            return (self._group(union(parts)),)
        return STATIC if constant(left) and constant(right) else mixed(left + right) or self.context.nothing

    def _value_of_boolean(self, node: ast.BoolOp, frame: Frame) -> Values:
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

    def _value_of_conditional(self, node: ast.IfExp, frame: Frame) -> Values:
        truth = self.truth(node.test, frame)
        parts = [node.body] * (truth is not False) + [node.orelse] * (truth is not True)
        return union(self.evaluate(part, frame) for part in parts)

    def _value_of_operands(self, node: ast.UnaryOp | ast.Compare, frame: Frame) -> Values:
        parts = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, *node.comparators]
        values = [self.evaluate(part, frame) for part in parts]
        return STATIC if all(map(constant, values)) else mixed(join((), *values)) or self.context.nothing

    def _value_of_lambda(self, node: ast.Lambda, frame: Frame) -> Values:
        return (Fn(Function(node, frame.module, frame, frame.cls), None, frame),)

    def _value_of_comprehension(
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
            return (self._group(self.evaluate(node.value, inner)),)
        return (self._group(self.evaluate(node.elt, inner)),)

    def _value_of_named(self, node: ast.NamedExpr, frame: Frame) -> Values:
        values = self.evaluate(node.value, frame)
        self.assign(node.target, values, frame)
        return values

    def _value_of_through(self, node: ast.Await | ast.Starred, frame: Frame) -> Values:
        return self.evaluate(node.value, frame)

    def _value_of_yield(self, node: ast.Yield | ast.YieldFrom, frame: Frame) -> Values:
        values = self.evaluate(node.value, frame) if node.value else (Const(None),)
        if isinstance(node, ast.YieldFrom):
            values = self.iterate(values)
        frame.vars["<yield>"] = join(frame.vars.get("<yield>", ()), values)
        return self.context.nothing

    # Statements

    def execute(self, body: list[ast.stmt], frame: Frame) -> bool:
        """Run statements, and return whether they never reach their end."""
        for node in body:
            method = _STATEMENTS.get(type(node))
            if method is not None and method(self, node, frame):
                return True
        return False

    def _run_value(self, node: ast.Expr | ast.Assert, frame: Frame) -> None:
        self.evaluate(node.value if isinstance(node, ast.Expr) else node.test, frame)

    def _run_return(self, node: ast.Return, frame: Frame) -> bool:
        values = self.evaluate(node.value, frame)
        frame.vars["<return>"] = join(frame.vars.get("<return>", ()), values)
        return True

    def _run_for(self, node: ast.For | ast.AsyncFor, frame: Frame) -> None:
        items = self.iterate(self.evaluate(node.iter, frame))
        self._loop(node, frame, lambda: self.assign(node.target, items, frame))

    def _run_while(self, node: ast.While, frame: Frame) -> None:
        if self.truth(node.test, frame) is not False:
            self._loop(node, frame, lambda: self.evaluate(node.test, frame))

    def _run_annotated(self, node: ast.AnnAssign, frame: Frame) -> None:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value, frame), frame)

    def _run_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> None:
        fn = Fn(Function(node, frame.module, frame), None, frame)
        frame.vars[node.name] = (fn,)
        frame.vars[node.name] = self.decorate(fn)

    def _run_definition(self, node: ast.ClassDef | ast.Import | ast.ImportFrom, frame: Frame) -> None:
        for name, bindings in Scope([node]).names.items():
            frame.vars[name] = self._value_of(bindings[0], frame)

    def _run_raise(self, node: ast.Raise, frame: Frame) -> bool:
        self.evaluate(node.exc, frame)
        return True

    def _run_jump(self, node: ast.Continue | ast.Break, frame: Frame) -> bool:
        return True

    def _run_assign(self, node: ast.Assign, frame: Frame) -> None:
        value = node.value
        for target in node.targets:
            if (
                isinstance(target, ast.Tuple | ast.List)
                and isinstance(value, ast.Tuple | ast.List)
                and len(target.elts) == len(value.elts)
            ):
                parts = [self.evaluate(part, frame) for part in value.elts]
                for element, part in zip(target.elts, parts, strict=True):
                    several = isinstance(element, ast.Starred)
                    self.assign(element, contents(part) if several else part, frame)
                continue
            values = self.evaluate(value, frame)
            if isinstance(target, ast.Name) and frame.function and target.id in frame.function.globals:
                self.context.state.variables[frame.module, target.id] = values
            self.assign(target, values, frame)

    def _run_augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        self.evaluate(node.value, frame)
        self.evaluate(node.target, frame)
        owner = node.target.value if isinstance(node.target, ast.Subscript) else node.target
        named = isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name | ast.Attribute)
        if isinstance(owner, ast.Attribute) and named and self.context.worker and not cleared(node):
            stored = [v for v in self.evaluate(owner.value, frame) if isinstance(v, Inst) and v.stored]
            for value in stored:
                known = (value.key, owner.attr) in self.context.state.variables
                if not known and not self.is_shared(value, owner.attr):
                    self.judge.growth(node, owner, frame)
        if isinstance(node.target, ast.Name):
            frame.vars[node.target.id] = self.context.nothing

    def _run_if(self, node: ast.If, frame: Frame) -> bool:
        truth = self.truth(node.test, frame)
        if truth is False:
            return self.execute(node.orelse, frame)
        filling, self.context.filling = self.context.filling, self.context.filling or fills(node)
        if truth is True:
            ended = self.execute(node.body, frame)
            self.context.filling = filling
            return ended
        # Then all samples take the same branch, so that a seed set in one branch counts after both.
        lenient = asks_for_seed(node.test)
        before, state = dict(frame.vars), self.context.state
        self.context.state = state.copy()
        ended = self.execute(node.body, frame)
        self.context.filling = filling
        after, first = frame.vars, self.context.state
        frame.vars, self.context.state = before, state.copy()
        ended_else = self.execute(node.orelse, frame)
        returns: dict[str, Values] = {
            name: join(after.get(name, ()), frame.vars.get(name, ()))
            for name in ("<return>", "<yield>")
            if name in after or name in frame.vars
        }
        if ended and not ended_else:
            pass
        elif ended_else and not ended:
            frame.vars, self.context.state = after, first
        else:
            frame.vars = _merge(after, frame.vars)
            on = not node.orelse and self.is_on(node.test, frame)
            self.context.state = first if on else self._join_states(first, self.context.state, lenient)
        frame.vars.update(returns)
        return ended and ended_else

    def _join_states(self, first: State, second: State, lenient: bool = False) -> State:
        result = State()
        for key in {**first.variables, **second.variables}:
            if (same := first.variables.get(key)) is not None and same is second.variables.get(key):
                result.variables[key] = same
                continue
            parts = [s.variables[key] for s in (first, second) if key in s.variables]
            if len(parts) == 1:
                owner, name = key
                parts.append(self.field(Inst(owner), name) if isinstance(owner, Class) else ())
            result.variables[key] = join(*parts)
        for what in {**first.seeds, **second.seeds}:
            if lenient or (what in first.seeds and what in second.seeds):
                result.seeds[what] = first.seeds.get(what) or second.seeds[what]
        return result

    def _loop(
        self, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, head: Callable[[], object]
    ) -> None:
        head()
        before, state = dict(frame.vars), self.context.state.copy()
        self.execute(node.body, frame)
        frame.vars = _merge(frame.vars, before)
        endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value
        self.context.state = (
            self.context.state if endless else self._join_states(self.context.state, state, lenient=True)
        )
        self.execute(node.orelse, frame)

    def _run_with(self, node: ast.With | ast.AsyncWith, frame: Frame) -> bool:
        seeds, before = False, dict(self.context.state.seeds)
        exits: list[Fn] = []
        for item in node.items:
            call = item.context_expr
            values = self.evaluate(call, frame)
            seeds = seeds or (isinstance(call, ast.Call) and self._seeds_body(call, frame))
            for value in values:
                if isinstance(value, Inst) and (enter := self.method(value, "__enter__")):
                    values = self.run(enter, [], {})
                    leave = self.method(value, "__exit__")
                    exits += [leave] if leave else []
            if item.optional_vars is not None:
                self.assign(item.optional_vars, values, frame)
        if seeds:
            self.context.state.seeds.update(dict.fromkeys((NUMPY, PYTHON, OPENCV, IMGAUG), "varying"))
        ended = self.execute(node.body, frame)
        for leave in reversed(exits):
            self.run(leave, [UNKNOWN] * 3, {})
        if seeds:
            self.context.state.seeds = before
        return ended

    def _seeds_body(self, call: ast.Call, frame: Frame) -> bool:
        """Return whether a context manager seeds the global generators for its body."""
        has_arguments = bool(call.args or call.keywords)
        if has_arguments and _RE.SEEDING.search(dotted(call)):
            return True
        ends = ("random.seed", "set_state") if has_arguments else ("random.seed",)
        for value in self.evaluate(call.func, frame):
            if isinstance(value, Ext) and _RE.KEYED.match(value.name):
                self.context.state.seeds[EVERY] = "varying"
                return True
            bodies = [value.function] if isinstance(value, Fn) else []
            if isinstance(value, Cls):
                bodies = [f for cls in self.mro(value.cls) for f in cls.methods.values()]
            for function in bodies:
                for inner in ast.walk(function.node):
                    if isinstance(inner, ast.Call) and dotted(inner).endswith(ends):
                        return True
        return False

    def _run_try(self, node: ast.Try | ast.TryStar, frame: Frame) -> bool:
        before, state = dict(frame.vars), self.context.state.copy()
        ended = self.execute(node.body, frame) or self.execute(node.orelse, frame)
        variables, after = frame.vars, self.context.state
        for handler in node.handlers:
            frame.vars = _merge(dict(before), variables)
            self.context.state = self._join_states(state, after)
            stopped = self.execute(handler.body, frame)
            variables = {**variables, **{k: v for k, v in frame.vars.items() if k in ("<return>", "<yield>")}}
            if not stopped:
                variables = frame.vars if ended else _merge(variables, frame.vars)
                after = self.context.state if ended else self._join_states(after, self.context.state)
                ended = False
        frame.vars, self.context.state = variables, after
        return self.execute(node.finalbody, frame) or ended

    def _run_match(self, node: ast.Match, frame: Frame) -> None:
        self.evaluate(node.subject, frame)
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None)
                if isinstance(name, str):
                    frame.vars[name] = self.context.nothing
            if case.guard:
                self.evaluate(case.guard, frame)
            before, state = dict(frame.vars), self.context.state.copy()
            self.execute(case.body, frame)
            frame.vars = _merge(frame.vars, before)
            self.context.state = self._join_states(self.context.state, state)


def _text(value: Value) -> str:
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else ""


def is_random_transform(value: Value) -> bool:
    """Return whether a value is a random transform of a library."""
    return isinstance(value, Ext) and FACTS.RANDOM_TRANSFORM.match(value.name) is not None


def drawn_by(name: str, kwargs: dict[str, Values]) -> Values:
    """Return what a call of a library draws, or nothing."""
    if name == "torch.initial_seed":
        return (Drawn(INITIAL, True),)
    if FACTS.ENTROPY.match(name):
        return (Drawn(ENTROPY, True),)
    if draws_globally(name):
        return (Drawn(NUMPY if is_numpy_draw(name) else PYTHON, True),)
    if FACTS.RANDOM_TRANSFORM.match(name):
        return (Drawn("torch", False),)
    if FACTS.TORCH_DRAW.match(name):
        own = tuple(Drawn(v.source, True) for v in kwargs.get("generator", ()) if isinstance(v, Gen))
        return own or (Drawn("torch", True),)
    return ()


def _is_randomizable(names: list[str]) -> bool:
    return any(map(_RE.RANDOMIZABLE.search, names))


def _fresh(value: Value) -> Value:
    """Return a value of an object that worker code made, whose generators are not stored."""
    if isinstance(value, Gen):
        return replace(value, stored=False)
    return replace(value, gen=replace(value.gen, stored=False)) if isinstance(value, Bound) else value


def truthy(value: Value) -> bool:
    """Return True if the value is certainly true."""
    return isinstance(value, Gen | Fn | Inst | Cls | Mod) or (isinstance(value, Opaque) and value.argument)


def _as_arguments(values: Values) -> Values:
    return tuple(ARGUMENT[0] if v == UNKNOWN[0] else v for v in values)


def _names_in(annotation: ast.expr) -> list[ast.expr]:
    result: list[ast.expr] = []
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name | ast.Attribute):
            result.append(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            with contextlib.suppress(SyntaxError, ValueError):
                result += _names_in(ast.parse(node.value, mode="eval").body)
    return result


def _pattern(node: ast.expr) -> str:
    """Return a pattern for the values of an expression that makes a string."""
    match node:
        case ast.JoinedStr(values=parts):
            return "".join(re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".*" for p in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _pattern(left) + _pattern(right)
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
            return re.escape(text.partition("%")[0]) + ".*"
        case ast.Constant(value=str(text)):
            return re.escape(text)
        case _:
            return ".*"


def _merge(first: dict[str, Values], second: dict[str, Values]) -> dict[str, Values]:
    result = dict(second)
    for name, values in first.items():
        other = second.get(name, values)
        result[name] = values if other is values else join(values, other)
    return result


_EXPRESSIONS: dict[type[ast.AST], Callable[..., Values]] = by_kind(
    Interpreter,
    "_value_of_",
    """
    constant: Constant | name: Name | attribute: Attribute | call: Call | sequence: Tuple List Set | dict: Dict
    | subscript: Subscript | binary: BinOp | operands: UnaryOp Compare | boolean: BoolOp | conditional: IfExp
    | lambda: Lambda | comprehension: ListComp SetComp GeneratorExp DictComp | named: NamedExpr
    | through: Await Starred | yield: Yield YieldFrom
    """,
)
_STATEMENTS: dict[type[ast.AST], Callable[..., bool | None]] = by_kind(
    Interpreter,
    "_run_",
    """
    value: Expr Assert | assign: Assign | return: Return | if: If | for: For AsyncFor | while: While | raise: Raise
    | with: With AsyncWith | try: Try TryStar | augmented: AugAssign | annotated: AnnAssign | definition: ClassDef Import ImportFrom
    | function: FunctionDef AsyncFunctionDef | match: Match | jump: Continue Break
    """,
)
