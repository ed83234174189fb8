"""Values of attributes: methods, constructors' assignments, bases."""

import ast
import re
from dataclasses import dataclass, field, replace

from seedsafe_lint.alternatives import Value, Values, join
from seedsafe_lint.context import Part
from seedsafe_lint.index import Class, Frame, Site
from seedsafe_lint.known import FOLLOWED, canonical
from seedsafe_lint.names import Names
from seedsafe_lint.seeds import expand
from seedsafe_lint.syntax import dotted
from seedsafe_lint.values import (
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
    Super,
    constant,
)

__all__ = ["Members"]

_INITIAL = frozenset({"__init__", "__post_init__", "__new__"})
_SHARED = re.compile(
    r"share_memory_$|[sS]hared_?[mM]emory|memmap$|frombuffer$|get_obj$|Raw(Array|Value)$|\bm(p|ultiprocessing)\."
)
_CALL = re.compile(r"[(\[]")
_RANDOMIZABLE = re.compile(r"(^|\.)Randomizable(Transform|Trait)?$")
_RESEEDED = re.compile(
    r"monai\.data[\w.]* import (\([^)]*|[^\n(]*)\b(Thread)?DataLoader\b|monai\.data\.(Thread)?DataLoader"
    r"|worker_init_fn(?s:.*)(set_random_state|set_rnd)\(|(set_random_state|set_rnd)\((?s:.*)worker_init_fn"
)
_IN_WORKERS = re.compile(r"worker|__setstate__|__iter__$|__enter__")


