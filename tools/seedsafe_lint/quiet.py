"""Remember runs of functions that drew nothing."""

import ast
from dataclasses import dataclass
from typing import NamedTuple, cast

from seedsafe_lint.alternatives import Values
from seedsafe_lint.context import Context
from seedsafe_lint.index import Function
from seedsafe_lint.shapes import shape
from seedsafe_lint.values import Fn, Gen

__all__ = ["Mark", "Quiet"]


class _Run(NamedTuple):
    """The result and the effects of a quiet run."""

    values: Values
    variables: dict[tuple[object, str], Values]
    functions: frozenset[Function]


class Mark(NamedTuple):
    """The state before a run, with the key that identifies the run."""

    key: object
    events: int
    variables: dict[tuple[object, str], Values]
    trail: int


@dataclass(eq=False)
class Quiet:
    """Remembers runs that neither draw nor seed, for all files, so that other entry points need not repeat them.

    Two runs of a function are alike if their arguments have the same shape, and the same generators were stored before.
    """

    context: Context

    def mark(self, fn: Fn, variables: dict[str, Values]) -> Mark:
        """Return the state before a run."""
        context = self.context
        loud = frozenset(
            (where, values)
            for where, values in context.state.variables.items()
            if any(isinstance(value, Gen) for value in values)
        )
        shapes = tuple((name, shape(values)) for name, values in variables.items())
        owner = None if fn.owner is None else shape((fn.owner,))
        around = self._around(fn) if fn.frame else ()
        key = (fn.function.node, owner, context.worker, shapes, loud, around)
        return Mark(key, context.events, dict(context.state.variables), len(context.trail))

    def _around(self, fn: Fn) -> tuple[object, ...]:
        """Return the shapes of the variables that a nested function reads from the functions around it."""
        runs, key = self.context.project.runs, (Quiet, fn.function.node)
        if key not in runs:
            runs[key] = {node.id for node in ast.walk(fn.function.node) if isinstance(node, ast.Name)}
        names, frame = cast("set[str]", runs[key]), fn.frame
        result: list[object] = [shape(frame.this) if frame else ()]
        while frame is not None:
            result += [(name, shape(frame.vars[name])) for name in frame.vars if name in names]
            frame = frame.parent
        return tuple(result)

    def recall(self, mark: Mark) -> Values | None:
        """Repeat the effects of an earlier run like this one and return its result, or None if there was none."""
        run = self.context.project.runs.get(mark.key)
        if not isinstance(run, _Run):
            return None
        self.context.state.variables.update(run.variables)
        self.context.trail += run.functions
        if self.context.worker:
            self.context.functions |= run.functions
        return run.values

    def keep(self, mark: Mark, values: Values) -> None:
        """Remember a run if it was quiet."""
        context = self.context
        if context.events == mark.events:
            after = context.state.variables
            stored = {key: value for key, value in after.items() if mark.variables.get(key) is not value}
            context.project.runs[mark.key] = _Run(values, stored, frozenset(context.trail[mark.trail :]))
