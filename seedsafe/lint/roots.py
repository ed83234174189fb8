"""Where worker code begins: methods of datasets and transforms, collate functions, generator functions."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from seedsafe.lint.evaluator import Evaluator
from seedsafe.lint.index import Class, Module
from seedsafe.lint.known import framework_of, kind_of_base
from seedsafe.lint.transforms import is_transform
from seedsafe.lint.uses import CALLBACK_WORDS, Call, Uses
from seedsafe.lint.values import Fn, Group, Inst, Value, Values

__all__ = ["Root", "kind_of_class", "roots"]


@dataclass(frozen=True, slots=True)
class Root:
    """A function that workers call.

    Args:
        fn: The function, bound to its object.
        label: Its name for messages.
        framework: ``torch``, ``keras``, ``tf.data``, another one, or empty.
        per_sample: It runs once for a sample (or batch), not once for an epoch.
        cured: A correct ``worker_init_fn`` of the same file seeds NumPy for it.
        cls: The class whose method it is.
        dataset: That class derives from a framework's dataset.
    """

    fn: Fn
    label: str
    framework: str
    per_sample: bool = True
    cured: bool = False
    cls: Class | None = None
    dataset: bool = False


_LOADER = re.compile(
    r"(DataLoader|DataLoaderX|MultiEpochsDataLoader|FastDataLoader|InfiniteDataLoader|DataListLoader|GraphDataLoader|StatefulDataLoader)$"
)
_COLLATE = re.compile(r"collat", re.IGNORECASE)
_DATASET = re.compile(r"data_?set|dset|data_?loader", re.IGNORECASE)
_LOADER_NAME = re.compile(r"(Loader|Batcher|Iterator|Buffer|Memory|Replay)$", re.IGNORECASE)
_DUCK_NAME = re.compile(
    r"data|set$|sequence|generator|loader|reader|folder|pairs|samples|corpus|images|batch", re.IGNORECASE
)
_HOOKS = {"transform": r"results?$|input_dict$|results_dict$|data_info$", "get_transform": r"im(age|g)"}
_PER_SAMPLE = ("__getitem__", "__getitems__", "get_example")


def kind_of_class(run: Evaluator, cls: Class) -> str:
    """``map``, ``iterable``, ``keras``, ``iterator``, ``transform``, ``albumentations``, ``module``, ``main`` or empty."""
    kinds = [kind_of_base(name) for name in run.libraries(cls)]
    for kind in ("keras", "iterable", "albumentations", "iterator", "map", "transform", "main", "module"):
        if kind in kinds:
            return kind
    return ""


def framework_of_class(run: Evaluator, cls: Class) -> str:
    """The framework of a class, by its bases, else by what its file imports."""
    for name in run.libraries(cls):
        if found := framework_of(name):
            return found
    return framework_of_module(cls.module)


def framework_of_module(module: Module) -> str:
    """The framework that a file imports; torch where it imports several."""
    found = {
        framework
        for name in re.findall(r"^\s*(?:from|import)\s+([\w.]+)", module.text, re.MULTILINE)
        if (framework := framework_of(name))
    }
    for framework in ("torch", "keras"):
        if framework in found:
            return framework
    return min(found, default="")


def roots(run: Evaluator, module: Module, used: Uses, cured: bool) -> Iterator[Root]:
    """All functions of a file, and those that it hands to loaders, that workers call."""
    for cls in dict.fromkeys((*module.classes.values(), *used.constructed)):
        yield from _of_class(run, cls, used, cured)
    framework = framework_of_module(module)
    for function in list(module.functions.values()):
        first = function.positional[0].arg if function.positional and function.cls is None else "config"
        if _COLLATE.search(function.name) and not first.startswith(("cfg", "config", "args")):
            yield Root(Fn(function), function.name, framework or "torch", cured=cured)
    for call in used.calls:
        yield from _of_call(run, call, framework, cured)


def _of_class(run: Evaluator, cls: Class, used: Uses, cured: bool) -> Iterator[Root]:
    kind = kind_of_class(run, cls)
    framework = framework_of_class(run, cls)
    owner = instance(run, cls, used)

    def root(name: str, *, per_sample: bool = True) -> Iterator[Root]:
        if method := run.method(owner, name):
            for value in run.decorated(method):
                if isinstance(value, Fn):
                    yield Root(
                        value,
                        f"{cls.name}.{name}",
                        framework,
                        per_sample,
                        cured,
                        cls=cls,
                        dataset=kind in ("map", "keras"),
                    )

    if kind in ("map", "keras") or (kind in ("", "transform") and _duck(run, cls, owner, kind)):
        for name in _PER_SAMPLE:
            yield from root(name)
        for name in ("collater", "collate_fn", "collate", "_collate_fn"):
            yield from root(name)
        if kind == "map" and not run.method(owner, "__getitem__"):
            yield from root("__iter__", per_sample=False)
            for name in (
                "get",
                "prepare_data",
                "prepare_train_img",
                "prepare_train_data",
                "prepare_train_frames",
            ):
                yield from root(name)
    elif kind == "iterable":
        for name in ("__iter__", "__next__"):
            yield from root(name, per_sample=False)
        yield from root("__getitem__")
        for name in ("collater", "collate_fn"):
            yield from root(name)
    elif kind == "iterator":
        for name in (
            "_get_batches_of_transformed_samples",
            "random_transform",
            "get_random_transform",
            "apply_transform",
            "standardize",
        ):
            yield from root(name)
    elif kind == "albumentations":
        for name in sorted({name for base in run.mro(cls) for name in base.methods}):
            if name.startswith(("apply", "get_params", "__call__")):
                yield from root(name)
    elif kind == "transform":
        for name in ("__call__", "transform", "apply_transform", "forward"):
            yield from root(name)
    elif kind in ("", "module") and is_transform(run, cls, owner, kind):
        yield from root("forward" if kind == "module" else "__call__")
    for name, words in _HOOKS.items():
        method = run.method(owner, name)
        if method and method.function.positional[1:2] and re.match(words, method.function.positional[1].arg):
            yield from root(name)
    if "generate_train_batch" in cls.methods:
        yield from root("generate_train_batch")


def instance(run: Evaluator, cls: Class, used: Uses) -> Inst:
    """An instance of a class, with the constructor's arguments as the given files pass them."""
    init = run.method(Inst(cls), "__init__")
    merged: dict[str, Values] = {}
    for call in used.constructed.get(cls, ()) if init else ():
        made = run.before(lambda c=call: run.call(c.node, c.frame))  # type: ignore[misc]
        for value in made:
            if isinstance(value, Inst):
                for name, values in value.args:
                    merged[name] = tuple(dict.fromkeys((*merged.get(name, ()), *values)))
    return Inst(cls, tuple(merged.items()))


