"""What a run of a pipeline keeps until its end, and what a trace of one records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from seedsafe.ground.html import table
from seedsafe.keys.draws import PooledDraws
from seedsafe.pipeline.rules import Rules

__all__ = ["Applied", "Partners", "State", "Step", "Traced", "turn"]

Step = tuple[int | None, int, Callable[..., Any]]
"""A stream, as ``op << 32``, and the number that its first word must be below, for what runs then; None for what runs anyway."""


class Applied(NamedTuple):
    """What a transform drew for one sample: its parameters, or None where it did not fire.

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


Traced = list[Applied]


class Partners(Protocol):
    """The dataset that a sample is of, to a transform that mixes it with others."""

    @property
    def length(self) -> int | None:
        """The number of samples; None where it is not known."""

    @property
    def position(self) -> int:
        """Of the sample that is mixed."""
        ...

    def read(self, position: int, view: int, before: Any, rules: Rules) -> Any:
        """Return another sample at its own key, an array or by target, its boxes as pixel edges.

        Args:
            position: of the other sample.
            view: of the key.
            before: the nodes that it runs through: the transforms before the one that mixes.
            rules: of the pipeline.
        """


class State(PooledDraws):
    """The stream of a run, and what else belongs to it."""

    __slots__ = ("busy", "counts", "partners", "rules")

    def __init__(self) -> None:
        super().__init__()
        self.busy = False
        self.counts: dict[str, int] = {}
        """How often each member of a container was applied since the sample was entered."""
        self.rules: Rules | None = None
        self.partners: Partners | None = None
        """The other samples of the dataset, where there is one."""

    def through(self, steps: tuple[Step, ...], sample: Any) -> Any:
        """Return an array through steps; one that does not fire costs no call."""
        counter, bits, at, word, call = self._counter, self._bits, self._state, self._next, self._call
        for upper, limit, run in steps:
            if upper is not None:  # `begin`, written out
                counter[2] = upper | call
                bits.state = at
                if word() >= limit:
                    continue
                self._taken = 1
                self._generator = None
            sample = run(sample, self)
        return sample


def turn(draws: State, name: str, ops: tuple[int, ...]) -> int:
    """Return the stream of a transform's first, second … application since the sample was entered."""
    times = draws.counts.get(name, 0)
    draws.counts[name] = times + 1
    return ops[times]
