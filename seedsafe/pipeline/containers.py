"""Containers that choose among their transforms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from seedsafe.ground.checks import flag, probability, real
from seedsafe.ground.info import Infos
from seedsafe.keys.key import checked_int
from seedsafe.pipeline.blame import blame
from seedsafe.pipeline.compose import Compose, members
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Chain, Node
from seedsafe.pipeline.option import Option, option, store
from seedsafe.pipeline.primitive import check_options, primitive
from seedsafe.pipeline.state import Applied, State, Step, Trace
from seedsafe.pipeline.transform import Transform

__all__ = ["Choice", "Chosen", "OneOf", "RandomApply", "SomeOf"]

Members = Sequence[Transform | Compose]


class Chosen(NamedTuple):
    """The positions of the transforms that a container applies, in order."""

    members: tuple[int, ...]


@primitive()
class _Container(Transform):
    """Apply some of the transforms: those that ``choose`` returns. A container has a stream of its own."""

    transforms: Option[Members, tuple[Transform | Compose, ...]] = option(members)
    p: float = option(probability, default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        if not self.transforms:
            raise ValueError(
                f"{type(self).__name__} must have at least one transform, got none: pass a list of them"
            )

    def choose(self, draws: State) -> tuple[int, ...]:
        """Return the positions of the transforms to apply, in order."""
        raise NotImplementedError

    @property
    def applies_all(self) -> bool:
        """Whether it applies all transforms in order, if it fires."""
        return False

    def bind(self, namer: Namer) -> Node:
        """Bind this container and its transforms to their streams in a pipeline."""
        name, ops = namer.claim(self.name, type(self).__name__)
        return _Chooser(self, name, ops, self.nodes(namer))

    def nodes(self, namer: Namer) -> list[Node]:
        """Bind the transforms to their streams."""
        return [transform.bind(namer) for transform in self.transforms]


class _Chooser(Step):
    """A container, bound to its stream."""

    __slots__ = ("_container", "in_order", "members")

    def __init__(
        self, container: _Container, name: str, streams: tuple[int, ...], nodes: Iterable[Node]
    ) -> None:
        super().__init__(name, streams, container.p, draws=True)
        self._container = container
        self.members = [Chain([node]) for node in nodes]
        """The transforms to choose from."""
        self.in_order = container.applies_all
        """Whether it applies all of them one after another, if it fires."""
        self.ops += tuple(op for member in self.members for op in member.ops)

    def fire(self, sample: Any, draws: State) -> Any:
        """Apply the members that the container chooses; a dict is changed in place."""
        for position in self._choose(draws):
            sample = self.members[position].run(sample, draws)
        return sample

    def trace(self, infos: Infos, draws: State, record: Trace) -> Infos:
        """Append the choice and the parameters of its members to the record, and return the description of the result."""
        name = self.stream_name(draws)
        if not self.fires(draws):
            record.append(Applied(name, None))
            return infos
        chosen = self._choose(draws)
        record.append(Applied(name, Chosen(chosen)))
        for position in chosen:
            infos = self.members[position].trace(infos, draws, record)
        return infos

    def leaves(self) -> Iterator[Leaf]:
        """Yield the transforms of all members."""
        return Chain(self.members).leaves()

    def _choose(self, draws: State) -> tuple[int, ...]:
        try:
            return self._container.choose(draws)
        except Exception as error:
            blame(error, self.name)
            raise


@primitive()
class RandomApply(_Container):
    """Apply all transforms with probability p, or none.

    Args:
        transforms: the transforms to apply.
        p: the probability that they are applied.

    Example:
        >>> import seedsafe as ss
        >>> RandomApply([ss.RandomCrop(2), ss.VerticalFlip()], p=0.3)
        RandomApply(transforms=(RandomCrop(size=(2, 2)), VerticalFlip()), p=0.3)
    """

    p: float = option(default=0.5, kw_only=True)

    @property
    def applies_all(self) -> bool:
        """Return True."""
        return True

    def nodes(self, namer: Namer) -> list[Node]:
        """Bind the transforms to their streams; each runs after those before it."""
        return namer.bind(self.transforms)

    def choose(self, draws: State) -> tuple[int, ...]:
        """Return all positions."""
        return tuple(range(len(self.transforms)))


@primitive()
class OneOf(_Container):
    """Apply one transform, each with the same probability.

    Args:
        transforms: the transforms to choose from.
        p: the probability that one is applied at all.

    Example:
        >>> import seedsafe as ss
        >>> OneOf([ss.HorizontalFlip(p=1.0), ss.VerticalFlip(p=1.0)])
        OneOf(transforms=(HorizontalFlip(p=1.0), VerticalFlip(p=1.0)))
    """

    def choose(self, draws: State) -> tuple[int, ...]:
        """Return one position."""
        return (draws.integer(len(self.transforms)),)


@primitive()
class Choice(_Container):
    """Apply one transform, with a probability in proportion to its weight. Draws which (word 1).

    Args:
        transforms: the transforms to choose from.
        weights: one for each transform, not negative; they need not sum to 1. A transform of weight 0 is never applied.
        p: the probability that one is applied at all.

    Raises:
        ValueError: there is not one weight for each transform, or all weights are zero.

    Example:
        >>> import seedsafe as ss
        >>> Choice([ss.HorizontalFlip(p=1.0), ss.VerticalFlip(p=1.0)], weights=[3, 1]).weights
        (3.0, 1.0)
    """

    weights: Option[Sequence[float], tuple[float, ...]] = option(kw_only=True)

    def __post_init__(self) -> None:
        _Container.__post_init__(self)
        way_out = "pass one weight for each transform"
        several = isinstance(self.weights, Iterable) and getattr(self.weights, "shape", None) != ()
        values = tuple(self.weights) if several else (self.weights,)
        weights = tuple(real("a weight of weights", weight, 0.0, 1e30, way_out) for weight in values)
        if len(weights) != len(self.transforms) or not any(weights):
            raise ValueError(
                f"weights must be {len(self.transforms)} numbers that are not all zero, got {self.weights!r}: {way_out}"
            )
        store(self, weights=weights)

    def choose(self, draws: State) -> tuple[int, ...]:
        """Return one position: the first at which the sum of the weights exceeds the drawn share of their total."""
        sums = tuple(accumulate(self.weights))
        drawn = draws.unit() * sums[-1]
        # The fallback, for a product that was rounded up to the total.
        last = max(k for k, weight in enumerate(self.weights) if weight)
        return (next((k for k, total in enumerate(sums) if drawn < total), last),)


@primitive()
class SomeOf(_Container):
    """Apply n transforms: different ones in the order of the list or, with replacement, in the order drawn.

    Args:
        transforms: the transforms to choose from.
        n: the number of transforms to apply, at least 1; without replacement at most the number of transforms.
        replace: whether a transform may be applied several times; its k-th further application draws from the
            stream ``name@k``.
        p: the probability that any are applied at all.

    Example:
        >>> import seedsafe as ss
        >>> SomeOf([ss.HorizontalFlip(p=1.0), ss.VerticalFlip(p=1.0)], n=1).n
        1
    """

    n: int = option(kw_only=True)
    replace: bool = option(flag, default=False, kw_only=True)

    def __post_init__(self) -> None:
        _Container.__post_init__(self)
        most = 16 if self.replace else len(self.transforms)
        store(self, n=checked_int("n", self.n, 1, most + 1, "it is the number of transforms to apply"))

    @property
    def applies_all(self) -> bool:
        """Whether n is the number of transforms."""
        return not self.replace and self.n == len(self.transforms)

    def nodes(self, namer: Namer) -> list[Node]:
        """Bind the transforms to their streams, one for each application."""
        repeats = namer.repeats
        namer.repeats *= self.n if self.replace else 1
        nodes = _Container.nodes(self, namer)
        namer.repeats = repeats
        return nodes

    def choose(self, draws: State) -> tuple[int, ...]:
        """Return n positions; this takes n words."""
        count = len(self.transforms)
        if self.replace:
            return tuple(draws.integer(count) for _ in range(self.n))
        remaining = list(range(count))
        return tuple(sorted(remaining.pop(draws.integer(count - k)) for k in range(self.n)))
