"""Iteration and assignment."""

import ast
from dataclasses import dataclass

from seedsafe_lint.alternatives import Values, join
from seedsafe_lint.context import Part
from seedsafe_lint.index import Frame
from seedsafe_lint.members import Members
from seedsafe_lint.values import Bound, Fn, Gen, Group, Inst, contents

__all__ = ["Targets"]


@dataclass(eq=False)
class Targets(Part):
    """Runs loops and assignments."""

    members: Members

    def iterate(self, values: Values) -> Values:
        """Return the values of a loop variable over these values."""
        result: Values = ()
        for value in values:
            if isinstance(value, Group) and value.origin == "generator":
                for item in value.items:
                    items = contents(self.steps.run(item, [], {})) if isinstance(item, Fn) else (item,)
                    result = join(result, items)
                continue
            own = isinstance(value, Inst) and self.context.worker
            method = self.members.method(value, "__iter__") if own and isinstance(value, Inst) else None
            result = join(result, contents(self.steps.run(method, [], {})) if method else contents((value,)))
        return result or self.context.nothing

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
                for holder in self.steps.evaluate(owner, frame):
                    if isinstance(holder, Inst):
                        self.context.state.variables[holder.key, attr] = values
                    elif isinstance(holder, Gen | Bound) and attr == "state":
                        gen = holder if isinstance(holder, Gen) else holder.gen
                        self.context.state.seeds[gen.node] = "varying"
                        self.context.events += 1
            case ast.Subscript(value=owner, slice=index):
                self.steps.evaluate(index, frame)
                self.steps.evaluate(owner, frame)
