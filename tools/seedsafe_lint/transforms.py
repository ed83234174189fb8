"""Recognise transforms by their names and parameters."""

import ast
import re
from pathlib import Path

from seedsafe_lint.index import Class, Function
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.known import RNG_NAME, either, words
from seedsafe_lint.scopes import statements
from seedsafe_lint.syntax import dotted
from seedsafe_lint.values import Gen, Inst

__all__ = ["fills_template", "is_transform", "mixes_batch", "on_device"]

_TRANSFORM_NAME = re.compile(
    either(r"""
    aug transform rand crop flip rotat scal resiz jitter nois blur cutout eras mix mosaic color colour
    contrast bright satur hue light affine perspective shear transl shift warp distort elastic mirror pad
    mask drop sampl normali[sz] expand compose collat preproc process pipeline mapper tensor gamma gr[ae]y
    sharp jpe?g compress degrad perturb permut speed pitch reverb gain spec patch select zoom swap invert
    poster solar equal box keypoint views? twocrop contrastive gauss salt pepper rain fog snow cut load
    subset segment flow photometric filter format generat insert paste lidar clip frame reverse stretch time
    freq voxel shuffle corrupt occlu window defocus motion kernel pca lighting simulat tri?mesh point trans$
    tsfm
"""),
    re.IGNORECASE,
)
_STRONG = re.compile(
    either(r"""
    img image sample ^results?(_dict)?$ ^pic clip video ^frames?$ data_dict dataset_dict wave ^wav audio
    ^points? ^pcd?$ cloud ^coords?$ feed_dict ^im$ imgmap datum ^pil spectro ^mel speech
""")
)
_WEAK_NAMES = r"""
    data x y item batch batch_data mask masks labels? targets? bbox(es)? boxes signal sig spec tensor
    tokens? text feats? features? examples? instances? record blob entry arr array vol volume patch ecg eeg
    ts series seq sequence graph mol sentence sound ann\w* landmarks pose keypoints skeletons? joints xyz
    mesh rgb depth left lr hr src sents words a s d state_dict dictionary dict_? np_\w+ x_\w+ inp src_\w+
    uid
"""
_WEAK = re.compile(rf"patch|^input|^{either(_WEAK_NAMES)}$")
_MODULE_NAME = re.compile(
    r"^Rand|^(Color|Photo)\w*(Jitter|Distort)|Augment|Transform$|RandomCrop|RandomFlip|^Cut(Out|Mix)"
)
_TEMPLATE_BASE = re.compile(r"(Transform|Transformation|DataProcessor)$")
_CONTAINER = re.compile(r"compose|^(random)?(one|some)_?of|sequential", re.IGNORECASE)
_REGISTERED = re.compile(r"(pipeline|transform)s?\.register|register_?(pipeline|transform)", re.IGNORECASE)
_CERTAIN = re.compile(
    r"collat|transforms?\d*d?$|augment(ation|er)?s?$|[a-z\d_]aug$|"
    r"^rand(om)?_?\w*(crop|flip|rotat|resiz|scal|eras|affine|jitter|blur|noise|translat|perspective|contrast|brightness)",
    re.IGNORECASE,
)
_ARRAY = re.compile(r"\b(ndarray|NDArray|Tensor|Image)\b")
_MIXER = re.compile(r"mix_?up|(cut|resize|f|puzzle)_?mix", re.IGNORECASE)
_BATCH = re.compile(r"(xs?|inputs?|images|imgs|data|batch) (ys?|targets?|labels?)$")
_NUMBERS = frozenset({"length", "size", "shape", "n", "num", "count", "step", "t", "batch_size"})
_MODELS = words("model net network predictor detector")
_NEVER = frozenset({"action", "state", "model", "optimizer", "epoch"})
_MODULE_HOME = re.compile(r"^\w*data(_?(sets?|load\w*|modules?))?$", re.IGNORECASE)
_GLOBAL_STATE = re.compile(r"(?<!random)(?<!rng)_state$")
_HOME = re.compile(r"transform|augment|pipeline|preproc|data|loader", re.IGNORECASE)
_NOT_TRANSFORM = re.compile(
    either(r"""
    ^test test$ testcase generate$ mock predict infer detector model net$ estimat recogni classifier tracker loss
    criterion (?<!photo)metric evaluat visuali[sz] draw plot expla attack defen[sc]e embed encod decod
    coding render noise_?schedul scheduler (?<!pre)(?<!post)process$ search agent env$ server client layer$
    callback hook trainer solver matcher assigner initializer kernel$ prior posterior distribution diffusion
    planner griffin vocod selection$ (2|to_?)wav pool$ buffer$ queue$ history$
"""),
    re.IGNORECASE,
)


