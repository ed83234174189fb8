"""One transform, bound to its stream."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from numpy import ndarray

from seedsafe.ground.info import Array, Info, Infos
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.appliers import appliers
from seedsafe.pipeline.blame import blame
from seedsafe.pipeline.frozen import freeze, read_only
from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.rules import Move, RuledSample, Rules, with_boxes
from seedsafe.pipeline.state import Applied, State, Step, Trace

__all__ = ["FORMATS", "Leaf"]

FORMATS: Final = {"boxes": "pascal_voc", "keypoints": "xy"}
"""The formats in which all transforms of a pipeline get boxes and keypoints: pixel edges, and x before y."""

Draw = Callable[[Draws, Info], Any]


class Leaf(Step):
    """One transform, bound to its stream.

    `fire` draws parameters and applies them, `replay` applies parameters drawn before, and `trace` only draws.

    Args:
        transform: the transform.
        name: the name of its stream.
        streams: the ops of its streams; see Step.
        draw: its ``draw``, or None if it has no parameters.

    Raises:
        TypeError: it changes nothing, or a method takes other arguments.
        ImportError: it needs OpenCV, which is not installed.
    """

    __slots__ = (
        "_alone",
        "_appliers",
        "_apply_alone",
        "_by_frame",
        "_draw",
        "_draw_alone",
        "_is_foreign",
        "_is_simple",
        "_primary",
        "_settle",
        "fills",
        "transform",
    )

    def __init__(self, transform: Any, name: str, streams: tuple[int, ...], draw: Draw | None) -> None:
        marks = marks_of(type(transform))
        if marks.opencv and not _has_opencv():
            raise ImportError(f'{type(transform).__name__} needs OpenCV: pip install "seedsafe[image]"')
        super().__init__(name, streams, getattr(transform, "p", 1.0), draws=draw is not None and marks.random)
        self.transform = transform
        self._is_foreign = not marks.own
        self._draw = _with_own_stream(draw) if self._is_foreign and draw is not None else draw
        self._draw_alone = None if marks.ignores_params else self._draw
        self._settle: Callable[..., Any] | None = getattr(transform, "settle", None)
        self._appliers = appliers(transform, marks)
        self._primary: tuple[str, ...] = transform.primary
        alone = next(
            applier for target in self._primary for applier in self._appliers if applier.target == target
        )
        self._alone = alone.target
        """The target that an array by itself is, and below the method for it."""
        self._apply_alone = alone.apply
        self._is_simple = not alone.takes_info and self._settle is None
        # A transform of images takes a video instead of an image, and gets the info of one frame.
        self._by_frame = "image" in self._primary and "video" not in self._primary
        if self._by_frame:
            after = self._primary.index("image") + 1
            self._primary = (*self._primary[:after], "video", *self._primary[after:])
        self.fills = marks.fills and self._is_simple and not self.has_stream and draw is None
        """Whether `fill` can write into memory of the caller."""

    def require(self, sample: dict[Any, Any]) -> None:
        """Raise an error if a dict lacks its target."""
        Step.require(self, sample)
        try:
            self._choose(sample)
        except ValueError as error:
            blame(error, self.name)
            raise

    def fire(self, sample: Any, draws: State) -> Any:
        """Transform the sample; a dict is changed in place. `draws` are at its stream, after the first word."""
        try:
            if type(sample) is not ndarray and isinstance(sample, dict):
                return self._fire_parts(sample, draws)
            if self._draw_alone is None:
                params: Any = ()
            else:
                params = self._draw_alone(draws, Info(sample.shape, sample.dtype))
                if params is None:
                    raise self._no_params()
            if not self._is_simple:
                return self._apply_to_array(sample, params)
            result = self._apply_alone(sample, params)
            return result if type(result) is ndarray else self._check_result(result)
        except Exception as error:
            blame(error, self.name)
            raise

    def draw_for(self, info: Info, draws: State, *, alone: bool) -> Any:
        """Return its parameters for an image, `alone` or with other parts; `draws` are at its stream, after the first word."""
        try:
            return () if alone and self._draw_alone is None else self._draw_params(draws, info)
        except Exception as error:
            blame(error, self.name)
            raise

    def window(self, info: Info, draws: State) -> Any:
        """Return the window of an image outside which no pixel matters, or None if it is unknown; `draws` are as for `fire`."""
        find = None if self._is_foreign or not self.is_plain else self.transform.window
        return find and find(self.draw_for(info, draws, alone=True))

    def fill(self, image: Array, row: Array, draws: State) -> Any:
        """Transform an image as `fire` does. If the result fits into the row, write it there and return the row."""
        try:
            return self._apply_alone(image, (), row)
        except Exception as error:
            blame(error, self.name)
            raise

    def replay(self, sample: Any, params: Any, info: Info | None = None, done: str | None = None) -> Any:
        """Apply drawn parameters to the sample; a dict is changed in place.

        Args:
            sample: an array, or a dict of targets.
            params: the result of ``draw``.
            info: the info of the primary target, for a dict that lacks it.
            done: the primary target, if something else changes it.
        """
        try:
            if isinstance(sample, ndarray):
                return self._apply_to_array(sample, params)
            chosen = None
            if info is None or (done is None and any(target in sample for target in self._primary)):
                chosen = self._choose(sample, "replay the whole sample, or pass info=")
                info = self._info_at(sample, chosen)
            return self._apply_to_parts(sample, params, info, chosen, done)
        except Exception as error:
            blame(error, self.name)
            raise

    def _fire_parts(self, sample: dict[Any, Any], draws: State) -> dict[Any, Any]:
        chosen = self._choose(sample)
        info = self._info_at(sample, chosen)
        return self._apply_to_parts(sample, self._draw_params(draws, info), info, chosen)

    def _apply_to_array(self, array: Array, params: Any) -> Any:
        info = Info(array.shape, array.dtype)
        return self._apply_to_parts({self._alone: array}, params, info, self._alone)[self._alone]

    def _apply_to_parts(
        self, sample: dict[Any, Any], params: Any, info: Info, chosen: str | None, done: str | None = None
    ) -> dict[Any, Any]:
        """Apply drawn parameters to a dict of targets, in place; `chosen` is the primary target that it has, if any."""
        if self._settle is not None:
            params = self._settle(params, {name: read_only(part) for name, part in sample.items()}, info)
        if isinstance(sample, RuledSample):
            self._change_under_rules(sample, params, info, chosen, done)
        else:
            self.change(sample, params, info, chosen, done)
        return sample

    def change(
        self, sample: dict[Any, Any], params: Any, info: Info, chosen: str | None, done: str | None = None
    ) -> None:
        """Change all targets of a dict in place, without the rules of boxes and keypoints."""
        for target, is_primary, apply, takes_info in self._appliers:
            if target in sample and (target == chosen or not is_primary) and target != done:
                part = sample[target]
                result = apply(part, params, info=info) if takes_info else apply(part, params)
                sample[target] = result if type(result) is ndarray else self._check_result(result, target)

    def _change_under_rules(
        self, sample: RuledSample, params: Any, info: Info, chosen: str | None, done: str | None
    ) -> None:
        before = sample.copy()
        self.change(sample, params, info, chosen, done)
        if self.moves:
            result: Info = (
                self.transform.out_info(info, params) if chosen is None else self._info_at(sample, chosen)
            )
            sample.after_move(self.name, before, result.image_size(), self.mover(info, params))
        sample.check()

    def _info_at(self, sample: Mapping[str, Any], chosen: str) -> Info:
        array = sample[chosen]
        info = Info(array.shape, array.dtype, sample.get("boxes"))
        return info.frame() if chosen == "video" and self._by_frame else info

    def mover(self, info: Info, params: Any) -> Move | None:
        """Return a function that moves points like this transform with these parameters, or None if there is none."""

        def move(points: Array) -> Array:
            try:
                return self._move("keypoints", points, info, params)
            except NotImplementedError:
                raise NotImplementedError(
                    f"{self.name} moves pixels and has no apply_keypoints, which Boxes(min_visibility=) and "
                    "Keypoints(pairs=) need: define it"
                ) from None

        return move

    @property
    def draws(self) -> bool:
        """Whether its parameters take words."""
        return self._draw is not None and marks_of(type(self.transform)).random

    @property
    def is_plain(self) -> bool:
        """Whether its result for an image depends only on the image and its key."""
        return self._alone == "image" and self._settle is None

    @property
    def moves(self) -> bool:
        """Whether it may move boxes and keypoints."""
        return any(applier.target in ("boxes", "keypoints") for applier in self._appliers)

    def trace(self, infos: Infos, draws: State, record: Trace) -> Infos:
        """Append the drawn parameters to the record, and return the description of the result."""
        info = self.info_of(infos)
        name = self.stream_name(draws)
        params = self._draw_params(draws, info) if self.fires(draws) else None
        if self._is_foreign:  # a replay must get what was drawn, whatever the user does with the arrays
            params = freeze(params, self.name)
        record.append(Applied(name, params))
        return infos if params is None else self.out_infos(infos, params, draws.rules)

    def info_of(self, infos: Infos) -> Info:
        """Return the info of this transform's primary target; for a video instead of an image, that of one frame."""
        if isinstance(infos, Info):
            return infos
        chosen = self._choose(infos)
        return infos[chosen].frame() if chosen == "video" and self._by_frame else infos[chosen]

    def out_infos(self, infos: Infos, params: Any, rules: Rules | None) -> Infos:
        """Return the description of the result for a sample with these parameters under these rules."""
        info = self.info_of(infos)
        result: Info = self.transform.out_info(info, params)
        if isinstance(infos, Info):
            infos = result
        else:
            chosen = self._choose(infos)
            whole = result.frames_of(infos[chosen]) if chosen == "video" and self._by_frame else result
            infos = {**infos, chosen: whole}
        before = info.given_boxes
        if before is None or not self.moves:
            return infos
        if self._settle is not None:  # it needs pixels, which a description lacks
            return with_boxes(infos, None)
        boxes = self._move("boxes", before, info, params)
        if rules is not None and rules.boxes is not None:
            boxes, keep = rules.keep_boxes(before, boxes, result.image_size(), self.mover(info, params))
            boxes = boxes[keep]
        return with_boxes(infos, boxes)

    def _move(self, target: str, points: Array, info: Info, params: Any) -> Array:
        for applier in self._appliers:
            if applier.target == target:
                apply = applier.apply
                result = apply(points, params, info=info) if applier.takes_info else apply(points, params)
                points = self._check_result(result)
        return points

    def join(self, following: Leaf) -> Leaf | None:
        """Return one leaf for this one and the following, or None. Neither may have a stream."""
        if self.has_stream or following.has_stream:
            return None
        both = self.transform.joined(following.transform)
        return None if both is None else Leaf(both, self.name, self.streams, None)

    def leaves(self) -> Iterator[Leaf]:
        """Yield itself."""
        yield self

    def format_of(self, target: str) -> str | None:
        """Return the format in which it takes boxes or keypoints, or None if it ignores them or the format is unknown."""
        takes = any(applier.target == target for applier in self._appliers)
        return FORMATS[target] if takes else None

    def watch(self, check: Callable[[Callable[[], Any]], None]) -> None:
        """Pass each later call of a user's `draw` and `apply` to `check`, as a function that repeats the call.

        The library's own transforms are not watched.
        """
        if not self._is_foreign:
            return

        def watched(call: Callable[..., Any], copy_params: Callable[[Any], Any]) -> Callable[..., Any]:
            def watched_call(first: Any, second: Any, **info: Any) -> Any:
                check(lambda: call(first, copy_params(second), **info))
                return call(first, second, **info)

            return watched_call

        if self._draw is not None:
            self._draw = self._draw_alone = watched(self._draw, lambda info: info)
        self._appliers = tuple(
            applier._replace(apply=watched(applier.apply, deepcopy)) for applier in self._appliers
        )
        self._apply_alone = watched(self._apply_alone, deepcopy)

    def _check_result(self, result: Any, target: str = "") -> Any:
        if isinstance(result, ndarray):
            return result
        if target == "masks" and all(isinstance(mask, ndarray) for mask in result):
            return result
        raise TypeError(f"apply of {self.name} returned {type(result).__name__}: return a NumPy array")

    def primary_of(self, sample: Mapping[Any, Any]) -> Array | None:
        """Return the target of a dict that it takes, or None."""
        return next((sample[target] for target in self._primary if target in sample), None)

    def _choose(
        self, sample: Mapping[str, Any], way_out: str = "name the sample's parts with targets="
    ) -> str:
        for target in self._primary:
            if target in sample:
                return target
        if "audio" in sample and "Crop" in type(self.transform).__name__:
            way_out = "a sound is cut by RandomSegment(length)"
        raise ValueError(
            f"{self.name} needs {' or '.join(map(repr, self.transform.primary))} in the sample, got {list(sample)}: {way_out}"
        )

    def _draw_params(self, draws: Draws, info: Info) -> Any:
        if self._draw is None:
            return ()
        params = self._draw(draws, info)
        if params is None:
            raise self._no_params()
        return params

    def _no_params(self) -> TypeError:
        return TypeError(f"draw of {self.name} returned None: return its parameters, () if there are none")


def _with_own_stream(draw: Draw) -> Draw:
    """Return a function that calls a user's draw with a new stream after its first word: the user may keep the stream."""

    def draw_from_own(draws: Draws, info: Info) -> Any:
        rng = Draws(draws.address)
        rng.word()
        return draw(rng, info)

    return draw_from_own


@cache
def _has_opencv() -> bool:
    """Return whether OpenCV is installed, without importing it."""
    return sys.modules.get("cv2") is not None or find_spec("cv2") is not None
