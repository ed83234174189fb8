"""The functions that workers call first."""

import ast
import bisect
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from seedsafe_lint.alternatives import Value
from seedsafe_lint.callsites import calls_on
from seedsafe_lint.frameworks import framework_of, kind_of_base
from seedsafe_lint.index import Class, Module
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.known import words
from seedsafe_lint.root import Root
from seedsafe_lint.source import line_numbers, offsets_of
from seedsafe_lint.stages import framework_of_stage
from seedsafe_lint.syntax import dotted
from seedsafe_lint.transforms import fills_template, is_transform, mixes_batch, on_device
from seedsafe_lint.uses import CALLBACK_WORDS, Call, Uses
from seedsafe_lint.values import Cls, Fn, Group, Inst

__all__ = ["kind_of_class", "roots"]

_LOADER = re.compile(r"(DataLoaderX?|DataListLoader)$")
_COLLATE = re.compile(r"collat", re.IGNORECASE)
_DATASET = re.compile(r"data_?set|dset|data_?loader", re.IGNORECASE)
_LOADER_NAME = re.compile(r"(Loader|Batcher|Iterator|Buffer|Memory|Replay)$", re.IGNORECASE)
_INDEX = re.compile(
    r"^(_?i|j|k|n|nr|item|ind|ix|id|pos|\w*(idx|index|indices|number|position))$", re.IGNORECASE
)
_DUCK_NAME = re.compile(
    r"data|set$|sequence|generator|loader|reader|folder|pairs|samples|corpus|images|batch", re.IGNORECASE
)
_RANDOM = ("rand", "rng", "RNG", "Rand", "cv2", "rvs", "iaa", "imgaug", "generator", "sample")
_HOOKS = {"transform": r"results?$|input_dict$|results_dict$|data_info$", "get_transform": r"im(age|g)"}
_COLLATERS = ("collater", "collate_fn", "collate", "_collate_fn")
_PER_SAMPLE = ("__getitem__", "__getitems__", "get_example")
_ITEMS = ("get", "prepare_data", "prepare_train_img", "prepare_train_data", "prepare_train_frames")
_KERAS_ITERATOR = (
    "_get_batches_of_transformed_samples",
    "random_transform",
    "get_random_transform",
    "apply_transform",
)
_COLLATOR = (
    "__call__",
    "torch_call",
    "numpy_call",
    "tf_call",
    "torch_mask_tokens",
    "numpy_mask_tokens",
    "mask_tokens",
)
_FASTAI = ("encodes", "before_call")
_GRAIN = ("map", "random_map", "map_with_index", "filter", "flat_map")
_CALLS = ("__call__", "transform", "apply_transform", "forward")
_TEMPLATE = re.compile(
    r"_?(apply|get_params?|augment|transform|randomi[sz]e)(_\w+)?$|(flat)?map_transform$|make_params$|update_params$"
)
_ENTRY_NAMES = words("__iter__ __next__ generate_train_batch").union(
    _PER_SAMPLE, _COLLATERS, _ITEMS, _KERAS_ITERATOR, _CALLS, _HOOKS, _COLLATOR, _FASTAI, _GRAIN
)
_FIRST = words("Compose Lambda RandomApply RandomChoice set_transform with_transform")


_ORDER = "keras iterable albumentations collator fastai grain iterator map transform main module"


def kind_of_class(run: Interpreter, cls: Class) -> str:
    """Return the kind of a class by its bases, as `kind_of_base` names it."""
    kinds = [kind_of_base(name) for name in run.libraries(cls)]
    return min(filter(None, kinds), key=_ORDER.find, default="")


def framework_of_class(run: Interpreter, cls: Class) -> str:
    """Return the framework of a class by its bases, or else by the imports of its file."""
    for name in run.libraries(cls):
        if result := framework_of(name):
            return result
    return run.context.project.framework(cls.module)


