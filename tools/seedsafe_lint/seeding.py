"""Context managers that seed the global generators."""

import ast
import re

from seedsafe_lint.context import Steps
from seedsafe_lint.index import Frame
from seedsafe_lint.members import Members
from seedsafe_lint.syntax import dotted
from seedsafe_lint.values import Cls, Fn

__all__ = ["seeds_body"]

_SEEDING = re.compile(
    r"seed|determin|fixed_rng|random_state|rng_state|rng_context|temp_rng|fixed_random", re.IGNORECASE
)


def seeds_body(call: ast.Call, frame: Frame, members: Members, steps: Steps) -> bool:
    """Return whether a context manager seeds the global generators for its body."""
    has_arguments = bool(call.args or call.keywords)
    if has_arguments and _SEEDING.search(dotted(call)):
        return True
    ends = ("random.seed", "set_state") if has_arguments else ("random.seed",)
    for value in steps.evaluate(call.func, frame):
        bodies = [value.function] if isinstance(value, Fn) else []
        if isinstance(value, Cls):
            bodies = [f for cls in members.mro(value.cls) for f in cls.methods.values()]
        for function in bodies:
            for inner in ast.walk(function.node):
                if isinstance(inner, ast.Call) and dotted(inner).endswith(ends):
                    return True
    return False
