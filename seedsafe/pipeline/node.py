"""A pipeline at work: nodes one after another, run on a sample, traced without one, or replayed."""

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
from seedsafe.pipeline.rules import Ruled, Rules
from seedsafe.pipeline.state import State, Traced
from seedsafe.pipeline.unnamed import look

__all__ = ["Chain", "Node", "Replay", "Root", "checked_key", "joined", "run", "run_each", "trace"]


class Chain:
    """Nodes one after another, without a stream of their own."""

    __slots__ = ("_last", "_runs", "nodes", "ops", "steps")

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = tuple(nodes)
        self.ops = tuple(op for node in self.nodes for op in node.ops)
        steps = joined(self.nodes)
        self._runs = tuple(node.run for node in steps)
        self.steps = tuple(node.step() if type(node) is Leaf else (None, 0, node.run) for node in steps)
        self._last = steps[-1] if steps else None

    def run(self, sample: Any, draws: State) -> Any:
        """Return the sample through all nodes; a dict is changed in place."""
        if type(sample) is ndarray:
            return draws.through(self.steps, sample)
        for run in self._runs:
            sample = run(sample, draws)
        return sample

    def run_into(self, sample: Any, draws: State, row: Array) -> Any:
        """Return what `run` does, in the row where the last node can write there."""
        last = self._last
        if not isinstance(last, Leaf | Chain):
            return self.run(sample, draws)
        return last.run_into(draws.through(self.steps[:-1], sample), draws, row)

    def trace(self, infos: Infos, draws: State, record: Traced) -> Infos:
        """Append what is drawn to the record, and return the description of the result."""
        for node in self.nodes:
            infos = node.trace(infos, draws, record)
        return infos

    def leaves(self) -> Iterator[Leaf]:
        """Yield the transforms of all nodes."""
        for node in self.nodes:
            yield from node.leaves()


def joined(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return nodes that do the same, with neighbours in one where one transform does the work of two."""
    steps: list[Node] = []
    for node in nodes:
        before = steps[-1] if steps else None
        both = before.joined(node) if isinstance(before, Leaf) and isinstance(node, Leaf) else None
        if both is None:
            steps.append(node)
        else:
            steps[-1] = both
    return tuple(steps)


class Replay(Chain):
    """The node that applies a record instead of drawing."""

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
        """Return the sample with the record applied; a dict is changed in place."""
        infos = None if self._infos is None else self._rules.infos_entered(self._infos)
        for name, params in self._record:
            if name not in self._names:
                raise ValueError(
                    f"params name {name!r}, but this pipeline has {sorted(self._names)}: replay them in the pipeline "
                    "that drew them"
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
        """The streams that a call of it can draw from."""
        ...

    def run(self, sample: Any, draws: State) -> Any:
        """Return the sample, transformed; a dict is changed in place."""

    def trace(self, infos: Infos, draws: State, record: Traced) -> Infos:
        """Append what is drawn to the record, and return the description of the result."""
        ...

    def leaves(self) -> Iterator[Leaf]:
        """Yield the transforms below this node, itself included."""
        ...


class Root(Node, Protocol):
    """A node whose last step may write where it is told."""

    def run_into(self, sample: Any, draws: State, row: Array) -> Any:
        """Return what `run` does: the row, filled, if the sample is an image and the last step can write there."""


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
    """Return a new sample: the given one, never changed, through the pipeline at a key, or at the one of this read.

    Args:
        node: the pipeline.
        sample: an array, or a dict of targets.
        key: of the sample.
        rules: for its boxes and keypoints.
        info: of its image, for a dict without one.
        row: memory for the result of an array, which the node, a Root, may fill and return.

    Raises:
        TypeError: no key is given outside a read, or the sample is not an array or a dict of arrays.
        ValueError: the sample cannot be what its target's name says.
    """
    if type(key) is not SampleKey:
        if key is None:
            with claim(node.ops) as claimed:
                return run(node, sample, claimed, rules, info)
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
            if not ((dtype is UINT8 or dtype is FLOAT32) and sample.size):  # the usual cases, in less time
                check_array("sample", sample)
            shape = sample.shape
            if shape and shape[0] < rules.side:
                check_last(shape)
            if row is not None:
                result = cast("Root", node).run_into(sample, draws, row)
            elif type(node) is Chain:
                result = draws.through(node.steps, sample)  # its `run`, of an array
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
                        parts[target] = _bare(parts[target])
            if rules.spatial:
                if "image" in parts:
                    shape = parts["image"].shape
                    if shape and shape[0] < rules.side:
                        check_last(shape)
                if "video" in parts and not rules.last:
                    check_frames(parts["video"].shape)
            if others and (rules.spatial or rules.video) and sample.keys() != rules.keys:
                look(sample, rules)
            if rules.some:
                parts = rules.entered(parts, info)
            parts = node.run(parts, draws)
            if type(parts) is Ruled:
                parts = parts.left()
            given = {id(part) for part in sample.values()}
            if "masks" in sample:
                given |= {id(mask) for mask in sample["masks"]}
            return {k: _returned(v, given) if k in TARGETS else v for k, v in parts.items()}
        check_array("sample", sample)
        return _copy(node.run(np.asarray(sample), draws))
    finally:
        draws.busy = False


def run_each(chain: Chain, images: Iterable[Array], keys: ManyKeys) -> list[Any]:
    """Return images, each through the nodes at its key: as they come, views of the given ones or these themselves."""
    draws = State() if _pool.state.busy else _pool.state
    draws.busy = True
    try:
        result = []
        for image, at in zip(images, keys.addresses(0), strict=True):
            draws.go(at)
            if draws.counts:
                draws.counts.clear()
            result.append(draws.through(chain.steps, image))
        return result
    finally:
        draws.busy = False


def trace(node: Node, key: SampleKey, infos: Infos, rules: Rules) -> Traced:
    """Return what the pipeline draws for a key and a sample of this description, in the order of application."""
    draws = State()
    draws.rules = rules
    draws.enter(checked_key(key))
    record: Traced = []
    node.trace(rules.infos_entered(infos), draws, record)
    return record


def _bare(part: Any) -> Any:
    """Return an array of a subclass, a memory map for instance, as one of NumPy's own over the same memory; or several."""
    return np.asarray(part) if isinstance(part, ndarray) else type(part)(map(_bare, part))


def _returned(array: Any, given: set[int]) -> Any:
    if isinstance(array, ndarray):
        return _copy(array) if id(array) in given else _own(array)
    return type(array)([_returned(one, given) for one in array])


def _own(array: Array) -> Array:
    """Return an array that shares memory with no other, C-contiguous and writable; the same one if it is so."""
    return array if array.base is None and array.flags.carray else _copy(array)


def _copy(array: Array) -> Array:
    return array.copy()