@dataclass(eq=False)
class Members(Part):
    """Finds the values of attributes."""

    names: Names
    _orders: dict[Class, tuple[Class, ...]] = field(default_factory=dict, init=False)
    _open_bases: int = 0  # classes whose bases are being looked up

    def member(self, value: Value, name: str) -> Values:
        """Return an attribute of a value."""
        match value:
            case Ext(name=full):
                return self._of_library(full, name)
            case Mod(module=module):
                result = self.names.export(module, name)
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
            case _:
                return STATIC if constant((value,)) else self.context.nothing

    def _of_library(self, full: str, name: str) -> Values:
        called = _CALL.search(full)
        if called and self.context.worker and not FOLLOWED.match(full):
            return UNKNOWN  # no rule needs more about the result of a library's call
        local = None if called or "?" in full else self.context.project.find(f"{full}.{name}", "")
        return (Mod(local),) if local else (Ext(canonical(f"{full}.{name}")),)

    def _of_class(self, cls: Class, name: str, owner: Cls) -> Values:
        for base in self.mro(cls):
            if name in base.methods:
                method = base.methods[name]
                return self.steps.decorate(Fn(method, owner if method.has_decorator("classmethod") else None))
            if bindings := base.scope.names.get(name):
                frame = Frame(base.module, parent=base.frame, scope=base.scope)
                return self.names.static(bindings, frame, (base.scope, name))
        return ()

    def method(self, owner: Inst, name: str) -> Fn | None:
        """Return a method of an instance without its decorators, or None."""
        for cls in self.mro(owner.cls):
            if name in cls.methods:
                return Fn(cls.methods[name], owner)
        return None

    def calls(self, cls: Class) -> bool:
        """Return whether instances of a class may be callable. Those of a library's subclass may."""
        key = (cls, "calls")
        if key not in self.context.cache:
            own = any(name in base.methods for base in self.mro(cls) for name in ("__call__", "forward"))
            self.context.cache[key] = STATIC if own or self.libraries(cls) else ()
        return bool(self.context.cache[key])

    def attribute(self, owner: Inst, name: str) -> Values:
        """Return an attribute of an instance."""
        for cls in self.mro(owner.cls):
            if name in cls.methods:
                method = cls.methods[name]
                fn = Fn(method, Cls(owner.cls) if method.has_decorator("classmethod") else owner)
                if method.has_decorator("property", "cached_property", "lazy_property"):
                    return self.steps.run(fn, [], {})
                return self.steps.decorate(fn)
        stored = self.context.state.variables.get((owner.key, name))
        return self.field(owner, name) if stored is None else stored

    def field(self, owner: Inst, name: str) -> Values:
        """Return the value of an attribute before the workers start."""
        if name in self.context.worker_attributes or (name == "R" and self._is_reseeded(owner.cls)):
            return self.context.nothing
        result: Values = ()
        for cls in self.mro(owner.cls):
            for site in cls.sites.get(name, ()):
                if site.function not in self.context.functions or site.function.name in _INITIAL:
                    result = join(result, self._at_site(site, owner))
        result = result or self._of_class(owner.cls, name, Cls(owner.cls))
        if not owner.stored:
            result = tuple(_fresh(value) for value in result)
        if not result and name == "__class__":
            return (Cls(owner.cls),)
        if (
            not result
            and name == "R"
            and owner.stored
            and any(map(_RANDOMIZABLE.search, self.libraries(owner.cls)))
        ):
            result = (Gen("Randomizable", owner.cls.module, owner.cls.node, stored=True, seed="none"),)
        return result or UNKNOWN

    def _is_reseeded(self, cls: Class) -> bool:
        """Return whether a class is MONAI's Randomizable, and the project seeds its `R` in each worker, as MONAI's loader does."""
        names = [*(c.name for c in self.mro(cls)), *self.libraries(cls)]
        return any(map(_RANDOMIZABLE.search, names)) and self.context.project.mentions(_RESEEDED)

    def is_shared(self, owner: Inst, name: str) -> bool:
        """Return whether an attribute is in memory that all workers share."""
        names = {name}
        for site in (site for cls in self.mro(owner.cls) for site in cls.sites.get(name, ())):
            for part in expand(site.value, site.function) if site.value else ():
                if isinstance(part, ast.Call | ast.Attribute) and _SHARED.search(dotted(part)):
                    return True
                names |= {part.id} if isinstance(part, ast.Name) else set()
        pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\.share_memory_\(")
        return any(pattern.search(cls.module.text) for cls in self.mro(owner.cls))

    def _at_site(self, site: Site, owner: Inst) -> Values:
        function = site.function
        if _IN_WORKERS.search(function.name):
            return UNKNOWN
        key = (site.value, owner)
        if site.value is None:
            return UNKNOWN
        if key in self.context.cache:
            return self.context.cache[key]
        if key in self.context.open or self.context.depth > 12:
            return STATIC
        self.context.open.add(key)
        known = dict(owner.args) if function.name in _INITIAL else {}
        if function.positional:
            known[function.positional[0].arg] = (owner,)
        frame = Frame(
            function.module, parent=function.frame, scope=function.scope, function=function, variables=known
        )
        try:
            result = self.steps.earlier(site.value, frame)
        finally:
            self.context.open.discard(key)
        if function.name not in _INITIAL:
            result = tuple(v for v in result if not constant((v,)) or v == Const(None)) or UNKNOWN
        self.context.cache[key] = result
        return result

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
        key = (cls, "bases")
        if key not in self.context.cache:
            self.context.cache[key] = STATIC
            self._open_bases += 1
            found: Values = ()
            for base in cls.node.bases:
                base = base.value if isinstance(base, ast.Subscript) else base
                found = join(found, self.steps.earlier(base, cls.frame))
            self.context.cache[key] = found
            self._open_bases -= 1
        return self.context.cache[key]

    def libraries(self, cls: Class) -> list[str]:
        """Return the dotted names of the library classes among its bases."""
        return [v.name for c in self.mro(cls) for v in self.bases(c) if isinstance(v, Ext)]


def _fresh(value: Value) -> Value:
    """Return a value of an object that worker code made, whose generators are not stored."""
    if isinstance(value, Gen):
        return replace(value, stored=False)
    return replace(value, gen=replace(value.gen, stored=False)) if isinstance(value, Bound) else value
