"""Run worker code abstractly from its entry points."""

from seedsafe_lint.calls import Calls
from seedsafe_lint.conditions import Conditions
from seedsafe_lint.context import Context, Steps
from seedsafe_lint.expressions import Expressions
from seedsafe_lint.findings import Findings
from seedsafe_lint.functions import Functions
from seedsafe_lint.judge import Judge
from seedsafe_lint.libraries import Libraries
from seedsafe_lint.members import Members
from seedsafe_lint.names import Names
from seedsafe_lint.parameters import Parameters
from seedsafe_lint.project import Project
from seedsafe_lint.root import Root
from seedsafe_lint.statements import Statements
from seedsafe_lint.targets import Targets
from seedsafe_lint.values import UNKNOWN
from seedsafe_lint.verdicts import Verdicts

__all__ = ["Interpreter"]


class Interpreter(Steps):
    """Runs worker code, and finds the values that names and attributes have before the workers start."""

    def __init__(self, project: Project, *, old_torch: bool = False) -> None:
        self.findings = Findings()
        self.context = context = Context(project)
        self.verdicts = Verdicts(context, self.findings, old_torch=old_torch)
        judge = Judge(context, self.verdicts)
        names = Names(context, self)
        self.members = members = Members(context, self, names)
        targets = Targets(context, self, members)
        conditions = Conditions(context, self)
        self._functions = functions = Functions(context, self, names)
        libraries = Libraries(context, self, members, targets, judge)
        calls = Calls(context, self, members, functions, libraries, judge)
        statements = Statements(context, self, names, members, targets, conditions, self.verdicts)
        self.evaluate = Expressions(context, self, names, members, targets, conditions).evaluate
        self.execute = statements.execute
        self.call, self.invoke, self.callbacks = calls.call, calls.invoke, calls.callbacks
        self.run, self.decorate = functions.run, functions.decorate
        self.parameter = Parameters(context, self, names).parameter
        self.simplify = calls.tame.simplify
        self.earlier = lambda node, frame: context.before(lambda: self.evaluate(node, frame))

    def start(self, root: Root) -> None:
        """Run a function that a worker calls, and report its draws."""
        context = self.context
        context.begin(root)
        self._functions.forget()
        try:
            bound = (root.fn.owner is not None) + len(root.fn.args)
            required = max(0, root.fn.function.required - bound)
            starred = root.framework == "pool" or (root.fn.owner is None and required > 1)
            self.run(root.fn, [UNKNOWN] * required, {}, starred=starred)
        finally:
            context.worker = False
            context.root = None
