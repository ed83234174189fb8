"""A pipeline at work: run, trace and replay."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import numpy as np
from numpy import ndarray

from seedsafe.ground.info import (
    FLOAT32,
    TARGETS,
    UINT8,
    Array,
    Info,
    Infos,
    check_array,
    check_last,
    check_sound,
)
from seedsafe.keys.ambient import claim
from seedsafe.keys.key import SampleKey
from seedsafe.keys.many import ManyKeys
from seedsafe.pipeline.checks import checked
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.naming import Stream
from seedsafe.pipeline.one_pass import OnePass, with_passes
from seedsafe.pipeline.rules import RuledSample, Rules
from seedsafe.pipeline.spans import CheckingState
from seedsafe.pipeline.state import State, Step, Trace

__all__ = ["Chain", "Node", "Replay", "Root", "checked_key", "run", "run_each", "trace", "window_of"]


_NAMES: Final = frozenset(TARGETS)


class Chain:
    """Steps that run one after another. It has no stream of its own. A Chain among the steps is replaced by its steps."""

    __slots__ = ("_before_last", "_last", "_of_videos", "_passes", "nodes", "ops", "steps")

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = tuple(_flat(nodes))
        self.ops = tuple(op for node in self.nodes for op in node.ops)
        self.steps = _joined(self.nodes)
        self._passes = with_passes(self.steps)
        self._of_videos = with_passes(self.steps, of_videos=True)
        last = self._passes[-1] if self._passes else None
        self._last = last if isinstance(last, Leaf | OnePass) and last.fills else None
        """The last step, if it can write into memory of the caller."""
        self._before_last = self._passes[:-1]

    def run(self, sample: Any, draws: State) -> Any:
        """Run all steps on the sample; a dict is changed in place."""
        is_video = isinstance(sample, dict) and "video" in sample and "image" not in sample
        return draws.through(self._of_videos if is_video else self._passes, sample)

    def run_into(self, image: Array, draws: State, row: Array) -> Any:
        """Run all steps on an image. If the last one can write into the row, do so and return the row."""
        if self._last is None:
            return self.run(image, draws)
        return draws.fill(self._last, draws.through(self._before_last, image), row)

    def trace(self, infos: Infos, draws: State, record: Trace) -> Infos:
        """Append the drawn parameters to the record, and return the description of the result."""
        for step in self.nodes:
            infos = step.trace(infos, draws, record)
            infos = infos if draws.rules is None else draws.rules.check_infos(infos)
        return infos

    def leaves(self) -> Iterator[Leaf]:
        """Yield the transforms of all steps."""
        for step in self.nodes:
            yield from step.leaves()


Node = Step | Chain
"""A transform, a container or a Compose, bound to its streams."""


def _flat(nodes: Iterable[Node]) -> Iterator[Step]:
    for node in nodes:
        if isinstance(node, Chain):
            yield from node.nodes
        else:
            yield node


def _joined(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return equivalent steps, with one step for two neighbours if one transform does the work of both."""
    joined: list[Step] = []
    for step in steps:
        before = joined[-1] if joined else None
        both = before.join(step) if isinstance(before, Leaf) and isinstance(step, Leaf) else None
        if both is None:
            joined.append(step)
        else:
            joined[-1] = both
    return tuple(joined)


class Replay:
    """The root of a pipeline that applies a record instead of drawing."""

    __slots__ = ("_infos", "_leaves", "_names", "_record", "_rules", "ops")

    def __init__(
        self,
        chain: Chain,
        streams: Iterable[Stream],
        record: Iterable[tuple[str, Any]],
        infos: Infos | None,
        rules: Rules,
    ) -> None:
        self.ops = ()
        self._leaves = {leaf.name: leaf for leaf in chain.leaves()}
        self._names = {stream.name for stream in streams}
        self._record = list(record)
        self._infos = infos
        self._rules = rules

    def run(self, sample: Any, draws: State) -> Any:
        """Apply the record to the sample; a dict is changed in place."""
        infos = None if self._infos is None else self._rules.enter_infos(self._infos)
        for name, params in self._record:
            if name not in self._names:
                raise ValueError(
                    f"params must name transforms of this pipeline, {sorted(self._names)}, got {name!r}: replay them in the "
                    "pipeline that drew them"
                )
            leaf = self._leaves.get(name.partition("@")[0])
            if params is None and isinstance(sample, RuledSample):
                sample.check()
            if leaf is None or params is None:
                continue
            if infos is None:
                sample = leaf.replay(sample, params)
            else:
                sample = leaf.replay(sample, params, leaf.info_of(infos))
                infos = leaf.out_infos(infos, params, self._rules)
        return sample

    def run_into(self, image: Array, draws: State, row: Array) -> Any:
        """Apply the record to the image. The result is never in the row."""
        return self.run(image, draws)


class Root(Protocol):
    """The whole of a pipeline."""

    @property
    def ops(self) -> tuple[int, ...]:
        """The streams that a call can draw from."""
        ...

    def run(self, sample: Any, draws: State) -> Any:
        """Transform the sample; a dict is changed in place."""

    def run_into(self, image: Array, draws: State, row: Array) -> Any:
        """Run all steps on an image. If the last one can write into the row, do so and return the row."""


def checked_key(key: Any) -> SampleKey:
    """Return the key, or raise an error that says how to make one."""
    if isinstance(key, SampleKey):
        return key
    raise TypeError(f"key must be a SampleKey, got {key!r}: pass key=SampleKey(seed, epoch, index)")


