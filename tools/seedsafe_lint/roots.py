"""The functions that workers call."""

import ast
import bisect
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from seedsafe_lint.callsites import calls_on, framework_of_stage, statements_on
from seedsafe_lint.context import Root
from seedsafe_lint.index import Class, Function, Module, Value, statements
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.known import FACTS, framework_of, kind_of_base
from seedsafe_lint.source import line_numbers, lines_with, offsets_of
from seedsafe_lint.syntax import dotted
from seedsafe_lint.tables import patterns
from seedsafe_lint.uses import CALLBACK_WORDS, Call, Uses
from seedsafe_lint.values import Cls, Fn, Gen, Group, Inst

__all__ = ["fills_template", "is_transform", "kind_of_class", "mixes_batch", "on_device", "roots"]

_RE = patterns("roots")


_RANDOM = ("rand", "rng", "RNG", "Rand", "cv2", "rvs", "iaa", "imgaug", "generator", "sample")

_HOOKS = {"transform": r"results?$|input_dict$|results_dict$|data_info$", "get_transform": r"im(age|g)"}

_COLLATERS = ("collater", "collate_fn", "collate", "_collate_fn")

_PER_SAMPLE = ("__getitem__", "__getitems__", "get_example")

_ITEMS = ("get", "prepare_data", "prepare_train_img", "prepare_train_data", "prepare_train_frames")


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
    """Yield the functions that workers call: those of a file, and those that the file passes to loaders."""
    lines = _random_lines(module.text)
    own = [cls for cls in module.classes.values() if _matters(cls, lines)]
    for cls in dict.fromkeys((*own, *used.foreign(run, module))):
        yield from _of_class(run, cls, used, cured)
    for function in list(module.functions.values()):
        first = function.positional[0].arg if function.positional and function.cls is None else "config"
        if _RE.COLLATE.search(function.name) and not first.startswith(("cfg", "config", "args")):
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
    if any(name in _RE.ENTRY_NAMES or _RE.TEMPLATE.match(name) for name in cls.methods):
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
            init = run.method(owner, "__init__")
            made = init.function.text if init else ""
            yield from ("__iter__", *(name for name in _ITEMS if f"self.{name}(" not in made))
    elif kind == "iterable":
        yield from ("__iter__", "__next__", "__getitem__", *_COLLATERS)
    elif kind == "iterator":
        yield from _RE.KERAS_ITERATOR
    elif kind == "albumentations":
        yield from (
            name for name in _methods(run, cls) if name.startswith(("apply", "get_param", "__call__"))
        )
    elif kind in _METHODS:
        yield from _METHODS[kind]
    if kind in ("", "module") and is_transform(run, cls, owner, kind):
        yield "forward" if kind == "module" else "__call__"
    elif kind == "" and fills_template(run, cls, owner):
        yield from filter(_RE.TEMPLATE.match, _methods(run, cls))
    for name, pattern in _HOOKS.items():
        method = run.method(owner, name)
        first = method.function.positional[1:2] if method else []
        if first and re.match(pattern, first[0].arg):
            yield name
    if "generate_train_batch" in cls.methods:
        yield "generate_train_batch"


_METHODS = {
    "transform": ("__call__", "transform", "apply_transform", "forward"),
    "collator": _RE.COLLATOR,
    "fastai": ("encodes", "before_call"),
    "grain": ("map", "random_map", "map_with_index", "filter", "flat_map"),
}


def _methods(run: Interpreter, cls: Class) -> list[str]:
    return sorted({name for base in run.mro(cls) for name in base.methods})


