"""The state of a run."""

import ast
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from seedsafe_lint.index import Class, Function, Values
from seedsafe_lint.project import Project
from seedsafe_lint.values import STATIC, UNKNOWN, Fn, Gen, shape

__all__ = ["EVERY", "TRACED", "Context", "Mark", "QuietRuns", "Root", "State"]

TRACED = "tf.map"

"""The framework of functions that TensorFlow runs once, to trace them."""

EVERY = "every"

"""In place of a generator in `State.seeds`: all of them follow a key."""


@dataclass(frozen=True, slots=True)
class Root:
    """A function that workers call, with its name in messages.

    Its framework is ``torch``, ``keras``, ``tf.data``, `TRACED`, ``pool`` for tasks of processes, another one, or empty. It runs
    `per_sample` or batch, or else once for each epoch, and is `cured` if a correct ``worker_init_fn`` of the file seeds NumPy.
    The object of an `actor` is made in the worker.
    """

    fn: Fn
    label: str
    framework: str
    per_sample: bool = True
    cured: bool = False
    cls: Class | None = None
    actor: bool = False


@dataclass(slots=True)
class State:
    """The effects of the code run so far: the variables and attributes that it sets, and the seeds of generators."""

    variables: dict[tuple[object, str], Values] = field(default_factory=dict)
    seeds: dict[object, str] = field(default_factory=dict)

    def copy(self) -> "State":
        """Return an independent copy."""
        return State(dict(self.variables), dict(self.seeds))


class Context:
    """The state of a run.

    With `worker` True the code runs in a worker, and draws count. Otherwise it ran before, in the main process, and the
    objects and generators that it makes are `stored`.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.worker_attributes: frozenset[str] = frozenset()  # attributes that a worker_init_fn sets
        self.cache: dict[object, Values] = {}
        self.open: set[object] = set()
        self.depth = 0
        self.begin(None)
        self.worker = False

    def begin(self, root: Root | None) -> None:
        """Begin a run of worker code, which reports only if it has a root."""
        self.worker, self.state, self.root = True, State(), root
        self.filling = False  # inside an `if` that fills an attribute once
        self.functions: set[Function] = set()
        self.trail: list[Function] = []  # the functions run so far, in order
        self.stack: list[Function] = []  # the functions that are running
        self.events = self.steps = 0  # events are draws, seeds and cuts; steps are expressions

    @property
    def nothing(self) -> Values:
        """An unknown value."""
        return UNKNOWN if self.worker else STATIC

    def once(self, key: object, action: Callable[[], Values], deepest: float = math.inf) -> Values:
        """Return the remembered result of an action. While the action runs, or too deep inside others, the result is a fixed value."""
        if key not in self.cache:
            if key in self.open or self.depth > deepest:
                return STATIC
            self.open.add(key)
            try:
                self.cache[key] = action()
            finally:
                self.open.discard(key)
        return self.cache[key]

    def before(self, action: Callable[[], Values]) -> Values:
        """Run an action as code that the main process runs before the workers start."""
        worker, state, steps = self.worker, self.state, self.steps
        self.worker, self.state = False, State()
        # a long table at the head of a file takes no steps from worker code
        self.steps = 0 if worker else steps
        self.depth += 1
        try:
            return action()
        finally:
            self.depth -= 1
            self.worker, self.state = worker, state
            self.steps = steps if worker else self.steps

    @contextmanager
    def apart(self) -> Iterator["Context"]:
        """Run worker code apart from the rest: it reports nothing and leaves no effects."""
        saved = dict(self.__dict__)
        self.begin(None)
        try:
            yield self
        finally:
            self.__dict__.update(saved)


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
class QuietRuns:
    """Remembers runs that neither draw nor seed, for all files, so that other entry points need not repeat them.

    Two runs of a function are alike if their arguments have the same shape, and the same generators were stored before.
    """

    context: Context

    def mark(self, fn: Fn, variables: dict[str, Values]) -> Mark:
        """Return the state before a run."""
        context = self.context
        stored = context.state.variables.items()
        loud = frozenset(pair for pair in stored if any(isinstance(value, Gen) for value in pair[1]))
        shapes = tuple((name, shape(values)) for name, values in variables.items())
        owner = None if fn.owner is None else shape((fn.owner,))
        around = self._around(fn) if fn.frame else ()
        key = (fn.function.node, owner, context.worker, shapes, loud, around)
        return Mark(key, context.events, dict(context.state.variables), len(context.trail))

    def _around(self, fn: Fn) -> tuple[object, ...]:
        """Return the shapes of the variables that a nested function reads from the functions around it."""
        runs, key = self.context.project.runs, (QuietRuns, fn.function.node)
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
