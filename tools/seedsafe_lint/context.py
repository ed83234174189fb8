"""The state of a run of the interpreter."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from seedsafe_lint.alternatives import Values
from seedsafe_lint.index import Function
from seedsafe_lint.project import Project
from seedsafe_lint.root import TRACED, Root
from seedsafe_lint.values import STATIC, UNKNOWN

__all__ = ["Context", "State"]


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
        self.events = self.steps = 0  # events are draws, seeds and cuts; steps are expressions

    @property
    def nothing(self) -> Values:
        """An unknown value."""
        return UNKNOWN if self.worker else STATIC

    def before(self, action: Callable[[], Values]) -> Values:
        """Run an action as code of the main process, before the workers start."""
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

    @contextmanager
    def eager(self, called: bool) -> Iterator[None]:
        """Run code for each sample, if `called` is True, although TensorFlow traces the code around it."""
        root = self.root
        if called and root and root.framework == TRACED:
            self.root = replace(root, framework="tf.data")
        try:
            yield
        finally:
            self.root = root
