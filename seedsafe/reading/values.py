"""Checks of the values of the first samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from seedsafe.keys.key import SampleIndex, SampleKey
from seedsafe.pipeline.spans import CHECKED
from seedsafe.reading.bound import BoundAugment
from seedsafe.reading.steps import Step, apart_from_outer

__all__ = ["CheckedValues", "ValueChecks"]


class ValueChecks:
    """The reads of a dataset, or of a stream, whose values are still to be checked in this process.

    Args:
        bound: the pipeline.
        end: called after the last of them.
    """

    def __init__(self, bound: BoundAugment, end: Callable[[], None] | None = None) -> None:
        self.due = CHECKED if bound.needs_ranges else 0
        """Their number."""
        self._end = end

    def count(self) -> None:
        """Count a read that had no fault."""
        self.due -= 1
        if self.due <= 0 and self._end is not None:
            self._end()

    def pass_for(self, bound: BoundAugment, images: Iterable[Any], keys: Iterable[SampleKey]) -> bool:
        """Check the first of some images, and return whether they have no fault; one that has raises it when it is read alone."""
        checking = bound.checking() if self.due > 0 else None
        for image, key in zip(images, keys, strict=False):
            if checking is None or self.due <= 0:
                return True
            try:
                apart_from_outer(checking, image, key)
            except Exception:  # noqa: BLE001
                return False
            self.count()
        return True


class CheckedValues:
    """Checks the floats that the transforms of a pipeline get in the first reads, and refuses those out of their range.

    The samples are those of the pipeline without checks.
    """

    def __init__(self, step: Step, checks: ValueChecks) -> None:
        self.step = step
        """The step without checks."""
        self._checks = checks

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the augmented sample."""
        result = self.step.augment(bound.checking(), sample, at, key, row)
        self._checks.count()
        return result
