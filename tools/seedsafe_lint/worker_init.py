"""Rules about ``worker_init_fn``."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from seedsafe_lint.epochs import PERSISTENT
from seedsafe_lint.index import Frame, Function, Module
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.known import FACTS, canonical
from seedsafe_lint.patterns import expand, is_whole_seconds, local_values
from seedsafe_lint.syntax import dotted
from seedsafe_lint.tables import patterns
from seedsafe_lint.uses import Uses, uses
from seedsafe_lint.values import Const, Ext, Fn, Inst

__all__ = ["Init", "bare_seeds", "check", "set_elsewhere", "worker_inits"]

_RE = patterns("worker_init")

_SEED_METHODS = (".seed", ".manual_seed", ".set_random_state", ".set_random_seed", ".reset_rng")
_DEEP = 3  # calls within calls


@dataclass(slots=True)
class Init:
    """The generators that a ``worker_init_fn`` seeds, the attributes that it sets, and whether it runs but `once`, in persistent workers."""

    function: Function
    once: bool = False
    seeds: set[str] = field(default_factory=set)
    wrong: bool = False
    attributes: set[str] = field(default_factory=set)

    @property
    def cures_numpy(self) -> bool:
        """Whether it seeds NumPy with a number that differs between workers and epochs."""
        return "numpy" in self.seeds and not self.wrong


def worker_inits(run: Interpreter, module: Module, used: Uses) -> list[tuple[Function, bool]]:
    """Return the functions of a file that are used or named as a ``worker_init_fn``, and whether they run once for all epochs."""
    given = _RE.IN_TABLE.findall(module.text)
    named = (f for f in module.functions.values() if _RE.NAME.search(f.name) or f.name in given)
    result = dict.fromkeys(filter(_index, named))
    once: dict[Function, bool] = {}
    for call in used.calls:
        if init := call.keywords.get("worker_init_fn"):
            for value in run.earlier(init, call.frame):
                called = run.method(value, "__call__") if isinstance(value, Inst) else value
                if isinstance(called, Fn):
                    result[called.function] = None
                    kept = call.keywords.get("persistent_workers")
                    options = run.earlier(kept, call.frame)
                    stays = not any(isinstance(v, Const) and not v.value for v in options)
                    once[called.function] = stays and once.get(called.function, True)
    return [(function, once.get(function, _persistent(run, function))) for function in result]


def set_elsewhere(run: Interpreter, module: Module) -> set[str]:
    """Return the attributes that the ``worker_init_fn``s of other files set, if the file names a class of this one or has a loader's class."""
    project, result = run.context.project, set[str]()
    names = "|".join(cls.name for cls in module.classes.values()) or "(?!)"
    for path in () if project.single else project.naming("", _RE.GIVEN):
        named = re.search(rf"\b({names})\b", project.texts[path])
        for attributes, of_loader in _set_in(run, path) if str(path) != module.path else ():
            result |= attributes if named or of_loader else set()
    return result


def _set_in(run: Interpreter, path: Path) -> list[tuple[set[str], bool]]:
    """Return the attributes that each ``worker_init_fn`` of a file sets, and whether it is a method."""
    runs, key = run.context.project.runs, (set_elsewhere, path)
    if key not in runs:
        other = run.context.project.readable(path)
        inits = worker_inits(run, other, uses(run, other)) if other else []
        runs[key] = [(_attributes(run, function), function.cls is not None) for function, _ in inits]
    return cast("list[tuple[set[str], bool]]", runs[key])


def _persistent(run: Interpreter, function: Function) -> bool:
    """Return whether files that name a function make persistent workers, for a function that no call of its own file passes on."""
    project = run.context.project
    named = re.compile(rf"\b{function.name}\b")
    return any(named.search(project.texts[path]) for path in project.naming(function.name, PERSISTENT))


def bare_seeds(run: Interpreter, module: Module, used: Uses) -> None:
    """Report ``worker_init_fn=np.random.seed``, which seeds with the worker's number alone."""
    for call in used.calls:
        init = call.keywords.get("worker_init_fn")
        names = [v.name for v in run.earlier(init, call.frame) if isinstance(v, Ext)] if init else []
        if init and any(name in FACTS.SEEDERS or _RE.HELPERS.search(name) for name in names):
            run.judge.say("bare seed", init, module.path, what=dotted(init))


def check(run: Interpreter, function: Function, once: bool) -> Init:
    """Report the faults of a ``worker_init_fn``, and return the generators that it seeds."""
    init = Init(function, once)
    frame = function.inside()
    index = _index(function)
    init.attributes |= _attributes(run, function)
    for node in _nodes(function):
        for name in _names(run, node, frame) if isinstance(node, ast.Call) else ():
            if name in FACTS.SEEDERS:
                init.seeds.add(FACTS.SEEDERS[name])
                _judge(run, init, node, name, index, frame)  # type: ignore[arg-type]
            elif _RE.HELPERS.search(name):
                init.seeds |= {"numpy", "python", "torch"}
                _judge(run, init, node, name, index, frame)  # type: ignore[arg-type]
    return init


def _index(function: Function) -> str:
    """Return the name of the parameter for the worker's number, or an empty string."""
    arguments = function.node.args
    names = [*function.parameters]
    if function.cls and not (isinstance(function.node, ast.Lambda) or function.has_decorator("staticmethod")):
        names = names[1:]
    names += [p.arg for p in (arguments.vararg, arguments.kwarg) if p]
    return next((name for name in names if re.search(r"worker|wid|^w?id$", name)), names[0] if names else "")


