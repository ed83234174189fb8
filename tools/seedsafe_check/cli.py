"""The command line of ``seedsafe check``."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from seedsafe_check.affected import facts, installed
from seedsafe_check.options import parser
from seedsafe_check.page import Page
from seedsafe_lint.config import ConfigError, load
from seedsafe_lint.engine import lint
from seedsafe_lint.findings import entries

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
    report = _audit(target) if target else None  # first, because a dataset that cannot be read fails at once
    libraries = installed()
    start = Path(path).absolute()
    config = load(start if start.is_dir() else start.parent, None)
    torch = next((one.version for one in libraries if one.name == "torch"), "")
    result = lint([path], config=replace(config, torch=config.torch or torch), jobs=jobs)
    return Page(
        path=path,
        files=result.files,
        skipped=tuple(f"{item.path}: {item.reason}" for item in result.skipped),
        hidden=result.known,
        libraries=tuple(libraries),
        entries=tuple(entries(result.findings)),
        as_of=facts()["as_of"],
        audit=report,
    )


def _audit(target: str) -> dict[str, Any]:
    """Audit a dataset in forked workers, which takes a few seconds."""
    from seedsafe_audit.api import audit
    from seedsafe_audit.options import QUICK, SLOW
    from seedsafe_audit.questions import QUESTIONS
    from seedsafe_audit.subject import load as dataset_of

    samples, workers, methods = QUICK
    report = audit(
        dataset_of(target),
        samples=samples,
        workers=workers,
        start_methods=methods,
        questions=[name for name in QUESTIONS if name not in SLOW],
    )
    return report.to_dict()