def _duck(run: Evaluator, cls: Class, owner: Inst, kind: str) -> bool:
    """A class that is a dataset by its methods, and by its name where no framework is in sight."""
    if not run.method(owner, "__getitem__"):
        return False
    if kind == "" and not cls.node.bases:
        if _LOADER_NAME.search(cls.name):
            return False
        if not framework_of_module(cls.module):
            return bool(
                _DATASET.search(cls.name) or _DATASET.search("/".join(Path(cls.module.path).parts[-2:]))
            )
    return run.method(owner, "__len__") is not None or bool(_DUCK_NAME.search(cls.name))


def _of_call(run: Evaluator, call: Call, framework: str, cured: bool) -> Iterator[Root]:
    node, frame, name = call.node, call.frame, call.name
    words = {word.arg: word.value for word in node.keywords if word.arg}
    args = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
    given: list[ast.expr] = [
        words[word] for word in sorted(CALLBACK_WORDS - {"worker_init_fn"}) if word in words
    ]
    where = framework or "torch"
    per_sample = True
    if name == "from_generator":
        where, per_sample = "tf.data", False
        given += args[:1] or [words[w] for w in ("generator",) if w in words]
    elif name in ("fit_generator", "fit") and _processes(words):
        where, per_sample = "keras", False
        given += [arg.func if isinstance(arg, ast.Call) else arg for arg in args[:1]]
    elif name in ("Compose", "Lambda", "RandomApply", "RandomChoice", "set_transform", "with_transform"):
        given += args[:1]
    elif _LOADER.search(name):
        given += args[:1] or [words[w] for w in ("dataset",) if w in words]
        where = framework or "torch"
    for expression in given:
        for value in run.earlier(expression, frame):
            yield from _of_value(run, value, where, per_sample, cured, loader=bool(_LOADER.search(name)))


def _processes(words: dict[str, ast.expr]) -> bool:
    for word in ("use_multiprocessing", "pickle_safe"):
        value = words.get(word)
        if value is not None and not (isinstance(value, ast.Constant) and not value.value):
            return True
    return False


def _of_value(
    run: Evaluator,
    value: Value,
    framework: str,
    per_sample: bool,
    cured: bool,
    loader: bool,
    depth: int = 0,
) -> Iterator[Root]:
    if isinstance(value, Fn):
        yield Root(value, value.function.label, framework, per_sample, cured)
    elif isinstance(value, Group) and depth < 4:
        for item in value.items:
            yield from _of_value(run, item, framework, per_sample, cured, loader, depth + 1)
    elif isinstance(value, Inst):
        names = ["__call__"] if not loader else ["__getitem__", "__getitems__", "__iter__"]
        if value.cls and loader and run.method(value, "__getitem__"):
            names.remove("__iter__")
        if not loader and not run.method(value, "__call__") and kind_of_class(run, value.cls) == "module":
            names = ["forward"]
        for name in names:
            if method := run.method(value, name):
                yield Root(
                    method,
                    f"{value.cls.name}.{name}",
                    framework,
                    name in _PER_SAMPLE or not loader,
                    cured,
                    cls=value.cls,
                )