def roots(run: Interpreter, module: Module, used: Uses, cured: bool) -> Iterator[Root]:
    """Yield the functions of a file, and those that it passes to loaders, that workers call."""
    lines = _random_lines(module.text)
    own = [cls for cls in module.classes.values() if _matters(cls, lines)]
    for cls in dict.fromkeys((*own, *used.foreign(run, module))):
        yield from _of_class(run, cls, used, cured)
    for function in list(module.functions.values()):
        first = function.positional[0].arg if function.positional and function.cls is None else "config"
        if _COLLATE.search(function.name) and not first.startswith(("cfg", "config", "args")):
            yield Root(
                Fn(function), function.name, run.context.project.framework(module) or "torch", cured=cured
            )
    framework = run.context.project.framework(module)
    for call in used.calls:
        yield from _of_call(run, call, framework, used.kinds, cured)
    for expression, frame in used.lists:
        items = [
            v for value in run.earlier(expression, frame) if isinstance(value, Group) for v in value.items
        ]
        if any(isinstance(v, Inst) and is_transform(run, v.cls, v, kind_of_class(run, v.cls)) for v in items):
            for value in items:
                yield from _of_value(run, value, framework or "torch", True, cured, loader=False)


def _random_lines(text: str) -> list[int]:
    """Return the numbers of the lines with a word that may mean a draw."""
    return line_numbers(text, [offset for word in _RANDOM for offset in offsets_of(word, text)])


def _matters(cls: Class, lines: list[int]) -> bool:
    """Return whether a class has methods that workers call or lines that may draw. If not, its bases need no look-up."""
    if any(name in _ENTRY_NAMES or _TEMPLATE.match(name) for name in cls.methods):
        return True
    at = bisect.bisect_left(lines, cls.node.lineno)
    return at < len(lines) and lines[at] <= (cls.node.end_lineno or 0)


def _of_class(run: Interpreter, cls: Class, used: Uses, cured: bool) -> Iterator[Root]:
    kind = kind_of_class(run, cls)
    bare = Inst(cls)
    names = [name for name in dict.fromkeys(_entries(run, cls, bare, kind)) if run.method(bare, name)]
    if not names:
        return
    owner, framework = used.instance(run, cls), framework_of_class(run, cls)
    for name in names:
        method = run.method(owner, name)
        for value in run.decorate(method) if method else ():
            if isinstance(value, Fn):
                label, once = f"{cls.name}.{name}", name in ("__iter__", "__next__")
                yield Root(value, label, framework, not once, cured, cls)


def _entries(run: Interpreter, cls: Class, owner: Inst, kind: str) -> Iterator[str]:
    """Yield the names of methods that workers call. The class need not have them."""
    if kind in ("map", "keras") or (kind in ("", "transform") and _duck(run, cls, owner)):
        yield from (*_PER_SAMPLE, *_COLLATERS)
        if kind == "map" and not run.method(owner, "__getitem__"):
            yield from ("__iter__", *_ITEMS)
    elif kind == "iterable":
        yield from ("__iter__", "__next__", "__getitem__", *_COLLATERS)
    elif kind == "iterator":
        yield from _KERAS_ITERATOR
    elif kind == "albumentations":
        yield from (
            name for name in _methods(run, cls) if name.startswith(("apply", "get_param", "__call__"))
        )
    elif kind in _METHODS:
        yield from _METHODS[kind]
    if kind in ("", "module") and is_transform(run, cls, owner, kind):
        yield "forward" if kind == "module" else "__call__"
    elif kind == "" and fills_template(run, cls, owner):
        yield from filter(_TEMPLATE.match, _methods(run, cls))
    for name, pattern in _HOOKS.items():
        method = run.method(owner, name)
        first = method.function.positional[1:2] if method else []
        if first and re.match(pattern, first[0].arg):
            yield name
    if "generate_train_batch" in cls.methods:
        yield "generate_train_batch"


_METHODS = {"transform": _CALLS, "collator": _COLLATOR, "fastai": _FASTAI, "grain": _GRAIN}


def _methods(run: Interpreter, cls: Class) -> list[str]:
    return sorted({name for base in run.mro(cls) for name in base.methods})


