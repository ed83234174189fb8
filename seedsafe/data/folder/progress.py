"""A progress bar, for those who ask for one."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

__all__ = ["Progress", "Report", "reporting"]

Report = Callable[[int, int | None], None]
"""Called with what is done and what there is in all (None while that is unknown)."""

Progress = bool | Report


@contextmanager
def reporting(progress: Progress, what: str) -> Generator[Report]:
    """Return the function to report to: the caller's own, a bar on standard error, or one that does nothing.

    Raises:
        ImportError: `progress=True` without rich.
    """
    if callable(progress):
        yield progress
    elif progress:
        with _bar(what) as report:
            yield report
    else:
        yield lambda done, total: None


@contextmanager
def _bar(what: str) -> Generator[Report]:
    try:
        from rich import progress as rich
        from rich.console import Console
    except ImportError as error:
        raise ImportError(
            'progress=True needs rich: pip install "seedsafe[tools]", or pass a function of (done, total)'
        ) from error
    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeElapsedColumn(),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
