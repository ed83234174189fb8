"""Which findings a bridge covers, and where."""

import ast
import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from seedsafe_lint.context import Context
from seedsafe_lint.findings import Covered, Finding, Place, place
from seedsafe_lint.index import Class, Frame, Module, Value, Values, join
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.project import Project
from seedsafe_lint.roots import kind_of_class
from seedsafe_lint.syntax import dotted
from seedsafe_lint.tables import patterns
from seedsafe_lint.values import Bound, Cls, Const, Ext, Fn, Group, Inst, Super, Table

__all__ = ["covering"]

_RE = patterns("cover")

_KEYED = Ext("seedsafe.covered")
_DEEP = 6  # objects within objects
_STANDS_IN = "<site>"


def covering(
    files: list[Path], findings: list[Finding], heard: Callable[[Finding], bool]
) -> tuple[list[Finding], list[Covered]]:
    """Return the findings that stay, and those that a bridge covers.

    A bridge covers what is used through it alone. If a class is used without one as well, its finding moves to that use.

    Args:
        files: The files of the project.
        findings: What the linter found there.
        heard: Whether no comment silences a finding that has moved.
    """
    names = {name for finding in findings for _, name in finding.owners or ()}
    project = Project(files)
    if not names or not project.mentions(_RE.BRIDGED):
        return findings, []
    uses = _Uses(project)
    with contextlib.suppress(RecursionError):
        # A bridge that covers an owner is in a file that names it, or imports such a file.
        near = _naming(project, _words(names))
        while more := _importing(project, near) - near:
            near |= more
        bridged = _naming(project, _RE.BRIDGED)
        uses.follow((bridged | _importing(project, bridged)) & near)
        owners = {owner for finding in findings for owner in finding.owners or ()}
        reached = {name for where, name in owners if any(where == owner for owner, _ in uses.covered)}
        if reached:  # only then does it matter where else they are used
            first = _naming(project, _words(reached))
            uses.follow(first | _importing(project, first))
            return _parted(findings, uses, heard)
    return findings, []


