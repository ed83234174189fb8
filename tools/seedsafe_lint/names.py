"""Values of names: variables, imports and parameters."""

import ast
import builtins
from dataclasses import dataclass, field

from seedsafe_lint.alternatives import Values, join
from seedsafe_lint.context import Part
from seedsafe_lint.frameworks import kind_of_base
from seedsafe_lint.index import Frame, Function, Module
from seedsafe_lint.known import canonical, guess, is_numpy_draw, is_python_draw
from seedsafe_lint.scopes import Binding
from seedsafe_lint.values import STATIC, Cls, Ext, Fn, Mod, contents

__all__ = ["Names"]

_DEEP = 40


@dataclass(eq=False)
class Names(Part):
    """Finds the values of names."""

    _stars: int = field(default=0, init=False)  # star imports that are being followed

    def lookup(self, name: str, frame: Frame) -> Values:
        """Return the value of a variable."""
        scope: Frame | None = frame
        while scope is not None:
            if name in scope.vars:
                return scope.vars[name]
            if scope.scope is not None:
                if scope.function and (result := self._parameter(name, scope.function)):
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
                known = (
                    full in ("numpy.random", "torch.utils.data")
                    or is_numpy_draw(full)
                    or is_python_draw(full)
                )
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
                filter(None, (self._through(star, module, name) for star in module.scope.stars)), ()
            )
            self._stars -= 1
            self.context.open.discard(key)
            if self._stars and not result:
                return ()  # a file in a circle of imports may still have it
            self.context.cache[key] = result
        return self.context.cache[key]

    def _through(self, star: ast.ImportFrom, module: Module, name: str) -> Values:
        local = self.context.project.find(star.module or "", module.path, star.level)
        return self.export(local, name) if local else ()

    def _parameter(self, name: str, function: Function) -> Values:
        arguments = function.node.args
        for parameter in (*function.positional, *arguments.kwonlyargs):
            if parameter.arg == name:
                return self.steps.parameter(parameter, function)
        rest = [p.arg for p in (arguments.vararg, arguments.kwarg) if p]
        return STATIC if name in rest else ()

    def default(self, parameter: ast.arg, function: Function) -> Values | None:
        """Return the value of a parameter's default, or None if it has none."""
        arguments, positional = function.node.args, function.positional
        expression: ast.expr | None = None
        if parameter in positional:
            position = positional.index(parameter) - len(positional) + len(arguments.defaults)
            expression = arguments.defaults[position] if position >= 0 else None
        elif parameter in arguments.kwonlyargs:
            expression = arguments.kw_defaults[arguments.kwonlyargs.index(parameter)]
        if expression is None:
            return None
        if expression in self.context.cache:
            return self.context.cache[expression]
        return self.static([Binding("value", expression)], function.frame, expression)

    def static(self, bindings: list[Binding], frame: Frame, key: object) -> Values:
        """Return the value of a variable that is bound before the workers start."""
        if key in self.context.cache:
            return self.context.cache[key]
        if key in self.context.open or self.context.depth > _DEEP:
            return STATIC
        self.context.open.add(key)
        try:
            result: Values = ()
            for binding in bindings:
                result = join(result, self.context.before(lambda b=binding: self._value_of(b, frame)))  # type: ignore[misc]
        finally:
            self.context.open.discard(key)
        self.context.cache[key] = result
        return result

    def _value_of(self, binding: Binding, frame: Frame) -> Values:
        node = binding.node
        if isinstance(node, ast.Import):
            return self._module(str(binding.detail), frame.module)
        if isinstance(node, ast.ImportFrom):
            return self._import(node, str(binding.detail), frame.module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = frame.module.functions.get(node) or Function(node, frame.module, frame)
            return self.steps.decorate(Fn(function, None, None))
        if isinstance(node, ast.ClassDef):
            return (Cls(frame.module.class_of(node, frame)),)
        if isinstance(node, ast.expr):
            values = self.steps.evaluate(node, frame)
            return values if binding.kind == "value" else contents(values)
        return STATIC

    def _module(self, name: str, importer: Module) -> Values:
        local = self.context.project.find(name, importer.path)
        return (Mod(local),) if local else (Ext(canonical(name)),)

    def _import(self, node: ast.ImportFrom, name: str, importer: Module) -> Values:
        source = node.module or ""
        local = self.context.project.find(source, importer.path, node.level)
        if local and local is not importer and (result := self.export(local, name)):
            return result
        full = f"{source}.{name}" if source else name
        if local := self.context.project.find(full, importer.path, node.level):
            return (Mod(local),)
        return (Ext(f"?.{full}" if node.level else canonical(full)),)

    def bind_import(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """Run an import statement inside a function."""
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                frame.vars[alias.asname or alias.name] = self._import(node, alias.name, frame.module)
            else:
                top = alias.name.partition(".")[0]
                name = alias.name if alias.asname else top
                frame.vars[alias.asname or top] = self._module(name, frame.module)
