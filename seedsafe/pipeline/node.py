"""A pipeline at work: run, trace and replay."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, cast

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
    check_frames,
    check_last,
    check_target,
)
from seedsafe.keys.ambient import claim
from seedsafe.keys.key import SampleKey
from seedsafe.keys.many import ManyKeys
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.naming import Stream
from seedsafe.pipeline.rules import RuledSample, Rules
from seedsafe.pipeline.state import State, Trace
from seedsafe.pipeline.unnamed import check_names

__all__ = ["Chain", "Node", "Replay", "Root", "checked_key", "join", "run", "run_each", "trace"]


class Chain:
    """Nodes one after another, without a stream of their own."""

    __slots__ = ("_last", "_runs", "nodes", "ops", "steps")

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = tuple(nodes)
        self.ops = tuple(op for node in self.nodes for op in node.ops)
        steps = join(self.nodes)
        self._runs = tuple(node.run for node in steps)
        self.steps = tuple(node.step() if type(node) is Leaf else (None, 0, node.run) for node in steps)
        self._last = steps[-1] if steps else None

    def run(self, sample: Any, draws: State) -> Any:
        """Run all nodes on the sample; a dict is changed in place."""
        if type(sample) is ndarray:
            return draws.through(self.steps, sample)
        for run in self._runs:
            sample = run(sample, draws)
        return sample

    def run_into(self, sample: Any, draws: State, row: Array) -> Any:
        """Do the same as `run`, and return the row if the last node can write there."""
        last = self._last
        if not isinstance(last, Leaf | Chain):
            return self.run(sample, draws)
        return last.run_into(draws.through(self.steps[:-1], sample), draws, row)

    def trace(self, infos: Infos, draws: State, record: Trace) -> Infos:
        """Append the drawn parameters to the record, and return the description of the result."""
        for node in self.nodes:
            infos = node.trace(infos, draws, record)
        return infos

    def leaves(self) -> Iterator[Leaf]:
        """Yield the transforms of all nodes."""
        for node in self.nodes:
            yield from node.leaves()


def join(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return equivalent nodes, with one node for two neighbours if one transform does the work of both."""
    steps: list[Node] = []
    for node in nodes:
        before = steps[-1] if steps else None
        both = before.join(node) if isinstance(before, Leaf) and isinstance(node, Leaf) else None
        if both is None:
            steps.append(node)
        else:
            steps[-1] = both
    return tuple(steps)


class Replay(Chain):
    """A node that applies a record instead of drawing."""

    __slots__ = ("_infos", "_leaves", "_names", "_record", "_rules")

    def __init__(
        self,
        root: Chain,
        streams: Iterable[Stream],
        record: Iterable[tuple[str, Any]],
        infos: Infos | None,
        rules: Rules,
    ) -> None:
        super().__init__(root.nodes)
        self._leaves = {leaf.name: leaf for leaf in root.leaves()}
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
            if leaf is None or params is None:
                continue
            if infos is None:
                sample = leaf.apply(sample, params)
            else:
                sample = leaf.apply(sample, params, leaf.info_of(infos))
                infos = leaf.out_infos(infos, params, self._rules)
        return sample


class Node(Protocol):
    """A transform or a container, bound to its stream."""

    @property
    def ops(self) -> tuple[int, ...]:
        """The streams that a call can draw from."""
        ...

    def run(self, sample: Any, draws: State) -> Any:
        """Transform the sample; a dict is changed in place."""

    def trace(self, infos: Infos, draws: State, record: Trace) -> Infos:
        """Append the drawn parameters to the record, and return the description of the result."""
        ...

    def leaves(self) -> Iterator[Leaf]:
        """Yield the transforms below this node, including itself."""
        ...


class Root(Node, Protocol):
    """A node whose last step can write into memory of the caller."""

    def run_into(self, sample: Any, draws: State, row: Array) -> Any:
        """Do the same as `run`. Return the row if the sample is an image and the last step can write there."""


def checked_key(key: Any) -> SampleKey:
    """Return the key, or raise an error that says how to make one."""
    if isinstance(key, SampleKey):
        return key
    raise TypeError(f"key must be a SampleKey, got {key!r}: pass key=SampleKey(seed, epoch, index)")


class _Pool(threading.local):
    def __init__(self) -> None:
        self.state = State()


