"""Judge draws and seeds in worker code."""

import ast
import re
from dataclasses import dataclass, field

from seedsafe_lint import known
from seedsafe_lint.context import EVERY, TRACED, Context
from seedsafe_lint.epochs import epoch_fault
from seedsafe_lint.findings import Finding, Owners, Place, keep, place
from seedsafe_lint.index import Class, Frame, Function, Values, statements
from seedsafe_lint.known import IMGAUG, NUMPY, OPENCV
from seedsafe_lint.messages import MESSAGES
from seedsafe_lint.patterns import (
    adds_epoch,
    chooses_sample,
    clock_kind,
    expand,
    hashes_string,
    is_counter,
    is_whole_seconds,
    is_worker_alone,
    orders_alone,
)
from seedsafe_lint.syntax import dotted
from seedsafe_lint.tables import patterns
from seedsafe_lint.values import Const, Drawn, Ext, Gen, Saved, constant, drawn

__all__ = ["Judge"]

_RE = patterns("judge")

_OWN = {OPENCV: "OpenCV's process-wide generator", IMGAUG: "imgaug's process-wide generator"}
_NUMERIC = ("torch.", "numpy.", "scipy.", "sklearn.", "skimage.")


@dataclass(eq=False)
class Judge:
    """Judges the draws and seeds of worker code, and reports the wrong ones."""

    context: Context
    old_torch: bool = False
    found: dict[tuple[Place, str], Finding] = field(default_factory=dict)

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
        code, severity, text, _ = MESSAGES[key]
        cls = cls or (self.context.root.cls if self.context.root else None)
        if cls and not self.context.project.used(cls):
            severity, text = "note", f"{text[:-1]} (a note: nothing in these files uses {cls.name})."
        cause = cause or words.get("root", "")
        near = self.context.root is not None and self.context.root.fn.function.has(node, path)
        where, first = place(path, node), getattr(node, "lineno", 1)
        end = where.line + (getattr(node, "end_lineno", None) or first) - first
        details = related, cause, near, key, words.get("what", ""), "cv2" if cause == OPENCV else ""
        owners, loaders = self._owners(key, node), self.context.project.loading(cls, path)
        keep(self.found, Finding(where, code, text.format(**words), severity, end, *details, owners, loaders))

    def _owners(self, key: str, node: ast.AST) -> Owners:
        """Return whose draw or seed a bridge would key, or None if it would not."""
        root = self.context.root
        fresh = key == "constant" and known.FACTS.GENERATORS.get(f"numpy.{dotted(node).partition('.')[2]}")
        if root is None or fresh or not _RE.BRIDGED.match(key):
            return None
        owner = root.cls or root.fn.function
        return frozenset({(place(owner.module.path, owner.node), owner.name)})

    def seed(self, key: str, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a wrong seed."""
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
        if _in_sampler(frame):
            return
        key = f"numpy {framework}" if framework != "torch" or not self.old_torch else "numpy"
        self.draw(NUMPY, key if key in MESSAGES else "numpy", what, node, frame)

    def stored_draw(self, gen: Gen, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a draw from a generator that is made before the workers start."""
        root = self.context.root
        if root is None or (root.actor and gen.seed != "constant") or _in_sampler(frame):
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
        counts = _RE.OF_CACHE.search(target.attr) or owner_counts_itself(frame, target.attr)
        if not (root and root.per_sample and root.cls and "__getitem__" in root.label) or counts:
            return
        if not (frame.function and chooses_sample(frame.function, target.attr)):
            self.say("grows", node, frame.module.path, what=target.attr, root=root.label)

    def library(
        self, name: str, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> None:
        """Judge a call into a library."""
        if name in known.FACTS.SEEDERS:
            self.seeding(known.FACTS.SEEDERS[name], node, frame, [*args, *kwargs.values()])
        elif name in known.RESTORERS:
            self.context.events += 1
            saved = [v.seed for values in args for v in values if isinstance(v, Saved) and v.seed]
            self.context.state.seeds.pop(known.RESTORERS[name], None)
            if saved:
                self.context.state.seeds[known.RESTORERS[name]] = saved[0]
        elif not self._draws(name, node, frame, kwargs) and name.rpartition(".")[2] not in _RE.SILENT_TAKERS:
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
        elif name in known.FACTS.GLOBAL_DRAWS:
            self.draw(known.OPENCV, "own", name, node, frame)
        elif known.is_imgaug_draw(name):
            self.draw(known.IMGAUG, "own", _spelling(node), node, frame)
        elif _has_seed(kwargs):
            return False
        elif known.FACTS.NUMPY_INSIDE.match(name):
            self.numpy(f"{_spelling(node)} without random_state", node, frame)
        elif name.startswith("scipy.stats.") and name.endswith(".rvs"):
            torch = self.context.root and self.context.root.framework == "torch" and not self.old_torch
            key = "hidden torch" if torch else "hidden"
            self.draw(known.NUMPY, key, f"{_spelling(node)} without random_state", node, frame)
        elif name in _RE.NOISE:
            self.draw(known.NUMPY, "noise", name, node, frame)
        else:
            return False
        return True

    def method(self, node: ast.Call, frame: Frame, args: list[Values]) -> None:
        """Judge a method of an unknown object: pandas' ``sample`` without random_state draws from NumPy's generator."""
        func, words = node.func, {word.arg for word in node.keywords}
        if not isinstance(func, ast.Attribute):
            return
        if func.attr in _RE.KEEPERS and any(map(drawn, args)) and self._is_stored(func.value, frame):
            kept, by_index = ast.unparse(func.value), rf"{re.escape(ast.unparse(func.value))}\[(?!-?\d)"
            if func.attr == "setdefault" or (frame.cls and re.search(by_index, frame.cls.code)):
                self._say_kept("kept", kept, node, frame)
        named = func.attr == "sample" and "pandas" in frame.module.text
        if named and words & {"n", "frac"} and "random_state" not in words:
            self.numpy(f"{_spelling(node)} without random_state", node, frame)

    def generator(self, gen: Gen, name: str, node: ast.AST, frame: Frame) -> None:
        """Judge a call of a generator's method."""
        self.context.events += 1
        hidden = not gen.stored or self._is_seeded(gen) or self.context.filling
        if name in known.FACTS.DRAW_METHODS and not hidden:
            self.stored_draw(gen, _spelling(node), node, frame)

    def new_generator(self, gen: Gen, node: ast.Call, frame: Frame, args: list[Values]) -> None:
        """Judge a new generator in worker code."""
        self.context.events += 1
        root, made = self.context.root, gen.node
        if root is None or not isinstance(made, ast.Call):
            return
        # A Philox may get its state from a key later, and a key of jax its index.
        later = gen.kind.endswith("Philox") or (frame.function and "fold_in(" in frame.function.text)
        constant = (
            gen.seed == "constant" and not (later and root.per_sample) and gen.kind != "torch.Generator"
        )
        if self._seeded(gen.kind, node, frame, args, gen.kind, constant, made):
            return
        if gen.seed == "none" and root.per_sample and not self.context.filling:
            self.seed("fresh", _spelling(node), node, frame)

    def seeding(
        self, what: object, node: ast.Call, frame: Frame, args: list[Values], source: str = ""
    ) -> None:
        """Judge a call that seeds a generator."""
        self.context.events += 1
        seeds = [values for values in args if values != (Const(None),)]
        fixed = bool(seeds) and all(constant(values) for values in seeds)
        root = self.context.root
        named = isinstance(node.func, ast.Attribute) and node.func.attr == "seed"
        if root and self.context.worker and not seeds and (isinstance(what, str) or named):
            self.seed("entropy", _spelling(node), node, frame)
            return
        self.context.state.seeds[what] = "constant" if fixed else "varying"
        if self.context.worker and root:
            self._seeded(_spelling(node), node, frame, seeds, source or str(what), fixed)

    def _seeded(
        self,
        what: str,
        node: ast.Call,
        frame: Frame,
        seeds: list[Values],
        source: str,
        fixed: bool,
        made: ast.Call | None = None,
    ) -> bool:
        """Report a wrong seed, and return whether it is one."""
        root, made = self.context.root, made or node
        if self._is_unrelated(made, what, frame) or self._drawn(what, node, frame, seeds, source):
            return True
        if root and fixed and not root.per_sample:
            self._of_stream(f"{what} with a constant seed", node, frame)
        elif root and fixed:
            name = dotted(made.args[0]) if made.args else "."
            given = "." in name or bool(frame.function and name in frame.function.parameters)
            literal = not given and all(isinstance(value, Const) for value in seeds[0])
            if (literal and source != "torch") or _RE.READS.search(root.label):
                self.seed("constant", f"{what} with a constant seed", node, frame)
        return False

    def _epoch(self, parts: list[ast.AST], function: Function) -> tuple[str, str] | None:
        """Return the fault of a seed from an epoch that the workers never hear of, and the attribute for the epoch."""
        cls = function.cls
        for part in parts if cls else ():
            match part:
                case ast.Attribute(value=ast.Name(id=owner), attr=attr) if (
                    owner == function.this and "epoch" in attr
                ):
                    fault = epoch_fault(self.context.project, cls, attr)  # type: ignore[arg-type]
                    return (fault, attr) if fault else None
        return None

    def _drawn(self, what: str, node: ast.Call, frame: Frame, seeds: list[Values], seeded: str = "") -> bool:
        """Report a seed that the generator itself has drawn, or the one of the worker. Return whether it is one."""
        root, function = self.context.root, frame.function
        drawn = {v.source for values in seeds for v in values if isinstance(v, Drawn) and v.pure}
        if root is None or function is None or not root.per_sample:
            return False
        if seeded in drawn and not any(_RE.PUT_BACK.search(f.text) for f in (function, root.fn.function)):
            self.seed("drawn seed", what, node, frame)
        elif {known.INITIAL, known.ENTROPY} & drawn and not self.context.filling:
            self.seed("initial seed" if known.INITIAL in drawn else "entropy", what, node, frame)
        else:
            return False
        return True

    def _of_stream(self, what: str, node: ast.Call, frame: Frame) -> None:
        """Report a seed that is the same for all workers and epochs, unless they share out an order that all of them draw alike."""
        root = self.context.root
        if not (root and root.cls and frame.function and re.search(r"\.__(iter|next)__$", root.label)):
            return
        shared_out = _RE.SHARED_OUT.search(root.cls.code) and orders_alone(node, frame.function)
        if not _RE.CHANGING.search(root.cls.code) and not shared_out:
            self.seed("constant stream", what, node, frame)

    def item(self, owner: ast.expr, values: Values, node: ast.Subscript, frame: Frame) -> None:
        """Report a draw that a read keeps for its sample, and state that it takes over from the last one."""
        root, function, path = self.context.root, frame.function, ast.unparse(owner)
        if not (root and root.cls and root.per_sample and function and self._is_stored(owner, frame)):
            return
        name, text = re.escape(path), function.cls.code if function.cls else ast.unparse(function.node)
        asked = rf"\bin {name}\b|{name}(\.get\(|\[[^]]+\] (is|==|!=|<|>))|KeyError|isnan\({name}"
        if drawn(values):
            by = node.slice
            # A partner's is kept by its own number, although that was drawn.
            of_partner = isinstance(by, ast.Name) and drawn(frame.vars.get(by.id, ()))
            if re.search(asked, text) and not isinstance(by, ast.Constant) and not of_partner:
                self._say_kept("kept", path, node, frame)
        elif "cache" not in path.lower() and self._updates(node, path, function):
            self._say_kept("carried", path, node, frame)

    def _updates(self, target: ast.AST, path: str, function: Function) -> bool:
        """Return whether the value of an assignment is computed from the one before."""
        assigned = (node for node in statements(function.body) if isinstance(node, ast.Assign))
        node = next((node for node in assigned if target in node.targets), None)
        if node is None or "share_memory" in function.module.text:
            return False
        parts = list(expand(node.value, function))
        named = (part for part in parts if isinstance(part, ast.Attribute | ast.Name))
        computed = any(isinstance(part, ast.BinOp | ast.UnaryOp) for part in parts)
        return computed and path in map(ast.unparse, named)

    def _is_stored(self, owner: ast.expr, frame: Frame) -> bool:
        """Return whether an expression is an attribute of the method's object, or a variable of the module."""
        function = frame.function
        match owner:
            case ast.Attribute(value=ast.Name(id=name)):
                return function is not None and name == function.this
            case ast.Name(id=name):
                return function is not None and name not in frame.vars and name in frame.module.scope.names
            case _:
                return False

    def cached(self, function: Function, values: Values) -> None:
        """Report a function that remembers what it has drawn."""
        if drawn(values) and len(function.positional) > bool(function.this):
            frame = Frame(function.module, function=function)
            self._say_kept("kept", function.label, function.node, frame)

    def _say_kept(self, key: str, what: str, node: ast.AST, frame: Frame) -> None:
        self.context.events += 1
        root = self.context.root
        if root and _RE.READS.search(root.label):
            self.say(key, node, frame.module.path, what=what, root=root.label)

    def _is_unrelated(self, node: ast.Call, what: str, frame: Frame) -> bool:
        """Report a seed from the time, the worker or the run instead of the sample. Return whether it is one."""
        function, root = frame.function, self.context.root
        if function is None or root is None:
            return False
        parts = [part for argument in node.args for part in expand(argument, function)]
        if hashes_string(parts, function):
            self.seed("hash", what, node, frame)
        elif is_worker_alone(parts, function):
            self.seed("worker alone", what, node, frame)
        elif node.args and is_whole_seconds(node.args[0]):
            self.seed("seconds", f"{what} with the clock's whole seconds", node, frame)
        elif root.per_sample and (clock := clock_kind(parts, function)):
            self.seed(clock, f"{what} with the clock", node, frame)
        elif key := self._epoch(parts, function):
            fault, attr = key
            self.say(fault, node, frame.module.path, what=what, attr=attr, root=root.label)
        elif root.per_sample and adds_epoch(parts, function):
            self.seed("added", what, node, frame)
        elif root.per_sample and is_counter(parts, function, self.context.functions):
            self.seed("counted", f"{what} with a counter", node, frame)
        else:
            return False
        return True

    def _arguments(
        self, name: str, node: ast.Call, frame: Frame, args: list[Values], kwargs: dict[str, Values]
    ) -> None:
        for word, values in [*((None, v) for v in args), *kwargs.items()]:
            for value in values:
                if isinstance(value, Gen) and value.stored and not self._is_seeded(value):
                    self.context.events += 1
                    if value.kind != "argument" or (word in _RE.WORDS and name.startswith(_NUMERIC)):
                        self.stored_draw(value, _spelling(node), node, frame)

    def _is_seeded(self, gen: Gen) -> bool:
        """Return whether the code run so far has seeded a generator, or all of them."""
        return not self.context.state.seeds.keys().isdisjoint((gen.node, EVERY))


def owner_counts_itself(frame: Frame, attr: str) -> bool:
    """Return whether an attribute counts what a cache or a buffer holds: the class has such a name, or takes from it as well."""
    cls = frame.cls
    return cls is not None and (f".{attr} -= " in cls.code or bool(_RE.HOLDER.search(cls.name)))


def _in_sampler(frame: Frame) -> bool:
    """Return whether code belongs to a sampler, whose order all workers have to share."""
    return frame.cls is not None and any(dotted(base).endswith("Sampler") for base in frame.cls.node.bases)


def _spelling(node: ast.AST) -> str:
    """Return a call as the file spells it, without arguments."""
    return dotted(node).removeprefix(".") or "this call"


def _has_seed(kwargs: dict[str, Values]) -> bool:
    return any(kwargs.get(word, (Const(None),)) != (Const(None),) for word in ("random_state", "rng", "seed"))
