"""Find the draws of worker code in files."""

import gc
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from seedsafe_lint import checks, worker_init
from seedsafe_lint.findings import Finding, Skipped
from seedsafe_lint.index import Module
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.project import Project
from seedsafe_lint.roots import roots
from seedsafe_lint.rules import current
from seedsafe_lint.source import UnreadableError, read, suppressions, text_line
from seedsafe_lint.uses import uses

__all__ = ["Result", "analyse", "lint_file"]


@dataclass(slots=True)
class Result:
    """The findings of some files, the files that were skipped, and the codes that comments name."""

    findings: list[Finding] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    named: set[str] = field(default_factory=set)


def analyse(paths: Iterable[Path], project: Project, *, old_torch: bool = False) -> Result:
    """Return the findings of the worker code that begins in some files, anywhere in the project and before any is filtered by rule."""
    result = Result()
    for path in paths:
        if project.trim():
            gc.collect()
        try:
            module = project.load(path)
            result.findings += lint_file(module, project, result.named, old_torch=old_torch)
        except UnreadableError as error:
            result.skipped.append(Skipped(str(path), str(error)))
        except RecursionError:
            result.skipped.append(Skipped(str(path), "nested too deeply to be analysed"))
        except Exception as error:  # noqa: BLE001 - one file must not hide the findings of all others
            result.skipped.append(Skipped(str(path), f"the linter failed, please report it: {error!r}"))
    return result


def lint_file(module: Module, project: Project, named: set[str], *, old_torch: bool = False) -> list[Finding]:
    """Return the findings of the worker code that begins in one file, maybe in others. Add the codes of its comments to `named`."""
    run = Interpreter(project, old_torch=old_torch)
    used = uses(run, module)
    inits = [worker_init.check(run, function) for function in worker_init.worker_inits(run, module, used)]
    worker_init.bare_seeds(run, module, used)
    run.context.worker_attributes = frozenset(name for init in inits for name in init.attributes)
    cured = any(init.cures_numpy for init in inits)
    seen: set[object] = set()
    for root in roots(run, module, used, cured):
        key = (root.fn.function, root.fn.owner)
        if key in seen:
            continue
        seen.add(key)
        run.start(root)
    checks.check(run, module, used)
    return _without_noqa(run, module, named)


def _without_noqa(run: Interpreter, module: Module, named: set[str]) -> list[Finding]:
    silent = {module.path: suppressions(module.text)}
    named.update(*silent[module.path].values())
    findings = []
    for finding in run.findings.by_place.values():
        path, where = finding.place.path, finding.place
        if path not in silent:
            silent[path] = suppressions(read(Path(path)))
        lines = silent[path]
        at = {0, *(text_line(path, where.cell, line) for line in (where.line, finding.end_line))}
        rules = [lines[n] for n in at if n in lines]
        if not any(not codes or finding.code in map(current, codes) for codes in rules):
            findings.append(finding)
    return findings