_pool = _Pool()


def run(
    node: Node,
    sample: Any,
    key: SampleKey | None,
    rules: Rules,
    info: Info | None = None,
    row: Array | None = None,
) -> Any:
    """Run the pipeline on a copy of the sample. Without a key, use the key of the current read.

    Args:
        node: the pipeline.
        sample: an array, or a dict of targets.
        key: the sample's key.
        rules: the rules for its boxes and keypoints.
        info: the info of its image, for a dict without one.
        row: memory for the result of an array. The node, then a Root, may fill and return it.

    Raises:
        TypeError: there is no key outside a read, or the sample is not an array or a dict of arrays.
        ValueError: a part of the sample is not a valid target of its name.
    """
    if type(key) is not SampleKey:
        if key is None:
            with claim(node.ops) as call_key:
                return run(node, sample, call_key, rules, info)
        key = checked_key(key)
    if rules.video and isinstance(sample, ndarray):
        return run(node, {"video": sample}, key, rules, info)["video"]
    draws = _pool.state
    if draws.busy:  # a transform runs a pipeline of its own
        draws = State()
    draws.busy = True
    try:
        if node.ops:
            draws.enter(key)
            if draws.counts:
                draws.counts.clear()
        if type(sample) is ndarray:
            dtype = sample.dtype
            if not ((dtype is UINT8 or dtype is FLOAT32) and sample.size):  # saves a call: benchmarks/keys.py
                check_array("sample", sample)
            shape = sample.shape
            if shape and shape[0] < rules.side:
                check_last(shape)
            if row is not None:
                result = cast("Root", node).run_into(sample, draws, row)
            elif type(node) is Chain:
                result = draws.through(node.steps, sample)  # saves a call of `run`: benchmarks/keys.py
            else:
                result = node.run(sample, draws)
            if result is row:
                return result
            return (
                result
                if result is not sample and result.base is None and result.flags.carray
                else result.copy()
            )
        if isinstance(sample, dict):
            parts = dict(sample)
            others = len(parts)
            for target in TARGETS:
                if target in parts:
                    others -= 1
                    check_target(target, parts)
                    if type(parts[target]) is not ndarray:
                        parts[target] = _plain(parts[target])
            if rules.spatial:
                if "image" in parts:
                    shape = parts["image"].shape
                    if shape and shape[0] < rules.side:
                        check_last(shape)
                if "video" in parts and not rules.last:
                    check_frames(parts["video"].shape)
            if others and (rules.spatial or rules.video) and sample.keys() != rules.keys:
                check_names(sample, rules)
            if rules.some:
                parts = rules.enter(parts, info)
            parts = node.run(parts, draws)
            if type(parts) is RuledSample:
                parts = parts.leave()
            inputs = {id(part) for part in sample.values()}
            if "masks" in sample:
                inputs |= {id(mask) for mask in sample["masks"]}
            return {k: _new(v, inputs) if k in TARGETS else v for k, v in parts.items()}
        check_array("sample", sample)
        return node.run(np.asarray(sample), draws).copy()
    finally:
        draws.busy = False


def run_each(chain: Chain, images: Iterable[Array], keys: ManyKeys) -> list[Any]:
    """Run the nodes on each image at its key. Results may be the images themselves, or views of them."""
    draws = State() if _pool.state.busy else _pool.state
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


def trace(node: Node, key: SampleKey, infos: Infos, rules: Rules) -> Trace:
    """Return the parameters that the pipeline draws at a key for a sample of this description, in order of application."""
    draws = State()
    draws.rules = rules
    draws.enter(checked_key(key))
    record: Trace = []
    node.trace(rules.enter_infos(infos), draws, record)
    return record


def _plain(part: Any) -> Any:
    """Return arrays of a subclass, a memory map for instance, as plain NumPy arrays over the same memory."""
    return np.asarray(part) if isinstance(part, ndarray) else type(part)(map(_plain, part))


def _new(part: Any, inputs: set[int]) -> Any:
    """Return arrays that share no memory, C-contiguous and writable; copy only if necessary, or if an array is an input."""
    if isinstance(part, ndarray):
        own = part.base is None and part.flags.carray and id(part) not in inputs
        return part if own else part.copy()
    return type(part)([_new(one, inputs) for one in part])
