"""Calls of a file and what they run."""

import ast
import bisect
import re
from collections.abc import Iterator

from seedsafe_lint.context import TRACED
from seedsafe_lint.index import Frame, Function, Module
from seedsafe_lint.known import words
from seedsafe_lint.source import line_numbers, offsets_of
from seedsafe_lint.syntax import dotted
from seedsafe_lint.tables import patterns
from seedsafe_lint.values import Inst

__all__ = ["STAGES", "calls_of", "calls_on", "framework_of_stage", "stages_of", "statements_on"]

_RE = patterns("callsites")
STAGES = _RE.STAGES


def calls_on(module: Module, lines: list[int]) -> Iterator[tuple[ast.Call, Frame]]:
    """Yield the calls in the statements on some lines (from 1, in order), and the frame around each call."""
    for statement, frame in statements_on(module, lines):
        for part in _parts(statement):
            if not isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case):
                for inside in ast.walk(part):
                    if isinstance(inside, ast.Call):
                        yield inside, frame


def statements_on(module: Module, lines: list[int]) -> Iterator[tuple[ast.stmt, Frame]]:
    """Yield the statements on some lines (from 1, in order), and the frame around each."""
    if lines:
        yield from _within(module, module.scope.body, module.frame, lines)


def calls_of(function: Function) -> list[tuple[ast.Call, Frame]]:
    """Return the calls of a function in its own file, found by its name. For ``__init__``, return those of its class."""
    if isinstance(function.node, ast.Lambda):
        return []
    name = function.cls.name if function.cls and function.name == "__init__" else function.name
    text = function.module.text
    calls = calls_on(function.module, line_numbers(text, offsets_of(f"{name}(", text)))
    return [(node, frame) for node, frame in calls if _calls(dotted(node), name, function.module)]


def _calls(called: str, name: str, module: Module) -> bool:
    """Return whether a call of this dotted name may be one of a function of the file, which an imported module's only shares its name with."""
    first, _, rest = called.partition(".")
    bindings = module.scope.names.get(first, ()) if rest else ()
    of_import = any(binding.kind in ("import", "from") for binding in bindings)
    return called.rpartition(".")[2] == name and not of_import


def _within(
    module: Module, body: list[ast.stmt], frame: Frame, lines: list[int]
) -> Iterator[tuple[ast.stmt, Frame]]:
    for node in body:
        if (node.end_lineno or lines[0]) < lines[0]:
            continue
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        at = bisect.bisect_left(lines, first)
        if at == len(lines) or lines[at] > (node.end_lineno or first):
            continue
        yield node, frame
        inner = _frame_in(module, node, frame)
        for child in _parts(node):
            if isinstance(child, ast.stmt):
                yield from _within(module, [child], inner, lines)
            elif isinstance(child, ast.ExceptHandler | ast.match_case):
                yield from _within(module, child.body, inner, lines)


def _parts(node: ast.stmt) -> Iterator[ast.AST]:
    for part in node.__dict__.values():
        for child in part if isinstance(part, list) else (part,):
            if isinstance(child, ast.AST):
                yield child


def _frame_in(module: Module, node: ast.stmt, frame: Frame) -> Frame:
    """Return the frame for the body of a statement: a new one if the statement defines a function."""
    function = module.functions.get(node)
    if function is None:
        return frame
    return function.inside({function.this: (Inst(function.cls),)} if function.cls and function.this else {})


_OF = {kind: words(text) for kind, text in _RE.OF.items()}

_IMPORTED = {kind: re.compile(pattern) for kind, pattern in _RE.IMPORTED.items()}


def stages_of(module: Module) -> frozenset[str]:
    """Return the kinds of libraries that a file imports."""
    if not STAGES.search(module.text):
        return frozenset()
    found = {kind for kind, pattern in _IMPORTED.items() if any(map(pattern.match, module.imports))}
    found |= {"datasets"} if "num_proc" in module.text else set()
    return frozenset(found - ({"pool"} if _RE.THREADS.search(module.text) else set()))


def framework_of_stage(node: ast.Call, name: str, kinds: frozenset[str]) -> str | None:
    """Return the framework of the functions among a call's arguments, as in `Root`, or None if the call runs none in workers."""
    given = {word.arg for word in node.keywords}
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    called = {kind for kind in kinds if name in _OF[kind]}
    if "datasets" in called and "num_proc" in given:
        return ""
    if name == "map" and (owner is None or isinstance(owner, ast.Subscript)):
        return None  # the built-in function, or a column of a table
    alone = name != "map" or called.isdisjoint({TRACED, "datasets"})
    if "pool" in called and (alone or (owner and _RE.POOL.search(dotted(owner)))):
        return "pool"
    if "datasets" in called and "num_parallel_calls" not in given:
        return None
    if TRACED in called and given <= _RE.TF_WORDS:
        if name.endswith(("function", "func")):
            return "tf.data"
        parallel = len(node.args) == 2 and _RE.PARALLEL.search(ast.unparse(node.args[1]))
        return TRACED if len(node.args) < 2 or parallel or name == "interleave" else None
    return "torch" if "torch" in called and owner is not None else None
