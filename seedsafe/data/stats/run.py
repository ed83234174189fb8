"""`channel_stats`: the statistics of a dataset, with worker processes, or of a loader."""

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
from seedsafe.ground.checks import flag
from seedsafe.keys.key import checked_int

__all__ = ["channel_stats"]

_SECONDS = 30.0


class Checkpoint:
    """Keeps the statistics of the first `done` samples of a dataset in a file.

    Args:
        path: the file; None keeps nothing.
        identity: what must be equal for the file to be used: the dataset's length, the options.
    """

    def __init__(self, path: str | os.PathLike[str] | None, identity: dict[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._identity = identity
        self._saved = time.monotonic()

    def load(self) -> tuple[int, ChannelStats | None]:
        """Return what is done and its statistics: (0, None) if there is no file yet.

        Raises:
            ValueError: the file is damaged, or belongs to another dataset or to other options.
        """
        if self._path is None or not self._path.exists():
            return 0, None
        try:
            data = json.loads(self._path.read_text())
            identity, done, stats = data["identity"], int(data["done"]), data["stats"]
            loaded = None if stats is None else ChannelStats.from_dict(stats)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is damaged, or is not a checkpoint: remove it, or pass another file"
            ) from error
        if identity != self._identity:
            different = [name for name in self._identity if identity.get(name) != self._identity[name]]
            raise ValueError(
                f"checkpoint={str(self._path)!r} belongs to another computation, with another "
                f"{', '.join(different)}: remove it, or pass another file"
            )
        return done, loaded

    def save(self, done: int, stats: ChannelStats | None, *, now: bool) -> None:
        """Write the file; unless `now`, only if 30 seconds have passed since the last time."""
        if self._path is None or not (now or time.monotonic() - self._saved > _SECONDS):
            return
        data = {
            "identity": self._identity,
            "done": done,
            "stats": None if stats is None else stats.to_dict(),
        }
        write_atomically(self._path, [json.dumps(data).encode()])
        self._saved = time.monotonic()

    def remove(self) -> None:
        """Delete the file: the computation is complete."""
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
    """Compute the exact statistics of the channels of a dataset's images, the same bits for any number of workers.

    Integer images are summed in integers, and float32 images without any rounding too. Images may differ in size, not
    in dtype or number of channels. Needs OpenCV (`pip install "seedsafe[image]"`).

    Args:
        data: a map dataset (`len(data)`, `data[i]`; a list, an array, a Keras sequence of batches), or an iterable
            of samples or batches, such as a `DataLoader`.
        image: where a sample has its image: a key of a dict (default "image") or a position in a tuple or list
            (default 0). A sample that is an array or tensor is the image itself.
        mask: where it has its mask, (H, W) and nonzero where a pixel counts. None counts all pixels.
        layout: the order of the axes: HW, HWC, CHW, NHW, NHWC or NCHW. None takes NumPy arrays of 2, 3 and 4 axes
            as HW, HWC, NHWC and torch tensors as HW, CHW, NCHW.
        histogram: count each value of uint8 images.
        per_image: keep each image's means: 8 bytes a channel and 8 for the number of each image.
        num_workers: worker processes for a map dataset; 0 reads in this process.
        start_method: "fork", "spawn" or "forkserver"; None for the default of Python.
        progress: True for a bar on standard error, or a function of (count done, total or None).
        checkpoint: for a map dataset, a file that is written every 30 seconds and on interruption. The same call then
            resumes from there, and removes the file at the end.

    Returns:
        The statistics. Images are numbered in the order of `data`, from 0. NaN and infinite values are left out, and
        listed in `nan`, `inf` and `faulty`.

    Raises:
        ValueError: there are no images, they differ in form, or an option does not fit the data.
        TypeError: `data` is neither of these, or an image's dtype is not uint8, uint16 or float32.
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
            f"data must be a dataset or a loader, got the path {os.fspath(data)!r}: pass seedsafe.ImageFolder of it, or run "
            "`seedsafe stats` on it"
        )
    job = _Job(data, Selection(image, mask, layout), histogram, per_image)
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        kept = Checkpoint(checkpoint, {} if checkpoint is None else _identity(job))
        with reporting(progress, "images") as report:
            stats = _over_map(job, num_workers, start_method, report, kept)
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
            f"data must be a map dataset (with len() and indexing) or an iterable, got {type(data).__name__}"
        )
    if stats is None:
        raise ValueError("data has no images: there is nothing to compute")
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
            error.add_note(f"in item {number} of the iterable")
            raise
        report(number + 1, total)
    return sums.result()


def _over_map(
    job: _Job, num_workers: int, start_method: str | None, report: Any, kept: Checkpoint
) -> ChannelStats | None:
    done, stats = kept.load()
    length = len(job.data)
    report(done, length)
    size = max(1, min(256, length // (8 * max(num_workers, 1))))
    ranges = [(start, min(start + size, length)) for start in range(done, length, size)]
    parts = _in_workers(job, ranges, num_workers, start_method) if num_workers else _here(job, ranges)
    try:
        for part in parts:
            stats = _appended(stats, part, done)
            done = min(done + size, length)
            kept.save(done, stats, now=False)
            report(done, length)
    except BaseException:
        kept.save(done, stats, now=True)
        raise
    kept.remove()
    return stats


def _appended(stats: ChannelStats | None, part: ChannelStats | None, done: int) -> ChannelStats | None:
    if stats is None or part is None:
        return stats or part
    try:
        return stats | part.renumbered(stats.images)
    except ValueError as error:
        error.add_note(f"from item {done} of the dataset on")
        raise


def _here(job: _Job, ranges: Iterable[tuple[int, int]]) -> Iterator[ChannelStats | None]:
    for start, stop in ranges:
        yield _part(job, start, stop)


def _part(job: _Job, start: int, stop: int) -> ChannelStats | None:
    sums = Accumulator(histogram=job.histogram, per_image=job.per_image)
    for index in range(start, stop):
        try:
            _add(sums, job.data[index], job.where)
        except Exception as error:
            error.add_note(f"in item {index} of the dataset")
            raise
    return sums.result()


def _add(sums: Accumulator, sample: Any, where: Selection) -> None:
    opencv.guard()
    for image, channels_first in images_of(sample, where):
        sums.add(image, channels_first=channels_first)


def _in_workers(
    job: _Job, ranges: Iterable[tuple[int, int]], num_workers: int, start_method: str | None
) -> Iterator[ChannelStats | None]:
    """Return the parts in order, a few ahead at a time; a worker that dies is an error, not a wait."""
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor

    context = multiprocessing.get_context(start_method)
    executor = ProcessPoolExecutor(num_workers, context, _start_worker, (job,))
    waiting: deque[Future[ChannelStats | None]] = deque()
    try:
        for start, stop in ranges:
            with _interrupted_later():
                waiting.append(executor.submit(_work, start, stop))
            if len(waiting) > 2 * num_workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        with _interrupted_later():
            executor.shutdown(cancel_futures=True)


@contextmanager
def _interrupted_later() -> Generator[None]:
    """Keep Ctrl-C for the end: an executor that it meets while workers start, or are waited for, never ends them."""
    import signal
    import threading

    before = signal.getsignal(signal.SIGINT)
    if (
        before is None or threading.current_thread() is not threading.main_thread()
    ):  # others are never interrupted
        yield
        return
    came: list[Any] = []
    signal.signal(signal.SIGINT, lambda *signalled: came.append(signalled))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


_job: _Job | None = None


def _start_worker(job: _Job) -> None:
    import multiprocessing
    import signal
    import sys

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and ends its workers
    multiprocessing.current_process().daemon = True  # by which the guard of OpenCV knows a worker
    if "torch" in sys.modules:  # its OpenMP threads do not survive a fork, and using them waits for ever
        sys.modules["torch"].set_num_threads(1)
    global _job
    _job = job


def _work(start: int, stop: int) -> ChannelStats | None:
    assert _job is not None
    return _part(_job, start, stop)
