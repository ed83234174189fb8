"""Find the draws of worker code in files."""

import atexit
import gc
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from seedsafe_lint import checks, worker_init
from seedsafe_lint.baseline import new_findings
from seedsafe_lint.config import Config
from seedsafe_lint.cover import covering
from seedsafe_lint.findings import SEVERITIES, Covered, Finding, Place, Skipped, keep
from seedsafe_lint.index import Module
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.known import words
from seedsafe_lint.project import Project
from seedsafe_lint.roots import roots
from seedsafe_lint.rules import RETIRED, current
from seedsafe_lint.source import UnreadableError, read, suppressions, text_line
from seedsafe_lint.uses import uses

__all__ = ["Report", "Result", "analyse", "collect", "lint", "lint_file"]


@dataclass(slots=True)
class Result:
    """The findings of some files, the files that were skipped, the codes that comments name, and whether a file names `seedsafe`."""

    findings: list[Finding] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    named: set[str] = field(default_factory=set)
    ours: bool = False


def analyse(paths: Iterable[Path], project: Project, *, old_torch: bool = False) -> Result:
    """Return the findings of the worker code that begins in some files. They may lie in other files; no rule is left out yet."""
    result = Result()
    for path in paths:
        if project.trim():
            gc.collect()
        try:
            module = project.load(path)
            result.ours |= "seedsafe" in module.text
            result.findings += lint_file(module, project, result.named, old_torch=old_torch)
        except UnreadableError as error:
            result.skipped.append(Skipped(str(path), str(error), error.line, error.newer))
        except RecursionError:
            result.skipped.append(Skipped(str(path), "nested too deeply to be analysed"))
        except Exception as error:  # noqa: BLE001 - one file must not hide the findings of all others
            result.skipped.append(Skipped(str(path), f"the linter failed, please report it: {error!r}"))
    return result


def lint_file(module: Module, project: Project, named: set[str], *, old_torch: bool = False) -> list[Finding]:
    """Return the findings of the worker code that begins in one file, maybe in others. Add the codes of its comments to `named`."""
    run = Interpreter(project, old_torch=old_torch)
    used = uses(run, module)
    inits = [worker_init.check(run, *init) for init in worker_init.worker_inits(run, module, used)]
    worker_init.bare_seeds(run, module, used)
    run.context.worker_attributes = frozenset(
        worker_init.set_elsewhere(run, module).union(*(init.attributes for init in inits))
    )
    cured = any(init.cures_numpy for init in inits)
    seen: set[object] = set()
    for root in roots(run, module, used, cured):
        key = (root.fn.function, root.fn.owner, root.fn.args, root.fn.kwargs)
        if key in seen:
            continue
        seen.add(key)
        run.start(root)
    checks.check(run, module, used)
    silent = {module.path: suppressions(module.text)}
    named.update(*silent[module.path].values())
    return [finding for finding in run.judge.found.values() if _is_heard(finding, silent)]


def _is_heard(finding: Finding, silent: dict[str, dict[int, frozenset[str]]]) -> bool:
    """Return whether no comment silences a finding. The dictionary remembers the comments of files."""
    path, where = finding.place.path, finding.place
    if path not in silent:
        silent[path] = suppressions(read(Path(path)))
    at = {0, *(text_line(path, where.cell, line) for line in (where.line, finding.end_line))}
    rules = [silent[path][n] for n in at if n in silent[path]]
    return not any(not codes or finding.code in map(current, codes) for codes in rules)


_SKIPPED_FOLDERS = words("""
    .git .hg .svn .tox .nox .venv venv .eggs .mypy_cache .ruff_cache .pytest_cache __pycache__ node_modules
    site-packages build dist .ipynb_checkpoints
""")

_MOST = 61  # processes, which is as many as Windows can wait for

_ALONE = 60

