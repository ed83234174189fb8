"""Looks at the values of the first samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from seedsafe.keys.key import SampleIndex, SampleKey
from seedsafe.pipeline.spans import LOOKS
from seedsafe.reading.bound import BoundAugment
from seedsafe.reading.steps import Step, apart_from_outer

__all__ = ["Looked", "ValueLooks"]


class ValueLooks:
    """The reads of a dataset, or of a stream, whose values are still to be looked at in this process.

    Args:
        bound: the pipeline.
        end: called after the last of them.
    """

    def __init__(self, bound: BoundAugment, end: Callable[[], None] | None = None) -> None:
        self.left = LOOKS if bound.has_looks else 0
        """Their number."""
        self._end = end

    def count(self) -> None:
        """Count a read that had no fault."""
        self.left -= 1
        if self.left <= 0 and self._end is not None:
            self._end()

    def take(self, bound: BoundAugment, images: Iterable[Any], keys: Iterable[SampleKey]) -> bool:
        """Look at the first of some images, and return whether they have no fault; one that has raises it when it is read alone."""
        looking = bound.looking() if self.left > 0 else None
        for image, key in zip(images, keys, strict=False):
            if looking is None or self.left <= 0:
                return True
            try:
                apart_from_outer(looking, image, key)
            except Exception:  # noqa: BLE001
                return False
            self.count()
        return True


class Looked:
    """Looks at the floats that the transforms of a pipeline get in the first reads, and refuses those out of their range.

    The samples are those of the pipeline without looks.
    """

    def __init__(self, step: Step, looks: ValueLooks) -> None:
        self.bound = step.bound
        self.step = step
        """The step without looks."""
        self._looks = looks

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return the augmented sample."""
        result = self.step.with_bound(self.bound.looking()).augment(sample, at, key, row)
        self._looks.count()
        return result

    def with_bound(self, bound: BoundAugment) -> Looked:
        """Return the same step for another augmentation."""
        return Looked(self.step.with_bound(bound), self._looks)
