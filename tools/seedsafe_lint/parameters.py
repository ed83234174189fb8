"""Values of parameters in the main process."""

import ast
import contextlib
import re
from dataclasses import dataclass, field

from seedsafe_lint.alternatives import Values, join
from seedsafe_lint.callsites import calls_of
from seedsafe_lint.context import Part
from seedsafe_lint.index import Frame, Function
from seedsafe_lint.known import RNG_NAME
from seedsafe_lint.names import Names
from seedsafe_lint.values import STATIC, Bound, Cls, Const, Ext, Fn, Gen, Group, Inst

__all__ = ["Parameters"]

_RNG_TYPE = re.compile(r"\b(RandomState|random\.Generator|torch\.Generator|random\.Random)\b")
_PLAIN = re.compile(r"\b(int|float|str|bool)\b")
_TOOL = re.compile(r"aug|transform|pipeline|preproc|jitter|perturb|noise", re.IGNORECASE)
_MOST = 6  # calls of a function to look into


@dataclass(eq=False)
class Parameters(Part):
    """Finds the values of parameters."""

    names: Names
    _calls: dict[Function, list[tuple[ast.Call, Frame]]] = field(default_factory=dict, init=False)

    def parameter(self, parameter: ast.arg, function: Function) -> Values:
        """Return the values of a parameter, as far as the files tell."""
        key = (function.node, parameter)
        if key in self.context.cache:
            return self.context.cache[key]
        if key in self.context.open:
            return STATIC
        self.context.open.add(key)
        try:
            result = self._values(parameter, function)
        finally:
            self.context.open.discard(key)
        self.context.cache[key] = result
        return result

    def _values(self, parameter: ast.arg, function: Function) -> Values:
        annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
        default = self.names.default(parameter, function)
        named = RNG_NAME.match(parameter.arg) and not _PLAIN.search(annotation)
        arguments = self._arguments(parameter, function)
        named = named and not any(isinstance(value, Fn) for value in arguments)  # a generator function
        if default == (Const(None),) and not arguments and _is_filled_later(parameter, function):
            return join(default, STATIC)
        if _RNG_TYPE.search(annotation) or (named and (default is None or Const(None) in default)):
            argument = Gen("argument", function.module, parameter, stored=True, seed="varying")
            return join((argument,), default or ())
        instances = join(self._instances(parameter, function), arguments)
        return join(instances or self._namesake(parameter, function), default or (), STATIC)

    def _instances(self, parameter: ast.arg, function: Function) -> Values:
        """Return instances of the classes in the parameter's annotation."""
        if parameter.annotation is None:
            return ()
        result: Values = ()
        for name in _names_in(parameter.annotation):
            for value in self.steps.earlier(name, function.frame):
                if isinstance(value, Cls):
                    near = value.cls.module is function.module
                    if near or _TOOL.search(value.cls.name) or _TOOL.search(parameter.arg):
                        result = join(result, (Inst(value.cls),))
                elif isinstance(value, Ext) and value.name.startswith("imgaug."):
                    result = join(result, (Ext(f"{value.name}()"),))
        return result

    def _arguments(self, parameter: ast.arg, function: Function) -> Values:
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
                values = self.steps.earlier(expression, frame)
                result = join(
                    result,
                    tuple(v for v in values if isinstance(v, Inst | Fn | Cls | Group | Gen | Bound | Ext)),
                )
        return result

    def _namesake(self, parameter: ast.arg, function: Function) -> Values:
        """Return an instance of the class with the parameter's name: `augmentor` is an `ImageAugmentor`."""
        name = parameter.arg.strip("_").replace("_", "").lower()
        if function.cls is None or function.name != "__init__" or not _TOOL.search(name):
            return ()
        return tuple(
            Inst(cls)
            for cls in function.module.classes.values()
            if cls is not function.cls and cls.name.lower().endswith(name)
        )


def _is_filled_later(parameter: ast.arg, function: Function) -> bool:
    """Return whether an argument is stored in an attribute that another method fills."""
    for sites in function.cls.sites.values() if function.cls else ():
        own = [site for site in sites if site.function is function]
        stores = any(isinstance(site.value, ast.Name) and site.value.id == parameter.arg for site in own)
        if stores and any(
            isinstance(s.value, ast.Call | ast.Name) for s in sites if s.function is not function
        ):
            return True
    return False


def _names_in(annotation: ast.expr) -> list[ast.expr]:
    result: list[ast.expr] = []
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name | ast.Attribute):
            result.append(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            with contextlib.suppress(SyntaxError, ValueError):
                result += _names_in(ast.parse(node.value, mode="eval").body)
    return result
