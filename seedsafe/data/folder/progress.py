"""Progress bars."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

__all__ = ["Progress", "Report", "reporting"]

Report = Callable[[int, int | None], None]
"""Called with the count so far and the total (None while that is unknown)."""

Progress = bool | Report


@contextmanager
def reporting(progress: Progress, label: str) -> Generator[Report]:
    """Yield a function to report to: the caller's own, one that moves a bar on standard error, or one that does nothing.

    Raises:
        ImportError: `progress=True` without rich.
    """
    if callable(progress):
        yield progress
    elif progress:
        with _bar(label) as report:
            yield report
    else:
        yield lambda done, total: None


@contextmanager
def _bar(label: str) -> Generator[Report]:
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
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
