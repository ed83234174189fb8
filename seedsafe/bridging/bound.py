"""Bound: a bridged callable with its stream in a pipeline, and what is known of its result before it runs."""

from __future__ import annotations

from typing import Any

from seedsafe.bridging.options import NotReproducible
from seedsafe.ground.info import TARGETS, Array, Info, Infos
from seedsafe.pipeline.leaf import Leaf, released
from seedsafe.pipeline.rules import Rules, with_boxes

__all__ = ["BridgedLeaf", "Unknown"]


class BridgedLeaf(Leaf):
    """A bridged callable, bound to its stream: it is given a dict's parts together, and errors name the member."""

    __slots__ = ()

    def run(self, sample: Any, draws: Any) -> Any:
        """Return the sample that it makes; an error of the checks names the member."""
        try:
            return super().run(sample, draws)
        except NotReproducible as error:
            raise NotReproducible(f"in the transform {self.name!r} of the pipeline: {error}") from None

    @property
    def moves(self) -> bool:
        """Return whether it may move boxes and keypoints."""
        return bool(self.transform.moves)

    def mover(self, info: Info, params: Any) -> None:
        """Return None: it moves what it is given itself."""
        return

    def out_infos(self, infos: Infos, params: Any, rules: Rules | None) -> Infos:
        """Return what is known of its results; of the boxes nothing, if it may move them."""
        made = super().out_infos(infos, params, None)
        return with_boxes(made, None) if self.moves else made

    def change(self, sample: dict[Any, Any], params: Any, info: Info, chosen: str | None) -> None:
        """Put what it makes of a sample into it."""
        if chosen is None:
            raise ValueError(
                f"{self.name} is a bridge and needs {' or '.join(map(repr, self.transform.primary))} in the sample, got "
                f"{list(sample)}: replay the whole sample"
            )
        made = self.transform.apply_sample(sample, chosen, params)
        while made:
            name, part = made.popitem()
            sample[name] = released(part) if name in TARGETS and part is not sample.get(name) else part


class Unknown(Info):
    """The info of what a bridged callable returns."""

    __slots__ = ("_maker",)

    def __init__(self, maker: str) -> None:
        self._maker = maker
        self._dtype = None
        self.given_boxes = None

    def with_boxes(self, boxes: Array | None) -> Info:
        """Return this: nothing is known of the boxes."""
        return self

    def __getattr__(self, name: str) -> Any:  # of `shape`, which is never set
        raise ValueError(
            f"the {name} of what {self._maker} returns is not known before it runs: put transforms whose draws depend "
            'on it before the bridge, give the bridge returns="same" or returns=(height, width, channels), or run the pipeline instead '
            "of asking for params"
        )
