"""How a file uses what it defines and imports: the calls that say what runs in workers."""

import ast
import re
from dataclasses import dataclass, field

from seedsafe.lint.evaluator import Evaluator
from seedsafe.lint.index import Class, Frame, Module
from seedsafe.lint.values import Cls, Inst

__all__ = ["CALLBACK_WORDS", "Call", "Uses", "uses"]


@dataclass(slots=True)
class Call:
    """A call somewhere in a file, with the scope around it."""

    node: ast.Call
    frame: Frame
    name: str


@dataclass(slots=True)
class Uses:
    """How a file uses what it defines and imports."""

    calls: list[Call] = field(default_factory=list)
    constructed: dict[Class, list[Call]] = field(default_factory=dict)


_TRIGGER = re.compile(
    r"(DataLoader|Loader|DistributedSampler|Compose|Lambda|RandomApply|RandomChoice|from_generator|numpy_function|py_function|py_func|set_transform|"
    r"with_transform|fit_generator|fit|AugmentedDataset|ImageDataGenerator|IterableWrapper|Mapper|Batcher|Collator)$"
)
CALLBACK_WORDS = frozenset(
    {
        "collate_fn",
        "worker_init_fn",
        "preprocessing_function",
        "transform",
        "transforms",
        "target_transform",
        "joint_transform",
        "co_transform",
    }
)


def uses(run: Evaluator, module: Module) -> Uses:
    """Calls of a file that say what runs in workers."""
    found = Uses()
    if run.project.single and not _WORTH.search(module.text):
        return found
    frames = [(module.scope.body, module.frame)]
    while frames:
        body, frame = frames.pop()
        todo: list[ast.AST] = [*body]
        while todo:
            node = todo.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
                function := module.functions.get(node)
            ):
                inner = Frame(module, parent=function.frame, scope=function.scope, function=function)
                if function.cls and function.positional:
                    inner.vars[function.positional[0].arg] = (Inst(function.cls),)
                frames.append((node.body, inner))
                todo += [*node.decorator_list, *node.args.defaults]
                continue
            if isinstance(node, ast.Call):
                _note(run, found, node, frame)
            for child in node.__dict__.values():
                if child.__class__ is list:
                    todo += [item for item in child if isinstance(item, ast.AST)]
                elif isinstance(child, ast.expr) and child.__class__ not in _LEAVES:
                    todo.append(child)
    return found


_LEAVES = frozenset({ast.Name, ast.Constant})
_WORTH = re.compile(
    r"Data|Load|Compose|Lambda|collate|worker_init|_generator|fit\(|transform|Sampler|Sequence|__getitem__|__call__|__iter__"
)


def _note(run: Evaluator, found: Uses, node: ast.Call, frame: Frame) -> None:
    func = node.func
    name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    if _TRIGGER.search(name) or any(word.arg in CALLBACK_WORDS for word in node.keywords):
        found.calls.append(Call(node, frame, name))
    if name[:1].isupper() and isinstance(func, ast.Name | ast.Attribute):
        for value in run.earlier(func, frame):
            if isinstance(value, Cls):
                found.constructed.setdefault(value.cls, []).append(Call(node, frame, name))
