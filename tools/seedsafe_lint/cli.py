"""The command line of the linter."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from seedsafe_lint.baseline import add_noqa, write_baseline
from seedsafe_lint.config import Config, ConfigError, load
from seedsafe_lint.engine import Report, lint
from seedsafe_lint.findings import entries
from seedsafe_lint.options import parser
from seedsafe_lint.output import EACH, FORMATS, statistics
from seedsafe_lint.rules import RETIRED, RULES, current, page

__all__ = ["main"]

_LONG = 200


def main(argv: list[str]) -> int:
    """Run the linter.

    Args:
        argv: Arguments after ``seedsafe lint``.

    Returns:
        0 if there are no errors; 1 if there are (with ``--strict``, if there is any finding), or if a file cannot be read
        or parsed; 2 with ``--strict`` if only a newer Python can parse one, and if the run is impossible: an unknown option or rule, a path that does not exist, an unusable setting,
        or no file to read at all.

    Example:
        >>> main(["--explain", "SSF001"])  # doctest: +ELLIPSIS
        # SSF001 numpy-global-in-worker
        ...
        0
    """
    try:
        options = parser().parse_args(argv)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 2
    try:
        return _explain(options.explain) if options.explain else _lint(options)
    except (ConfigError, FileNotFoundError) as error:
        print(f"seedsafe lint: {error}", file=sys.stderr)
        return 2


def _explain(code: str) -> int:
    if code == "ALL":
        print("\n\n".join(page(rule).rstrip() for rule in RULES))
    elif current(code) in RULES:
        print(page(current(code)).rstrip())
    elif code in RETIRED:
        raise ConfigError(f"{code} is no longer a rule: no rule reports its findings")
    else:
        raise ConfigError(
            f"--explain got {code!r}, which is not a rule: pass {min(RULES)} to {max(RULES)}, or ALL"
        )
    return 0


def _lint(options: argparse.Namespace) -> int:
    config = _config(options)
    with _progress(options.format) as progress:
        report = lint(options.paths, config=config, jobs=options.jobs, progress=progress)
    _tell(report)
    if not report.files:
        return 2
    if options.write_baseline:
        _write(options.write_baseline, lambda file: write_baseline(report.findings, file))
        print(f"Wrote {len(report.findings)} findings into {options.write_baseline}.")
        return 0
    if options.add_noqa:
        changed, impossible = add_noqa(report.findings)
        print(
            *(f"{where}: no room for a comment" for where in impossible),
            f"Changed {changed} lines.",
            sep="\n",
        )
        return 0
    each = options.all or options.format in EACH
    found = entries(report.findings, each=each)
    result = statistics(report) if options.statistics else FORMATS[options.format](report, found)
    if options.sarif:
        document = FORMATS["sarif"](report, entries(report.findings, each=True))
        _write(options.sarif, lambda file: file.write_text(document + "\n", encoding="utf-8"))
    if options.output:
        _write(options.output, lambda file: file.write_text(result + "\n", encoding="utf-8"))
    elif result:
        print(result)
    failed = report.skipped or any(config.strict or f.severity == "error" for f in report.findings)
    unread = config.strict and any(item.newer for item in report.skipped)
    return (2 if unread else 1) if failed and not options.exit_zero else 0


def _tell(report: Report) -> None:
    """Say on the error stream what was not read, and which codes are no longer rules."""
    lines = [f"{item.path}: skipped: {item.reason}" for item in report.skipped]
    lines += [
        f"seedsafe lint: nothing to read in {path}: it has no Python file, or all are excluded"
        for path in report.empty
    ]
    if report.retired:
        names = ", ".join(
            code + (f" (now {current(code)})" if current(code) else "") for code in report.retired
        )
        lines.append(f"seedsafe lint: no longer rules: {names}; comments, settings or the baseline name them")
    if lines:
        print("\n".join(lines), file=sys.stderr)


def _write(name: str, write: Callable[[Path], object]) -> None:
    try:
        write(Path(name))
    except OSError as error:
        raise ConfigError(
            f"{name} cannot be written: {error.strerror}. Pass a file in a folder that exists"
        ) from error


def _config(options: argparse.Namespace) -> Config:
    first = Path(options.paths[0]).absolute()
    start = first if first.is_dir() else first.parent
    explicit = Path(options.config) if options.config else None
    config = Config(root=Path.cwd()) if options.isolated else load(start, explicit)
    baseline = str(Path(options.baseline).absolute()) if options.baseline else config.baseline
    if options.select is not None:
        config = replace(config, select=_list(options.select), extend_select=(), ignore=())
    return replace(
        config,
        extend_select=(*config.extend_select, *_list(options.extend_select)),
        ignore=(*config.ignore, *_list(options.ignore)),
        exclude=(*config.exclude, *_list(options.exclude)),
        torch=options.torch_version or config.torch,
        min_severity=options.min_severity or config.min_severity,
        strict=options.strict or config.strict,
        baseline="" if options.write_baseline else baseline,
    )


def _list(values: list[str] | None) -> tuple[str, ...]:
    return tuple(item.strip() for value in values or () for item in value.split(",") if item.strip())


@contextmanager
def _progress(form: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show progress on the error stream, if it is a terminal and rich is installed."""
    if form != "text" or not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("linting", visible=False)

        def update(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=total >= _LONG)

        yield update