def is_transform(run: Interpreter, cls: Class, owner: Inst, kind: str) -> bool:
    """Return whether a class is a transform that datasets call. A torch ``module`` must have the name of an augmentation."""
    method = run.method(owner, "forward" if kind == "module" else "__call__")
    if method is None:
        return False
    function = method.function
    if mixes_batch(function) or on_device(function):
        return False
    names = [p.arg.lower() for p in function.positional[1:]]
    several = bool(function.node.args.vararg or function.node.args.kwarg)
    if names or not several:
        names += [p.arg.lower() for p in function.node.args.kwonlyargs]
    lineage = [c.name for c in run.mro(cls)] + [name.rpartition(".")[2] for name in run.libraries(cls)]
    registered = any(_REGISTERED.search(dotted(decorator)) for decorator in cls.node.decorator_list)
    certain = registered or bool(_CERTAIN.search(cls.name))
    if _is_other(run, cls, owner, lineage, registered) or _has_other_parameters(names, certain):
        return False
    if kind == "module":
        return _is_module(run, cls, owner, lineage, names)
    named = any(_TRANSFORM_NAME.search(name) or _CONTAINER.search(name) for name in lineage)
    if not names:
        return named and several
    if certain or _STRONG.search(names[0]):
        return True
    at_home = _ARRAY.search(_annotation(function.positional[1:2])) or _HOME.search(_home(cls))
    return named and (bool(at_home) or any(_WEAK.search(name) or _STRONG.search(name) for name in names[:2]))


def _is_other(run: Interpreter, cls: Class, owner: Inst, lineage: list[str], registered: bool) -> bool:
    """Return whether a callable class is a dataset, or has the name or the parts of a model and the like."""
    if run.method(owner, "__getitem__") and not any(_CONTAINER.search(name) for name in lineage):
        return True
    plain = not registered and not re.search(r"transform|augment", cls.name, re.IGNORECASE)
    return plain and (
        any(map(_NOT_TRANSFORM.search, lineage)) or any(_MODELS & c.sites.keys() for c in run.mro(cls))
    )


def _has_other_parameters(names: list[str], certain: bool) -> bool:
    """Return whether the parameters are those of a schedule, a model and the like."""
    never = _NEVER | (set() if certain else _NUMBERS)
    if names and not _STRONG.search(names[0]) and never & set(names):
        return True
    return any(_GLOBAL_STATE.search(name) for name in names[1:])


def _is_module(run: Interpreter, cls: Class, owner: Inst, lineage: list[str], names: list[str]) -> bool:
    if not names or not any(_MODULE_NAME.search(name) for name in lineage):
        return False
    own = bool(_MODULE_NAME.search(cls.name))
    at_home = own and _MODULE_HOME.search(Path(cls.module.path).parent.name) and _WEAK.search(names[0])
    return bool((own and _STRONG.search(names[0])) or at_home or _stores_generator(run, cls, owner))


def _stores_generator(run: Interpreter, cls: Class, owner: Inst) -> bool:
    """Return whether an object stores a NumPy or Python generator, as no layer of a model does."""
    names = {name for base in run.mro(cls) for name in base.sites if RNG_NAME.match(name)}
    return any(
        isinstance(value, Gen) and not value.kind.startswith("torch")
        for name in names
        for value in run.field(owner, name)
    )


def on_device(function: Function) -> bool:
    """Return whether a function moves data to a GPU, as the training process does and no forked worker can."""
    text = function.module.text
    return "cuda" in text and any(
        isinstance(n, ast.Attribute) and n.attr == "cuda" for n in ast.walk(function.node)
    )


def mixes_batch(function: Function) -> bool:
    """Return whether a function has parameters for a batch and permutes its first axis, as training loops do."""
    names = [p.arg for p in function.positional[1:]]
    if len(names) < 2 and not any("batch" in name for name in names):
        return False
    of = function.cls.name if function.cls else ""
    if all(name.startswith("batch_") for name in names) and len(names) > 1:
        return True
    if _MIXER.search(of) and _BATCH.match(" ".join(names[:2])):
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


def fills_template(run: Interpreter, cls: Class, owner: Inst) -> bool:
    """Return whether a class only has the methods that an unseen base's `__call__` calls."""
    if any(run.method(owner, name) for name in ("__call__", "forward", "__getitem__")):
        return False
    return any(_TEMPLATE_BASE.search(name) for name in run.libraries(cls))


def _home(cls: Class) -> str:
    return "/".join(Path(cls.module.path).parts[-2:])


def _annotation(parameters: list[ast.arg]) -> str:
    return ast.unparse(parameters[0].annotation) if parameters and parameters[0].annotation else ""
