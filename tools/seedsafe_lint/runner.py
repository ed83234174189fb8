"""Lint files, in several processes if that pays."""

import atexit
import gc
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from seedsafe_lint.baseline import new_findings
from seedsafe_lint.config import Config
from seedsafe_lint.engine import Result, analyse
from seedsafe_lint.findings import SEVERITIES, Finding, Skipped
from seedsafe_lint.known import words
from seedsafe_lint.project import Project
from seedsafe_lint.rules import RETIRED

__all__ = ["Report", "collect", "lint"]

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
    """

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    files: int
    known: int = 0
    empty: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()


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
    found: dict[tuple[object, str], Finding] = {}
    for finding in sorted(
        (f for result in results for f in result.findings), key=lambda f: (f.rank, f.message)
    ):
        found.setdefault((finding.place, finding.code), finding)
    mildest = SEVERITIES.index(config.min_severity)
    chosen = sorted(
        f
        for f in found.values()
        if f.code in codes
        and SEVERITIES.index(f.severity) <= mildest
        and f.code not in config.ignored_in(f.place.path)
    )
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
    size = max(
        _CHUNK, len(files) // (count * 6)
    )  # files of one folder import the same files: see benchmarks/lint_speed.py
    chunks = [files[i : i + size] for i in range(0, len(files), size)]
    context = get_context("spawn")
    with ProcessPoolExecutor(count, context, initializer=_start, initargs=(files,)) as pool:
        waiting = [pool.submit(_chunk, chunk, old) for chunk in chunks]
        for future in as_completed(waiting):
            yield future.result()
