"""Find the classes whose instances cannot draw."""

from collections.abc import Iterator
from dataclasses import dataclass

from seedsafe_lint.alternatives import Value, Values
from seedsafe_lint.context import Context
from seedsafe_lint.functions import Functions
from seedsafe_lint.index import Class
from seedsafe_lint.members import Members
from seedsafe_lint.values import ARGUMENT, Cls, Ext, Fn, Group, Inst, is_plain

__all__ = ["Tame"]

_OF_CLASSES = (Inst, Fn, Cls, Group)


@dataclass(eq=False)
class Tame:
    """Finds the tame classes, once for all files: no method, run on its own, draws or seeds, and all values that they store are plain."""

    context: Context
    members: Members
    functions: Functions

    def simplify(self, values: Values) -> Values:
        """Return the values, with an unknown value in place of those that cannot draw."""
        if not any(isinstance(value, _OF_CLASSES) for value in values):
            return values
        return tuple(dict.fromkeys(map(self._simplify, values)))

    def _simplify(self, value: Value) -> Value:
        if isinstance(value, Group):
            within = self.simplify(value.items)
            return value if within == value.items else Group(within, value.calls, value.origin)
        cannot = self._mild(value) and not is_plain(value) and all(map(self._mild, self._values_of(value)))
        return ARGUMENT[0] if cannot else value

    def _values_of(self, value: Value) -> Iterator[Value]:
        """Yield the values that worker code has stored in an object."""
        result = value.owner if isinstance(value, Fn) else value
        if isinstance(result, Inst):
            for (owner, _), values in self.context.state.variables.items():
                if owner == result.key:
                    yield from values

    def _mild(self, value: Value) -> bool:
        """Return whether a value is plain, or belongs to a tame class and was made from plain values."""
        match value:
            case Inst(cls=cls, args=args, stored=False):
                return self._of_class(cls) and all(is_plain(v) for _, values in args for v in values)
            case Fn(owner=Inst() as owner, frame=None):
                return self._mild(owner)
            case Cls(cls=cls):
                return self._of_class(cls)
            case Group(items=items):
                return all(map(self._mild, items))
            case _:
                return is_plain(value)

    def _of_class(self, cls: Class) -> bool:
        runs, key = self.context.project.runs, (Tame, cls)
        if key not in runs:
            before = len(runs)
            runs[key], tame = True, False  # assumed for now, because the class may make more of its kind
            try:
                tame = self._check(cls)
            finally:
                if not tame:
                    for result in list(runs)[before:]:  # these runs rely on the wrong assumption
                        del runs[result]
                    runs[key] = False
        return runs[key] is True

    def _check(self, cls: Class) -> bool:
        order, result = self.members.mro(cls), Inst(cls, stored=False)
        if not all(is_plain(base) for c in order for base in self.members.bases(c) if isinstance(base, Ext)):
            return False
        methods = {name: method for c in reversed(order) for name, method in c.methods.items()}
        for name in dict.fromkeys(name for c in order for name in c.scope.names if name not in methods):
            if not all(map(is_plain, self.members.member(Cls(cls), name))):
                return False
        first = sorted(methods, key=lambda name: name != "__init__")
        values = self.functions.stored_values([Fn(methods[name], result) for name in first], result.key)
        return values is not None and all(map(self._mild, values))
