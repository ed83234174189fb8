"""Rules about ``worker_init_fn``."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from seedsafe_lint.index import Frame, Function, Module
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.known import SEEDERS, canonical
from seedsafe_lint.patterns import expand, is_whole_seconds, local_values
from seedsafe_lint.syntax import dotted
from seedsafe_lint.uses import Uses
from seedsafe_lint.values import Ext, Fn

__all__ = ["Init", "bare_seeds", "check", "worker_inits"]

_HELPERS = re.compile(
    r"(seed_everything|set_random_seed|set_seed|seed_all|setup_seed|fix_(random_)?seeds?|set_rnd)$"
)
_FRESH = re.compile(
    r"initial_seed|get_worker_info|base_seed|urandom|time|getpid|entropy|secrets|default_rng|SeedSequence|randint|"
    r"random_seed|randrange|rand$|uuid|getrandbits"
)
_NAME = re.compile(r"worker_?init|init_?worker|seed_?worker|worker_?seed", re.IGNORECASE)
_EPOCH = re.compile(r"epoch|step|iter|worker_seed|info", re.IGNORECASE)
_SEED_METHODS = (".seed", ".manual_seed", ".set_random_state", ".set_random_seed", ".reset_rng")
_FIXED = re.compile(r"(get_rank|get_world_size|device_count|cpu_count)$")


@dataclass(slots=True)
class Init:
    """The generators that a ``worker_init_fn`` seeds, and the attributes that it sets."""

    function: Function
    seeds: set[str] = field(default_factory=set)
    wrong: bool = False
    attributes: set[str] = field(default_factory=set)

    @property
    def cures_numpy(self) -> bool:
        """Whether it seeds NumPy with a number that differs between workers and epochs."""
        return "numpy" in self.seeds and not self.wrong


def worker_inits(run: Interpreter, module: Module, used: Uses) -> list[Function]:
    """Return the functions of a file that are used or named as a ``worker_init_fn``."""
    result = {f: None for f in module.functions.values() if _NAME.search(f.name) and _index(f)}
    for call in used.calls:
        if init := call.keywords.get("worker_init_fn"):
            result |= {v.function: None for v in run.earlier(init, call.frame) if isinstance(v, Fn)}
    return list(result)


def bare_seeds(run: Interpreter, module: Module, used: Uses) -> None:
    """Report ``worker_init_fn=np.random.seed``, which seeds with the worker's number alone."""
    for call in used.calls:
        init = call.keywords.get("worker_init_fn")
        names = [v.name for v in run.earlier(init, call.frame) if isinstance(v, Ext)] if init else []
        if init and any(name in SEEDERS or _HELPERS.search(name) for name in names):
            run.judge.say("bare seed", init, module.path, what=dotted(init))


def check(run: Interpreter, function: Function) -> Init:
    """Report the faults of a ``worker_init_fn``, and return the generators that it seeds."""
    init = Init(function)
    frame = Frame(function.module, parent=function.frame, scope=function.scope, function=function)
    index = _index(function)
    for node in _nodes(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            init.attributes.add(node.attr)
        if not isinstance(node, ast.Call):
            continue
        for name in _names(run, node, frame):
            if name in SEEDERS:
                init.seeds.add(SEEDERS[name])
                _judge(run, init, node, name, index, frame)
            elif _HELPERS.search(name):
                init.seeds |= {"numpy", "python", "torch"}
                _judge(run, init, node, name, index, frame)
            elif name.endswith(_SEED_METHODS):
                init.attributes.update(re.findall(r"\w+", dotted(node)))
    return init


def _index(function: Function) -> str:
    """Return the name of the parameter for the worker's number, or an empty string."""
    arguments = function.node.args
    names = [p.arg for p in (*function.positional, *arguments.kwonlyargs)]
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


def _seeds(function: Function) -> bool:
    """Return whether a function of the analysed code seeds from its arguments."""
    calls = [dotted(node) for node in _nodes(function) if isinstance(node, ast.Call)]
    return any(name.endswith(("random.seed", "manual_seed")) for name in calls) and not any(
        map(_FRESH.search, calls)
    )


def _judge(run: Interpreter, init: Init, node: ast.Call, name: str, index: str, frame: Frame) -> None:
    module, label = init.function.module, init.function.label
    expressions = [*node.args, *(word.value for word in node.keywords)]
    parts = [part for e in expressions for part in expand(e, init.function)]
    old = next((part for part in parts if _is_old_recipe(part)), None)
    if old is not None:
        init.wrong = True
        run.judge.say("init outdated", old, module.path, what=ast.unparse(old), root=label)
        return
    if not expressions or any(isinstance(e, ast.Constant) and e.value is None for e in expressions):
        return
    names = {part.id for part in parts if isinstance(part, ast.Name)} - local_values(init.function)
    attributes = {part.attr for part in parts if isinstance(part, ast.Attribute)}
    seconds = index not in names and any(is_whole_seconds(part) for part in parts)
    if not seconds and any(_FRESH.search(dotted(part)) for part in parts if isinstance(part, ast.Call)):
        return
    if any(_EPOCH.search(word) for word in (names | attributes) - {index}) or _of_worker(parts):
        return
    if _is_drawn(init.function, names - {index}):
        return
    if not seconds and any(isinstance(part, ast.Call) and not _harmless(run, part, frame) for part in parts):
        return
    init.wrong = init.wrong or SEEDERS.get(name, "numpy") == "numpy"
    if re.search(r"val|test|eval|debug", label, re.IGNORECASE):
        return
    if index in names:
        run.judge.say("init repeats", node, module.path, what=dotted(node), root=label)
    else:
        run.judge.say("init ignores", node, module.path, what=dotted(node), root=label)


def _is_drawn(function: Function, names: set[str]) -> bool:
    """Return whether a call or a partial in the file passes a fresh random value for one of these parameters."""
    text = function.module.text
    arguments = {
        value
        for name in names
        for value in re.findall(rf"\b{function.name}\b[^()]*\b{name}\s*=\s*([^,()]+)", text)
    }
    if any(_EPOCH.search(value) for value in arguments):
        return True
    arguments = {word for value in arguments for word in re.findall(r"^\w+", value)}
    return any(re.search(rf"\b{value}\s*=[^=\n]*({_FRESH.pattern})", text) for value in arguments)


def _of_worker(parts: list[ast.AST]) -> bool:
    """Return whether one part is ``worker_info.seed``, which torch sets for each epoch and worker."""
    names = (dotted(part) for part in parts if isinstance(part, ast.Attribute))
    return any(re.match(r"\w*(info|worker)\w*\.seed$", name) for name in names)


def _harmless(run: Interpreter, node: ast.Call, frame: Frame) -> bool:
    return all(name.startswith("builtins.") or _FIXED.search(name) for name in _names(run, node, frame))


def _is_old_recipe(node: ast.AST) -> bool:
    match node:
        case ast.Subscript(value=ast.Subscript(value=ast.Call() as call)):
            return dotted(call).endswith("get_state")
        case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=1 | 2)):
            return dotted(call).endswith("random.get_state")
        case _:
            return False
