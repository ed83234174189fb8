"""Progress bars."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec

__all__ = ["Report", "reporting", "shows_progress"]

Report = Callable[[int, int | None], object]
"""Called with the count so far and the total (None while that is unknown)."""


def shows_progress(off: bool) -> bool:
    """Return whether a command shows progress: on a terminal, if rich is installed, unless it is switched off."""
    return not off and sys.stderr.isatty() and find_spec("rich") is not None


@contextmanager
def reporting(progress: bool, label: str) -> Generator[Report]:
    """Yield a function to report to: one that moves a bar on standard error, or does nothing.

    Raises:
        TypeError: `progress` is neither True nor False.
        ImportError: it is True without rich.
    """
    if not isinstance(progress, bool):
        raise TypeError(
            f"progress must be True or False, got {progress!r}: pass True for a bar on standard error; functions are not called"
        )
    if not progress:
        yield lambda done, total: None
        return
    try:
        from rich import progress as rich
        from rich.console import Console
    except ImportError as error:
        raise ImportError('progress=True needs rich: pip install "seedsafe[tools]"') from error
    columns = (rich.BarColumn, rich.MofNCompleteColumn, rich.TimeElapsedColumn, rich.TimeRemainingColumn)
    shown = ("{task.description}", *(column() for column in columns))
    with rich.Progress(*shown, console=Console(stderr=True)) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
