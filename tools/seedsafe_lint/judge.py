"""Judge draws and seeds in worker code."""

import ast
import re
from dataclasses import dataclass

from seedsafe_lint import known
from seedsafe_lint.context import EVERY, TRACED, Context
from seedsafe_lint.findings import Findings, Owners, Place, place
from seedsafe_lint.index import Class, Frame, Values
from seedsafe_lint.known import IMGAUG, NUMPY, OPENCV
from seedsafe_lint.messages import MESSAGES
from seedsafe_lint.patterns import (
    chooses_sample,
    clock_kind,
    hashes_string,
    is_counter,
    is_whole_seconds,
    is_worker_alone,
)
from seedsafe_lint.syntax import dotted
from seedsafe_lint.values import Const, Ext, Gen, Saved, constant

__all__ = ["Judge"]

_OWN = {OPENCV: "OpenCV's process-wide generator", IMGAUG: "imgaug's process-wide generator"}
_SILENT_TAKERS = known.words(
    "isinstance print len repr str type id hasattr setattr deepcopy copy get_rng_state"
)
_NOISE = known.words("skimage.util.random_noise skimage.util.noise.random_noise")
_NUMERIC = ("torch.", "numpy.", "scipy.", "sklearn.", "skimage.")
_BRIDGED = re.compile(r"(numpy|stored|own|hidden|noise|python|constant)( |$)")
_READS = re.compile(r"\.(__getitem__|__getitems__|get|get_example)$")
_WORDS = frozenset({"rng", "generator", "random_state", "gen", "random_generator"})


