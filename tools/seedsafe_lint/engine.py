"""Find the draws of worker code in files."""

import gc
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from seedsafe_lint import epochs, pools, samples, worker_init
from seedsafe_lint.findings import Finding, Skipped
from seedsafe_lint.index import Class, Module
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.project import Project
from seedsafe_lint.roots import roots
from seedsafe_lint.source import UnreadableError, suppressions
from seedsafe_lint.uses import Uses, uses
from seedsafe_lint.values import Fn, Inst

__all__ = ["Result", "analyse", "lint_file"]


@dataclass(slots=True)
class Result:
    """The findings of some files, and the files that were skipped."""

    findings: list[Finding] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def analyse(paths: Iterable[Path], project: Project, *, old_torch: bool = False) -> Result:
    """Return the findings of the worker code that begins in some files.

    Args:
        paths: The files to begin in.
        project: All files that imports may lead to.
        old_torch: Judge for torch < 1.9.

    Returns:
        Findings in any file of the project, before they are filtered by rule, and the files of `paths` that were skipped.
    """
    result = Result()
    for path in paths:
        if project.trim():
            gc.collect()
        try:
            module = project.load(path)
            result.findings += lint_file(module, project, old_torch=old_torch)
        except UnreadableError as error:
            result.skipped.append(Skipped(str(path), str(error)))
        except RecursionError:
            result.skipped.append(Skipped(str(path), "nested too deeply to be analysed"))
        except Exception as error:  # noqa: BLE001 - one file must not hide the findings of all others
            result.skipped.append(Skipped(str(path), f"the linter failed, please report it: {error!r}"))
    return result


def lint_file(module: Module, project: Project, *, old_torch: bool = False) -> list[Finding]:
    """Return the findings of the worker code that begins in one file. They may be in other files."""
    run = Interpreter(project, old_torch=old_torch)
    used = uses(run, module)
    inits = [worker_init.check(run, function) for function in worker_init.worker_inits(run, module, used)]
    worker_init.bare_seeds(run, module, used)
    run.context.worker_attributes = frozenset(name for init in inits for name in init.attributes)
    cured = any(init.cures_numpy for init in inits)
    seen: set[object] = set()
    sources: dict[Class, set[str]] = {}
    for root in roots(run, module, used, cured):
        key = (root.fn.function, root.fn.owner)
        if key in seen:
            continue
        seen.add(key)
        run.start(root)
        if root.cls:
            sources.setdefault(root.cls, set()).update(run.context.sources)
    _check_inits(run, used, inits, sources)
    epochs.check(run, module, used)
    pools.check(run, module)
    for cls in module.classes.values():
        samples.check(run, cls)
    findings = _without_noqa(run, module)
    vars(run).clear()  # the collector is off, and the parts refer to each other: see benchmarks/lint_speed.py
    return findings


def _check_inits(
    run: Interpreter, used: Uses, inits: list[worker_init.Init], sources: dict[Class, set[str]]
) -> None:
    """Match each loader's dataset with its ``worker_init_fn``."""
    by_function = {one.function: one for one in inits}
    for call in used.calls:
        init, dataset = call.keywords.get("worker_init_fn"), call.dataset
        if init is None or dataset is None:
            continue
        kinds: set[str] = set()
        for value in run.earlier(dataset, call.frame):
            if isinstance(value, Inst):
                kinds |= sources.get(value.cls, set())
        for value in run.earlier(init, call.frame):
            if isinstance(value, Fn) and value.function in by_function:
                worker_init.check_generators(run, by_function[value.function], kinds)


def _without_noqa(run: Interpreter, module: Module) -> list[Finding]:
    silent = {module.path: suppressions(module.text)}
    findings = []
    for finding in run.findings.by_place.values():
        path = finding.place.path
        if path not in silent:
            silent[path] = suppressions(Path(path).read_text(encoding="utf-8", errors="replace"))
        lines = silent[path]
        rules = [lines[n] for n in {0, finding.place.line, finding.end_line} if n in lines]
        if not any(not codes or finding.code in codes for codes in rules):
            findings.append(finding)
    return findings
