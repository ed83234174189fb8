"""The values of float images along a pipeline.

Some transforms work on floats in [0, 1] alone. What a pipeline tells by itself, `require_spans` checks when it is made. What only
the samples tell, a reader looks at in the first of them: `looking` returns the pipeline with a `Look` where values come in. A base
that calls a pipeline itself is told by `FirstCalls`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, Final

import numpy as np
from numpy import ndarray

from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import limit_of
from seedsafe.keys.key import SampleKey
from seedsafe.pipeline.blame import blame
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.mixer import MixingRoot
from seedsafe.pipeline.node import Chain, Root, run
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.state import Step

__all__ = ["LOOKS", "FirstCalls", "Look", "RangeError", "has_looks", "looking", "require_spans"]

Span = tuple[float, float] | None

LOOKS: Final = 8
"""How many samples or calls are looked at in a process."""
_UNIT: Final = (0.0, 1.0)
_ALWAYS: Final = limit_of(1.0)
_BEYOND: Final = 0.25
"""How far a bicubic interpolation goes beyond the values of an image."""
_FEW: Final = 0.05
"""The share of values that it may take out of [0, 1]."""


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


class Look(Step):
    """A step that looks at the values of floats, and leaves the sample as it is.

    Args:
        leaves: the transforms that get these values.
        source: where they come from.
    """

    __slots__ = ("_leaves", "_source")

    def __init__(self, leaves: Iterable[Leaf], source: str) -> None:
        super().__init__("", (), 1.0, draws=False)
        self._leaves, self._source = tuple(leaves), source

    def fire(self, sample: Any, draws: Any) -> Any:
        """Return the sample.

        Raises:
            RangeError: a transform cannot be applied to these values.
        """
        spans: dict[int, tuple[float, float]] = {}
        for leaf in self._leaves:
            array = sample if isinstance(sample, ndarray) else leaf.primary_of(sample)
            if array is None or array.dtype.kind != "f" or not array.size:
                continue
            if id(array) not in spans:
                spans[id(array)] = _span_of(array)
            low, high = spans[id(array)]
            if not low < high:  # one value, or NaN alone, tells nothing
                continue
            try:
                leaf.transform.out_span((low, high), self._source)
                leaf.transform._check_values(array, self._source)  # pyright: ignore[reportPrivateUsage]
            except ValueError as error:
                fault = RangeError(str(error))
                blame(fault, leaf.name)
                raise fault from None
        return sample

    def leaves(self) -> Iterator[Leaf]:
        """Yield nothing: it is no transform."""
        return iter(())


def _span_of(array: ndarray[Any, Any]) -> tuple[float, float]:
    """Return the smallest and the largest value, without the little that an interpolation adds to an image in [0, 1]."""
    low, high = float(np.fmin.reduce(array, axis=None)), float(np.fmax.reduce(array, axis=None))
    if low >= -_BEYOND and high <= 1 + _BEYOND:
        outside = np.count_nonzero((array < -0.01) | (array > 1.01))
        if outside <= _FEW * array.size:
            return max(low, 0.0), min(high, 1.0)
    return low, high


def has_looks(chain: Chain) -> bool:
    """Return whether a pipeline has a transform that gets floats in [0, 1] alone."""
    return any(map(_is_particular, chain.leaves()))


def looking(chain: Chain, source: str = "the dataset returns") -> Chain:
    """Return the same steps with a `Look` where values come in: at the beginning, and after each step that changes their range.

    Transforms that do not fire are looked at as well. An interpolation or a noise on the way to a transform is no fault.

    Args:
        chain: the steps.
        source: where their values come from.
    """
    return _looking(chain.nodes, source, is_new=True)[0]


class FirstCalls:
    """Looks at the values that a pipeline gets in its first calls without a key inside reads, in this process.

    Args:
        chain: the steps of the pipeline.
        rules: its rules.
    """

    __slots__ = ("_chain", "_left", "_root", "_rules")

    def __init__(self, chain: Chain, rules: Rules) -> None:
        self._chain, self._rules, self._left = chain, rules, LOOKS
        self._root: Root | None = None

    def run(self, root: Root, sample: Any, key: SampleKey, info: Info | None, row: Array | None) -> Any:
        """Run the pipeline.

        Raises:
            RangeError: a transform cannot be applied to these values.
        """
        rules = copy(self._rules)
        rules.first_calls = None
        if not has_looks(self._chain):
            self._rules.first_calls = None
            return run(root, sample, key, rules, info, row)
        if self._root is None:
            chain = looking(self._chain, "the call passes")
            self._root = MixingRoot(chain, rules) if rules.mixes else chain
        result = run(self._root, sample, key, rules, info)
        self._left -= 1
        if self._left <= 0:
            self._rules.first_calls = None
        return result


def _looking(steps: Iterable[Any], source: str, *, is_new: bool) -> tuple[Chain, str, bool]:
    """Return the steps with looks.

    Args:
        steps: the steps.
        source: where their values come from.
        is_new: whether nothing has looked at these values yet.

    Returns:
        The steps; where the values after them come from; and whether nothing has looked at these.
    """
    nodes: list[Any] = []
    rest = list(steps)
    for position, step in enumerate(rest):
        needs = list(_needs(rest[position:])) if is_new else []
        if needs:
            nodes.append(Look(needs, source))
        is_new = False
        if isinstance(step, Leaf):
            nodes.append(step)
        else:
            nodes.append(_container(step, source))
        if not _keeps(step):
            source, is_new = f"{step.name} returns", True
    return Chain(nodes), source, is_new


def _container(step: Any, source: str) -> Any:
    """Return a container with looks inside it, where one of its transforms changes the range."""
    members, origin, is_new = [], source, False
    for member in step.members:
        if not step.in_order:
            origin, is_new = source, False
        inner, origin, is_new = _looking(member.nodes, origin, is_new=is_new)
        members.append(inner)
    return step.with_members(members)


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
    """Return whether floats in [0, 1] stay there, and others out of it, but for an interpolation or a noise."""
    if not step.limit:
        return True
    if isinstance(step, Leaf):
        try:
            return bool(step.transform.out_span(_UNIT) == _UNIT)
        except ValueError:
            return True
    return all(_keeps(inner) for member in step.members for inner in member.nodes)
