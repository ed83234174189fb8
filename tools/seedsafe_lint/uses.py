"""The calls that say what runs in workers."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from seedsafe_lint.callsites import STAGES, calls_on, framework_of_stage, stages_of, statements_on
from seedsafe_lint.index import Class, Frame, Module, Values, join
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.source import line_numbers, lines_with
from seedsafe_lint.tables import patterns
from seedsafe_lint.values import UNKNOWN, Cls, Const, Ext, Inst

__all__ = ["CALLBACK_WORDS", "Call", "Uses", "uses"]

_RE = patterns("uses")
CALLBACK_WORDS = _RE.CALLBACK_WORDS


@dataclass(slots=True)
class Call:
    """A call in a file, with the scope around it."""

    node: ast.Call
    frame: Frame
    name: str

    @property
    def keywords(self) -> dict[str, ast.expr]:
        """The keyword arguments by name."""
        return {word.arg: word.value for word in self.node.keywords if word.arg}

    def means(self, run: Interpreter, pattern: re.Pattern[str]) -> bool:
        """Return whether it may be the call of a library's function whose dotted name matches a pattern."""
        called = run.earlier(self.node.func, self.frame)
        return any(isinstance(value, Ext) and pattern.match(value.name) for value in called)


@dataclass(slots=True)
class Uses:
    """The calls of a file that pass functions or datasets to loaders and the like, its calls of classes by their names, its lists of
    transforms, and the kinds of libraries that it imports, as in `seedsafe_lint.callsites`.
    """

    calls: list[Call] = field(default_factory=list)
    class_calls: dict[str, list[Call]] = field(default_factory=dict)
    lists: list[tuple[ast.expr, Frame]] = field(default_factory=list)
    kinds: frozenset[str] = frozenset()

    def instance(self, run: Interpreter, cls: Class) -> Inst:
        """Return an instance of a class, with the arguments that the file passes to the constructor."""
        arguments: dict[str, Values] = {}
        for call in self.class_calls.get(cls.name, ()) if run.method(Inst(cls), "__init__") else ():
            for value in run.earlier(call.node, call.frame):
                if isinstance(value, Inst) and value.cls is cls:
                    for name, values in value.args:
                        arguments[name] = join(arguments.get(name, ()), values)
        left_out = [name for name, values in arguments.items() if values == (Const(None),)]
        passing = re.compile(rf"\b{cls.name}\((?!\s*\))")
        texts = run.context.project.texts
        callers = run.context.project.naming(f"{cls.name}(") if left_out else []
        if any(str(path) != cls.module.path and passing.search(texts[path]) for path in callers):
            arguments |= dict.fromkeys(left_out, UNKNOWN)
        return Inst(cls, tuple(arguments.items()))

    def foreign(self, run: Interpreter, module: Module) -> Iterator[Class]:
        """Yield the classes of other files of which this file makes instances."""
        if run.context.project.single:
            return
        own = {cls.name for cls in module.classes.values()}
        for name, calls in self.class_calls.items():
            full = [call for call in calls if call.node.args or call.node.keywords]
            if full and name not in own and _RE.DATA_NAME.search(name):
                for value in run.earlier(full[0].node.func, full[0].frame):
                    if isinstance(value, Cls) and value.cls.module is not module:
                        yield value.cls


def uses(run: Interpreter, module: Module) -> Uses:
    """Return the calls of a file that say what runs in workers.

    For speed (benchmarks/lint_speed.py), only statements on lines with certain words are searched.
    """
    result = Uses(kinds=stages_of(module))
    for node, frame in calls_on(module, _lines(run, module, result.kinds)):
        _note(result, node, frame)
    for statement, frame in statements_on(module, lines_with(_RE.LIST, module.text)):
        match statement:
            case (
                ast.Assign(value=ast.List() as found)
                | ast.AnnAssign(value=ast.List() as found)
                | ast.AugAssign(value=ast.List() as found)
                | ast.Return(value=ast.List() as found)
                | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name() as found, attr="append")))
            ):
                result.lists.append((found, frame))
    return result


def _lines(run: Interpreter, module: Module, kinds: frozenset[str]) -> list[int]:
    """Return the numbers, from 1, of the lines with calls or arguments of interest."""
    imported: set[str] = set()
    if not run.context.project.single:
        names = module.scope.names.items()
        imported = {name for name, bindings in names if bindings[0].kind in ("import", "from")}
    ours = imported | {cls.name for cls in module.classes.values()}
    offsets = []
    for match in _RE.CALL.finditer(module.text):
        name, start = module.renamed.get(match[1], match[1]), match.start()
        if match[1] in ours or _RE.TRIGGER.search(name) or _owner(module.text, start) in imported:
            offsets.append(start)
    for word in (word for word in CALLBACK_WORDS if word in module.text):
        offsets += [match.start() for match in re.finditer(rf"\b{word}[ \t]*=", module.text)]
    if kinds:
        offsets += [match.start() for match in STAGES.finditer(module.text)]
    return line_numbers(module.text, offsets)


def _owner(text: str, start: int) -> str:
    """Return the name before the dot in front of an offset, or an empty string."""
    if text[start - 1 : start] != ".":
        return ""
    match = re.search(r"\w+$", text[max(0, start - 40) : start - 1])
    return match[0] if match else ""


def _note(found: Uses, node: ast.Call, frame: Frame) -> None:
    func = node.func
    name = func.attr if isinstance(func, ast.Attribute) else ""
    if isinstance(func, ast.Name):
        name = frame.module.renamed.get(func.id, func.id)
    stage = found.kinds and framework_of_stage(node, name, found.kinds) is not None
    if stage or _RE.TRIGGER.search(name) or any(word.arg in CALLBACK_WORDS for word in node.keywords):
        found.calls.append(Call(node, frame, name))
    if name[:1].isupper():
        found.class_calls.setdefault(name, []).append(Call(node, frame, name))
