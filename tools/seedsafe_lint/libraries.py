"""Values of calls into libraries."""

import ast
import re
from dataclasses import dataclass

from seedsafe_lint.alternatives import Values, join
from seedsafe_lint.context import Part
from seedsafe_lint.index import Frame
from seedsafe_lint.judge import Judge
from seedsafe_lint.known import BIT_GENERATORS, FOLLOWED, GENERATORS, SAVERS, words
from seedsafe_lint.members import Members
from seedsafe_lint.targets import Targets
from seedsafe_lint.values import STATIC, Bound, Cls, Const, Ext, Fn, Gen, Group, Inst, Mod, Saved, constant

__all__ = ["Libraries"]

_RESEED = words("seed manual_seed set_state setstate __setstate__")
_ITERATING = words("next iter list tuple reversed sorted set enumerate zip")
_TELLING = words("all any bool callable hasattr id isinstance issubclass len print repr")
_NUMBERS = words("int abs str hash float max min")
_EAGER = re.compile(r"^tensorflow\..*(numpy_function|py_func(tion)?)$")
_ARRAYS = re.compile(
    r"(numpy|torch|cv2|scipy|skimage|PIL)\.[a-z_.]*(?<!vectorize)(?<!frompyfunc)$|torch\.(?!utils|nn|jit)"
)


@dataclass(eq=False)
class Libraries(Part):
    """Finds the values of calls into libraries."""

    members: Members
    targets: Targets
    judge: Judge

    def call(
        self, callee: Ext | Bound, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> Values:
        """Return the value of a call into a library, or of a generator's method."""
        if isinstance(callee, Bound):
            return self._generator_method(callee, node, frame, [*args, *kwargs.values()])
        name, builtin = callee.name, callee.name.removeprefix("builtins.")
        if name in GENERATORS or name in BIT_GENERATORS:
            return self._generator(name, node, frame, args, kwargs)
        if name == "functools.partial":
            return self._partial(args, kwargs)
        if name == "dataclasses.field" and "default_factory" in kwargs:
            return self._field(node, frame, kwargs["default_factory"])
        if name == "builtins.getattr" and len(args) > 1:
            return self._getattr(node, frame, args)
        if builtin in _ITERATING:
            self.steps.callbacks(list(kwargs.values()))
            items = self.targets.iterate(join((), *args)) if args else self.context.nothing
            return items if name.endswith("next") else (Group(items),)
        if name in ("copy.deepcopy", "copy.copy") and args:
            return args[0]
        if builtin in _NUMBERS and args:
            return STATIC if all(constant(v) for v in args) else self.context.nothing
        return self._other(name, node, frame, args, kwargs)

    def _other(
        self, name: str, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> Values:
        """Return the value of a call that means nothing to the linter itself, and judge it in worker code."""
        if self.context.worker:
            if name in SAVERS:
                self.context.events += 1
                return (Saved(SAVERS[name], self.context.state.seeds.get(SAVERS[name], "")),)
            self.judge.library(name, node, frame, args, kwargs)
            if name.removeprefix("builtins.") in _TELLING:
                return self.context.nothing
        with self.context.eager(_EAGER.search(name) is not None):
            result = self.steps.callbacks([*args, *kwargs.values()])
        if isinstance(result[0], Group) and not _ARRAYS.match(name):
            return (Group(result[0].items, calls=True, origin="library"),)
        if self.context.worker and not FOLLOWED.match(name):
            return self.context.nothing
        return (Ext(f"{name}()"),) if not name.startswith("?.") or "(" not in name else self.context.nothing

    def _field(self, node: ast.Call, frame: Frame, factories: Values) -> Values:
        results = [
            self.call(v, node, frame, [], {}) if isinstance(v, Ext) else self.steps.invoke(v, [], {})
            for v in factories
            if isinstance(v, Ext | Fn | Cls)
        ]
        return join((), *results) or self.context.nothing

    def _generator(
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
                self.judge.new_generator(gen, node, frame)
            return tuple(inner)
        fixed = name == "torch.Generator" or (seeds and all(constant(v) for v in seeds))
        seed = "constant" if fixed else "varying" if seeds else "none"
        kind = GENERATORS.get(name, name.replace("numpy", "np", 1))
        result = Gen(kind, frame.module, node, stored=not self.context.worker, seed=seed)  # type: ignore[arg-type]
        if self.context.worker and name not in BIT_GENERATORS:
            self.judge.new_generator(result, node, frame)
        return (result,)

    def _generator_method(self, callee: Bound, node: ast.Call, frame: Frame, args: list[Values]) -> Values:
        gen = callee.gen
        if callee.name in _RESEED:
            self.judge.seeding(gen.node, node, frame, args)
            return (gen,)
        if callee.name in ("spawn", "clone_state"):
            return (Group((gen,)),)
        if self.context.worker:
            self.judge.generator(gen, callee.name, node, frame)
        return self.steps.callbacks(args)

    def _partial(self, args: list[Values], kwargs: dict[str, Values]) -> Values:
        result: Values = ()
        for value in args[0] if args else ():
            if isinstance(value, Fn):
                words = tuple((dict(value.kwargs) | kwargs).items())
                result = join(
                    result, (Fn(value.function, value.owner, value.frame, (*value.args, *args[1:]), words),)
                )
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
                result = join(result, self.members.member(value, name))
            if not names and isinstance(value, Ext):
                result = join(result, (Ext(f"{value.name}.any"),))
            elif not names and isinstance(value, Inst | Mod):
                result = join(result, self._methods(value, _pattern(node.args[1])))
        return result or self.context.nothing

    def _methods(self, owner: Inst | Mod, pattern: str) -> Values:
        """Return the methods of an object, or the functions of a module, that a computed name may mean."""
        if isinstance(owner, Mod):
            names = [name for name, bindings in owner.module.scope.names.items() if bindings[0].kind == "def"]
        else:
            names = [name for cls in self.members.mro(owner.cls) for name in cls.methods]
        found = [
            name for name in dict.fromkeys(names) if re.fullmatch(pattern, name) and not name.startswith("__")
        ]
        methods = tuple(v for name in found for v in self.members.member(owner, name) if isinstance(v, Fn))
        return (Group(methods, calls=True, origin="methods"),) if methods else ()


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
