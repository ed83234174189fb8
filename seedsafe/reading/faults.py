"""Samples that fail: what a dataset does about them, the error that names one, NaN and infinity, and the list of failures."""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
import traceback
import warnings
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final, NoReturn

import numpy as np

from seedsafe.ground.checks import flag
from seedsafe.ground.process import child, is_worker
from seedsafe.keys.key import VALIDATION_EPOCH, SampleKey, address, op_of, philox
from seedsafe.pipeline.compose import Compose
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.mixer import Mixer
from seedsafe.reading.forms import Augment, augment_sample, augment_views

__all__ = [
    "TRIES",
    "FailureLog",
    "Faults",
    "NotFiniteError",
    "PartnerError",
    "SampleError",
    "Skipped",
    "epoch_name",
    "missing",
    "partners",
    "path_of",
    "process_name",
    "reason",
    "require_finite",
    "require_finite_after",
    "sample_error",
    "transform_of",
]


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


class PartnerError(SampleError):
    """Another sample of the dataset, with which one was to be mixed, could not be read or augmented."""


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
    process = child()
    return None if process is None else str(process.name)


_OUR_FILES: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


_OF_LEAF: Final = frozenset(
    method.__code__ for method in (Leaf.run, Leaf.fired, Leaf.run_into, Leaf.apply, Mixer.run)
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


class NotFiniteError(ValueError):
    """A sample has NaN or infinity; `transform` is what made it, None if it was read like that."""

    transform: str | None = None


def require_finite(sample: Any) -> None:
    """Raise NotFiniteError if a float of a sample is NaN or infinite: in an array or tensor, or a number, at any depth.

    Example:
        >>> require_finite({"image": np.array([1.0, np.nan]), "label": 3})
        Traceback (most recent call last):
        seedsafe.reading.faults.NotFiniteError: the sample has 1 value of 2 in ['image'] that is not finite, the first at (1,): nan
    """
    for found in _not_finite(sample, ""):
        raise NotFiniteError(f"the sample has {found}")


def require_finite_after(augment: Augment, made: Any, again: Callable[[Augment], Any]) -> None:
    """Raise NotFiniteError if an augmented sample is not finite, with the transform of a Compose that made it so.

    Args:
        augment: what it was augmented with.
        made: the augmented sample.
        again: returns the sample augmented with something else.
    """
    for found in _not_finite(made, ""):
        error = NotFiniteError(f"the augmented sample has {found}")
        error.transform = _culprit(augment, again)
        raise error


def _culprit(augment: Augment, again: Callable[[Augment], Any]) -> str:
    members, options = (augment.transforms, augment.options()) if isinstance(augment, Compose) else ((), {})
    for number, member in enumerate(members, 1):
        # Members at the beginning have the names, and so the draws, that they have in the whole.
        if any(_not_finite(again(Compose(members[:number], **options)), "")):
            return getattr(member, "name", None) or type(member).__name__
    return str(getattr(augment, "__qualname__", type(augment).__qualname__))


def _not_finite(part: Any, name: str) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _not_finite(value, f"{name}[{key!r}]")
    elif isinstance(part, tuple | list):
        for place, value in enumerate(part):
            yield from _not_finite(value, f"{name}[{place}]")
    elif isinstance(part, np.ndarray):
        if part.dtype.kind in "fc" and not np.isfinite(part).all():
            yield _described(part, np.isfinite(part), name)
    elif isinstance(part, float | np.floating):
        if not math.isfinite(part):
            yield f"{part} in {name or 'itself'}"
    elif callable(getattr(part, "isfinite", None)) and not bool(part.isfinite().all()):  # a tensor of torch's
        yield _described(part, np.asarray(part.isfinite()), name)


def _described(part: Any, finite: Any, name: str) -> str:
    places = np.argwhere(~finite)
    first = tuple(int(place) for place in places[0])
    count = len(places)
    inside = f" in {name}" if name else ""
    verb = "value" if count == 1 else "values"
    return (
        f"{count} {verb} of {finite.size}{inside} that {'is' if count == 1 else 'are'} not finite, "
        f"the first at {first}: {part[first].item()}"
    )


_SHOWN = 20
_LONGEST = 1000


class FailureLog:
    """A list of failures that all processes and threads reading one dataset add to.

    It is a temporary file to which lines are appended, each in one write, because nothing else reaches workers under
    every start method, takes any number of entries, and needs no reader while it is written. It is deleted by the process
    that made it, which then warns of failures that were not reported. A copy made outside a worker starts empty.

    Args:
        became: what became of the samples: "left out" or "replaced".

    Example:
        >>> log = FailureLog("left out")
        >>> log.add(0, 7, "ValueError: cannot read the image")
        >>> log.failures()
        {0: {7: 'ValueError: cannot read the image'}}
    """

    def __init__(self, became: str, *, _path: str | None = None) -> None:
        self.became = became
        self._parents = _path
        self._read = _Read(became)
        weakref.finalize(self, _end, self._read)

    def add(self, epoch: int, index: int, reason: str) -> None:
        """Add a failure."""
        line = json.dumps([epoch, index, reason[:_LONGEST]]) + "\n"
        handle = os.open(self._place(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the reason of each failure by epoch and index, both in order."""
        self._read.update()
        self._read.asked = True
        found = self._read.found
        return {epoch: dict(sorted(found[epoch].items())) for epoch in sorted(found)}

    def report(self, name: str = "") -> None:
        """Warn of the failures that came since the last time: once for each epoch."""
        self._read.report(name, stacklevel=3)

    def _place(self) -> str:
        """Return the file: of the process that this one is a worker of and was handed a pickle by, else its own."""
        here = self._read.process == os.getpid()  # and not in a process that this one was forked from
        return self._parents if self._parents is not None and here and is_worker() else self._read.path

    def __reduce__(self) -> Any:
        return partial(FailureLog, self.became, _path=self._place()), ()


class _Read:
    """What was read so far of the file of one process, which the first failure makes."""

    def __init__(self, became: str) -> None:
        self.path = os.path.join(tempfile.gettempdir(), f"seedsafe-failures-{os.urandom(16).hex()}")
        self.process = os.getpid()
        self.became = became
        self.asked = False
        self.found: dict[int, dict[int, str]] = {}
        self._untold: dict[int, dict[int, str]] = {}
        self._position = 0

    def update(self) -> None:
        if not os.path.exists(
            self.path
        ):  # not made yet, or swept out of the temporary folder and made again later
            self._position = 0
            return
        with open(self.path, "rb") as file:
            file.seek(self._position)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._position += len(whole)
        for line in whole.splitlines():
            epoch, index, reason = json.loads(line)
            for found in (self.found, self._untold):
                found.setdefault(epoch, {})[index] = sys.intern(reason)

    def report(self, name: str, stacklevel: int) -> None:
        self.update()
        untold, self._untold = self._untold, {}
        for epoch, reasons in sorted(untold.items()):
            indices = sorted(reasons)
            shown = ", ".join(map(str, indices[:_SHOWN])) + (", …" if len(indices) > _SHOWN else "")
            many = len(indices) > 1
            warnings.warn(
                f"{name}{len(indices)} sample{'s' if many else ''} failed in {epoch_name(epoch)} and "
                f"{'were' if many else 'was'} {self.became}: {shown}. The first: {reasons[indices[0]]}. "
                "failures() lists them all",
                stacklevel=stacklevel + 1,
            )


def _end(read: _Read) -> None:
    if os.getpid() != read.process:  # a forked worker ends, not the owner
        return
    try:
        if not read.asked:
            read.report("", stacklevel=2)
    finally:
        with suppress(OSError):
            os.unlink(read.path)


TRIES: Final = 16
"""How many samples "replace" tries in place of one that failed."""

_WAY_OUT: Final = ' (on_error="replace" goes on without such samples)'
_BECAME: Final = {"skip": "left out", "replace": "replaced"}


class Skipped:
    """Stands in a batch for a sample that failed, until a collate function drops it. It refuses to be used.

    Args:
        index: of the sample.
        reason: why it failed.
        dropped_by: what should have dropped the mark, in an error's words.
    """

    def __init__(self, index: int, reason: str, dropped_by: str = "a collate function") -> None:
        self.index = index
        self.reason = reason
        self.dropped_by = dropped_by

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError(
            f'sample {self.index} failed and on_error="skip" marked it, but nothing dropped it: use {self.dropped_by}'
        )

    __iter__ = __len__ = __getitem__ = _refuse

    def __repr__(self) -> str:
        return f"Skipped({self.index}, {self.reason!r})"


def missing(sample: Any) -> Exception:
    """Return the error for what a dataset returned in place of a sample: None, or the mark of a dataset inside."""
    if isinstance(sample, Skipped):
        return ValueError(f"a dataset inside left it out: {sample.reason}")
    return TypeError("the dataset returned None: return a sample, or leave the index out")


class Faults:
    """What a dataset does about samples that fail, and the list of those that did.

    Args:
        on_error: "raise", "skip" or "replace".
        check_finite: whether NaN and infinity are failures.
        allowed: the values of on_error that the dataset offers.
        dropped_by: what drops the marks of "skip", in an error's words.

    Raises:
        ValueError: an argument is out of its range.
    """

    def __init__(
        self,
        on_error: str = "raise",
        check_finite: bool = False,
        *,
        allowed: tuple[str, ...] = ("raise", "replace"),
        dropped_by: str = "a collate function",
    ) -> None:
        if on_error not in allowed:
            raise ValueError(
                f"on_error must be one of {', '.join(map(repr, allowed))}, got {on_error!r}: "
                'leave it out for "raise"'
            )
        flag("check_finite", check_finite)
        self.on_error = on_error
        self.check_finite = check_finite
        self.dropped_by = dropped_by
        self.log = FailureLog(_BECAME[on_error]) if on_error in _BECAME else None

    def require_length(self, base: Any) -> None:
        """Raise an error if samples are to be replaced of a base that does not know how many it has."""
        if self.on_error == "replace" and not hasattr(base, "__len__"):
            raise ValueError(
                'on_error="replace" chooses among all samples: define __len__ on the base, or use "raise"'
            )

    def recovered(
        self,
        error: Exception,
        base: Any,
        place: int,
        key: SampleKey,
        make: Callable[[int], Any],
        worker: int | str | None,
        *,
        listed: bool = True,
    ) -> Any:
        """Return what takes the place of a sample that failed.

        Args:
            error: what it failed with.
            base: the dataset that it was read from.
            place: where in it.
            key: of the sample, which chooses the one that replaces it.
            make: returns the sample at another place, augmented with this one's key.
            worker: the number or name of this process if it is a worker.
            listed: whether the failure counts; False where the sample is read for its shape alone.

        Raises:
            SampleError: the failure is to be raised, or nothing could replace the sample.
        """
        if self.log is None:
            if isinstance(error, SampleError) and not isinstance(
                error, PartnerError
            ):  # a dataset's inside, which says it all
                raise error
            raise sample_error(error, base, place, key, worker, rest=_WAY_OUT) from error
        path, why = path_of(base, place), reason(error)
        if path is not None and path not in why:
            why = f"{path!r}: {why}"
        if self.on_error == "skip":
            self.log.add(key.epoch, place, why)
            return Skipped(place, why, self.dropped_by)
        chosen = partners(key, place, len(base))
        failed = result = object()
        for other in chosen:
            with suppress(Exception):  # whatever it is, the next one may do
                result = make(other)
            if result is not failed:
                if listed:
                    self.log.add(key.epoch, place, f"{why} (sample {other} came instead)")
                return result
        rest = f"; {len(chosen)} samples chosen instead of it failed as well: look at the data first"
        raise sample_error(error, base, place, key, worker, rest=rest) from error


def partners(key: SampleKey, place: int, count: int) -> list[int]:
    """Return the places of the samples to try instead of one, of `count`: never itself, and chosen by its key alone.

    Example:
        >>> partners(SampleKey(42, 0, 7), 7, 10)[:4]
        [4, 6, 4, 2]
    """
    if count < 2:
        return []
    words = philox(address(key, op_of("seedsafe/replace"))).random_raw(TRIES).tolist()
    chosen = [word * (count - 1) >> 64 for word in words]
    return [other + (other >= place) for other in chosen]
