"""What is said of a wrong draw or seeding: the rule, the words, the severity."""

import ast
import re

from seedsafe_lint.context import Context
from seedsafe_lint.findings import Findings, Severity, place
from seedsafe_lint.index import Frame, Module
from seedsafe_lint.known import NUMPY, PYTHON
from seedsafe_lint.syntax import dotted
from seedsafe_lint.values import Gen

__all__ = ["Verdicts", "spelled"]


class Verdicts:
    """Reports what worker code draws and seeds wrongly.

    Args:
        context: What all parts share.
        findings: Takes the findings.
        old_torch: Judge for torch < 1.9, which leaves NumPy's global generator the same in every worker.
    """

    def __init__(self, context: Context, findings: Findings, *, old_torch: bool = False) -> None:
        self.context = context
        self.findings = findings
        self.old_torch = old_torch

    def numpy(self, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a draw from NumPy's global generator."""
        self.context.events += 1
        self.context.drawn.add(NUMPY)
        root = self.context.root
        if root is None or NUMPY in self.context.state.seeded or root.cured:
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
        text += "; draw from np.random.default_rng((seed, epoch, index))"
        self.findings.report("SSF001", node, frame.module.path, text, severity)

    def stored(self, gen: Gen, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a draw from a generator that was made before the workers started."""
        self.context.events += 1
        root = self.context.root
        if root is None:
            return
        self.context.drawn.add("stored")
        made = place(gen.module.path, gen.node)
        source = "passed in as an argument" if gen.kind == "argument" else f"made by {gen.kind}"
        text = (
            f"{what} draws from a generator that every worker has a copy of ({source}, line {made.line}"
            f"{'' if made.path == frame.module.path else ' of ' + made.path}; {root.label}): "
        )
        if root.framework == "tf.data":
            text += "the numbers depend on prefetching and differ from epoch to epoch only by accident"
        else:
            text += "workers repeat each other's numbers, and epochs repeat too; no framework seeds it anew"
        text += "; make a generator from (seed, epoch, index) for each sample"
        self.findings.report("SSF002", node, frame.module.path, text, "error", made)

    def process_wide(self, key: str, what: str, source: str, node: ast.AST, frame: Frame) -> None:
        """Report a draw from a process-wide generator of a library."""
        self.context.events += 1
        self.context.drawn.add(key)
        if key in self.context.state.seeded:
            return
        self.unseeded(what, source, node, frame)

    def unseeded(self, what: str, source: str, node: ast.AST, frame: Frame) -> None:
        """Report a draw that a library makes from a generator that it keeps."""
        self.context.events += 1
        root = self.context.root
        if root is None or (
            source.startswith("NumPy") and (NUMPY in self.context.state.seeded or root.cured)
        ):
            return
        if source.startswith("NumPy"):
            end = "a hidden draw, seeded by torch >= 1.9 only and dependent on the workers even there"
        else:
            end = "no framework seeds it, so workers repeat the same numbers"
        self.findings.report(
            "SSF003",
            node,
            frame.module.path,
            f"{what} draws from {source} in worker code ({root.label}): {end}; seed it, or draw yourself, from "
            "(seed, epoch, index)",
            "error",
        )

    def noise(self, node: ast.AST, frame: Frame) -> None:
        """Report a call of skimage's random_noise."""
        self.context.events += 1
        root = self.context.root
        if root is None or NUMPY in self.context.state.seeded or root.cured:
            return
        self.findings.report(
            "SSF003",
            node,
            frame.module.path,
            f"skimage's random_noise without rng in worker code ({root.label}): NumPy's global generator up to "
            "scikit-image 0.18, fresh entropy that no seed reaches since 0.19; pass "
            "rng=np.random.default_rng((seed, epoch, index))",
            "warning",
        )

    def python(self, name: str, node: ast.AST, frame: Frame) -> None:
        """Report a draw from Python's global generator."""
        self.context.events += 1
        self.context.drawn.add(PYTHON)
        root = self.context.root
        if root is None or PYTHON in self.context.state.seeded:
            return
        self.findings.report(
            "SSF017",
            node,
            frame.module.path,
            f"{name} draws from Python's global generator in worker code ({root.label}): torch seeds it in each worker "
            "and Python itself after a fork, yet the numbers depend on the workers or on no seed at all; "
            "draw from a generator made from (seed, epoch, index)",
            "note",
        )

    def constant(self, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a seed that is the same for all samples."""
        self.context.events += 1
        label = self.context.root.label if self.context.root else ""
        self.findings.report(
            "SSF004",
            node,
            frame.module.path,
            f"{what} in {label}: {_alike(what)} get the same numbers; seed from (seed, epoch, index)",
            "error",
        )

    def clock(self, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a seed from the clock."""
        self.context.events += 1
        label = self.context.root.label if self.context.root else ""
        self.findings.report(
            "SSF004",
            node,
            frame.module.path,
            f"{what} in {label}: samples that are served at the same moment get the same numbers, and no run can be "
            "repeated; seed from (seed, epoch, index)",
            "warning",
        )

    def counted(self, what: str, node: ast.AST, frame: Frame) -> None:
        """Report a seed from a counter that each worker has a copy of."""
        self.context.events += 1
        label = self.context.root.label if self.context.root else ""
        self.findings.report(
            "SSF004",
            node,
            frame.module.path,
            f"{what} in {label}: each worker counts in a copy of its own, so workers repeat each other's "
            "numbers; seed from (seed, epoch, index)",
            "error",
        )

    def worker_alone(self, node: ast.Call, frame: Frame) -> None:
        """Report a seed that depends on the worker's number alone."""
        self.context.events += 1
        label = self.context.root.label if self.context.root else ""
        self.findings.report(
            "SSF006",
            node,
            frame.module.path,
            f"{spelled(node)} in {label} depends on nothing but the worker's number: every epoch repeats the "
            "same numbers; use torch.initial_seed() % 2**32",
            "error",
        )

    def accumulated(self, node: ast.AugAssign, target: ast.Attribute, frame: Frame) -> None:
        """Report an attribute of a stored object that grows with each sample."""
        self.context.events += 1
        root = self.context.root
        if root is None or not root.per_sample or root.cls is None or "__getitem__" not in root.label:
            return
        if "cache" in target.attr:
            return
        self.findings.report(
            "SSF013",
            node,
            frame.module.path,
            f"self.{target.attr} grows with each sample in {root.label}: each worker counts in a copy of its own, which is "
            "lost when it ends, and threads race for it; count in the training process, or in memory that workers share",
            "warning",
        )

    def threads(self, node: ast.AST, module: Module) -> None:
        """Report ``cv2.setNumThreads(n)`` with n >= 1 in a worker."""
        self.context.events += 1
        if self.context.trying:
            return
        self.findings.report(
            "SSF016",
            node,
            module.path,
            "cv2.setNumThreads with a positive number in a worker joins threads that the fork left behind and can hang for "
            "ever: pass 0",
            "error",
        )


def _alike(what: str) -> str:
    return "all samples served within a second" if "seconds" in what else "all samples of all epochs"


def spelled(node: ast.AST) -> str:
    """Return a call as the file spells it, without arguments."""
    name = dotted(node)
    return re.sub(r"^\.", "", name) or "this call"
