"""Transforms that share one pass over an image."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from numpy import ndarray

from seedsafe.ground.info import Array, Info
from seedsafe.pipeline.appliers import for_frames
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.state import State, Step

__all__ = ["OnePass", "with_passes"]


class OnePass(Step):
    """Transforms that are applied to an image together, and draw as they do one by one.

    An image for which the pass cannot give the same bytes goes through them one by one.

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
        if not isinstance(sample, dict):
            return self.fill(sample, None, draws)
        chosen = "image" if "image" in sample else "video"
        part = sample.get(chosen)
        is_video = chosen == "video"
        image: Any = part[0] if is_video and type(part) is ndarray and part.size else part
        first, *others = self.members
        if not self._takes(image):
            return draws.through(self.members, sample)
        if not first.fires(draws):
            first.require(sample)
            return draws.through(others, sample)
        apply = self._drawn(image, draws, sample, chosen)
        sample[chosen] = for_frames(apply, fills=True)(part, ()) if is_video else apply(part, ())
        return sample

    def fill(self, image: Any, row: Array | None, draws: State) -> Any:
        """Transform an image as `fire` does. If the result fits into the row, write it there and return the row."""
        first, *others = self.members
        if not self._takes(image):
            return draws.through(self.members, image)
        if not first.fires(draws):
            return draws.through(others, image)
        return self._drawn(image, draws)(image, (), row)

    def _takes(self, image: Any) -> bool:
        return type(image) is ndarray and all(leaf.transform.takes_pass(image) for leaf in self.members)

    def _drawn(
        self, image: Array, draws: State, sample: dict[Any, Any] | None = None, chosen: str = ""
    ) -> Callable[..., Any]:
        """Draw for an image, whose first transform fires, and return what applies it.

        The other parts of the image's sample are changed here.
        """
        first = self.members[0]
        drawn, work, shape, dtype = [], None, image.shape, image.dtype
        for leaf in self.members:
            if leaf is not first and not leaf.fires(draws):
                continue
            info = Info(shape, dtype, sample.get("boxes") if sample else None)
            params = leaf.draw_for(info, draws, alone=sample is None)
            if sample is not None:
                leaf.replay(sample, params, info, done=chosen)
            work = leaf.transform.add_to_pass(work, params)
            drawn.append((leaf, params))
            after = leaf.transform.out_info(info, params)
            shape, dtype = after.shape, after.dtype

        def apply(image: Array, _: Any, row: Array | None = None) -> Any:
            result = first.transform.pass_over(image, work, row)
            if result is None:  # the kernels refuse it
                result = image
                for leaf, params in drawn:
                    result = leaf.replay(result, params)
            return result

        return apply


def with_passes(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps, with one for each run of neighbours that one pass can do."""
    result: list[Step] = []
    run: list[Leaf] = []

    def close() -> None:
        result.extend([OnePass(run)] if len(run) > 1 else run)
        run.clear()

    for step in steps:
        if not isinstance(step, Leaf) or not step.is_plain or not marks_of(type(step.transform)).own:
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