@dataclass(eq=False)
class Judge:
    """Judges the draws and seeds of worker code, and reports the wrong ones."""

    context: Context
    findings: Findings
    old_torch: bool = False

    def say(
        self,
        key: str,
        node: ast.AST,
        path: str,
        related: Place | None = None,
        cause: str = "",
        cls: Class | None = None,
        **words: str,
    ) -> None:
        """Report the message with this key."""
        code, severity, text = MESSAGES[key]
        cls = cls or (self.context.root.cls if self.context.root else None)
        if cls and not self.context.project.used(cls):
            severity, text = "note", f"{text[:-1]} (a note: nothing in these files uses {cls.name})."
        cause = cause or words.get("root", "")
        near = self.context.root is not None and self.context.root.fn.function.has(node, path)
        needs = "cv2" if cause == OPENCV else ""
        self.findings.report(
            code,
            node,
            path,
            text.format(**words),
            severity,
            related,
            cause,
            near,
            needs,
            self._owners(key, node),
        )

    def _owners(self, key: str, node: ast.AST) -> Owners:
        """Return whose draw or seed a bridge would key, or None if it would not."""
        root = self.context.root
        fresh = key == "constant" and known.GENERATORS.get(f"numpy.{dotted(node).partition('.')[2]}")
        if root is None or fresh or not _BRIDGED.match(key):
            return None
        owner = root.cls or root.fn.function
        return frozenset({(place(owner.module.path, owner.node), owner.name)})

    def seed(self, key: str, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a wrong seed."""
        self.context.events += 1
        label = self.context.root.label if self.context.root else ""
        self.say(key, node, frame.module.path, what=what, root=label)

    def draw(self, generator: str, key: str, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a draw from a process-wide generator, unless the sample seeded it."""
        context = self.context
        context.events += 1
        root = context.root
        if root is None or generator in context.state.seeds or (generator == NUMPY and root.cured):
            return
        source = _OWN.get(generator, "NumPy's global generator")
        key = "traced" if root.framework == TRACED else key
        self.say(key, node, frame.module.path, cause=generator, what=what, root=root.label, source=source)

    def numpy(self, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a draw from NumPy's global generator."""
        framework = self.context.root.framework if self.context.root else ""
        key = f"numpy {framework}" if framework != "torch" or not self.old_torch else "numpy"
        self.draw(NUMPY, key if key in MESSAGES else "numpy", what, node, frame)

    def stored_draw(self, gen: Gen, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a draw from a generator that is made before the workers start."""
        self.context.events += 1
        root = self.context.root
        if root is None or (root.actor and gen.seed != "constant"):
            return
        result, path = place(gen.module.path, gen.node), frame.module.path
        source = "passed in as an argument" if gen.kind == "argument" else f"made by {gen.kind}"
        cell = f" of cell {result.cell}" if result.cell else ""
        source += f", line {result.line}{cell}" + ("" if result.path == path else f" of {result.path}")
        key = {"tf.data": "stored tf.data", TRACED: "traced"}.get(root.framework, "stored")
        self.say(key, node, path, result, what=what, source=source, root=root.label)

    def growth(self, node: ast.AugAssign, target: ast.Attribute, frame: Frame) -> None:
        """Report an attribute of a stored object that grows with each sample."""
        self.context.events += 1
        root = self.context.root
        if root is None or not root.per_sample or root.cls is None or "cache" in target.attr:
            return
        if "__getitem__" in root.label and not (
            frame.function and chooses_sample(frame.function, target.attr)
        ):
            self.say("grows", node, frame.module.path, what=target.attr, root=root.label)

    def library(
        self, name: str, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> None:
        """Judge a call into a library."""
        if name in known.SEEDERS:
            self.seeding(known.SEEDERS[name], node, frame, [*args, *kwargs.values()])
        elif name in known.RESTORERS:
            self.context.events += 1
            saved = [v.seed for values in args for v in values if isinstance(v, Saved) and v.seed]
            self.context.state.seeds.pop(known.RESTORERS[name], None)
            if saved:
                self.context.state.seeds[known.RESTORERS[name]] = saved[0]
        elif not self._draws(name, node, frame, kwargs) and name.rpartition(".")[2] not in _SILENT_TAKERS:
            self._arguments(name, node, frame, args, kwargs)
        for argument, values in zip(node.args, args, strict=False):
            for value in values:
                if isinstance(value, Ext) and known.is_numpy_draw(value.name):
                    self.numpy(value.name.replace("numpy", "np", 1), argument, frame)

    def _draws(self, name: str, node: ast.Call, frame: Frame, kwargs: dict[str, Values]) -> bool:
        """Judge a call that draws from a process-wide generator, and return whether it does."""
        if known.is_numpy_draw(name):
            self.numpy(name.replace("numpy", "np", 1), node, frame)
        elif known.is_python_draw(name):
            self.draw(known.PYTHON, "python", name, node, frame)
        elif name in known.GLOBAL_DRAWS:
            self.draw(known.OPENCV, "own", name, node, frame)
        elif known.is_imgaug_draw(name):
            self.draw(known.IMGAUG, "own", _spelling(node), node, frame)
        elif _has_seed(kwargs):
            return False
        elif known.NUMPY_INSIDE.match(name):
            self.numpy(f"{_spelling(node)} without random_state", node, frame)
        elif name.startswith("scipy.stats.") and name.endswith(".rvs"):
            self.draw(known.NUMPY, "hidden", f"{_spelling(node)} without random_state", node, frame)
        elif name in _NOISE:
            self.draw(known.NUMPY, "noise", name, node, frame)
        else:
            return False
        return True

    def method(self, node: ast.Call, frame: Frame) -> None:
        """Judge a method of an unknown object: pandas' ``sample`` without random_state draws from NumPy's generator."""
        func, words = node.func, {word.arg for word in node.keywords}
        named = isinstance(func, ast.Attribute) and func.attr == "sample" and "pandas" in frame.module.text
        if named and words & {"n", "frac"} and "random_state" not in words:
            self.numpy(f"{_spelling(node)} without random_state", node, frame)

    def generator(self, gen: Gen, name: str, node: ast.AST, frame: Frame) -> None:
        """Judge a call of a generator's method."""
        self.context.events += 1
        seeded = not self.context.state.seeds.keys().isdisjoint((gen.node, EVERY))
        if name in known.DRAW_METHODS and gen.stored and not seeded and not self.context.filling:
            self.stored_draw(gen, _spelling(node), node, frame)

    def new_generator(self, gen: Gen, node: ast.AST, frame: Frame) -> None:
        """Judge a new generator in worker code."""
        self.context.events += 1
        root, result = self.context.root, gen.node
        if root is None or not isinstance(result, ast.Call) or self._is_unrelated(result, gen.kind, frame):
            return
        if not root.per_sample or gen.seed != "constant" or gen.kind == "torch.Generator":
            return
        literal = bool(result.args) and isinstance(result.args[0], ast.Constant)
        # A Philox may get its state from a key later.
        if literal or (_READS.search(root.label) and not gen.kind.endswith("Philox")):
            self.seed("constant", f"{gen.kind} with a constant seed", node, frame)

    def seeding(self, what: object, node: ast.Call, frame: Frame, args: list[Values]) -> None:
        """Judge a call that seeds a generator."""
        self.context.events += 1
        seeds = [values for values in args if values != (Const(None),)]
        fixed = bool(seeds) and all(constant(values) for values in seeds)
        root = self.context.root
        if root and self.context.worker and not seeds and isinstance(what, str):
            self.seed("entropy", _spelling(node), node, frame)
            return
        self.context.state.seeds[what] = "constant" if fixed else "varying"
        if not self.context.worker or root is None:
            return
        if node.args and is_whole_seconds(node.args[0]):
            self.seed("seconds", f"{_spelling(node)} with the clock's whole seconds", node, frame)
        elif self._is_unrelated(node, _spelling(node), frame):
            pass
        elif fixed and root.per_sample:
            literal = bool(node.args) and isinstance(node.args[0], ast.Constant) and what != "torch"
            if literal or _READS.search(root.label):
                self.seed("constant", f"{_spelling(node)} with a constant seed", node, frame)

    def _is_unrelated(self, node: ast.Call, what: str, frame: Frame) -> bool:
        """Report a seed from the time, the worker or the run instead of the sample. Return whether it is one."""
        function, root = frame.function, self.context.root
        if function is None or root is None:
            return False
        if hashes_string(node, function):
            self.seed("hash", what, node, frame)
        elif is_worker_alone(node, function):
            self.seed("worker alone", what, node, frame)
        elif root.per_sample and (clock := clock_kind(node, function)):
            self.seed(clock, f"{what} with the clock", node, frame)
        elif root.per_sample and is_counter(node, function, self.context.functions):
            self.seed("counted", f"{what} with a counter", node, frame)
        else:
            return False
        return True

    def _arguments(
        self, name: str, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> None:
        for word, values in [*((None, v) for v in args), *kwargs.items()]:
            for value in values:
                if (
                    not isinstance(value, Gen)
                    or not value.stored
                    or not self.context.state.seeds.keys().isdisjoint((value.node, EVERY))
                ):
                    continue
                self.context.events += 1
                if value.kind != "argument" or (word in _WORDS and name.startswith(_NUMERIC)):
                    self.stored_draw(value, _spelling(node), node, frame)


def _spelling(node: ast.AST) -> str:
    """Return a call as the file spells it, without arguments."""
    return dotted(node).removeprefix(".") or "this call"


def _has_seed(kwargs: dict[str, Values]) -> bool:
    return any(kwargs.get(word, (Const(None),)) != (Const(None),) for word in ("random_state", "rng", "seed"))