def _duck(run: Interpreter, cls: Class, owner: Inst) -> bool:
    """Return whether a class is a dataset by its methods, and by its name if no framework is known."""
    getter = run.method(owner, "__getitem__")
    if not getter:
        return False
    if not any(name.startswith("?.") or framework_of(name) for name in run.libraries(cls)):
        if _RE.LOADER_NAME.search(cls.name) and not (
            _RE.DATASET_LOADER.search(cls.name) and run.method(owner, "__len__")
        ):
            return False
        where = "/".join(Path(cls.module.path).parts[-2:])
        if not (cls.module.framework or _RE.DATASET.search(cls.name) or _RE.DATASET.search(where)):
            if any(dotted(base) != "object" for base in cls.node.bases):
                return False
            names = [p.arg for p in getter.function.positional[1:2]]
            return run.method(owner, "__len__") is not None and bool(names and _RE.INDEX.search(names[0]))
    return run.method(owner, "__len__") is not None or bool(_RE.DUCK_NAME.search(cls.name))


def _of_call(
    run: Interpreter, call: Call, framework: str, kinds: frozenset[str], cured: bool
) -> Iterator[Root]:
    node, frame, name, named = call.node, call.frame, call.name, call.keywords
    args = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
    loader, where, per_sample = bool(_RE.LOADER.search(name)), framework or "torch", True
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
    elif name in _RE.FIRST:
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
    for node, frame in calls_on(module, lines_with(_RE.INITIALIZER, module.text)):
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
            names = list(_RE.COLLATOR)
        for name in names:
            method = run.method(value, name)
            several = method is not None and method.function.required > 2
            if method and not on_device(method.function) and not (several and mixes_batch(method.function)):
                each, label = name in _PER_SAMPLE or not loader, f"{value.cls.name}.{name}"
                yield Root(method, label, framework, each, cured, cls=value.cls)


def is_transform(run: Interpreter, cls: Class, owner: Inst, kind: str) -> bool:
    """Return whether a class is a transform that datasets call. A torch ``module`` must have the name of an augmentation."""
    return _is_named_transform(run, cls, owner, kind) and not _takes_batches(run, cls)


def _is_named_transform(run: Interpreter, cls: Class, owner: Inst, kind: str) -> bool:
    method = run.method(owner, "forward" if kind == "module" else "__call__")
    if method is None:
        return False
    function = method.function
    if mixes_batch(function) or on_device(function):
        return False
    several = bool(function.node.args.vararg or function.node.args.kwarg)
    any_named = function.positional[1:] or not several
    names = [name.lower() for name in function.parameters][1:] if any_named else []
    lineage = [c.name for c in run.mro(cls)] + [name.rpartition(".")[2] for name in run.libraries(cls)]
    registered = any(_RE.REGISTERED.search(dotted(decorator)) for decorator in cls.node.decorator_list)
    certain = registered or bool(_RE.CERTAIN.search(cls.name))
    if _is_other(run, cls, owner, lineage, registered) or _has_other_parameters(names, certain):
        return False
    if kind == "module":
        return _is_module(run, cls, owner, lineage, names)
    named = any(_RE.TRANSFORM_NAME.search(name) or _RE.CONTAINER.search(name) for name in lineage)
    if not names:
        return named and several
    if certain or _RE.STRONG.search(names[0]):
        return True
    if _RE.FILE.search(Path(cls.module.path).stem) and not (
        names[0] in _RE.OTHER_FIRST or cls.module.framework == ""
    ):
        return True
    at_home = _RE.ARRAY.search(_annotation(function.positional[1:2])) or _RE.HOME.search(_home(cls))
    return named and (
        bool(at_home) or any(_RE.WEAK.search(name) or _RE.STRONG.search(name) for name in names[:2])
    )


def _is_other(run: Interpreter, cls: Class, owner: Inst, lineage: list[str], registered: bool) -> bool:
    """Return whether a callable class is a dataset, or has the name or the parts of a model and the like."""
    if run.method(owner, "__getitem__") and not any(_RE.CONTAINER.search(name) for name in lineage):
        return True
    plain = not registered and not re.search(r"transform|augment", cls.name, re.IGNORECASE)
    return plain and (
        any(map(_RE.NOT_TRANSFORM.search, lineage)) or any(_RE.MODELS & c.sites.keys() for c in run.mro(cls))
    )