_CHUNK = 24


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a run.

    Args:
        findings: The findings, ordered by place.
        skipped: The files that could not be analysed.
        files: The number of files.
        known: The number of findings that the baseline hides.
        empty: The paths without a file to read.
        retired: The codes of earlier versions that comments, settings or the baseline name.
        covered: Findings in classes and functions that are used through a bridge alone, such as
            ``AugmentedDataset(dataset, bridge=True)``, each with the place of the bridge. They are no faults.
    """

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    files: int
    known: int = 0
    empty: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    covered: tuple[Covered, ...] = ()


def collect(paths: Iterable[Path], config: Config) -> list[Path]:
    """Return the Python files and notebooks among some paths and the folders there, or raise FileNotFoundError for a missing path."""
    result: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            result.update(dict.fromkeys(_search(path, config)))
        elif path.exists():
            if not config.excluded(str(path)):
                result[path] = None
        else:
            raise FileNotFoundError(f"there is no file or folder {path}: pass a path that exists")
    return list(result)


def _search(folder: Path, config: Config) -> Iterator[Path]:
    closed: list[Path] = []  # folders that cannot be listed: reading them says why
    for base, folders, files in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        here = Path(base)
        folders[:] = sorted(
            name for name in folders if name not in _SKIPPED_FOLDERS and not config.excluded(str(here / name))
        )
        for name in sorted(files):
            if name.endswith((".py", ".ipynb")) and not config.excluded(str(here / name)):
                yield here / name
    yield from closed


def lint(
    paths: Iterable[Path | str],
    *,
    config: Config | None = None,
    jobs: int | None = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Return the findings of the linter in files and folders.

    Args:
        paths: Files, and folders to search for ``*.py`` and ``*.ipynb``. Imports are followed among these files only.
        config: Settings. None uses the defaults.
        jobs: Number of processes. None uses one for each core if there are many files. Several processes are spawned, so the
            script must call this below ``if __name__ == "__main__":``.
        progress: Called with the number of files done and the number of all files.

    Raises:
        FileNotFoundError: A path does not exist.
        ConfigError: A setting names a rule that does not exist, or a baseline that cannot be read.

    Example:
        >>> lint([]).findings
        ()
    """
    config = config or Config()
    codes, old = config.codes, config.old_torch
    among = {str(path): collect([Path(path)], config) for path in paths}
    files = list(dict.fromkeys(file for found in among.values() for file in found))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = min(jobs or (1 if len(files) < _ALONE else cores), _MOST)
    results: list[Result] = []
    done = 0
    with _without_collector():
        for result, size in _parallel(files, count, old) if count > 1 else _serial(files, old):
            results.append(result)
            done += size
            if progress:
                progress(done, len(files))
    found: dict[tuple[Place, str], Finding] = {}
    # In order, so that the finding that is kept does not depend on which process ends first.
    for finding in sorted(
        (f for result in results for f in result.findings), key=lambda f: (f.rank, f.message)
    ):
        keep(found, finding)
    silent: dict[str, dict[int, frozenset[str]]] = {}
    stay, covered = list(found.values()), list[Covered]()
    if any(result.ours for result in results):
        stay, covered = covering(files, stay, lambda finding: _is_heard(finding, silent))
    severe = SEVERITIES[: SEVERITIES.index(config.min_severity) + 1]
    asked = (f for f in stay if f.code in codes and f.severity in severe)
    chosen = sorted(f for f in asked if f.code not in config.ignored_in(f.place.path))
    baseline = config.root / config.baseline if config.baseline else None
    new, codes_before = new_findings(chosen, baseline) if baseline else (chosen, set())
    named = codes_before.union(config.named, *(result.named for result in results))
    skipped = sorted(item for result in results for item in result.skipped)
    return Report(
        tuple(new),
        tuple(skipped),
        len(files),
        known=len(chosen) - len(new),
        empty=tuple(path for path, found in among.items() if not found),
        retired=tuple(sorted(named & RETIRED.keys())),
        covered=tuple(sorted(pair for pair in covered if pair.finding.code in codes)),
    )


@contextmanager
def _without_collector() -> Iterator[None]:
    """Keep the cycle collector off: it would walk all the trees many times (benchmarks/lint_speed.py)."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _serial(files: list[Path], old: bool) -> Iterator[tuple[Result, int]]:
    project = Project(files)
    for start in range(0, len(files), _CHUNK):
        chunk = files[start : start + _CHUNK]
        yield analyse(chunk, project, old_torch=old), len(chunk)
    project.clear()


_project: Project


def _start(files: list[Path]) -> None:
    global _project
    gc.disable()
    atexit.register(gc.freeze)  # no last collection over all trees when the process ends
    _project = Project(files)


def _chunk(paths: list[Path], old: bool) -> tuple[Result, int]:
    return analyse(paths, _project, old_torch=old), len(paths)


def _parallel(files: list[Path], count: int, old: bool) -> Iterator[tuple[Result, int]]:
    # In large chunks, because files of one folder import the same files: see benchmarks/lint_speed.py.
    size = max(_CHUNK, len(files) // (count * 6))
    chunks = [files[i : i + size] for i in range(0, len(files), size)]
    context = get_context("spawn")
    with ProcessPoolExecutor(count, context, initializer=_start, initargs=(files,)) as pool:
        waiting = [pool.submit(_chunk, chunk, old) for chunk in chunks]
        for future in as_completed(waiting):
            yield future.result()
