"""The calls of a file, with their scopes."""

import ast
import bisect
from collections.abc import Iterator

from seedsafe_lint.index import Frame, Function, Module
from seedsafe_lint.source import line_numbers, offsets_of
from seedsafe_lint.values import Inst

__all__ = ["calls_of", "calls_on"]


def calls_on(module: Module, lines: list[int]) -> Iterator[tuple[ast.Call, Frame]]:
    """Yield the calls in the statements on some lines (from 1, in order), and the frame around each call."""
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
) -> Iterator[tuple[ast.Call, Frame]]:
    for node in body:
        if (node.end_lineno or lines[0]) < lines[0]:
            continue
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        at = bisect.bisect_left(lines, first)
        if at == len(lines) or lines[at] > (node.end_lineno or first):
            continue
        inner = frame
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
            function := module.functions.get(node)
        ):
            inner = Frame(module, parent=function.frame, scope=function.scope, function=function)
            if function.cls and function.positional:
                inner.vars[function.positional[0].arg] = (Inst(function.cls),)
        for part in node.__dict__.values():
            for child in part if isinstance(part, list) else (part,):
                if isinstance(child, ast.stmt):
                    yield from _within(module, [child], inner, lines)
                elif isinstance(child, ast.ExceptHandler | ast.match_case):
                    yield from _within(module, child.body, inner, lines)
                elif isinstance(child, ast.AST):
                    for inside in ast.walk(child):
                        if isinstance(inside, ast.Call):
                            yield inside, frame
