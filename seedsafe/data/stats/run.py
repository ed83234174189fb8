"""`channel_stats`: the statistics of a dataset or loader."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from seedsafe import opencv
from seedsafe.data.folder.cache import write_atomically
from seedsafe.data.folder.progress import Progress, reporting
from seedsafe.data.stats.result import ChannelStats
from seedsafe.data.stats.samples import LAYOUTS, Selection, images_of
from seedsafe.data.stats.sums import Accumulator
from seedsafe.ground.checks import checked_int, flag
from seedsafe.ground.process import check_main

__all__ = ["channel_stats"]

_SECONDS = 30.0


class Checkpoint:
    """Saves the statistics of the first `done` samples of a dataset in a file.

    Args:
        path: the file, or None to save nothing.
        identity: the dataset's length and the options, which must be equal on loading.
    """

    def __init__(self, path: str | os.PathLike[str] | None, identity: dict[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._identity = identity
        self._saved = time.monotonic()

    def load(self) -> tuple[int, ChannelStats | None]:
        """Return the number of samples done and their statistics, or (0, None) if there is no file yet.

        Raises:
            ValueError: the file is damaged, or belongs to another dataset or to other options.
        """
        if self._path is None or not self._path.exists():
            return 0, None
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
            identity, done, stats = data["identity"], int(data["done"]), data["stats"]
            loaded = None if stats is None else ChannelStats.from_dict(stats)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is damaged, or is not a checkpoint: remove it, or pass another file"
            ) from error
        if identity != self._identity:
            names = [name for name in self._identity if identity.get(name) != self._identity[name]]
            raise ValueError(
                f"checkpoint={str(self._path)!r} belongs to another computation, with another "
                f"{', '.join(names)}: remove it, or pass another file"
            )
        return done, loaded

    def save(self, done: int, stats: ChannelStats | None, *, now: bool) -> None:
        """Write the file, unless it is less than 30 seconds old and `now` is False."""
        if self._path is None or not (now or time.monotonic() - self._saved > _SECONDS):
            return
        data = {
            "identity": self._identity,
            "done": done,
            "stats": None if stats is None else stats.to_dict(),
        }
        try:
            write_atomically(self._path, [json.dumps(data).encode()])
        except PermissionError:
            if now or not self._path.exists():
                raise
            # Windows refuses while another program, such as a virus scanner, reads the file: the next time will do.
        self._saved = time.monotonic()

    def remove(self) -> None:
        """Delete the file of a complete computation."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)


class _Job(NamedTuple):
    data: Any
    where: Selection
    histogram: bool
    per_image: bool


def channel_stats(
    data: Any,
    *,
    image: str | int | None = None,
    mask: str | int | None = None,
    layout: str | None = None,
    histogram: bool = False,
    per_image: bool = False,
    num_workers: int = 0,
    start_method: str | None = None,
    progress: Progress = False,
    checkpoint: str | os.PathLike[str] | None = None,
) -> ChannelStats:
    """Compute exact channel statistics of a dataset's images, with the same bits for any number of workers.

    Integer and float32 images are summed without rounding. Images may differ in size, but not in dtype or number of
    channels. This needs OpenCV (`pip install "seedsafe[image]"`).

    Args:
        data: a map dataset (`len(data)`, `data[i]`; a list, an array, a Keras sequence of batches), or an iterable
            of samples or batches, such as a `DataLoader`.
        image: the image's name in a dict (default "image"), or its position in a tuple or list (default 0). A sample
            that is an array or tensor is the image itself.
        mask: the mask's name or position. A mask is (H, W), and nonzero if a pixel counts. None counts all pixels.
        layout: the order of the axes: HW, HWC, CHW, NHW, NHWC or NCHW. None takes NumPy arrays of 2, 3 and 4 axes
            as HW, HWC, NHWC and torch tensors as HW, CHW, NCHW.
        histogram: count each value of uint8 images.
        per_image: keep each image's means: 8 bytes a channel and 8 for the number of each image.
        num_workers: the number of worker processes for a map dataset; 0 reads in this process.
        start_method: "fork", "spawn" or "forkserver"; None for Python's default.
        progress: True for a bar on standard error, or a function of (count done, total or None).
        checkpoint: for a map dataset, a file that is written every 30 seconds and on interruption. The same call then
            resumes from it, and removes it at the end.

    Returns:
        The statistics. Images are numbered in the order of `data`, from 0. NaN and infinite values are left out, and
        counted in `nan`, `inf` and `faulty`.

    Raises:
        ValueError: there are no images, they differ in dtype or channels, or an option does not fit the data.
        TypeError: `data` is neither a map dataset nor an iterable, or an image's dtype is not uint8, uint16 or float32.
        Exception: any error of `data[i]`, with a note that names i.

    Example:
        >>> import numpy as np, seedsafe as ss
        >>> photos = [np.array([[[0, 10, 20], [255, 10, 40]]], np.uint8)]
        >>> stats = ss.channel_stats(photos)
        >>> stats.mean, stats.std
        ((127.5, 10.0, 30.0), (127.5, 0.0, 10.0))
    """
    flag("histogram", histogram)
    flag("per_image", per_image)
    if layout is not None and layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)} or None, got {layout!r}")
    num_workers = checked_int(
        "num_workers", num_workers, 0, 2**15, "pass the number of processes, 0 for none"
    )
    if isinstance(data, str | os.PathLike):
        raise TypeError(
            f"data must be a dataset or a loader, got the path {os.fspath(data)!r}: pass seedsafe.ImageFolder(path), or run "
            "`seedsafe stats` on the path"
        )
    job = _Job(data, Selection(image, mask, layout), histogram, per_image)
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        file = Checkpoint(checkpoint, {} if checkpoint is None else _identity(job))
        with reporting(progress, "images") as report:
            stats = _over_map(job, num_workers, start_method, report, file)
    elif isinstance(data, Iterable):
        if num_workers or checkpoint is not None:
            raise ValueError(
                "num_workers and checkpoint need a map dataset, with len() and indexing: give the loader its own "
                "num_workers, or pass its dataset"
            )
        with reporting(progress, "batches") as report:
            stats = _over_iterable(job, report)
    else:
        raise TypeError(
            f"data must be a map dataset (with len() and indexing) or an iterable, got {type(data).__name__}: pass an ImageFolder "
            "or a DataLoader, for instance"
        )
    if stats is None:
        raise ValueError("data has no images: pass at least one")
    return stats


