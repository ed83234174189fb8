"""What each epoch begins again."""

import ast
import re

from seedsafe_lint.callsites import statements_on
from seedsafe_lint.epochs import LOOP, is_over_epochs
from seedsafe_lint.index import Class, Frame, Module
from seedsafe_lint.interpreter import Interpreter, drawn_by, is_random_transform
from seedsafe_lint.known import FACTS
from seedsafe_lint.patterns import expand
from seedsafe_lint.roots import kind_of_class
from seedsafe_lint.source import lines_with
from seedsafe_lint.syntax import dotted, outside_functions
from seedsafe_lint.tables import patterns
from seedsafe_lint.values import UNKNOWN, Bound, Ext, Fn, Inst, constant

__all__ = ["check_loops", "check_once"]

_RE = patterns("loops")


def check_loops(run: Interpreter, module: Module) -> None:
    """Report constant seeds, and loaders with constant seeds, in the loops over epochs and in what they call."""
    for loop, frame in statements_on(module, lines_with(LOOP, module.text)):
        if isinstance(loop, ast.For | ast.While) and is_over_epochs(loop):
            _Loop(run, module, loop).check(loop.body, frame)
    for function in module.functions.values():
        if _RE.EACH_EPOCH.search(function.name):
            _Loop(run, module, None).check(function.body, function.inside())


def check_once(run: Interpreter, cls: Class) -> None:
    """Report augmentations that a dataset makes before its first read and hands out in all of them."""
    init, read = cls.methods.get("__init__"), cls.methods.get("__getitem__") or cls.methods.get("__iter__")
    if init is None or read is None or kind_of_class(run, cls) not in ("map", "keras", "iterable"):
        return
    first, later = init.text, read.text
    for attr, sites in cls.sites.items():
        for site in sites if re.search(rf"\bself\.{attr}\b", later) else ():
            function = site.function
            if site.value is None or not (function is init or f"self.{function.name}(" in first):
                continue
            frame = function.inside({function.this: (Inst(cls),)})
            looped = re.findall(r"\bfor (?:\w+, )?(\w+) in", ast.unparse(site.value))
            images = {*looped, *(p.arg for p in function.positional)}
            for part in expand(site.value, function):
                if isinstance(part, ast.Call) and _augments(run, part, frame, images):
                    run.judge.say(
                        "once", part, cls.module.path, what=dotted(part), cls=cls, root=function.label
                    )


def _augments(run: Interpreter, call: ast.Call, frame: Frame, images: set[str]) -> bool:
    """Return whether a call, also by `map`, is one of an augmentation, or draws in the shape of one of some images."""
    if not (call.args or call.keywords):
        return False
    mapped = call.args and dotted(call) == "map"
    like = _RE.LIKE.search(ast.unparse(call))
    shaped = like is not None and not images.isdisjoint(like.groups())
    for value in run.earlier(call.args[0] if mapped else call.func, frame):
        noise = isinstance(value, Bound) or (isinstance(value, Ext) and drawn_by(value.name, {}))
        fn = run.method(value, "__call__") if isinstance(value, Inst) else value
        if is_random_transform(value) or (shaped and noise):
            return True
        if isinstance(fn, Fn) and fn.function.positional and _RE.AUGMENTS.search(fn.function.label):
            return run.draws(fn)
    return False


class _Loop:
    """The statements that run in each epoch."""

    def __init__(self, run: Interpreter, module: Module, loop: ast.For | ast.While | None) -> None:
        self.run, self.judge, self.module, self.loop = run, run.judge, module, loop
        text = ast.unparse(loop) if loop else ""
        self.tells = "set_epoch(" in text or bool(re.search(r"\bepoch=", text))
        self.in_workers = re.search(r"num_workers\W{1,3}(?!\W*0\b)\w", module.text) is not None

    def check(self, body: list[ast.stmt], frame: Frame, depth: int = 0) -> None:
        """Report the calls among some statements, and in the functions that they call."""
        parts = [part for statement in body for part in ast.walk(statement)]
        assigned = [(t, node.value) for node in parts if isinstance(node, ast.Assign) for t in node.targets]
        made = {target.id: value for target, value in assigned if isinstance(target, ast.Name)}
        made |= {dotted(node): node for node in parts if isinstance(node, ast.Call)}
        for node in outside_functions(body):
            if isinstance(node, ast.Call):
                self._call(node, frame, made, depth)

    def _call(self, node: ast.Call, frame: Frame, made: dict[str, ast.expr], depth: int) -> None:
        first, _, rest = dotted(node).partition(".")
        named = re.search(r"[sS]eed|Loader|Sampler|loader", rest)
        if rest and first not in frame.module.scope.names and not named:
            return  # a method of an object: to look up all of them takes long
        callees = self.run.earlier(node.func, frame)
        name = next((v.name for v in callees if isinstance(v, Ext)), "") or dotted(node)
        words = {word.arg: word.value for word in node.keywords}
        given = [*node.args, *words.values()]
        fixed = bool(given) and all(
            constant(self.run.earlier(arg, frame)) and _is_fixed(arg) for arg in given
        )
        if fixed and (
            FACTS.SEEDERS.get(name) == "torch"
            or _RE.SEED_ALL.search(name)
            or (name in FACTS.SEEDERS and not self.in_workers)
        ):
            if not any(isinstance(v, Fn) and not _RE.SEED_ALL.search(v.function.name) for v in callees):
                self._say("epoch loop", node, frame, dotted(node))
        elif _RE.LOADER.search(dotted(node)) and "generator" in words:
            source = words["generator"]
            if isinstance(source, ast.Name):
                source = made.get(f"{source.id}.manual_seed", made.get(source.id, source))
            if _seeds_constant(source, made):
                self._say("loader loop", node, frame, dotted(node))
        elif _RE.OURS.match(name) and not self.tells:
            self._say("keyed loop", node, frame, dotted(node))
        for value in callees if depth == 0 and not (given and _RE.SEED_ALL.search(name)) else ():
            if (
                isinstance(value, Fn)
                and value.function.cls is None
                and not value.function.name.startswith("main")
            ):
                varying = dict.fromkeys((p.arg for p in value.function.positional), UNKNOWN)
                inside = value.function.inside({} if all(map(_is_fixed, given)) else varying)
                self.check(value.function.body, inside, 1)

    def _say(self, key: str, node: ast.Call, frame: Frame, what: str) -> None:
        function = frame.function
        if function is None or not re.search(r"fork_rng|set_rng_state|set_state", function.text):
            self.judge.say(key, node, frame.module.path, what=what)


def _is_fixed(node: ast.expr) -> bool:
    """Return whether an argument is a number or a plain name, and none for an epoch or a step."""
    return isinstance(node, ast.Constant | ast.Name | ast.Attribute) and not re.search(
        "epoch|step|iter", ast.unparse(node)
    )


def _seeds_constant(node: ast.expr, made: dict[str, ast.expr]) -> bool:
    """Return whether an expression is a generator of torch that is made and seeded there, with a number."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and dotted(part).endswith("manual_seed"):
            return all(_is_fixed(arg) and ast.unparse(arg) not in made for arg in part.args)
    return False
