"""SampleError: which sample failed, where, in which transform, and what its file is."""

from __future__ import annotations

import os
import sys
import traceback
from bisect import bisect_right
from contextlib import suppress
from typing import Any, Final

from seedsafe.keys.key import VALIDATION_EPOCH, SampleKey
from seedsafe.pipeline.leaf import Leaf
from seedsafe.reading.finite import NotFiniteError
from seedsafe.reading.forms import augment_sample, augment_views

__all__ = ["SampleError", "epoch_name", "path_of", "process_name", "reason", "sample_error", "transform_of"]


class SampleError(RuntimeError):
    """A sample could not be read or augmented. The message names it, and ``__cause__`` is the original error.

    Loaders carry an error from a worker to the training process as text: there the message holds all of it, the cause's
    traceback as well, and the attributes of an error from a worker of torch's are None.

    Args:
        message: all that is known, for people.
        index: the sample's position in the dataset.
        path: its file, if the dataset knows it.
        epoch: in which it was read.
        worker: the number or name of the process that read it; None in the main process.
        transform: the name of the transform that failed; None if reading the sample failed.

    Example:
        >>> error = SampleError("sample 7 failed", index=7)
        >>> error.index, str(error)
        (7, 'sample 7 failed')
    """

    def __init__(
        self,
        message: str,
        *,
        index: int | None = None,
        path: str | None = None,
        epoch: int | None = None,
        worker: int | str | None = None,
        transform: str | None = None,
    ) -> None:
        super().__init__(message)
        self.index = index
        self.path = path
        self.epoch = epoch
        self.worker = worker
        self.transform = transform


def sample_error(
    error: Exception,
    base: Any,
    place: int,
    key: SampleKey,
    worker: int | str | None,
    *,
    name: str = "sample {place}",
    rest: str = "",
) -> SampleError:
    """Return the text about an error of a sample, or of something with another name; `rest` ends the message."""
    path, transform = path_of(base, place), transform_of(error)
    file = "" if path is None else f" ({path!r})"
    process = (
        "the main process"
        if worker is None
        else f"worker {worker}"
        if isinstance(worker, int)
        else f"process {worker}"
    )
    step = "" if transform is None else f", in {transform}"
    return SampleError(
        f"{name.format(place=place)}{file} failed in {epoch_name(key.epoch)}, in {process}{step}: {reason(error)}{rest}",
        index=place,
        path=path,
        epoch=key.epoch,
        worker=worker,
        transform=transform,
    )


def epoch_name(epoch: int) -> str:
    """Return an epoch's name for a message."""
    return "the validation epoch" if epoch == VALIDATION_EPOCH else f"epoch {epoch}"


def reason(error: Exception) -> str:
    """Return an error's class and message."""
    return str(error) if isinstance(error, SampleError) else f"{type(error).__name__}: {error}"


def process_name() -> str | None:
    """Return the name of this process if another one of multiprocessing's started it, else None."""
    # Without this module no process of multiprocessing runs here, so it need not be imported to ask.
    process = sys.modules.get("multiprocessing.process")
    if process is None or process.parent_process() is None:
        return None
    return str(process.current_process().name)


_OUR_FILES: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


_OF_LEAF: Final = frozenset(
    method.__code__ for method in (Leaf.run, Leaf.fired, Leaf.run_into, Leaf.apply)
)


def transform_of(error: Exception) -> str | None:
    """Return the name of the transform that an error comes from, or None if it comes from elsewhere."""
    if isinstance(error, NotFiniteError):
        return error.transform
    augmenting = False
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code in _OF_LEAF:
            return str(frame.f_locals["self"].name)
        if augmenting and not frame.f_code.co_filename.startswith(
            _OUR_FILES
        ):  # a callable that is no pipeline of ours
            return frame.f_code.co_qualname.removesuffix(".__call__")
        augmenting |= frame.f_code in (augment_sample.__code__, augment_views.__code__)
    return None


def path_of(base: Any, place: int) -> str | None:
    """Return the file of a sample: from ``base.path(place)``, from ``base.samples``, or from a dataset inside."""
    with suppress(Exception):
        for _ in range(16):  # a dataset inside a dataset, and so on
            if callable(getattr(base, "path", None)):
                return str(os.fspath(base.path(place)))
            if hasattr(base, "samples"):
                sample = base.samples[place]
                return str(os.fspath(sample[0] if isinstance(sample, tuple | list) else sample))
            if hasattr(base, "cumulative_sizes"):  # torch's ConcatDataset
                part = bisect_right(base.cumulative_sizes, place)
                place -= base.cumulative_sizes[part - 1] if part else 0
                base = base.datasets[part]
            elif hasattr(base, "indices"):  # torch's Subset
                base, place = base.dataset, base.indices[place]
            else:
                base = base.base if hasattr(base, "base") else base.dataset
    return None