def _words(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")


def _naming(project: Project, wanted: re.Pattern[str]) -> set[Path]:
    """Return the files in which a pattern matches."""
    return {path for path, text in project.texts.items() if wanted.search(text)}


def _importing(project: Project, files: set[Path]) -> set[Path]:
    """Return the files that import one of some files."""
    stems = {re.escape(path.parent.name if path.stem == "__init__" else path.stem) for path in files}
    if not stems:
        return set()
    any_of = "|".join(stems)
    # torch.utils.data is none of the project's
    return _naming(project, re.compile(rf"\bimport\b.*\b({any_of})\b|(?<!utils\.)\b({any_of})\b.*\bimport\b"))


def _parted(
    findings: list[Finding], uses: "_Uses", heard: Callable[[Finding], bool]
) -> tuple[list[Finding], list[Covered]]:
    left: list[Finding] = []
    covered: list[Covered] = []
    for finding in findings:
        owners = sorted(finding.owners or ())
        by = [where for owner, _ in owners if (where := uses.covered.get((owner, finding.needs)))]
        bare = [use for owner in owners if (use := uses.bare_use(*owner))]
        if not owners or len(by) < len(owners):
            left.append(finding)
        elif not bare:
            covered.append(Covered(finding, min(by)))
        else:
            where, name = min(bare)
            fault = f"{finding.place} {finding.message.rpartition('. ')[0]}"
            text = f"{name} is used here without the bridge of {min(by)}, and at {fault}. Pass it through a bridge here as well."
            moved = replace(finding, place=where, message=text, end_line=where.line, related=finding.place)
            left += [moved] if heard(moved) else []
    return left, covered


class _Followed:
    """In place of `QuietRuns`: follows a function's body once for the same arguments, because another run shows no other use."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._done: dict[object, Values | None] = {}

    def mark(self, fn: Fn, variables: dict[str, Values]) -> object:
        """Return the key of a run."""
        return fn.function.node, fn.owner, fn.frame, self.context.depth == 0, tuple(variables.items())

    def recall(self, key: object) -> Values | None:
        """Return the value of an earlier run, or None if there was none."""
        return self._done.get(key)

    def keep(self, key: object, values: Values) -> None:
        """Remember the value of a run."""
        self._done[key] = values


class _Uses(Interpreter):
    """Runs the code of the main process, statement by statement, and notes which objects reach a bridge or a loader."""

    tables, summed = True, (Group, Inst)

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._runs = _Followed(self.context)  # type: ignore[assignment]
        self._call: tuple[ast.Call, Frame] | None = None
        self._ran: set[ast.AST] = set()
        self._started: set[Module] = set()
        self._objects: dict[Class, list[Inst]] = {}
        self._made: dict[str, tuple[Place, Inst, Class | None]] = {}  # by the text of the place
        self._kept: set[str] = set()
        self.covered: dict[tuple[Place, str], Place] = {}
        self._bare: dict[Place, Place] = {}
        self._bridges: set[Class | None] = set()  # classes that derive from a bridge and turn it on

    def follow(self, files: set[Path]) -> None:
        """Run some files, then their functions and methods that nothing has called."""
        project = self.context.project
        modules = [module for path in project.paths if path in files and (module := project.readable(path))]
        for module in modules:
            self._script(module)
        for module in modules:
            for cls in list(module.classes.values()):
                for owner in self._objects.get(cls) or [Inst(cls)]:
                    for method in cls.methods.values():
                        self.context.steps = 0
                        given = dict(owner.args) if method.name == "__init__" else {}
                        self.run(Fn(method, owner), [], given, starred=True)
            for function in list(module.functions.values()):
                if function.cls is None and function.node not in self._ran:
                    self.context.steps = 0
                    self.run(Fn(function), [], {}, starred=True)

    def bare_use(self, owner: Place, name: str) -> tuple[Place, str] | None:
        """Return where a class or function is used without a bridge, or None."""
        if owner in self._bare:
            return self._bare[owner], name
        for site, (where, made, within) in self._made.items():
            of = {place(cls.module.path, cls.node) for cls in self.mro(made.cls)}
            if owner in of and site not in self._kept:
                home = place(within.module.path, within.node) if within else owner
                inside = home != owner and (home, "") in self.covered and within is not None
                if not inside or self.bare_use(home, name):
                    return where, name
        return None

    def _script(self, module: Module) -> None:
        if module in self._started:
            return
        self._started.add(module)
        context = self.context
        saved = context.depth, context.state.seeds, context.worker, context.stack, self._call
        context.depth, context.steps, context.worker, context.stack = 0, 0, False, []
        try:
            self.execute(module.scope.body, module.frame)
        finally:
            context.depth, context.state.seeds, context.worker, context.stack, self._call = saved

    def run(self, fn: Fn, args: list[Values], kwargs: dict[str, Values], *, starred: bool = False) -> Values:
        """Run a function and return its value."""
        self._ran.add(fn.function.node)
        return super().run(fn, args, kwargs, starred=starred)

    def truth(self, test: ast.expr, frame: Frame) -> bool | None:
        """Return the outcome of a condition, also of one that a constant decides."""
        outcome = super().truth(test, frame)
        if outcome is None and isinstance(test, ast.Name | ast.Attribute):
            values = self.evaluate(test, frame)
            plain = [bool(v.value) for v in values if isinstance(v, Const)]
            return plain[0] if len(plain) == len(values) and len({*plain}) == 1 else None
        return outcome

    def export(self, module: Module, name: str) -> Values:
        """Return a module's variable after the module has run."""
        self._script(module)
        return module.frame.vars.get(name) or super().export(module, name)

    def member(self, value: Value, name: str) -> Values:
        """Return an attribute of a value. `super().__init__` may be that of a bridge."""
        if isinstance(value, Super) and name == "__init__":
            order = self.mro(value.owner.cls)
            after = order[order.index(value.after) + 1 :] if value.after in order else ()
            if not any(name in cls.methods for cls in after):
                return tuple(map(Ext, self.libraries(value.owner.cls))) or self.context.nothing
        return super().member(value, name)

    def evaluate(self, node: ast.expr | None, frame: Frame) -> Values:
        """Return the alternative values of an expression, and remember the call that is being evaluated."""
        if not isinstance(node, ast.Call):
            return super().evaluate(node, frame)
        before, self._call = self._call, (node, frame)
        values = super().evaluate(node, frame)
        self._call = before
        return values

    def _construct(self, callee: Cls, args: list[Values], kwargs: dict[str, Values], starred: bool) -> Values:
        values = super()._construct(callee, args, kwargs, starred)
        if self._call is None:
            return values
        node, frame = self._call
        where = place(frame.module.path, node)
        result = replace(values[0], args=(*values[0].args, (_STANDS_IN, (Ext(f"site {where}"),))))  # type: ignore[type-var, attr-defined]
        self._made[f"site {where}"] = where, result, frame.cls  # type: ignore[assignment]
        if self.context.depth == 0:
            known = self._objects.setdefault(callee.cls, [])
            known += [result] if result not in known and len(known) < _DEEP else []  # type: ignore[list-item]
            if any(map(_RE.USE.search, self.libraries(callee.cls))):
                self._note_bare([*args, *kwargs.values()], where)
            if method := self.method(result, "__init__"):  # type: ignore[arg-type]
                self.run(method, args, kwargs, starred=starred)
        return (result,)

    def _call_library(
        self, callee: Ext | Bound, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> Values:
        name, given = callee.name, [*args, *kwargs.values()]
        if isinstance(callee, Ext):
            options = self._options(node, frame, kwargs)
            where = place(frame.module.path, node)
            if name == "builtins.dict":
                return (Table(join((), *options.values()), named=tuple(options.items())),)
            made = args[0] if name == "functools.partial" and args else ()
            if _is_on(options.get("bridge")) and any(map(_is_bridge, made)):
                return (Ext("seedsafe.bridge"),)
            if _RE.KEYING.search(name):
                here = frame.vars.values() if name.endswith("keyed") else ()
                self._note_covered([*given, *here], where, options)
                return (_KEYED,)
            if _RE.BRIDGING.search(name) and _is_on(options.get("bridge")):
                self._note_covered(given, where, options)
                self._bridges |= {frame.cls} if dotted(node).endswith("__init__") else set()
                return (_KEYED,)
            if _RE.BRIDGING.search(name) and (_is_on(options.get("convert")) or _keyed_inside(given)):
                self._note_covered(self._inside(given), where, options)
            elif name.endswith("AugmentedIterable"):
                self._note_covered([*args[1:], kwargs.get("augment", ())], where, options)
                self._note_bare(args[:1], where)
                return (_KEYED,)
            if (_RE.BRIDGING.search(name) or _RE.USE.search(name)) and self.context.depth == 0:
                self._note_bare(given, where)
        return super()._call_library(callee, node, frame, args, kwargs)

    def _options(self, node: ast.Call, frame: Frame, kwargs: dict[str, Values]) -> dict[str, Values]:
        """Return the keyword arguments of a call, with those in a dictionary that it spreads."""
        spread = [self.evaluate(word.value, frame) for word in node.keywords if word.arg is None]
        tables = [value for values in spread for value in values if isinstance(value, Table)]
        return {name: values for table in tables for name, values in table.named} | kwargs

    def _inside(self, given: list[Values]) -> list[Values]:
        """Return what objects hold, without the objects."""
        return [self._held(v) if isinstance(v, Inst) else (v,) for values in given for v in values]

    def _held(self, owner: Inst) -> Values:
        names = {name: None for cls in self.mro(owner.cls) for name in cls.sites}
        return join((), *dict(owner.args).values(), *(self.attribute(owner, name) for name in names))

    def _reached(
        self, given: Iterable[Values], depth: int = 0, *, through_main: bool = True
    ) -> Iterator[Inst | Fn]:
        """Yield the objects and functions among some values and in them."""
        for value in (value for values in given for value in values if depth < _DEEP):
            inside: list[Values] = []
            if isinstance(value, Group):
                inside = [value.items]
            elif isinstance(value, Inst) and (through_main or kind_of_class(self, value.cls) != "main"):
                yield value
                reads_keyed = not through_main and (value.cls in self._bridges or _reads_keyed(value.cls))
                inside = [] if reads_keyed else [self._held(value)]
            elif isinstance(value, Fn):
                yield value
                inside = [*value.args, *dict(value.kwargs).values(), (value.owner,) if value.owner else ()]
            yield from self._reached(inside, depth + 1, through_main=through_main)

    def _owners(self, value: Inst | Fn) -> list[Place]:
        if isinstance(value, Fn):
            return [place(value.function.module.path, value.function.node)]
        return [place(cls.module.path, cls.node) for cls in self.mro(value.cls)]

    def _note_covered(self, given: list[Values], where: Place, options: dict[str, Values]) -> None:
        bridges = ast.unparse(self._call[0]) if self._call else ""
        for value in self._reached(given):
            for owner in self._owners(value):
                self.covered.setdefault((owner, ""), where)
                if re.search(r"opencv\s*=\s*True", bridges):
                    self.covered.setdefault((owner, "cv2"), where)
            if isinstance(value, Inst):
                sites = dict(value.args).get(_STANDS_IN, ())
                self._kept |= {site.name for site in sites if isinstance(site, Ext)}

    def _note_bare(self, given: list[Values], where: Place) -> None:
        for value in self._reached(given, through_main=False):
            for owner in self._owners(value):
                self._bare.setdefault(owner, where)


@cache
def _reads_keyed(cls: Class) -> bool:
    """Return whether a class reads what it holds inside `keyed`."""
    return any(isinstance(node, ast.Call) and dotted(node).endswith("keyed") for node in ast.walk(cls.node))


def _is_bridge(value: Value) -> bool:
    return isinstance(value, Ext) and _RE.BRIDGING.search(value.name) is not None


def _is_on(values: Values | None) -> bool:
    """Return whether an option is certainly given and true."""
    certain = [bool(v.value) if isinstance(v, Const) else isinstance(v, Inst | Ext) for v in values or ()]
    return bool(certain) and all(certain)


def _keyed_inside(given: list[Values]) -> bool:
    """Return whether a bridge is among some values or in their containers."""
    among = [value for values in given for value in values]
    return _KEYED in among or any(_keyed_inside([v.items]) for v in among if isinstance(v, Group))