def _nodes(function: Function) -> Iterator[ast.AST]:
    for statement in function.body:
        yield from ast.walk(statement)


def _names(run: Interpreter, node: ast.Call, frame: Frame) -> list[str]:
    values = run.earlier(node.func, frame)
    names = [canonical(v.name) for v in values if isinstance(v, Ext)]
    names += ["set_seed" if _seeds(v.function) else v.function.name for v in values if isinstance(v, Fn)]
    return names or [dotted(node)]


def _attributes(run: Interpreter, function: Function, depth: int = 0) -> set[str]:
    """Return the attributes that a function, and the functions and methods that it calls, sets or seeds."""
    result: set[str] = set()
    for part in _nodes(function):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            result.add(part.attr)
        elif isinstance(part, ast.Call):
            given = [*part.args, *(word.value for word in part.keywords)]
            names = _names(run, part, function.inside())
            if any(name.endswith(_SEED_METHODS) and name not in FACTS.SEEDERS for name in names):
                result.update(re.findall(r"\w+", dotted(part)))
            if depth or not all(isinstance(arg, ast.Constant) for arg in given):
                for called in _called(run, part, function.inside()) if depth < _DEEP else ():
                    result |= _attributes(run, called, depth + 1)
    return result


def _called(run: Interpreter, node: ast.Call, frame: Frame) -> list[Function]:
    """Return the functions that a call may run. A method may be that of any class, as the dataset's class is not known."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    classes = (cls for module in run.context.project.loaded() for cls in module.classes.values())
    called = [cls.methods[name] for cls in classes if name in cls.methods] if name else []
    return called + [v.function for v in run.earlier(node.func, frame) if isinstance(v, Fn)]


def _seeds(function: Function) -> bool:
    """Return whether a function of the analysed code seeds from its arguments."""
    calls = [dotted(node) for node in _nodes(function) if isinstance(node, ast.Call)]
    return any(name.endswith(("random.seed", "manual_seed")) for name in calls) and not any(
        map(_RE.FRESH.search, calls)
    )


def _judge(run: Interpreter, init: Init, node: ast.Call, name: str, index: str, frame: Frame) -> None:
    module, label = init.function.module, init.function.label
    expressions = [*node.args, *(word.value for word in node.keywords)]
    parts = [part for e in expressions for part in expand(e, init.function)]
    old = next((part for part in parts if _is_old_recipe(part, init.function)), None)
    if old is not None:
        if not init.once:
            init.wrong = True
            run.judge.say("init outdated", old, module.path, what=ast.unparse(old), root=label)
        return
    if not expressions or any(isinstance(e, ast.Constant) and e.value is None for e in expressions):
        return
    names = {part.id for part in parts if isinstance(part, ast.Name)} - local_values(init.function)
    attributes = {part.attr for part in parts if isinstance(part, ast.Attribute)}
    seconds = index not in names and any(is_whole_seconds(part) for part in parts)
    if not seconds and any(_RE.FRESH.search(dotted(part)) for part in parts if isinstance(part, ast.Call)):
        return
    if any(_RE.EPOCH.search(word) for word in (names | attributes) - {index}) or _of_worker(parts):
        return
    if _is_drawn(init.function, names - {index}) or (init.once and index in names):
        return
    if not seconds and any(isinstance(part, ast.Call) and not _harmless(run, part, frame) for part in parts):
        return
    init.wrong = init.wrong or FACTS.SEEDERS.get(name, "numpy") == "numpy"
    if not _RE.NOT_TRAINING.search(label):
        key = "init repeats" if index in names else "init ignores"
        run.judge.say(key, node, module.path, what=dotted(node), root=label)


def _is_drawn(function: Function, names: set[str]) -> bool:
    """Return whether a call or a partial in the file passes a fresh random value for one of these parameters."""
    text = function.module.text
    passed = (re.findall(rf"\b{function.name}\b[^()]*\b{n}\s*=\s*([^,()]+)", text) for n in names)
    arguments = {value for values in passed for value in values}
    if any(_RE.EPOCH.search(value) for value in arguments):
        return True
    arguments = {word for value in arguments for word in re.findall(r"^\w+", value)}
    return any(re.search(rf"\b{value}\s*=[^=\n]*({_RE.FRESH.pattern})", text) for value in arguments)


def _of_worker(parts: list[ast.AST]) -> bool:
    """Return whether one part is ``worker_info.seed``, which torch sets for each epoch and worker."""
    names = (dotted(part) for part in parts if isinstance(part, ast.Attribute))
    return any(re.match(r"\w*(info|worker)\w*\.seed$", name) for name in names)


def _harmless(run: Interpreter, node: ast.Call, frame: Frame) -> bool:
    return all(name.startswith("builtins.") or _RE.FIXED.search(name) for name in _names(run, node, frame))


def _is_old_recipe(node: ast.AST, function: Function) -> bool:
    match node:
        case ast.Subscript(slice=ast.Constant(value=0 | 1 | 2)):
            parts = [part for part in expand(node, function) if isinstance(part, ast.Call | ast.Subscript)]
            return isinstance(parts[-1], ast.Call) and dotted(parts[-1]).endswith("random.get_state")
        case _:
            return False
