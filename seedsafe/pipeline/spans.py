"""The values of float images along a pipeline.

Some transforms work only on floats in [0, 1]. `require_spans` checks what follows from the pipeline alone, when it is created. What
depends on the samples is checked in the first of them: their run has a `CheckingState`, which checks values where they enter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
from numpy import ndarray

from seedsafe.ground.info import Array
from seedsafe.keys.draws import limit_of
from seedsafe.pipeline.blame import blame
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.one_pass import OnePass
from seedsafe.pipeline.state import State, Step

__all__ = ["CHECKED", "CheckingState", "RangeError", "check_values", "needs_ranges", "require_spans"]

Span = tuple[float, float] | None

CHECKED: Final = 8
"""How many samples of a dataset, or calls inside a base, each process checks; the values of all others are like theirs."""
_UNIT: Final = (0.0, 1.0)
_ALWAYS: Final = limit_of(1.0)
_BEYOND: Final = 0.25
"""How far a bicubic interpolation goes beyond the values of an image."""
_FEW: Final = 0.05
"""The largest share of values that an interpolation may take out of [0, 1]."""


class RangeError(ValueError):
    """A transform gets floats out of its range, in this sample and so in all of them."""


def require_spans(steps: Iterable[Any], span: Span = None) -> Span:
    """Return the smallest and largest value after the steps, or raise an error where a transform gets floats out of its range."""
    for step in steps:
        if not step.limit:
            continue
        if isinstance(step, Leaf):
            after = step.transform.out_span(span)
            is_certain = step.limit == _ALWAYS
        else:
            after, is_certain = _after_container(step, span)
        span = after if is_certain or after == span else None
    return span


def _after_container(step: Any, span: Span) -> tuple[Span, bool]:
    """Return the span after a container, and whether it is certain."""
    if step.in_order:
        steps = [inner for member in step.members for inner in member.nodes]
        return require_spans(steps, span), step.limit == _ALWAYS
    found = {require_spans(member.nodes, span) for member in step.members}
    return (span, True) if found == {span} else (None, True)


class CheckingState(State):
    """A run that checks values where they come in: at the beginning, and after each step that changes their range.

    Transforms that do not fire are checked as well. Values that an interpolation or noise has moved a little beyond the range are no error.

    Args:
        source: where the values come from, for an error.
    """

    __slots__ = ("_are_new", "_in_order", "_source")

    def __init__(self, source: str) -> None:
        super().__init__()
        self._source, self._are_new = source, True
        self._in_order = True
        """Whether the steps to run follow those run before; false for members of a container that chooses among them."""

    def through(self, steps: Iterable[Step], sample: Any) -> Any:
        """Run steps on the sample, and check it between them.

        Raises:
            RangeError: a transform cannot be applied to the values.
        """
        rest, in_order = list(_one_by_one(steps)), self._in_order
        before = source, are_new = self._source, self._are_new
        for position, step in enumerate(rest):
            if are_new:
                check_values(rest[position:], sample, source)
            # The members of a container begin with the values before it, which the line above has checked.
            self._source, self._are_new, self._in_order = source, False, getattr(step, "in_order", True)
            sample = super().through((step,), sample)
            source, are_new = (source, False) if _keeps(step) else (f"{step.name} returns", True)
        self._in_order = in_order
        self._source, self._are_new = (source, are_new) if in_order else before
        return sample

    def fill(self, step: Any, image: Any, row: Any) -> Any:
        """Run the last step, which `through` has not seen, on an image, and check it before."""
        check_values(_one_by_one((step,)), image, self._source)
        return super().fill(step, image, row)


def _one_by_one(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield from step.members if isinstance(step, OnePass) else (step,)


def check_values(steps: Iterable[Any], sample: Any, source: str) -> None:
    """Raise a RangeError if one of the steps that get the sample's values unchanged cannot be applied to them.

    Args:
        steps: the steps.
        sample: an array, or a dict of targets.
        source: where its values come from.
    """
    spans: dict[int, tuple[float, float]] = {}
    for leaf in _needs(steps):
        array = sample if isinstance(sample, ndarray) else leaf.primary_of(sample)
        if array is None or array.dtype.kind != "f" or not array.size:
            continue
        if id(array) not in spans:
            spans[id(array)] = _span_of(array)
        low, high = spans[id(array)]
        if not low < high:  # one value, or NaN alone, tells nothing
            continue
        try:
            leaf.transform.out_span((low, high), source)
            leaf.transform._check_values(array, source)  # pyright: ignore[reportPrivateUsage]
        except ValueError as error:
            fault = RangeError(str(error))
            blame(fault, leaf.name)
            raise fault from None


def _span_of(array: Array) -> tuple[float, float]:
    """Return the smallest and the largest value, without the little that an interpolation adds to an image in [0, 1]."""
    low, high = float(np.fmin.reduce(array, axis=None)), float(np.fmax.reduce(array, axis=None))
    if low >= -_BEYOND and high <= 1 + _BEYOND:
        outside = np.count_nonzero((array < -0.01) | (array > 1.01))
        if outside <= _FEW * array.size:
            return max(low, 0.0), min(high, 1.0)
    return low, high


def needs_ranges(leaves: Iterable[Leaf]) -> bool:
    """Return whether any of the transforms takes only values of a certain range."""
    return any(map(_is_particular, leaves))


def _needs(steps: Iterable[Any]) -> Iterator[Leaf]:
    """Yield the transforms that get the values before the steps, as they are or hardly changed."""
    for step in steps:
        if isinstance(step, Leaf):
            if _is_particular(step):
                yield step
        elif step.limit:
            if step.in_order:
                yield from _needs(inner for member in step.members for inner in member.nodes)
            else:
                for member in step.members:
                    yield from _needs(member.nodes)
        if not _keeps(step):
            return


def _is_particular(leaf: Leaf) -> bool:
    """Return whether a transform can be applied only to some values."""
    if not leaf.limit:
        return False
    if leaf.transform._checks_values:  # pyright: ignore[reportPrivateUsage]
        return True
    for span in (_UNIT, (0.0, 255.0)):
        try:
            leaf.transform.out_span(span, "the dataset returns")
        except ValueError:
            return True
    return False


def _keeps(step: Any) -> bool:
    """Return whether a step keeps floats in [0, 1] inside and others outside, apart from an interpolation or a noise."""
    if not step.limit:
        return True
    if isinstance(step, Leaf):
        try:
            return bool(step.transform.out_span(_UNIT) == _UNIT)
        except ValueError:
            return True
    return all(_keeps(inner) for member in step.members for inner in member.nodes)
