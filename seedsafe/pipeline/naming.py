"""Names of transforms, and their streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, NamedTuple

from seedsafe.keys.key import check_name, op_of
from seedsafe.pipeline.rules import Rules

__all__ = ["Namer", "Stream", "stream_name"]


class Stream(NamedTuple):
    """The name of a transform in a pipeline, and the number of its stream.

    Example:
        >>> import seedsafe as ss
        >>> ss.Compose([ss.RandomCrop(2)]).streams()
        (Stream(name='RandomCrop', op=2760111483),)
    """

    name: str
    op: int


class Namer:
    """Gives each transform of a pipeline its name and its streams, and collects the rules of its Composes.

    A transform is named by its ``name=``, else by its class. Further unnamed ones of that class are ``Class#1``,
    ``Class#2``, in their order in the whole pipeline. Inside a container that may apply a transform
    several times, the k-th further application is ``name@k``.
    """

    def __init__(self) -> None:
        self.streams: list[Stream] = []
        self.rules = Rules()
        self.repeats = 1
        self.before: list[Any] = []
        """The nodes bound so far that every sample passes before the next one; partners run through them."""
        self._numbers = False
        self.counts: Counter[str] = Counter()
        """How many transforms without a name of their own there are of each class so far."""
        self._owners: dict[int, str] = {0: "the root stream"}

    def bind(self, transforms: Iterable[Any]) -> list[Any]:
        """Return the nodes of transforms that run one after another."""
        before, start = self.before, len(self.before)
        for transform in transforms:
            before.append(transform.bind(self))
        nodes = before[start:]
        del before[start:]
        return nodes

    @contextmanager
    def numbered(self, numbers: bool) -> Generator[None]:
        """Number repeated names as repeated classes are: for the operations of a policy without a name of its own."""
        before, self._numbers = self._numbers, numbers
        try:
            yield
        finally:
            self._numbers = before

    def count_from(self, classes: Iterable[str]) -> None:
        """Count transforms of these classes as if they came before the next one; see `Compose.split`.

        Raises:
            ValueError: there are already more transforms of a class, so the next one would get another name.
        """
        for kind, count in Counter(classes).items():
            if self.counts[kind] > count:
                raise ValueError(
                    f"this part was built to follow {count} {kind}, but {self.counts[kind]} come before it here, so its random streams would "
                    "change: put it directly after the part before it, or give transforms a name="
                )
            self.counts[kind] = count

    def claim(self, name: str | None, kind: str) -> tuple[str, tuple[int, ...]]:
        """Return the name of a transform, and its ops for the first, second … application in one call.

        Raises:
            TypeError: the name is not a string.
            ValueError: the name is empty, reserved or in use, or another name has the same op.
        """
        if name is None or self._numbers:
            kind = kind if name is None else name
            number = self.counts[kind]
            self.counts[kind] += 1
            name = f"{kind}#{number}" if number else kind
        else:
            check_name(name)
        return name, tuple(self._claim_op(stream_name(name, k)) for k in range(self.repeats))

    def _claim_op(self, name: str) -> int:
        op = op_of(name)
        owner = self._owners.setdefault(op, name)
        if owner != name:
            raise ValueError(f"{name!r} has the same stream as {owner!r}: give the transform another name=")
        if any(stream.op == op for stream in self.streams):
            raise ValueError(f"two transforms are named {name!r}: give one of them another name=")
        self.streams.append(Stream(name, op))
        return op


def stream_name(name: str, times: int) -> str:
    """Return the name of a transform's stream after `times` earlier applications."""
    return f"{name}@{times}" if times else name
