"""Neighbours whose work one pass over an image does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from numpy import ndarray

from seedsafe.ground.info import Array, Info
from seedsafe.pipeline.blame import blame
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.state import State, Step

__all__ = ["OnePass", "with_passes"]


class OnePass(Step):
    """Transforms that are applied to an image together, and draw as they do one by one.

    A dict, and an image for which the pass cannot give the same bytes, go through them one by one.

    Args:
        members: the transforms; the first has ``begins_pass``.
    """

    __slots__ = ("members",)

    fills = True

    def __init__(self, members: Sequence[Leaf]) -> None:
        super().__init__(members[0].name, (), 1.0, draws=False)
        self.members = tuple(members)

    def fire(self, sample: Any, draws: State) -> Any:
        """Transform the sample; a dict is changed in place."""
        return self.fill(sample, None, draws)

    def fill(self, image: Any, row: Array | None, draws: State) -> Any:
        """Do as `fire` for an image. If the result fits into the row, write it there and return the row."""
        first, *others = self.members
        if type(image) is not ndarray or not all(leaf.transform.takes_pass(image) for leaf in self.members):
            return draws.through(self.members, image)
        if not first.fires(draws):
            return draws.through(others, image)
        params = first.draw_for(Info(image.shape, image.dtype), draws)
        work = first.transform.add_to_pass(None, params)
        after = Info(image.shape, image.dtype)
        drawn = [(first, params)]
        after = first.transform.out_info(after, params)
        for leaf in others:
            if leaf.fires(draws):
                params = leaf.draw_for(after, draws)
                after = leaf.transform.out_info(after, params)
                work = leaf.transform.add_to_pass(work, params)
                drawn.append((leaf, params))
        try:
            result = first.transform.pass_over(image, work, row)
        except Exception as error:
            blame(error, first.name)
            raise
        if result is not None:
            return result
        for leaf, params in drawn:
            image = leaf.replay(image, params)
        return image


def with_passes(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps, with one for each run of neighbours that one pass can do."""
    result: list[Step] = []
    run: list[Leaf] = []

    def close() -> None:
        result.extend([OnePass(run)] if len(run) > 1 else run)
        run.clear()

    for step in steps:
        if not isinstance(step, Leaf) or not marks_of(type(step.transform)).own:
            close()
            result.append(step)
            continue
        transform = step.transform
        if not (run and transform.joins_pass):
            close()
        if run or transform.begins_pass:
            run.append(step)
        else:
            result.append(step)
        if run and transform.ends_pass:
            close()
    close()
    return tuple(result)
