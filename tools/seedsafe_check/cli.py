"""The command line of ``seedsafe check``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from seedsafe_check.affected import facts, imported, installed
from seedsafe_check.options import parser
from seedsafe_check.page import Page
from seedsafe_lint.config import ConfigError, load
from seedsafe_lint.engine import collect, lint
from seedsafe_lint.findings import Covered, entries

__all__ = ["main"]


def main(argv: list[str]) -> int:
    """Run the check.

    Args:
        argv: the arguments after ``seedsafe check``.

    Returns:
        0 if nothing repeats, 1 if the linter finds an error or the audit a fault (with ``--strict``, anything), 2 if the
        check could not run: an unknown option, a path that does not exist, a dataset that cannot be read.
    """
    try:
        options = parser().parse_args(argv)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 2
    try:
        path, target = _split(options.what)
        page = _page(path, target, options.jobs)
    except SystemExit as error:
        print(f"seedsafe check: the imported module exited with {error.code!r}", file=sys.stderr)
        return 2
    except (ConfigError, ValueError, TypeError, RuntimeError, ImportError, OSError) as error:
        print(f"seedsafe check: {error}", file=sys.stderr)
        return 2
    print(json.dumps(page.to_dict(), indent=1) if options.json else page.text())
    return page.exit_code(strict=options.strict)


def _split(what: list[str]) -> tuple[str, str | None]:
    """Return the path and the dataset from the arguments."""
    targets = [one for one in what if ":" in os.path.splitdrive(one)[1] and not Path(one).exists()]
    paths = [one for one in what if one not in targets]
    if len(paths) > 1 or len(targets) > 1:
        raise ValueError(
            f"expected one PATH and one MODULE:DATASET, got {' '.join(what)}: run it once for each"
        )
    for path in paths:
        if not Path(path).exists():
            raise FileNotFoundError(f"no file or folder {path}: check the path")
    return next(iter(paths), "."), next(iter(targets), None)


def _page(path: str, target: str | None, jobs: int | None) -> Page:
    dataset = _dataset(target) if target else None
    report = _audit(dataset) if target else None  # first: a dataset that cannot be read fails at once
    start = Path(path).absolute()
    config = load(start if start.is_dir() else start.parent, None)
    torch = next((one.version for one in installed() if one.name == "torch"), "")
    result = lint([path], config=replace(config, torch=config.torch or torch), jobs=jobs)
    modules = set[str]()
    for file in collect([Path(path)], config):
        with suppress(OSError, UnicodeDecodeError):
            modules |= imported(file.read_text(encoding="utf-8"))
    unread = len(result.skipped) >= result.files
    bridge = None
    covered = report is not None and _are_covered(report, result.covered)
    if report is not None and (covered or report.exit_code()):
        bridged, call = _bridged(dataset)
        if bridged is not None and covered:
            report = _audit(bridged)  # as the code reads it
        elif bridged is not None:
            bridge = None if _audit(bridged, _CURES).exit_code(strict=True) else call
    return Page(
        path=path,
        files=result.files,
        skipped=tuple(f"{item.path}: {item.reason}" for item in result.skipped),
        hidden=result.known,
        libraries=tuple(installed(modules=None if unread else modules)),
        entries=tuple(entries(result.findings)),
        covered=result.covered,
        as_of=facts()["as_of"],
        audit=report and report.to_dict(),
        bridge=bridge,
    )


def _dataset(target: str) -> Any:
    from seedsafe_audit.subject import load as dataset_of

    return dataset_of(target)


def _audit(dataset: Any, questions: list[str] | None = None) -> Any:
    """Audit a dataset in forked workers, which takes a few seconds, by all questions that are quick or by some."""
    from seedsafe_audit.api import audit
    from seedsafe_audit.options import QUICK, SLOW
    from seedsafe_audit.questions import QUESTIONS

    if questions is not None:
        return audit(dataset, questions=questions, **{**QUICK, "samples": 16})
    return audit(dataset, questions=[name for name in QUESTIONS if name not in SLOW], **QUICK)


def _are_covered(report: Any, covered: Iterable[Covered]) -> bool:
    """Return whether all lines of an audit's faults are among those that the linter found behind a bridge."""
    lines = {f"{Path(one.finding.place.path).name}:{one.finding.place.line}" for one in covered}
    found = [one for one in report.answers if one.verdict in ("fault", "warning") and one.part_of is None]
    drawn = {Path(place).name for one in found for place in one.places}
    return bool(drawn) and drawn <= lines and all(one.places for one in found if one.verdict == "fault")


_CURES = ["ends", "duplicates", "epochs", "workers", "order", "kept-draws", "raises"]
"""What must be well for a bridge to be advised."""


def _bridged(dataset: Any) -> tuple[Any, str]:
    """Return a dataset behind a bridge, or None if it cannot be, and the call that bridges it."""
    from seedsafe_audit.subject import subject_of

    subject = subject_of(dataset)
    dataset = subject.dataset
    module, name = (
        ("seedsafe_keras", "AugmentedSequence")
        if subject.loader == "keras"
        else ("seedsafe_torch", "AugmentedDataset")
    )
    reader: Any = getattr(dataset, "reader", None)
    if subject.iterable or (subject.loader == "processes" and "torch" not in sys.modules):
        return None, ""
    with suppress(Exception):  # what the user's classes may raise
        wrapper: Any = getattr(import_module(module), name)
        if isinstance(dataset, wrapper):
            return wrapper(reader.base, seed=42, bridge=True), f"{name}(..., bridge=True)"
        return wrapper(dataset, seed=42, bridge=True), f"{name}(dataset, seed=42, bridge=True)"
    return None, ""
