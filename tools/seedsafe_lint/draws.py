"""Judges draws and seedings in worker code, and reports the wrong ones."""

import ast
import re

from seedsafe_lint.evaluator import Evaluator
from seedsafe_lint.findings import Finding, Place, Severity
from seedsafe_lint.index import Frame, Module, dotted
from seedsafe_lint.known import (
    DRAW_METHODS,
    GLOBAL_DRAWS,
    NUMPY_INSIDE,
    is_imgaug_draw,
    is_numpy_draw,
    is_python_draw,
)
from seedsafe_lint.roots import Root
from seedsafe_lint.seeds import of_worker_alone
from seedsafe_lint.values import Const, Ext, Gen, Values, constant

__all__ = ["NUMPY", "OPENCV", "PYTHON", "Draws", "place"]

NUMPY, PYTHON, OPENCV, IMGAUG = "numpy", "python", "cv2", "imgaug"
_SEEDS = {
    "numpy.random.seed": NUMPY,
    "random.seed": PYTHON,
    "cv2.setRNGSeed": OPENCV,
    "imgaug.seed": IMGAUG,
    "imgaug.random.seed": IMGAUG,
}
_SILENT_TAKERS = frozenset(
    [
        "isinstance",
        "print",
        "len",
        "repr",
        "str",
        "type",
        "id",
        "hasattr",
        "setattr",
        "deepcopy",
        "copy",
        "get_rng_state",
    ]
)
_NUMERIC = ("torch.", "numpy.", "scipy.", "sklearn.", "skimage.")
_WHOLE_SECONDS = re.compile(r"(np\.|numpy\.)?int(32|64)?\((time\.)?time\(\)\)( % [\w*() -]+)?$")
_WORDS = frozenset({"rng", "generator", "random_state", "gen", "random_generator"})


def place(module: Module, node: ast.AST) -> Place:
    """Where a node stands."""
    return Place(module.path, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)


