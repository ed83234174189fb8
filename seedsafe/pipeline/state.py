"""Data of pipeline runs and traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from seedsafe.ground.html import table
from seedsafe.keys.draws import PooledDraws
from seedsafe.pipeline.rules import Rules

__all__ = ["Applied", "Partners", "State", "Step", "Trace", "turn"]

Step = tuple[int | None, int, Callable[..., Any]]
"""A stream as ``op << 32``, the limit of its first word, and the function to call if the word is below it.

The stream is None if the function is always called.
"""


class Applied(NamedTuple):
    """The parameters that a transform drew for one sample, or None if it did not fire.

    Example:
        >>> import seedsafe as ss
        >>> ss.Compose([ss.HorizontalFlip(p=0)]).params(ss.SampleKey(42, 0, 0), (4, 4))
        [Applied(name='HorizontalFlip', params=None)]
    """

    name: str
    params: Any

    def _repr_html_(self) -> str:
        """Return the parameters as a table, for notebooks."""
        fields = getattr(self.params, "_fields", None)
        rows = [(name, getattr(self.params, name)) for name in fields or ()]
        title = f"{self.name} did not fire" if self.params is None else self.name
        return table(title, ("parameter", "value"), rows or [("", repr(self.params))])


Trace = list[Applied]


class Partners(Protocol):
    """The dataset of a sample, for a transform that mixes samples."""

    @property
    def length(self) -> int | None:
        """The number of samples, or None if unknown."""

    @property
    def position(self) -> int:
        """The position of the sample that is mixed."""
        ...

    def read(self, position: int, view: int, before: Any, rules: Rules) -> Any:
        """Return another sample at its own key: an array or a dict of targets, with boxes as pixel edges.

        Args:
            position: the position of the other sample.
            view: the view of its key.
            before: the nodes to run on it: the transforms before the one that mixes.
            rules: the pipeline's rules.
        """


class State(PooledDraws):
    """The stream of a pipeline run, and its other data."""

    __slots__ = ("busy", "counts", "partners", "rules")

    def __init__(self) -> None:
        super().__init__()
        self.busy = False
        self.counts: dict[str, int] = {}
        """How often each transform of a container has been applied to the current sample."""
        self.rules: Rules | None = None
        self.partners: Partners | None = None
        """The other samples of the dataset, if there is one."""

    def through(self, steps: tuple[Step, ...], sample: Any) -> Any:
        """Run steps on an array; a transform that does not fire costs no call."""
        counter, bits, state, word, call = self._counter, self._bits, self._state, self._next, self._call
        for upper, limit, run in steps:
            if upper is not None:  # `begin`, inline: benchmarks/keys.py
                counter[2] = upper | call
                bits.state = state
                if word() >= limit:
                    continue
                self._count = 1
                self._generator = None
            sample = run(sample, self)
        return sample


def turn(draws: State, name: str, ops: tuple[int, ...]) -> int:
    """Return the stream for the next application of a transform to the current sample, and count it."""
    times = draws.counts.get(name, 0)
    draws.counts[name] = times + 1
    return ops[times]
