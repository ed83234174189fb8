"""Whether an epoch's number reaches the workers."""

import ast
import re
from collections.abc import Iterator

from seedsafe_lint.callsites import statements_on
from seedsafe_lint.index import Class
from seedsafe_lint.project import Project
from seedsafe_lint.source import lines_with
from seedsafe_lint.syntax import dotted
from seedsafe_lint.tables import patterns

__all__ = ["LOOP", "PERSISTENT", "epoch_fault", "is_over_epochs"]

_RE = patterns("epochs")
PERSISTENT = _RE.PERSISTENT
LOOP = _RE.LOOP


def epoch_fault(project: Project, cls: Class, attr: str) -> str:
    """Return why an attribute for the epoch never changes in the workers: the key of a message, or an empty string."""
    sites = cls.sites.get(attr, ())
    bases = [dotted(base.value if isinstance(base, ast.Subscript) else base) for base in cls.node.bases]
    first: list[ast.AST | None] = [site.value for site in sites if site.function.name == "__init__"]
    first += [binding.node for binding in cls.scope.names.get(attr, ())]
    fixed = first and all(isinstance(value, ast.Constant) for value in first)
    shared = re.search("share_memory|Value\\(|[sS]hared_?[mM]em", cls.code)
    if not fixed or shared or not all(map(_RE.PLAIN_BASE.search, bases)) or not project.mentions(_RE.LOADS):
        return ""
    setters = {site.function.name for site in sites} - {"__init__"}
    outside = re.compile(
        rf"(?<!self)\.{attr}\b(\.value|\[[^\]]*\])?\s*\+?=(?!=)|\.{attr}\.\w+_\(|setattr\(|\.__dict__"
    )
    calls = re.compile(rf"\.({'|'.join(setters)})\(") if setters else outside
    reached = project.mentions(outside) or project.mentions(calls)
    if not setters and not reached:
        return "epoch unset"
    if not reached and project.mentions(LOOP) and not project.mentions(_RE.HELD) and not project.single:
        return "epoch unset"
    return "epoch held" if any(_persistent(project, cls)) else ""


def _persistent(project: Project, cls: Class) -> Iterator[bool]:
    """Yield whether the loaders with persistent workers in the files that name a class outlive an epoch."""
    for path in project.naming(cls.name, PERSISTENT):
        if module := project.readable(path):
            for line in lines_with(PERSISTENT, module.text):
                around = [node for node, _ in statements_on(module, [line])]
                yield not any(map(is_over_epochs, around))


def is_over_epochs(node: ast.stmt) -> bool:
    """Return whether a statement is a loop over epochs."""
    parts = [getattr(node, name, None) for name in ("target", "iter", "test")]
    loop = isinstance(node, ast.For | ast.While)
    return loop and any(_RE.EPOCH.search(ast.unparse(part)) for part in parts if part)