def _has_other_parameters(names: list[str], certain: bool) -> bool:
    """Return whether the parameters are those of a schedule, a model and the like."""
    never = _RE.NEVER | (set() if certain else _RE.NUMBERS)
    if names and not _RE.STRONG.search(names[0]) and never & set(names):
        return True
    return any(_RE.GLOBAL_STATE.search(name) for name in names[1:])


def _is_module(run: Interpreter, cls: Class, owner: Inst, lineage: list[str], names: list[str]) -> bool:
    if not names or not any(_RE.MODULE_NAME.search(name) for name in lineage):
        return False
    own = bool(_RE.MODULE_NAME.search(cls.name))
    at_home = own and _RE.MODULE_HOME.search(Path(cls.module.path).parent.name) and _RE.WEAK.search(names[0])
    return bool((own and _RE.STRONG.search(names[0])) or at_home or _stores_generator(run, cls, owner))


def _stores_generator(run: Interpreter, cls: Class, owner: Inst) -> bool:
    """Return whether an object stores a NumPy or Python generator, as no layer of a model does."""
    names = {name for base in run.mro(cls) for name in base.sites if FACTS.RNG_NAME.match(name)}
    stored = (value for name in names for value in run.field(owner, name))
    return any(isinstance(value, Gen) and not value.kind.startswith("torch") for value in stored)


def on_device(function: Function) -> bool:
    """Return whether a function moves data to a GPU, as the training process does and no forked worker can."""
    return ".cuda" in function.text


def mixes_batch(function: Function) -> bool:
    """Return whether a function has parameters for a batch and permutes its first axis, as training loops do."""
    names = [p.arg for p in function.positional[1:]]
    if len(names) < 2 and not any("batch" in name for name in names):
        return False
    of = function.cls.name if function.cls else ""
    if all(name.startswith("batch_") for name in names) and len(names) > 1:
        return True
    if _RE.MIXER.search(of) and _RE.BATCH.match(" ".join(names[:2])):
        return True
    orders: set[str] = set()
    for node in statements(function.body):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = [part for part in ast.walk(node.value) if isinstance(part, ast.Call)]
            if any(dotted(call.func).rpartition(".")[2] in ("randperm", "permutation") for call in called):
                orders |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in statements(function.body):
        for part in ast.walk(node) if orders else ():
            if isinstance(part, ast.Subscript):
                axes = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
                if axes and isinstance(axes[0], ast.Name) and axes[0].id in orders:
                    return True
    return False


def _takes_batches(run: Interpreter, cls: Class) -> bool:
    """Return whether the files apply a class's objects to what loaders give, and pass them to nothing."""
    project, found = run.context.project, False
    if not project.naming(f"{cls.name}(", _RE.BATCH_LOOP):
        return False
    made = re.compile(rf"^[ \t]*(?:self\.)?(\w+)\s*=\s*(?:\w+\.)*{cls.name}\(", re.MULTILINE)
    for path in project.naming(f"{cls.name}("):
        text = project.texts[path]
        for name in made.findall(text):
            called = re.compile(rf"(?<![\w.])(?:self\.)?{name}\(")
            if re.search(rf"(?<![\w.])(?:self\.)?{name}\b(?!\s*[(=])", text):
                return False
            module = project.readable(path)
            around = [statements_on(module, [line]) for line in lines_with(called, text)] if module else []
            for statements_there in around:
                loops = (node for node, _ in statements_there if isinstance(node, ast.For))
                if not any(_RE.BATCHES.search(ast.unparse(loop.iter)) for loop in loops):
                    return False
                found = True
    return found


def fills_template(run: Interpreter, cls: Class, owner: Inst) -> bool:
    """Return whether a class only has the methods that an unseen base's `__call__` calls."""
    if any(run.method(owner, name) for name in ("__call__", "forward", "__getitem__")):
        return False
    return any(_RE.TEMPLATE_BASE.search(name) for name in run.libraries(cls))


def _home(cls: Class) -> str:
    return "/".join(Path(cls.module.path).parts[-2:])


def _annotation(parameters: list[ast.arg]) -> str:
    return ast.unparse(parameters[0].annotation) if parameters and parameters[0].annotation else ""
