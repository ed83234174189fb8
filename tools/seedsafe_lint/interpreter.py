"""Runs worker code abstractly, from its entry points: the parts put together."""

import ast

from seedsafe_lint.alternatives import Value, Values
from seedsafe_lint.calls import Calls
from seedsafe_lint.conditions import Conditions
from seedsafe_lint.context import Context, State
from seedsafe_lint.expressions import Expressions
from seedsafe_lint.findings import Findings
from seedsafe_lint.functions import Functions
from seedsafe_lint.index import Frame, Function
from seedsafe_lint.judge import Judge
from seedsafe_lint.libraries import Libraries
from seedsafe_lint.members import Members
from seedsafe_lint.names import Names
from seedsafe_lint.parameters import Parameters
from seedsafe_lint.project import Project
from seedsafe_lint.root import Root
from seedsafe_lint.statements import Statements
from seedsafe_lint.targets import Targets
from seedsafe_lint.values import UNKNOWN, Fn
from seedsafe_lint.verdicts import Verdicts

__all__ = ["Interpreter"]


class Interpreter:
    """Runs worker code, and answers what names and attributes meant before the workers started.

    Args:
        project: The given files.
        old_torch: Judge for torch < 1.9, which leaves NumPy's global generator the same in every worker.
    """

    def __init__(self, project: Project, *, old_torch: bool = False) -> None:
        self.findings = Findings()
        self.context = context = Context(project)
        self.verdicts = Verdicts(context, self.findings, old_torch=old_torch)
        judge = Judge(context, self.verdicts)
        names = Names(context, self)
        self._parameters = Parameters(context, names, self)
        self.members = members = Members(context, names, self)
        targets = Targets(context, members, self)
        conditions = Conditions(context, self)
        self._functions = Functions(context, names, self)
        libraries = Libraries(context, members, targets, judge, self)
        self._calls = Calls(context, members, self._functions, libraries, judge, self)
        self._expressions = Expressions(context, names, members, targets, conditions, self)
        self._statements = Statements(context, names, members, targets, conditions, self.verdicts, self)

    def start(self, root: Root) -> None:
        """Run what a worker calls first, and report what it draws."""
        context = self.context
        context.root = root
        context.worker, context.state = True, State()
        context.entered, context.trail, context.steps = set(), [], 0
        self._functions.forget()
        try:
            function = root.fn.function
            given = (root.fn.owner is not None) + len(root.fn.args) + len(function.node.args.defaults)
            required = max(0, len(function.positional) - given)
            self.run(root.fn, [UNKNOWN] * required, {}, starred=root.fn.owner is None and required > 1)
        finally:
            context.worker = False
            context.root = None

    def evaluate(self, node: ast.expr | None, frame: Frame) -> Values:
        """Return the alternatives for the value of an expression."""
        return self._expressions.evaluate(node, frame)

    def earlier(self, node: ast.expr, frame: Frame) -> Values:
        """Return the value of an expression in code of the main process, before the workers started."""
        return self.context.before(lambda: self._expressions.evaluate(node, frame))

    def execute(self, body: list[ast.stmt], frame: Frame) -> bool:
        """Run statements; True if they never reach their end."""
        return self._statements.execute(body, frame)

    def call(self, node: ast.Call, frame: Frame) -> Values:
        """Return the value of a call, with its effects."""
        return self._calls.call(node, frame)

    def invoke(self, callee: Value, args: list[Values], kwargs: dict[str, Values]) -> Values:
        """Return the value of calling something of the analysed code."""
        return self._calls.invoke(callee, args, kwargs)

    def callbacks(self, values: list[Values]) -> Values:
        """Return the value of calling something unknown, which may call the functions among its arguments."""
        return self._calls.callbacks(values)

    def run(self, fn: Fn, args: list[Values], kwargs: dict[str, Values], *, starred: bool = False) -> Values:
        """Return the value that a function returns, with its effects."""
        return self._functions.run(fn, args, kwargs, starred=starred)

    def parameter(self, parameter: ast.arg, function: Function) -> Values:
        """Return what a parameter of a function of the main process holds."""
        return self._parameters.parameter(parameter, function)

    def decorated(self, fn: Fn) -> Values:
        """Return a function as its decorators of the analysed code leave it."""
        return self._functions.decorated(fn)

    def told(self, values: Values) -> Values:
        """Return the values with one of which nothing is known in place of those that cannot draw."""
        return self._calls.tame.told(values)
