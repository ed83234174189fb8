"""A pipeline, bound to its streams."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from seedsafe.pipeline.boxes import Boxes
from seedsafe.pipeline.checks import checks_of
from seedsafe.pipeline.keypoints import Keypoints
from seedsafe.pipeline.leaf import FORMATS, Leaf
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Chain, Root
from seedsafe.pipeline.spans import CHECKED, needs_ranges, require_spans

__all__ = ["Bound"]


class Bound:
    """The steps that a Compose, or a transform by itself, runs.

    A transform by itself makes one in its first call and keeps it for later calls. Its pickles and copies have none.

    Args:
        owner: the Compose or the transform; None if there is none yet.

    Raises:
        ValueError: a transform needs the channels last after another has put them first, or transforms take boxes or
            keypoints in different formats, or a transform would get floats out of its range.
    """

    __slots__ = ("chain", "owner", "p", "root", "rules", "streams")

    def __init__(self, owner: Any = None) -> None:
        namer = Namer()
        # A transform checks these before it uses its own: a copy has the same attribute, and `p` may be set later.
        self.owner, self.p = owner, getattr(owner, "p", None)
        self.chain = Chain([] if owner is None else [owner.bind(namer)])
        self.rules = rules = namer.rules
        self.streams = tuple(namer.streams)
        root = rules.mixing_root
        self.root: Root = self.chain if root is None else root(self.chain, rules, None, False)
        # After all transforms are bound: the rules are complete only now.
        rules.checks = checks_of(rules)
        leaves = list(self.chain.leaves())
        rules.unchecked_calls = CHECKED if needs_ranges(leaves) else 0
        _require_one_layout(leaves)
        require_spans(self.chain.nodes)
        for target, part in (("boxes", rules.boxes), ("keypoints", rules.keypoints)):
            _require_one_format(target, part, leaves)

    def __reduce__(self) -> tuple[Any, ...]:
        return Bound, ()


def _require_one_format(target: str, part: Boxes | Keypoints | None, leaves: Iterable[Leaf]) -> None:
    """Raise an error unless all transforms take boxes or keypoints in one format."""
    found = {} if part is None else {FORMATS[target]: f"the Compose with {target}="}
    for leaf in leaves:
        format = leaf.format_of(target)
        if format is not None:
            found.setdefault(format, leaf.name)
    if len(found) > 1:
        takes = " and ".join(f"{name} {format!r}" for format, name in found.items())
        raise ValueError(
            f"all transforms of a pipeline must take {target} in one format, but {takes}: give the Compose inside the bridge the "
            f"format {FORMATS[target]!r}, which it always gets, and pass the samples' format to the outer one as {target}="
        )


def _require_one_layout(leaves: Iterable[Leaf]) -> None:
    """Raise an error if a transform that needs the channels last follows one that puts them first."""
    first = None
    for leaf in leaves:
        if first and leaf.transform.channels != "any":
            raise ValueError(
                f"{leaf.name} needs images with their channels last, but {first} puts them first: move {first} to the end"
            )
        if leaf.transform.channels == "to first":
            first = leaf.name