def _identity(job: _Job) -> dict[str, Any]:
    return {
        "data": type(job.data).__qualname__,
        "length": len(job.data),
        "fingerprint": getattr(job.data, "fingerprint", None),
        **job.where._asdict(),
        "histogram": job.histogram,
        "per_image": job.per_image,
    }


def _over_iterable(job: _Job, report: Any) -> ChannelStats | None:
    sums = Accumulator(histogram=job.histogram, per_image=job.per_image)
    total = len(job.data) if hasattr(job.data, "__len__") else None
    for number, sample in enumerate(job.data):
        try:
            _add(sums, sample, job.where)
        except Exception as error:
            error.add_note(f"in entry {number} of the iterable")
            raise
        report(number + 1, total)
    return sums.result()


def _over_map(
    job: _Job, num_workers: int, start_method: str | None, report: Any, file: Checkpoint
) -> ChannelStats | None:
    done, stats = file.load()
    length = len(job.data)
    report(done, length)
    size = max(1, min(256, length // (8 * max(num_workers, 1))))
    ranges = [(start, min(start + size, length)) for start in range(done, length, size)]
    if num_workers:
        parts = _in_workers(job, ranges, num_workers, start_method)
    else:
        parts = (_part(job, start, stop) for start, stop in ranges)
    try:
        for part in parts:
            stats = _append(stats, part, done)
            done = min(done + size, length)
            file.save(done, stats, now=False)
            report(done, length)
    except BaseException:
        file.save(done, stats, now=True)
        raise
    file.remove()
    return stats


def _append(stats: ChannelStats | None, part: ChannelStats | None, done: int) -> ChannelStats | None:
    if stats is None or part is None:
        return stats or part
    try:
        return stats | part.renumbered(stats.images)
    except ValueError as error:
        error.add_note(f"from sample {done} of the dataset on")
        raise


def _part(job: _Job, start: int, stop: int) -> ChannelStats | None:
    sums = Accumulator(histogram=job.histogram, per_image=job.per_image)
    for index in range(start, stop):
        try:
            _add(sums, job.data[index], job.where)
        except Exception as error:
            error.add_note(f"in sample {index} of the dataset")
            raise
    return sums.result()


def _add(sums: Accumulator, sample: Any, where: Selection) -> None:
    opencv.guard()
    for image, channels_first in images_of(sample, where):
        sums.add(image, channels_first=channels_first)


def _in_workers(
    job: _Job, ranges: Iterable[tuple[int, int]], num_workers: int, start_method: str | None
) -> Iterator[ChannelStats | None]:
    """Yield the parts in order, and compute a few ahead. A worker that dies raises an error."""
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor

    check_main()
    context = multiprocessing.get_context(start_method)
    executor = ProcessPoolExecutor(num_workers, context, _start_worker, (job,))
    waiting: deque[Future[ChannelStats | None]] = deque()
    try:
        for start, stop in ranges:
            with _delay_interrupt():
                waiting.append(executor.submit(_work, start, stop))
            if len(waiting) > 2 * num_workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        with _delay_interrupt():
            executor.shutdown(cancel_futures=True)


@contextmanager
def _delay_interrupt() -> Generator[None]:
    """Delay Ctrl-C to the end: an executor that it interrupts at its start or shutdown never ends its workers."""
    import signal
    import threading

    before = signal.getsignal(signal.SIGINT)
    # Ctrl-C interrupts only the main thread.
    if before is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts: list[Any] = []
    signal.signal(signal.SIGINT, lambda *arguments: interrupts.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if interrupts:
            signal.raise_signal(signal.SIGINT)


_job: _Job | None = None


def _start_worker(job: _Job) -> None:
    import multiprocessing
    import signal
    import sys

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles it, and ends its workers
    multiprocessing.current_process().daemon = True  # tells `opencv.guard` that this is a worker
    if "torch" in sys.modules:  # its OpenMP threads do not survive a fork: using them would hang
        sys.modules["torch"].set_num_threads(1)
    global _job
    _job = job


def _work(start: int, stop: int) -> ChannelStats | None:
    assert _job is not None
    return _part(_job, start, stop)
