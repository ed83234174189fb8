"""Samples that fail, and what replaces them."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NoReturn

from seedsafe.bridging.options import NotReproducible
from seedsafe.ground.checks import flag
from seedsafe.ground.process import child
from seedsafe.keys.key import SampleKey, address, op_of, philox
from seedsafe.pipeline.blame import blamed
from seedsafe.pipeline.spans import RangeError
from seedsafe.reading.failures import FailureLog, epoch_name
from seedsafe.reading.finite import NotFiniteError
from seedsafe.reading.inside import SharedSeedError

__all__ = [
    "TRIES",
    "Faults",
    "PartnerError",
    "SampleError",
    "Skipped",
    "path_of",
    "process_name",
    "reason",
    "require_sample",
    "sample_error",
    "substitutes",
    "transform_of",
]


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
        self.index = index
        self.path = path
        self.epoch = epoch
        self.worker = worker
        self.transform = transform


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
            except (NotReproducible, SharedSeedError):
                raise  # all samples have this error
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