def _duck(run: Interpreter, cls: Class, owner: Inst) -> bool:
    """Return whether a class is a dataset by its methods, and by its name if no framework is known."""
    getter = run.method(owner, "__getitem__")
    if not getter:
        return False
    if not any(name.startswith("?.") or framework_of(name) for name in run.libraries(cls)):
        if _LOADER_NAME.search(cls.name):
            return False
        where = "/".join(Path(cls.module.path).parts[-2:])
        if not (cls.module.framework or _DATASET.search(cls.name) or _DATASET.search(where)):
            if any(dotted(base) != "object" for base in cls.node.bases):
                return False
            names = [p.arg for p in getter.function.positional[1:2]]
            return run.method(owner, "__len__") is not None and bool(names and _INDEX.search(names[0]))
    return run.method(owner, "__len__") is not None or bool(_DUCK_NAME.search(cls.name))


def _of_call(
    run: Interpreter, call: Call, framework: str, kinds: frozenset[str], cured: bool
) -> Iterator[Root]:
    node, frame, name, named = call.node, call.frame, call.name, call.keywords
    args = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
    loader, where, per_sample = bool(_LOADER.search(name)), framework or "torch", True
    callbacks = [named[word] for word in sorted(CALLBACK_WORDS - {"worker_init_fn"}) if word in named]
    expressions: list[ast.expr] = []
    if name == "from_generator":
        where, per_sample = "tf.data", False
        expressions = args[:1] or ([named["generator"]] if "generator" in named else [])
    elif name in ("fit_generator", "fit") and _processes(named):
        where, per_sample = "keras", False
        expressions = [arg.func if isinstance(arg, ast.Call) else arg for arg in args[:1]]
    elif (stage := framework_of_stage(node, name, kinds) if kinds else None) is not None:
        where, per_sample = stage, stage != "pool"
        expressions = [*args, *named.values()] if where == "torch" else args[:1] or list(named.values())
        if where == "pool" and _initialized(run, frame.module):
            return
    elif name in _FIRST:
        expressions = args[:1]
    elif loader:
        expressions = args[:1] or ([named["dataset"]] if "dataset" in named else [])
    for expression in callbacks + expressions:
        dataset = loader and expression not in callbacks
        for value in run.earlier(expression, frame):
            actor = isinstance(value, Cls) and where == "pool"
            made = Inst(value.cls) if isinstance(value, Cls) and actor else value
            for root in _of_value(run, made, where, per_sample, cured, loader=dataset):
                yield replace(root, actor=True) if actor else root


def _initialized(run: Interpreter, module: Module) -> bool:
    """Return whether the processes of a file's pools begin with a function that seeds, or one that is not in these files."""
    offsets = offsets_of("initializer=", module.text)
    for node, frame in calls_on(module, line_numbers(module.text, offsets)) if offsets else ():
        for expression in (word.value for word in node.keywords if word.arg == "initializer"):
            for value in run.earlier(expression, frame):
                if not isinstance(value, Fn) or any(
                    "seed" in dotted(n) for n in ast.walk(value.function.node)
                ):
                    return True
    return False


def _processes(named: dict[str, ast.expr]) -> bool:
    values = [named[word] for word in ("use_multiprocessing", "pickle_safe") if word in named]
    return any(not isinstance(value, ast.Constant) or value.value for value in values)


def _of_value(
    run: Interpreter,
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
    elif isinstance(value, Inst) and not (loader and kind_of_class(run, value.cls) == "main"):
        names = ["__call__"] if not loader else ["__getitem__", "__getitems__", "__iter__"]
        if value.cls and loader and run.method(value, "__getitem__"):
            names.remove("__iter__")
        if not (loader or run.method(value, "__call__")) and kind_of_class(run, value.cls) == "module":
            names = ["forward"]
        elif kind_of_class(run, value.cls) == "collator":
            names = list(_COLLATOR)
        for name in names:
            method = run.method(value, name)
            function = method.function if method else None
            if (
                method
                and function
                and not on_device(function)
                and not (function.required > 2 and mixes_batch(function))
            ):
                each, label = name in _PER_SAMPLE or not loader, f"{value.cls.name}.{name}"
                yield Root(method, label, framework, each, cured, cls=value.cls)
