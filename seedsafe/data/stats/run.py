"""`channel_stats`: the statistics of a dataset or loader."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager
from itertools import count
from typing import Any, NamedTuple

from seedsafe import opencv
from seedsafe.data.stats.result import ChannelStats
from seedsafe.data.stats.samples import LAYOUTS, Selection, images_of
from seedsafe.data.stats.sums import of_image
from seedsafe.ground.checks import checked_int, explain_arguments
from seedsafe.ground.process import check_main

__all__ = ["channel_stats"]


class _Job(NamedTuple):
    data: Any
    where: Selection


@explain_arguments
def channel_stats(
    data: Any,
    *,
    image: str | int | None = None,
    mask: str | int | None = None,
    layout: str | None = None,
    num_workers: int = 0,
    start_method: str | None = None,
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
        num_workers: the number of worker processes for a map dataset; 0 reads in this process.
        start_method: "fork", "spawn" or "forkserver"; None for Python's default.

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
    job = _Job(data, Selection(image, mask, layout))
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        stats = _over_map(job, num_workers, start_method)
    elif isinstance(data, Iterable):
        if num_workers:
            raise ValueError(
                "num_workers needs a map dataset, with len() and indexing: give the loader its own num_workers, or pass its dataset"
            )
        stats = _whole(data, job.where, "in entry {} of the iterable")
    else:
        raise TypeError(
            f"data must be a map dataset (with len() and indexing) or an iterable, got {type(data).__name__}: pass an ImageFolder "
            "or a DataLoader, for instance"
        )
    if stats is None:
        raise ValueError("data has no images: pass at least one")
    return stats


def _over_map(job: _Job, num_workers: int, start_method: str | None) -> ChannelStats | None:
    length = len(job.data)
    # About eight parts a worker, so that all end at about the same time.
    size = max(1, min(256, length // (8 * max(num_workers, 1))))
    ranges = [(start, min(start + size, length)) for start in range(0, length, size)]
    if not num_workers:
        return _part(job, 0, length)
    stats: ChannelStats | None = None
    with closing(
        _in_workers(job, ranges, num_workers, start_method)
    ) as parts:  # else a kept error keeps workers at work
        for (start, _), part in zip(ranges, parts, strict=True):
            with _note(f"from sample {start} of the dataset on"):
                stats = _both(stats, part)
    return stats


def _part(job: _Job, start: int, stop: int) -> ChannelStats | None:
    samples = (job.data[index] for index in range(start, stop))
    return _whole(samples, job.where, "in sample {} of the dataset", start)


def _whole(samples: Iterable[Any], where: Selection, place: str, start: int = 0) -> ChannelStats | None:
    stats: ChannelStats | None = None
    iterator = iter(samples)
    for number in count(start):
        with _note(place.format(number)):
            sample = next(iterator, _END)
            if sample is _END:
                return stats
            opencv.guard()
            for image, channels_first in images_of(sample, where):
                stats = _both(stats, of_image(image, channels_first=channels_first))
    return stats


_END = object()


def _both(one: ChannelStats | None, other: ChannelStats | None) -> ChannelStats | None:
    if one is None or other is None:
        return one or other
    return one | other.renumbered(one.images)


@contextmanager
def _note(place: str) -> Generator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(place)
        raise


def _in_workers(
    job: _Job, ranges: Iterable[tuple[int, int]], num_workers: int, start_method: str | None
) -> Generator[ChannelStats | None]:
    """Yield the parts in order. A worker that dies raises an error."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    check_main()
    context = multiprocessing.get_context(start_method)
    executor = ProcessPoolExecutor(num_workers, context, _start_worker, (job,))
    try:
        with _delay_interrupt():
            parts = executor.map(_work, *zip(*ranges, strict=True))
        yield from parts
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

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles it, and ends its workers
    multiprocessing.current_process().daemon = True  # tells `opencv.guard` that this is a worker
    if "torch" in sys.modules:  # its OpenMP threads do not survive a fork: using them would hang
        sys.modules["torch"].set_num_threads(1)
    global _job
    _job = job


def _work(start: int, stop: int) -> ChannelStats | None:
    assert _job is not None
    return _part(_job, start, stop)
