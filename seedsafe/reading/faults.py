"""Samples that fail, and what replaces them."""

from __future__ import annotations

import cmath
import glob
import json
import os
import sys
import tempfile
import threading
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Any, Final, NoReturn

import numpy as np

from seedsafe.bridging.options import NotReproducible
from seedsafe.ground.checks import flag
from seedsafe.ground.process import child, is_worker
from seedsafe.ground.tree import Path, leaves, written
from seedsafe.ground.warning import warn
from seedsafe.keys.key import VALIDATION_EPOCH, SampleKey, address, op_of, philox
from seedsafe.pipeline.blame import blamed, code_name
from seedsafe.pipeline.compose import Compose
from seedsafe.pipeline.spans import RangeError
from seedsafe.reading.bases import SharedSeedError

__all__ = [
    "OF_ALL_SAMPLES",
    "TRIES",
    "FailureLog",
    "Faults",
    "NotFiniteError",
    "PartnerError",
    "SampleError",
    "Skipped",
    "epoch_name",
    "path_of",
    "process_name",
    "reason",
    "require_finite",
    "require_finite_after",
    "require_sample",
    "sample_error",
    "substitutes",
    "transform_of",
]


OF_ALL_SAMPLES: Final = (NotReproducible, SharedSeedError)
"""Errors that all samples have, so none of them is named or replaced."""


class NotFiniteError(ValueError):
    """A sample has NaN or infinity. `transform` is the name of its origin, or None if the sample was read like that."""

    transform: str | None = None


def require_finite(sample: Any) -> Any:
    """Return a sample, or raise NotFiniteError if a float in an array (of objects too), a tensor or a number at any depth of it is NaN or infinite.

    Example:
        >>> require_finite({"image": np.array([1.0, np.nan]), "label": 3})
        Traceback (most recent call last):
        seedsafe.reading.faults.NotFiniteError: the sample has 1 value of 2 in ['image'] that is not finite, the first at (1,): nan
    """
    for fault in _not_finite(sample):
        raise NotFiniteError(f"the sample has {fault}")
    return sample


def require_finite_after(augment: Any, result: Any, augmented_by: Callable[[Any], Any]) -> None:
    """Raise NotFiniteError if an augmented sample is not finite. The error names the transform of a Compose at fault.

    Args:
        augment: the augmentation.
        result: the augmented sample.
        augmented_by: returns the sample augmented with another augmentation.
    """
    for fault in _not_finite(result):
        error = NotFiniteError(f"the augmented sample has {fault}")
        error.transform = _culprit(augment, augmented_by)
        raise error


def _culprit(augment: Any, augmented_by: Callable[[Any], Any]) -> str:
    pipeline = augment if isinstance(augment, Compose) else Compose([])
    for number, transform in enumerate(pipeline.transforms, 1):
        # The first transforms alone have the same names, and so the same draws, as in the whole pipeline.
        if any(_not_finite(augmented_by(Compose(pipeline.transforms[:number], **pipeline.options())))):
            return getattr(transform, "name", None) or type(transform).__name__
    return code_name(augment)


def _not_finite(sample: Any, above: Path = ()) -> Iterator[str]:
    for path, part in leaves(sample, above):
        name = written(path)
        if isinstance(part, np.ndarray):
            if part.dtype.names is not None:
                yield from _not_finite({field: part[field] for field in part.dtype.names}, path)
            elif part.dtype.hasobject:
                for index, one in np.ndenumerate(part):
                    yield from _not_finite(one, (*path, *index))
            elif part.dtype.kind in "fc" and not np.isfinite(part).all():
                yield _describe(part, np.isfinite(part), name)
        elif isinstance(part, float | complex | np.inexact):
            if not cmath.isfinite(part):
                yield f"{part} in {name or 'itself'}"
        elif callable(getattr(part, "isfinite", None)) and not bool(part.isfinite().all()):  # a torch tensor
            yield _describe(part, np.asarray(part.isfinite()), name)


