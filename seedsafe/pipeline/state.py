"""Steps of a pipeline, and a run's state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from seedsafe.ground.checks import probability
from seedsafe.ground.html import table
from seedsafe.ground.info import Info, Infos
from seedsafe.keys.draws import PooledDraws, limit_of
from seedsafe.pipeline.naming import stream_name
from seedsafe.pipeline.rules import RuledSample, Rules

__all__ = ["Applied", "Partners", "State", "Step", "Trace"]


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
    """The streams of the sample that a pipeline runs on, and the other data of the run."""

    __slots__ = ("busy", "counts", "partners", "rules")

    def __init__(self) -> None:
        super().__init__()
        self.busy = False
        self.counts: dict[str, int] = {}
        """How often each transform of a container has been applied to the current sample."""
        self.rules: Rules | None = None
        self.partners: Partners | None = None
        """The other samples of the dataset, if there is one."""

    def through(self, steps: Iterable[Step], sample: Any) -> Any:
        """Run steps on the sample, an array or a dict; a dict is changed in place.

        The loop repeats `Step.fires` without its calls: with them, a step that does not fire takes a fifth more time, see
        benchmarks/keys.py.
        """
        counter, bits, state, word, call = self._counter, self._bits, self._state, self._next, self._call
        is_dict = isinstance(sample, dict)
        for step in steps:
            if step.has_stream:
                counter[2] = (step.upper or step.next_upper(self)) | call
                bits.state = state
                if word() >= step.limit:
                    if is_dict:
                        step.require(sample)
                    continue
                self._count = 1
                self._generator = None
            sample = step.fire(sample, self)
        return sample

    def fill(self, step: Any, image: Any, row: Any) -> Any:
        """Run the last step on an image, into the row if it can."""
        return step.fill(image, row, self)


class Step:
    """A transform or a container, bound to its streams. The first word of a stream decides whether it fires.

    Args:
        name: the name of its stream.
        streams: the ops of its streams: one, or one for each application to a sample.
        p: the probability that it fires.
        draws: whether it needs its stream even if it always fires.

    Raises:
        ValueError: p is not a probability.
    """

    __slots__ = ("has_stream", "limit", "name", "ops", "streams", "upper")

    def __init__(self, name: str, streams: tuple[int, ...], p: Any, *, draws: bool) -> None:
        self.name = name
        self.streams = streams
        share = probability("p", p)
        self.limit = limit_of(share)
        """It fires if the stream's first word is below this number."""
        self.has_stream = share < 1.0 or len(streams) > 1 or draws
        self.ops = streams if self.has_stream else ()
        """The streams that a call can draw from."""
        self.upper = streams[0] << 32 if len(streams) == 1 else 0
        """The upper half of its stream's word in an address; 0 if it has several streams."""

    def next_upper(self, draws: State) -> int:
        """Count one more application to the current sample, and return the upper half of its stream's word."""
        times = draws.counts.get(self.name, 0)
        draws.counts[self.name] = times + 1
        return self.streams[times] << 32

    def fires(self, draws: State) -> bool:
        """Go to its stream for the current sample, and return whether it fires."""
        if not self.has_stream:
            return True
        draws.to_stream((self.upper or self.next_upper(draws)) >> 32)
        return draws.word() < self.limit

    def stream_name(self, draws: State) -> str:
        """Return the name of the stream of the next application to the current sample."""
        return stream_name(self.name, draws.counts.get(self.name, 0))

    def require(self, sample: dict[Any, Any]) -> None:
        """Raise an error if a dict lacks a target that this step needs; called where it does not fire, so that a draw hides no error.

        For the same reason, the limits of boxes are checked here.
        """
        if isinstance(sample, RuledSample):
            sample.check()

    def fire(self, sample: Any, draws: State) -> Any:
        """Transform the sample; a dict is changed in place. `draws` are at its stream, after the first word."""
        raise NotImplementedError

    def trace(self, infos: Infos, draws: State, record: Trace) -> Infos:
        """Append the drawn parameters to the record, and return the description of the result."""
        raise NotImplementedError

    def leaves(self) -> Iterator[Any]:
        """Yield the Leaf of each transform below this step, including itself."""
        raise NotImplementedError

    def window(self, info: Info, draws: State) -> Any:
        """Return the window of an image outside which no pixel matters, or None if it is unknown; `draws` are as for `fire`."""
        return None
