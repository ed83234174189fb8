"""Transforms that share one pass over an image."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from numpy import ndarray

from seedsafe.ground.info import UINT8, Array, Info
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.state import State, Step

__all__ = ["OnePass", "with_passes"]

_CHANNELS: Final = range(1, 5)
"""How many an image may have; one with more goes through the transforms one by one."""


class OnePass(Step):
    """Transforms that are applied to an image together, and draw as they do one by one.

    An image for which the pass cannot give the same bytes goes through them one by one.

    Args:
        members: the transforms.
    """

    __slots__ = ("_fitting", "members")

    fills = True

    def __init__(self, members: Sequence[Leaf]) -> None:
        super().__init__(members[0].name, (), 1.0, draws=False)
        self.members = tuple(members)
        self._fitting = [
            count for count in _CHANNELS if all(one.transform.takes_pass(count) for one in members)
        ]

    def fire(self, sample: Any, draws: State) -> Any:
        """Transform the sample; a dict is changed in place."""
        if not isinstance(sample, dict):
            return self.fill(sample, None, draws)
        chosen = "image" if "image" in sample else "video"
        part: Any = sample.get(chosen)
        if not self._takes(part, is_video=chosen == "video"):
            return draws.through(self.members, sample)
        sample[chosen] = self._over(part, draws, None, sample, chosen)
        return sample

    def fill(self, image: Any, row: Array | None, draws: State) -> Any:
        """Transform an image as `fire` does. If the result fits into the row, write it there and return the row."""
        if not self._takes(image, is_video=False):
            return draws.through(self.members, image)
        return self._over(image, draws, row, None, "image")

    def _takes(self, array: Any, *, is_video: bool) -> bool:
        if type(array) is not ndarray or array.dtype != UINT8:
            return False
        *_, channels = array.shape if array.ndim - is_video == 3 else (1,)
        return 2 <= array.ndim - is_video <= 3 and channels in self._fitting and array.size > 0

    def _over(
        self, array: Array, draws: State, row: Array | None, sample: dict[Any, Any] | None, chosen: str
    ) -> Any:
        """Return the result for an image or a video. The other parts of its sample are changed here."""
        is_video = chosen == "video"
        info = Info(array.shape, array.dtype, sample.get("boxes") if sample else None)
        if is_video:
            info = info.frame()
        drawn, work = [], self.members[0].transform.begin_pass(info)
        for leaf in self.members:
            if not leaf.fires(draws):
                if sample is not None:
                    leaf.require(sample)
                continue
            params = leaf.draw_for(info, draws, alone=sample is None)
            work = leaf.transform.add_to_pass(work, params)
            drawn.append((leaf, params))
            if sample is not None:
                leaf.replay(sample, params, info, done=chosen)
            if leaf is not self.members[-1]:
                info = leaf.transform.out_info(info, params)
                if sample is not None:
                    info = Info(info.shape, info.dtype, sample.get("boxes"))
        result = work.run(array, row, is_video=is_video) if drawn else array
        if result is None:  # the kernels refuse it
            part: Any = {chosen: array}
            for leaf, params in drawn:
                part = leaf.replay(part, params)
            result = part[chosen]
        return result


def with_passes(steps: Iterable[Any], *, of_videos: bool = False) -> tuple[Step, ...]:
    """Return the steps, with one for each run of neighbours that one pass can do.

    Where nothing is resized, a pass pays for the frames of videos alone.
    """
    result: list[Step] = []
    run: list[Any] = []

    def close() -> None:
        result.extend([OnePass(run)] if len(run) > 1 else run)
        run.clear()

    for step in steps:
        is_known = isinstance(step, Leaf) and step.is_plain and marks_of(type(step.transform)).own
        place = step.transform.place_in_pass if is_known else None
        if place != "later":
            close()
        if run or place == "first" or (place and of_videos):
            run.append(step)
        else:
            result.append(step)
        if run and step.transform.ends_pass:
            close()
    close()
    return tuple(result)
