"""The calls of a file, with their scopes."""

import ast
import bisect
from collections.abc import Iterator

from seedsafe_lint.index import Frame, Function, Module
from seedsafe_lint.source import line_numbers, offsets_of
from seedsafe_lint.values import Inst

__all__ = ["calls_of", "calls_on", "statements_on"]


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
    yield from _within(module, module.scope.body, module.frame, lines)


def calls_of(function: Function) -> list[tuple[ast.Call, Frame]]:
    """Return the calls of a function in its own file, found by its name. For ``__init__``, return those of its class."""
    if isinstance(function.node, ast.Lambda):
        return []
    name = function.cls.name if function.cls and function.name == "__init__" else function.name
    text = function.module.text
    offsets = offsets_of(f"{name}(", text)
    if not offsets:
        return []
    return [
        (node, frame)
        for node, frame in calls_on(function.module, line_numbers(text, offsets))
        if (isinstance(node.func, ast.Name) and node.func.id == name)
        or (isinstance(node.func, ast.Attribute) and node.func.attr == name)
    ]


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
    """Return the frame of the statements in a statement: another one for the body of a function."""
    function = module.functions.get(node)
    if function is None:
        return frame
    inner = Frame(module, parent=function.frame, scope=function.scope, function=function)
    if function.cls and function.positional:
        inner.vars[function.positional[0].arg] = (Inst(function.cls),)
    return inner