class _Pool(threading.local):
    def __init__(self) -> None:
        self.state = State()
        self._inner: list[State] = []

    def inner(self) -> State:
        """Return a state for a run inside another one, of a transform's own pipeline or of a partner. A new one takes 13 µs."""
        for state in self._inner:
            if not state.busy:
                return state
        self._inner.append(State())
        return self._inner[-1]


_pool = _Pool()


def run(
    root: Root,
    sample: Any,
    key: SampleKey | None,
    rules: Rules,
    info: Info | None = None,
    row: Array | None = None,
    source: str | None = None,
) -> Any:
    """Run a pipeline on a copy of the sample. Without a key, use the key of the current read.

    Args:
        root: the pipeline.
        sample: an array, or a dict of targets.
        key: the sample's key.
        rules: the pipeline's rules.
        info: the info of its image, for a dict without one.
        row: memory for the result of an array, which the pipeline may fill and return.
        source: where the sample comes from, to check the values that transforms get; see `CheckingState`.

    Raises:
        TypeError: there is no key outside a read, or the sample is not an array or a dict of arrays.
        ValueError: a part of the sample is not a valid target of its name.
    """
    if type(key) is not SampleKey:
        if key is None:
            with claim(root.ops) as call_key:
                return run(root, sample, call_key, rules, info)
        key = checked_key(key)
    if rules.unchecked_calls > 0 and key.call and source is None:
        result = run(root, sample, key, rules, info, source="the call passes")
        # After a run that passed: if it raises, the next call is checked instead.
        rules.unchecked_calls -= 1
        return result
    draws = _pool.state if source is None else CheckingState(source)
    if draws.busy:
        draws = _pool.inner()
    draws.busy = True
    try:
        if root.ops:
            draws.enter(key)
            if draws.counts:
                draws.counts.clear()
        if type(sample) is ndarray and not rules.video:
            return _run_array(root, sample, draws, rules, row)
        if isinstance(sample, dict):
            return _run_parts(root, sample, draws, rules, info)
        return _run_other(root, sample, draws, rules)
    finally:
        draws.busy = False


def _run_array(root: Root, array: Array, draws: State, rules: Rules, row: Array | None) -> Any:
    """Run a pipeline on an array: an image or audio."""
    dtype, shape = array.dtype, array.shape
    # The usual dtypes skip the call, 2 % of a small crop: benchmarks/keys.py.
    if not ((dtype is UINT8 or dtype is FLOAT32) and array.size):
        check_array("sample", array)
    if len(shape) == 3 and shape[2] > rules.bands:
        check_last(shape)
    if rules.hears:
        check_sound(shape)
    result = root.run(array, draws) if row is None else root.run_into(array, draws, row)
    if result is row:
        return result
    is_own = result is not array and result.base is None and result.flags.carray
    return result if is_own else result.copy()


def _run_parts(
    root: Root, sample: dict[Any, Any], draws: State, rules: Rules, info: Info | None
) -> dict[Any, Any]:
    """Run a pipeline on a dict of targets."""
    parts = checked(sample, rules)
    if rules.some:
        parts = rules.enter(parts, info)
    parts = root.run(parts, draws)
    if isinstance(parts, RuledSample):
        parts = parts.leave()
    inputs = set(map(id, sample.values()))
    if "masks" in sample:
        inputs.update(map(id, sample["masks"]))
    for name, part in parts.items():
        if name in _NAMES:
            parts[name] = _new(part, inputs)
    return parts


def _run_other(root: Root, sample: Any, draws: State, rules: Rules) -> Any:
    """Run a pipeline on a video, or on an array of a subclass, such as a memory map."""
    if rules.video and isinstance(sample, ndarray):
        return _run_parts(root, {"video": sample}, draws, rules, None)["video"]
    check_array("sample", sample)
    return _run_array(root, np.asarray(sample), draws, rules, None)


def window_of(chain: Chain, key: SampleKey, shape: tuple[int, int]) -> Any:
    """Return the window (top, left, height, width) of an RGB image of uint8 outside which no pixel matters at a key.

    None is returned unless the first step that fires is a crop inside the image; a step that raises an error does so when it runs.
    """
    draws = _pool.inner()
    with suppress(Exception):
        draws.enter(key)
        draws.counts.clear()
        step = next(step for step in chain.nodes if step.fires(draws))
        window = top, left, height, width = step.window(Info((*shape, 3), UINT8), draws)
        if 0 <= top <= shape[0] - height and 0 <= left <= shape[1] - width:
            return window
    return None


def run_each(chain: Chain, images: Iterable[Array], keys: ManyKeys) -> list[Any]:
    """Run the steps on each image at its key. Results may be the images themselves, or views of them."""
    draws = _pool.inner() if _pool.state.busy else _pool.state
    draws.busy = True
    try:
        result = []
        for image, root in zip(images, keys.addresses(0), strict=True):
            draws.go(root)
            if draws.counts:
                draws.counts.clear()
            result.append(draws.through(chain.steps, image))
        return result
    finally:
        draws.busy = False


def trace(chain: Chain, key: SampleKey, infos: Infos, rules: Rules) -> Trace:
    """Return the parameters that the pipeline draws at a key for a sample of this description, in order of application."""
    draws = State()
    draws.rules = rules
    draws.enter(checked_key(key))
    record: Trace = []
    chain.trace(rules.enter_infos(infos), draws, record)
    return record


def _new(part: Any, inputs: set[int]) -> Any:
    """Return arrays that share no memory, C-contiguous and writable; copy only if necessary, or if an array is an input."""
    if isinstance(part, ndarray):
        own = part.base is None and part.flags.carray and id(part) not in inputs
        return part if own else part.copy()
    return type(part)([_new(mask, inputs) for mask in part])
