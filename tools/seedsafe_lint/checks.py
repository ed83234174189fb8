"""Rules about other faults than draws."""

import ast
import re

from seedsafe_lint.index import Class, Module, statements
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.loops import check_loops, check_once
from seedsafe_lint.roots import kind_of_class
from seedsafe_lint.syntax import dotted
from seedsafe_lint.tables import patterns
from seedsafe_lint.uses import Uses

__all__ = ["check"]

_RE = patterns("checks")


def check(run: Interpreter, module: Module, used: Uses) -> None:
    """Report samples that are None, samplers that never get the epoch, and collators whose epochs are alike."""
    for cls in list(module.classes.values()):
        _none(run, cls)
        check_once(run, cls)
    _epochs(run, module, used)
    check_loops(run, module)
    if _RE.WORKERS.search(module.text) and "bridge=" not in module.text:
        for name in ("DataCollatorForLanguageModeling", "DataCollatorForWholeWordMask"):
            for call in used.class_calls.get(name, ()):
                seed = call.keywords.get("seed")
                if seed and ast.unparse(seed) != "None" and call.means(run, _RE.COLLATOR):
                    run.judge.say("collator", call.node, module.path, what=call.name)


def _epochs(run: Interpreter, module: Module, used: Uses) -> None:
    """Report distributed samplers that never get the epoch from this file or, if it trains nothing itself, from any other."""
    text, project = module.text, run.context.project
    if "DistributedSampler" not in text:
        return
    if _RE.LOOP.search(text):
        told = _RE.FRAMEWORKS.search(text) is not None
    else:
        told = not (project.mentions(_RE.COUNT) or project.mentions(_RE.LOOP)) or project.mentions(_RE.HELD)
    for call in () if told else used.calls:
        words = call.keywords
        shuffle = words.get("shuffle")
        ordered = isinstance(shuffle, ast.Constant) and not shuffle.value
        training = not any(_RE.NOT_TRAINING.search(dotted(a)) for a in (*call.node.args, *words.values()))
        if training and not ordered and call.means(run, _RE.SAMPLER):
            run.judge.say("set_epoch", call.node, module.path)


def _none(run: Interpreter, cls: Class) -> None:
    """Report None for a sample, unless a collate function of the file may drop it."""
    method = cls.methods.get("__getitem__")
    if method is None or kind_of_class(run, cls) not in ("map", "keras"):
        return
    text = method.module.text
    if re.search(r"collate", text) and re.search(r"is not None|is None|!= None|filter\(", text):
        return
    returns = [node for node in statements(method.body) if isinstance(node, ast.Return)]
    nothing = [n for n in returns if n.value is None or ast.unparse(n.value) == "None"]
    if len(nothing) == len(returns):
        return
    for node in nothing:
        run.judge.say("none", node, method.module.path, cls=method.cls, root=method.label)
