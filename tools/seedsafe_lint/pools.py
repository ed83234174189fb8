"""The rule about pools that start after seeding."""

import ast
import re

from seedsafe_lint.callsites import calls_on
from seedsafe_lint.index import Module
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.root import Root
from seedsafe_lint.source import line_numbers
from seedsafe_lint.values import Fn

__all__ = ["check"]

_POOL = re.compile(r"\b(Pool|ProcessPoolExecutor|ProcessPool)\(")
_SEED = re.compile(r"(random\.seed|seed_everything|set_seed|set_random_seed)\(")
_RUN = re.compile(r"\.(map|imap|imap_unordered|starmap|map_async|starmap_async|apply|apply_async|submit)\(")
_GLOBAL = {"SSF001", "SSF017"}


def check(run: Interpreter, module: Module) -> None:
    """Report functions that a pool runs and that draw from a process-wide generator, if the file seeds one."""
    text = module.text
    if not _POOL.search(text) or not _SEED.search(text) or "initializer" in text:
        return
    offsets = [match.start() for match in _RUN.finditer(text)]
    for node, frame in calls_on(module, line_numbers(text, offsets)):
        if not isinstance(node.func, ast.Attribute) or not _RUN.match(f".{node.func.attr}(") or not node.args:
            continue
        for value in run.earlier(node.args[0], frame):
            before = dict(run.findings.by_place)
            if isinstance(value, Fn):
                run.findings.by_place.clear()
                run.start(Root(value, value.function.label, ""))
                codes = {finding.code for finding in run.findings.by_place.values()} & _GLOBAL
                run.findings.by_place = before
                if codes:
                    what, root = f"{value.function.label}()", value.function.label
                    run.verdicts.say("pool", node, module.path, what=what, root=root)
