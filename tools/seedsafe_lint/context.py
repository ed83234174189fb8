"""What the parts of the interpreter share: the state of the run, and the steps that they take through each other."""

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from seedsafe_lint.alternatives import Values
from seedsafe_lint.index import Frame, Function
from seedsafe_lint.project import Project
from seedsafe_lint.root import Root
from seedsafe_lint.values import STATIC, UNKNOWN, Fn

__all__ = ["Context", "Part", "State", "Steps"]


@dataclass(slots=True)
class State:
    """What the code run so far has changed: attributes and globals stored, generators seeded anew."""

    stored: dict[tuple[object, str], Values] = field(default_factory=dict)
    seeded: dict[object, str] = field(default_factory=dict)

    def copy(self) -> "State":
        """Return an independent copy."""
        return State(dict(self.stored), dict(self.seeded))


class Context:
    """The state of a run.

    With `worker` True the code is one that a worker runs, and draws count; else it is code that ran before in the main
    process, and what it makes is `stored`.

    Args:
        project: The given files.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.reassigned: frozenset[str] = frozenset()  # attributes that a worker_init_fn sets
        self.known: dict[object, Values] = {}
        self.open: set[object] = set()
        self.depth = 0
        self.begin(None)
        self.worker = False

    def begin(self, root: Root | None, *, trying: bool = False) -> None:
        """Begin a run of worker code.

        Args:
            root: What a worker calls first.
            trying: Report nothing: the code may never be called.
        """
        self.worker, self.state, self.root, self.trying = True, State(), root, trying
        self.drawn: set[str] = set()  # kinds of generators that were drawn from
        self.filling = False  # inside of an `if` that fills an attribute once
        self.entered: set[Function] = set()
        self.trail: list[Function] = []  # the functions that were run, in order
        self.events = self.steps = 0  # what was drawn, seeded or cut short so far; expressions evaluated

    @property
    def nothing(self) -> Values:
        """A value of which nothing is known."""
        return UNKNOWN if self.worker else STATIC

    def before(self, action: Callable[[], Values]) -> Values:
        """Run something as code of the main process, before the workers started."""
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
        """Run something as worker code by itself: it reports nothing and leaves nothing behind."""
        kept = dict(self.__dict__)
        self.begin(None, trying=True)
        try:
            yield self
        finally:
            self.__dict__.update(kept)


class Steps:
    """The steps that parts take through each other, for each of them may lead to all the others; the interpreter fills them in."""

    evaluate: Callable[[ast.expr | None, Frame], Values]  # the alternatives for the value of an expression
    execute: Callable[[list[ast.stmt], Frame], bool]  # runs statements; True if they never reach their end
    call: Callable[[ast.Call, Frame], Values]  # the value of a call, with its effects
    invoke: Callable[..., Values]  # the value of calling something of the analysed code
    # the value of calling something unknown, which may call its arguments
    callbacks: Callable[[list[Values]], Values]
    run: Callable[..., Values]  # the value that a function returns, with its effects
    # what a parameter of a function of the main process holds
    parameter: Callable[[ast.arg, Function], Values]
    decorated: Callable[[Fn], Values]  # a function as its decorators of the analysed code leave it
    # the values, with one of which nothing is known in place of those that cannot draw
    told: Callable[[Values], Values]
    earlier: Callable[[ast.expr, Frame], Values]  # the value of an expression before the workers started


@dataclass(eq=False)
class Part:
    """A part of the interpreter.

    Args:
        context: What all parts share.
        steps: The other parts.
    """

    context: Context
    steps: Steps