class Draws:
    """Findings of one analysis.

    Args:
        old_torch: Judge for torch < 1.9, which leaves NumPy's global generator the same in every worker.
    """

    def __init__(self, *, old_torch: bool = False) -> None:
        self.old_torch = old_torch
        self.found: dict[tuple[Place, str], Finding] = {}
        self.root: Root | None = None
        self.used: set[str] = set()

    def report(
        self,
        code: str,
        node: ast.AST,
        module: Module,
        message: str,
        severity: Severity,
        related: Place | None = None,
    ) -> None:
        """Adds a finding, once."""
        where = place(module, node)
        end = getattr(node, "end_lineno", None) or where.line
        self.found.setdefault((where, code), Finding(where, code, message, severity, end, related))

    # Draws

    def library(
        self,
        run: Evaluator,
        name: str,
        node: ast.Call,
        frame: Frame,
        args: list[Values],
        kwargs: dict[str, Values],
    ) -> None:
        """A call into a library."""
        if name in _SEEDS:
            self.seeded(run, _SEEDS[name], node, frame, [*args, *kwargs.values()], same=True)
        elif name == "numpy.random.set_state":
            run.state.seeded.pop(NUMPY, None)
        elif is_numpy_draw(name):
            self._numpy(run, name.replace("numpy", "np", 1), node, frame)
        elif is_python_draw(name):
            self._python(run, name, node, frame)
        elif name in GLOBAL_DRAWS:
            self._process_wide(run, OPENCV, name, GLOBAL_DRAWS[name], node, frame)
        elif is_imgaug_draw(name):
            self._process_wide(run, IMGAUG, _spelled(node), "imgaug's process-wide generator", node, frame)
        elif name == "cv2.setNumThreads":
            self._threads(node, frame, args)
        elif NUMPY_INSIDE.match(name) and not _seeded_by(kwargs):
            self._numpy(run, f"{_spelled(node)} without random_state", node, frame)
        elif name.startswith("scipy.stats.") and name.endswith(".rvs") and not _seeded_by(kwargs):
            self._unseeded(
                run, f"{_spelled(node)} without random_state", "NumPy's global generator", node, frame
            )
        elif name in ("skimage.util.random_noise", "skimage.util.noise.random_noise") and not _seeded_by(
            kwargs
        ):
            self._noise(run, node, frame)
        elif name.rpartition(".")[2] not in _SILENT_TAKERS:
            self._handed_on(run, name, node, frame, args, kwargs)
        for argument, values in zip(node.args, args, strict=False):
            for value in values:
                if isinstance(value, Ext) and is_numpy_draw(value.name):
                    self._numpy(run, value.name.replace("numpy", "np", 1), argument, frame)

    def method(self, run: Evaluator, node: ast.Call, frame: Frame) -> None:
        """A call of an unknown object's method: pandas' ``sample`` without random_state draws from NumPy's generator."""
        func, words = node.func, {word.arg for word in node.keywords}
        named = isinstance(func, ast.Attribute) and func.attr == "sample" and "pandas" in frame.module.text
        if named and words & {"n", "frac"} and "random_state" not in words:
            self._numpy(run, f"{_spelled(node)} without random_state", node, frame)

    def generator(self, run: Evaluator, gen: Gen, name: str, node: ast.AST, frame: Frame) -> None:
        """A call of a generator's method."""
        if name not in DRAW_METHODS:
            return
        if gen.node in run.state.seeded:
            return
        if gen.stored and not run.filling:
            self._stored(gen, _spelled(node), node, frame)

    def made(self, run: Evaluator, gen: Gen, node: ast.AST, frame: Frame) -> None:
        """A generator made in worker code."""
        if gen.seed == "constant" and gen.kind != "torch.Generator" and self.root and self.root.per_sample:
            made = gen.node
            if isinstance(made, ast.Call) and made.args and isinstance(made.args[0], ast.Constant):
                self._constant(f"{gen.kind} with a constant seed", node, frame)

    def seeded(
        self, run: Evaluator, what: object, node: ast.Call, frame: Frame, args: list[Values], *, same: bool
    ) -> None:
        """A generator seeded anew."""
        given = [values for values in args if values != (Const(None),)]
        fixed = bool(given) and all(constant(values) for values in given)
        run.state.seeded[what] = "constant" if fixed else "varying"
        if run.worker and node.args and _WHOLE_SECONDS.match(ast.unparse(node.args[0])):
            self._constant(f"{_spelled(node)} with the clock's whole seconds", node, frame)
            return
        if run.worker and what == NUMPY and self.root and of_worker_alone(node, frame.function):
            self.report(
                "SSF006",
                node,
                frame.module,
                f"{_spelled(node)} in {self.root.label} depends on nothing but the worker's number: every epoch repeats the "
                "same numbers; use torch.initial_seed() % 2**32",
                "error",
            )
            return
        literal = bool(node.args) and isinstance(node.args[0], ast.Constant)
        sample = self.root is not None and self.root.per_sample
        if run.worker and fixed and sample and self.root and (literal or "__getitem__" in self.root.label):
            self._constant(f"{_spelled(node)} with a constant seed", node, frame)

    def _numpy(self, run: Evaluator, what: str, node: ast.AST, frame: Frame) -> None:
        self.used.add(NUMPY)
        root = self.root
        if root is None or NUMPY in run.state.seeded or root.cured:
            return
        text = f"{what} draws from NumPy's global generator in worker code ({root.label}): "
        if root.framework == "torch" and not self.old_torch:
            severity: Severity = "warning"
            text += (
                "torch >= 1.9 seeds it in each worker, yet the numbers depend on num_workers and on which worker "
                "serves the sample; older torch repeats them in every worker"
            )
        elif root.framework == "tf.data":
            severity = "warning"
            text += "from_generator runs it beside the training code, so the numbers depend on prefetching and on every other draw"
        elif root.framework == "keras":
            severity = "error"
            text += (
                "with use_multiprocessing every process repeats the same numbers, in every epoch; with threads they depend "
                "on timing"
            )
        else:
            severity = "error"
            text += (
                "worker processes start from copies of the same state and repeat the same numbers, unless the framework "
                "seeds them (torch does since 1.9)"
            )
        self.report("SSF001", node, frame.module, text, severity)

    def _stored(self, gen: Gen, what: str, node: ast.AST, frame: Frame) -> None:
        root = self.root
        if root is None:
            return
        self.used.add("stored")
        made = place(gen.module, gen.node)
        source = "passed in as an argument" if gen.kind == "argument" else f"made by {gen.kind}"
        text = (
            f"{what} draws from a generator that every worker has a copy of ({source}, line {made.line}"
            f"{'' if made.path == frame.module.path else ' of ' + made.path}; {root.label}): "
        )
        if root.framework == "tf.data":
            text += "the numbers depend on prefetching and differ from epoch to epoch only by accident"
        else:
            text += "workers repeat each other's numbers, and epochs repeat too; no framework seeds it anew"
        self.report("SSF002", node, frame.module, text, "error", made)

    def _process_wide(
        self, run: Evaluator, key: str, what: str, source: str, node: ast.AST, frame: Frame
    ) -> None:
        self.used.add(key)
        if key in run.state.seeded:
            return
        self._unseeded(run, what, source, node, frame)

    def _unseeded(self, run: Evaluator, what: str, source: str, node: ast.AST, frame: Frame) -> None:
        root = self.root
        if root is None or (source.startswith("NumPy") and (NUMPY in run.state.seeded or root.cured)):
            return
        if source.startswith("NumPy"):
            end = "a hidden draw, seeded by torch >= 1.9 only and dependent on the workers even there"
        else:
            end = "no framework seeds it, so workers repeat the same numbers"
        self.report(
            "SSF003",
            node,
            frame.module,
            f"{what} draws from {source} in worker code ({root.label}): {end}",
            "error",
        )

    def _noise(self, run: Evaluator, node: ast.AST, frame: Frame) -> None:
        root = self.root
        if root is None or NUMPY in run.state.seeded or root.cured:
            return
        self.report(
            "SSF003",
            node,
            frame.module,
            f"skimage's random_noise without rng in worker code ({root.label}): NumPy's global generator up to "
            "scikit-image 0.18, fresh entropy that no seed reaches since 0.19",
            "warning",
        )

    def _python(self, run: Evaluator, name: str, node: ast.AST, frame: Frame) -> None:
        self.used.add(PYTHON)
        root = self.root
        if root is None or PYTHON in run.state.seeded:
            return
        self.report(
            "SSF017",
            node,
            frame.module,
            f"{name} draws from Python's global generator in worker code ({root.label}): torch seeds it in each worker "
            "and Python itself after a fork, yet the numbers depend on the workers or on no seed at all",
            "note",
        )

    def _constant(self, what: str, node: ast.AST, frame: Frame) -> None:
        label = self.root.label if self.root else ""
        self.report(
            "SSF004",
            node,
            frame.module,
            f"{what} in {label}: {_alike(what)} get the same numbers",
            "error",
        )

    def accumulated(self, run: Evaluator, node: ast.AugAssign, target: ast.Attribute, frame: Frame) -> None:
        """An attribute of a stored object that grows with each sample."""
        root = self.root
        if root is None or not root.per_sample or root.cls is None or "__getitem__" not in root.label:
            return
        if "cache" in target.attr:
            return
        self.report(
            "SSF013",
            node,
            frame.module,
            f"self.{target.attr} grows with each sample in {root.label}: each worker counts in a copy of its own, which is "
            "lost when it ends, and threads race for it",
            "warning",
        )

    def _threads(self, node: ast.Call, frame: Frame, args: list[Values]) -> None:
        for value in args[0] if args else ():
            if isinstance(value, Const) and isinstance(value.value, int) and value.value >= 1:
                self.threads(node, frame.module)

    def threads(self, node: ast.AST, module: Module) -> None:
        """Reports ``cv2.setNumThreads(n)`` with n >= 1 in a worker."""
        self.report(
            "SSF016",
            node,
            module,
            "cv2.setNumThreads with a positive number in a worker joins threads that the fork left behind and can hang for "
            "ever: pass 0",
            "error",
        )

    def _handed_on(
        self,
        run: Evaluator,
        name: str,
        node: ast.Call,
        frame: Frame,
        args: list[Values],
        kwargs: dict[str, Values],
    ) -> None:
        for word, values in [*((None, v) for v in args), *kwargs.items()]:
            for value in values:
                if not isinstance(value, Gen) or not value.stored or value.node in run.state.seeded:
                    continue
                if value.kind != "argument" or (word in _WORDS and name.startswith(_NUMERIC)):
                    self._stored(value, _spelled(node), node, frame)


def _alike(what: str) -> str:
    return "all samples served within a second" if "seconds" in what else "all samples of all epochs"


def _seeded_by(kwargs: dict[str, Values]) -> bool:
    return any(kwargs.get(word, (Const(None),)) != (Const(None),) for word in ("random_state", "rng", "seed"))


def _spelled(node: ast.AST) -> str:
    name = dotted(node)
    return re.sub(r"^\.", "", name) or "this call"
