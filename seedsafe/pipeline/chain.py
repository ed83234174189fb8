"""Nodes one after another, run, traced or replayed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from numpy import ndarray

from seedsafe.ground.info import Array, Infos
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.naming import Stream
from seedsafe.pipeline.node import Node
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.state import State, Traced

__all__ = ["Chain", "Replay"]


class Chain:
    """Nodes one after another, without a stream of their own."""

    __slots__ = ("_last", "_runs", "_steps", "nodes", "ops")

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = tuple(nodes)
        self.ops = tuple(op for node in self.nodes for op in node.ops)
        nodes = _joined(self.nodes)
        self._runs = tuple(node.run for node in nodes)
        self._steps = tuple(node.step() if type(node) is Leaf else (None, 0, node.run) for node in nodes)
        self._last = nodes[-1] if nodes else None

    def run(self, sample: Any, draws: State) -> Any:
        """Return the sample through all nodes; a dict is changed in place."""
        if type(sample) is ndarray:
            return draws.through(self._steps, sample)
        for run in self._runs:
            sample = run(sample, draws)
        return sample

    def run_into(self, sample: Any, draws: State, row: Array) -> Any:
        """Return what `run` does, in the row where the last node can write there."""
        last = self._last
        if not isinstance(last, Leaf | Chain):
            return self.run(sample, draws)
        return last.run_into(draws.through(self._steps[:-1], sample), draws, row)

    def trace(self, infos: Infos, draws: State, record: Traced) -> Infos:
        """Append what is drawn to the record, and return the description of the result."""
        for node in self.nodes:
            infos = node.trace(infos, draws, record)
        return infos

    def leaves(self) -> Iterator[Leaf]:
        """Yield the transforms of all nodes."""
        for node in self.nodes:
            yield from node.leaves()


def _joined(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
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
