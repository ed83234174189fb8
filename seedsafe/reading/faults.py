"""What a dataset does about a sample that fails: raise, leave it out, or take another one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NoReturn

from seedsafe.ground.checks import flag
from seedsafe.keys.key import SampleKey, address, op_of, philox
from seedsafe.reading.error import SampleError, path_of, reason, sample_error
from seedsafe.reading.log import FailureLog

__all__ = ["TRIES", "Faults", "Skipped", "missing", "partners"]

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
            if isinstance(error, SampleError):  # of a dataset inside, which has said it all
                raise error
            raise sample_error(error, base, place, key, worker, rest=_WAY_OUT) from error
        path, why = path_of(base, place), reason(error)
        if path is not None and path not in why:
            why = f"{path!r}: {why}"
        if self.on_error == "skip":
            self.log.add(key.epoch, place, why)
            return Skipped(place, why, self.dropped_by)
        chosen = partners(key, place, len(base))
        failed = made = object()
        for other in chosen:
            with suppress(Exception):  # whatever it is, the next one may do
                made = make(other)
            if made is not failed:
                if listed:
                    self.log.add(key.epoch, place, f"{why} (sample {other} came instead)")
                return made
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