def _describe(part: Any, finite: Any, name: str) -> str:
    indices = np.argwhere(~finite)
    first = tuple(map(int, indices[0]))
    count = len(indices)
    verb = "value" if count == 1 else "values"
    return (
        f"{count} {verb} of {finite.size}{f' in {name}' if name else ''} that {'is' if count == 1 else 'are'} not finite, "
        f"the first at {first}: {part[first].item()}"
    )


def epoch_name(epoch: int) -> str:
    """Return the name of an epoch for a message."""
    return "the validation epoch" if epoch == VALIDATION_EPOCH else f"epoch {epoch}"


_SHOWN = 20  # indices in a warning, two lines of them; failures() has all
_LONGEST = 1000  # characters of a reason: some errors quote whole files


class FailureLog:
    """A list of failures that all processes and threads reading one dataset add to.

    It is a temporary file for each process and thread in which samples fail, because two of them cannot append to one file on every
    system. Nothing but files reaches workers under every start method, takes any number of entries, and needs no reader during
    a write. The process that made the list deletes them, and then warns of failures that were not reported. A copy made outside
    a worker starts empty.

    Args:
        outcome: the fate of the samples, "left out" or "replaced".

    Example:
        >>> log = FailureLog("left out")
        >>> log.add(0, 7, "ValueError: cannot read the image")
        >>> log.failures()
        {0: {7: 'ValueError: cannot read the image'}}
    """

    def __init__(self, outcome: str, *, _path: str | None = None) -> None:
        self.outcome = outcome
        self._parent_path = _path
        self._files = _Files(outcome)
        weakref.finalize(self, _end, self._files)

    def add(self, epoch: int, index: int, reason: str) -> None:
        """Add a failure."""
        line = json.dumps([epoch, index, reason[:_LONGEST]]) + "\n"
        own = f"{self._path()}-{os.getpid()}-{threading.get_native_id()}"
        handle = os.open(own, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the reason for each failure by epoch and index, both in order."""
        self._files.was_asked = True
        return self._files.failures()

    def report(self, name: str = "") -> None:
        """Warn, once for each epoch, of the failures since the last report."""
        self._files.report(name)

    def _path(self) -> str:
        """Return the path of the parent's files if this is a worker that unpickled the log, else of this process's own."""
        inherits = self._files.process == os.getpid() and is_worker()  # a forked child has its own
        return (self._parent_path if inherits else None) or self._files.path

    def __reduce__(self) -> Any:
        return partial(FailureLog, self.outcome, _path=self._path()), ()


class _Files:
    """The files of one list, which all begin with `path`, and the failures read from them so far."""

    def __init__(self, outcome: str) -> None:
        self.path = os.path.join(tempfile.gettempdir(), f"seedsafe-failures-{os.urandom(16).hex()}")
        self.process = os.getpid()
        self.outcome = outcome
        self.was_asked = False
        self._entries: list[tuple[int, int, str]] = []
        self._reported = 0
        self._offsets: dict[str, int] = {}

    def found(self) -> list[str]:
        """Return the files, in the order of their names; some may have been swept out of the temporary folder."""
        return sorted(glob.glob(f"{glob.escape(self.path)}-*"))

    def failures(self, first: int = 0) -> dict[int, dict[int, str]]:
        """Return the reasons by epoch and index, both in order, from the entry with a number on."""
        self._update()
        result: dict[int, dict[int, str]] = {}
        for epoch, index, reason in sorted(self._entries[first:], key=itemgetter(0, 1)):
            result.setdefault(epoch, {})[index] = reason
        return result

    def _update(self) -> None:
        self._offsets = {path: self._offsets.get(path, 0) for path in self.found()}
        for path, offset in self._offsets.items():
            with open(path, "rb") as file:
                file.seek(offset)
                data = file.read()
            lines = data[: data.rfind(b"\n") + 1]
            self._offsets[path] += len(lines)
            for line in lines.splitlines():
                epoch, index, reason = json.loads(line)
                self._entries.append((epoch, index, sys.intern(reason)))

    def report(self, name: str) -> None:
        news = self.failures(self._reported)
        self._reported = len(self._entries)
        for epoch, reasons in news.items():
            indices = list(reasons)
            shown = ", ".join(map(str, indices[:_SHOWN])) + (", …" if len(indices) > _SHOWN else "")
            many = len(indices) > 1
            warn(
                f"{name}{len(indices)} sample{'s' if many else ''} failed in {epoch_name(epoch)} and "
                f"{'were' if many else 'was'} {self.outcome}: {shown}. The first: {reasons[indices[0]]}. "
                "failures() lists them all"
            )


def _end(files: _Files) -> None:
    if os.getpid() != files.process:  # a forked worker ends, not the owner
        return
    try:
        if not files.was_asked:
            files.report("")
    finally:
        for path in files.found():
            with suppress(OSError):
                os.unlink(path)


class SampleError(RuntimeError):
    """A sample could not be read or augmented. The message names it, and ``__cause__`` is the original error.

    Loaders send an error from a worker to the training process as text. There the message holds everything, with the
    traceback of the cause. If a torch worker sent it, the attributes are None.

    Args:
        message: the full text, for people.
        index: the sample's position in the dataset.
        path: its file, or None if the dataset does not know it.
        epoch: the epoch in which it was read.
        worker: the number or name of the worker process that read it, or None in the main process.
        transform: the name of the transform that failed, or None if reading the sample failed.

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
        self.index, self.path, self.epoch = index, path, epoch
        self.worker, self.transform = worker, transform


class PartnerError(SampleError):
    """A sample of the dataset could not be read or augmented for mixing it with another one."""


def sample_error(
    error: Exception,
    base: Any,
    position: int,
    key: SampleKey,
    worker: int | str | None,
    *,
    name: str = "sample {position}",
    rest: str = "",
) -> SampleError:
    """Return an error that names a sample, or a thing with another `name`. Its message ends with `rest`."""
    path, transform = path_of(base, position), transform_of(error)
    file = "" if path is None else f" ({path!r})"
    kind = "worker" if isinstance(worker, int) else "process"
    process = "the main process" if worker is None else f"{kind} {worker}"
    step = "" if transform is None else f", in {transform}"
    return SampleError(
        f"{name.format(position=position)}{file} failed in {epoch_name(key.epoch)}, in {process}{step}: {reason(error)}{rest}",
        index=position,
        path=path,
        epoch=key.epoch,
        worker=worker,
        transform=transform,
    )


def reason(error: Exception) -> str:
    """Return an error's class and message."""
    return str(error) if isinstance(error, SampleError) else f"{type(error).__name__}: {error}"


def process_name() -> str | None:
    """Return the name of this process if multiprocessing started it, else None."""
    process = child()
    return None if process is None else str(process.name)


def transform_of(error: Exception) -> str | None:
    """Return the name of the transform that an error comes from, or None if it comes from elsewhere."""
    return error.transform if isinstance(error, NotFiniteError) else blamed(error)


def path_of(base: Any, position: int) -> str | None:
    """Return the file of a sample: from ``base.path(position)``, from ``base.samples``, or from a dataset inside."""
    with suppress(Exception):
        for _ in range(16):  # datasets inside datasets
            if callable(getattr(base, "path", None)):
                return str(os.fspath(base.path(position)))
            if hasattr(base, "samples"):
                sample = base.samples[position]
                return str(os.fspath(sample[0] if isinstance(sample, tuple | list) else sample))
            if hasattr(base, "cumulative_sizes"):  # torch.utils.data.ConcatDataset
                part = bisect_right(base.cumulative_sizes, position)
                position -= base.cumulative_sizes[part - 1] if part else 0
                base = base.datasets[part]
            elif hasattr(base, "indices"):  # torch.utils.data.Subset
                base, position = base.dataset, base.indices[position]
            else:
                base = base.base if hasattr(base, "base") else base.dataset
    return None


TRIES: Final = 16
"""How many other samples "replace" tries for one that failed."""

_WAY_OUT: Final = ' (on_error="replace" uses another sample instead)'
_OUTCOMES: Final = {"skip": "left out", "replace": "replaced"}


class Skipped:
    """Marks a sample that failed, until a collate function drops the mark from the batch. Any other use is an error.

    Args:
        index: the index of the sample.
        reason: the reason for the failure.
        dropped_by: the name, for an error, of the function that should have dropped the mark.
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


def require_sample(sample: Any) -> Any:
    """Return a sample, or raise an error if the dataset returned None, or the mark of a dataset inside."""
    if isinstance(sample, Skipped):
        raise ValueError(f"a dataset inside left it out: {sample.reason}")
    if sample is None:
        raise TypeError("the dataset returned None: return a sample, or leave the index out")
    return sample


class Faults:
    """Handles the samples of a dataset that fail, and keeps a list of them.

    Args:
        on_error: "raise", "skip" or "replace".
        check_finite: whether NaN and infinity are failures.
        allowed: the values of on_error that the dataset offers.
        dropped_by: the name, for an error, of the function that drops the marks of "skip".

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
        self.log = FailureLog(_OUTCOMES[on_error]) if on_error in _OUTCOMES else None

    def require_length(self, base: Any) -> None:
        """Raise an error if samples of a base without a length are to be replaced."""
        if self.on_error == "replace" and not hasattr(base, "__len__"):
            raise ValueError(
                'on_error="replace" chooses among all samples, but the base has no length: define __len__ on the base, or '
                'use on_error="raise"'
            )

    def recover(
        self,
        error: Exception,
        base: Any,
        position: int,
        key: SampleKey,
        make: Callable[[int], Any],
        worker: int | str | None,
        *,
        listed: bool = True,
    ) -> Any:
        """Return the mark or the sample that replaces a sample that failed.

        Args:
            error: the reason for the failure.
            base: the dataset that the sample was read from.
            position: its position in the base.
            key: its key, which chooses its substitutes.
            make: returns the sample at another position, augmented with this key.
            worker: see `SampleError`.
            listed: whether the failure enters the list.

        Raises:
            SampleError: failures are raised, no substitute worked, or a substitute's values are out of a transform's range.
        """
        if self.log is None:
            # The error of a dataset inside says everything already.
            if isinstance(error, SampleError) and not isinstance(error, PartnerError):
                raise error
            raise sample_error(error, base, position, key, worker, rest=_WAY_OUT) from error
        path, why = path_of(base, position), reason(error)
        if path is not None and path not in why:
            why = f"{path!r}: {why}"
        if self.on_error == "skip":
            self.log.add(key.epoch, position, why)
            return Skipped(position, why, self.dropped_by)
        others = substitutes(key, position, len(base))
        for substitute in others:
            try:
                result = make(substitute)
            except OF_ALL_SAMPLES:
                raise
            except RangeError as fault:  # so has this one, in the reads that look at values
                raise sample_error(fault, base, substitute, key, worker) from fault
            except Exception:  # noqa: BLE001, S112  # the next one may work
                continue
            if listed:
                self.log.add(key.epoch, position, f"{why} (replaced by sample {substitute})")
            return result
        rest = f"; {len(others)} other samples tried in its place failed as well: check the data"
        raise sample_error(error, base, position, key, worker, rest=rest) from error


def substitutes(key: SampleKey, position: int, count: int) -> list[int]:
    """Return the positions to try instead of a sample's, out of `count`. Its key chooses them; it is never one of them.

    Example:
        >>> substitutes(SampleKey(42, 0, 7), 7, 10)[:4]
        [4, 6, 4, 2]
    """
    if count < 2:
        return []
    words = philox(address(key, op_of("seedsafe/replace"))).random_raw(TRIES).tolist()
    numbers = [word * (count - 1) >> 64 for word in words]
    return [chosen + (chosen >= position) for chosen in numbers]
