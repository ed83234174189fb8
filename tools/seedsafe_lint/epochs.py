"""Rules about samplers and datasets that miss epochs."""

import ast
import re

from seedsafe_lint.index import Class, Function, Module
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.roots import kind_of_class
from seedsafe_lint.syntax import dotted
from seedsafe_lint.uses import Call, Uses
from seedsafe_lint.values import Ext, Gen, Inst

__all__ = ["check"]

_FRAMEWORKS = re.compile(r"set_epoch|lightning|accelerat|ignite|Trainer\(|fastai|mmcv|mmengine|detectron2")
_EPOCH_LOOP = re.compile(r"^\s*for\s+\w*(epoch|ep)\w*\b.*\bin\b", re.MULTILINE)
_NOT_TRAINING = re.compile(r"val|test|eval|infer|predict|dev", re.IGNORECASE)


def check(run: Interpreter, module: Module, used: Uses) -> None:
    """Report samplers, workers and hooks of a file that miss or miscount epochs."""
    text = module.text
    if "DistributedSampler" in text and _EPOCH_LOOP.search(text) and not _FRAMEWORKS.search(text):
        for call in used.calls:
            _sampler(run, module, call)
    if "persistent_workers" in text:
        for call in used.calls:
            _persistent(run, module, call)
    for cls in list(module.classes.values()):
        if "on_epoch_end" in cls.methods and kind_of_class(run, cls) == "keras":
            _epoch_hook(run, cls)
        if "set_epoch" in cls.methods and "__iter__" in cls.methods and not _is_dataset(run, cls):
            _set_epoch(run, cls)


def _is_dataset(run: Interpreter, cls: Class) -> bool:
    return kind_of_class(run, cls) in ("map", "iterable", "keras")


def _sampler(run: Interpreter, module: Module, call: Call) -> None:
    if not call.name.endswith("DistributedSampler"):
        return
    names = [v.name for v in run.earlier(call.node.func, call.frame) if isinstance(v, Ext)]
    if not any(name.startswith(("torch.", "?.")) for name in names):
        return
    words = {word.arg: word.value for word in call.node.keywords}
    shuffle = words.get("shuffle")
    if isinstance(shuffle, ast.Constant) and not shuffle.value:
        return
    if any(_NOT_TRAINING.search(dotted(arg)) for arg in (*call.node.args, *words.values())):
        return
    run.verdicts.say("set_epoch", call.node, module.path)


def _persistent(run: Interpreter, module: Module, call: Call) -> None:
    persistent, dataset = call.keywords.get("persistent_workers"), call.dataset
    if persistent is None or (isinstance(persistent, ast.Constant) and not persistent.value):
        return
    if dataset is None or isinstance(dataset, ast.Starred):
        return
    for value in run.earlier(dataset, call.frame):
        if isinstance(value, Inst) and (name := _epoch_attribute(run, value)):
            run.verdicts.say("persistent", call.node, module.path, what=f"{value.cls.name}.{name}")


def _epoch_attribute(run: Interpreter, value: Inst) -> str:
    changed = {
        name
        for cls in run.members.mro(value.cls)
        for name, sites in cls.sites.items()
        if "epoch" in name.lower()
        and any("epoch" in site.function.name for site in sites)
        and not (
            "__iter__" in cls.methods and any(site.function in _iteration_methods(cls)[0] for site in sites)
        )
    }
    entries = ("__getitem__", "__iter__", "__call__", "__getitems__")
    for method in (m for cls in run.members.mro(value.cls) for m in cls.methods.values()):
        if "epoch" in method.name or (method.name.startswith("__") and method.name not in entries):
            continue
        for node in ast.walk(method.node):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in changed:
                return node.attr
    return ""


def _epoch_hook(run: Interpreter, cls: Class) -> None:
    for node in ast.walk(cls.methods["on_epoch_end"].node):
        match node:
            case ast.AugAssign(target=ast.Attribute(attr=attr), op=ast.Add(), value=ast.Constant(value=1)):
                before = attr
            case ast.Assign(
                targets=[ast.Attribute(attr=attr)],
                value=ast.BinOp(left=ast.Attribute(attr=before), op=ast.Add(), right=ast.Constant(value=1)),
            ):
                pass
            case _:
                continue
        if attr == before and _counts(attr):
            run.verdicts.say("epoch hook", node, cls.module.path, cls=cls, what=attr, root=cls.name)


def _counts(name: str) -> bool:
    return bool(re.search(r"epoch|^_?(ep|count|counter|iteration|round)$", name))


def _set_epoch(run: Interpreter, cls: Class) -> None:
    """Report a sampler whose `set_epoch` sets attributes that its generator never uses."""
    setter = cls.methods["set_epoch"]
    attrs = {name for name, sites in cls.sites.items() if any(site.function is setter for site in sites)}
    methods, loads = _iteration_methods(cls)
    if not attrs or attrs & loads or any(isinstance(node, ast.Call) for node in ast.walk(setter.node)):
        return
    owner, say = Inst(cls), run.verdicts.say
    for method in methods:
        for node in ast.walk(method.node):
            if isinstance(node, ast.Call) and _draws_from_own(run, owner, node):
                path, names = cls.module.path, ", ".join(sorted(attrs))
                say("sampler", node, path, cls=cls, root=cls.name, attributes=names, what=method.name)
                return


def _iteration_methods(cls: Class) -> tuple[list[Function], set[str]]:
    """Return `__iter__` and the methods that it uses, and the attributes that they read."""
    methods = todo = [cls.methods["__iter__"]]
    loads: set[str] = set()
    while todo:
        found: list[Function] = []
        for node in (node for method in todo for node in ast.walk(method.node)):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                loads.add(node.attr)
                if (method := cls.methods.get(node.attr)) and method not in methods + found:
                    found.append(method)
        methods, todo = methods + found, found
    return methods, loads


def _draws_from_own(run: Interpreter, owner: Inst, node: ast.Call) -> bool:
    name = dotted(node)
    if re.search(r"(default_rng|RandomState|random\.Random|manual_seed|random\.seed)$", name):
        return bool(node.args)
    receivers = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    for part in (*receivers, *node.args, *(word.value for word in node.keywords)):
        match part:
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                if any(isinstance(value, Gen) for value in run.members.field(owner, attr)):
                    return True
    return False
