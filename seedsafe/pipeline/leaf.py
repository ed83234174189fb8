"""One transform, bound to its stream."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from importlib.util import find_spec
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
from numpy import ndarray
from numpy.random import Generator, RandomState

from seedsafe.ground.checks import probability
from seedsafe.ground.info import TARGETS, Array, Info, Infos
from seedsafe.keys.draws import Draws, limit_of
from seedsafe.pipeline.naming import stream_name
from seedsafe.pipeline.primitive import Marks, marks_of
from seedsafe.pipeline.rules import Move, RuledSample, Rules, with_boxes
from seedsafe.pipeline.state import Applied, State, Step, Trace, turn

__all__ = ["FORMATS", "Applier", "Leaf", "appliers", "release"]


FORMATS: Final = {"boxes": "pascal_voc", "keypoints": "xy"}
"""The formats in which all transforms of a pipeline get boxes and keypoints: pixel edges, and x before y."""


_OF_ONE: Final = {"masks": "mask", "video": "image", "video_mask": "mask"}
"""Targets that hold several of another target. A transform without a method for them applies the method for one to each."""


class Applier(NamedTuple):
    """A method that changes one target of a sample."""

    target: str
    is_primary: bool
    apply: Callable[..., Any]
    takes_info: bool
    """Whether it takes the info of the primary target."""


def appliers(transform: Any, marks: Marks) -> tuple[Applier, ...]:
    """Return the methods of a transform, in the order of TARGETS.

    Raises:
        TypeError: it has none for its primary target, or a method takes other arguments.
    """
    found = []
    for target in TARGETS:
        method = None if target == "masks" else getattr(transform, f"apply_{target}", None)
        of_one = None if method is not None else _OF_ONE.get(target)
        name = of_one or target
        if of_one is not None:
            method = getattr(transform, f"apply_{of_one}", None)
        if method is not None:
            takes_info = _takes_info(method, type(transform).__name__, name)
            apply = _guard(method, marks, takes_info)
            if of_one is not None:
                apply = (
                    _for_masks(apply)
                    if target == "masks"
                    else _for_frames(apply, marks.fills and name == "image")
                )
            found.append(Applier(target, target in transform.primary, apply, takes_info))
    if not any(one.is_primary for one in found):
        methods = " or ".join(f"apply_{target}(self, {target}, params)" for target in transform.primary)
        raise TypeError(f"{type(transform).__name__} changes nothing: define {methods}")
    return tuple(found)


def _takes_info(method: Any, kind: str, target: str) -> bool:
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        return False  # a function written in C
    takes_info = "info" in signature.parameters
    try:
        signature.bind(None, None, **({"info": None} if takes_info else {}))
    except TypeError:
        raise TypeError(
            f"{kind}.apply_{target} must take ({target}, params) or ({target}, params, info), got {signature}: "
            "let draw return anything else that it needs"
        ) from None
    return takes_info


def _guard(method: Callable[..., Any], marks: Marks, takes_info: bool) -> Callable[..., Any]:
    """Return a method that neither changes its array nor keeps its result."""
    if marks.own and marks.fresh:
        return method
    if marks.own:
        return lambda array, params, **info: release(method(array, params, **info))
    if takes_info:
        return lambda array, params, info: release(method(array.copy(), params, info=info))
    return lambda array, params: release(method(array.copy(), params))


def _for_masks(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that applies a method to each mask of a list or a stack."""

    def apply_to_all(masks: Any, params: Any, **info: Any) -> Any:
        if not isinstance(masks, np.ndarray):
            return type(masks)([apply(mask, params, **info) for mask in masks])
        if not len(masks):  # the result for one mask tells the shape
            return np.zeros(
                (0, *apply(np.zeros_like(masks, shape=masks.shape[1:]), params, **info).shape), masks.dtype
            )
        return np.stack([apply(mask, params, **info) for mask in masks])

    return apply_to_all


def _for_frames(apply: Callable[..., Any], fills: bool) -> Callable[..., Any]:
    """Return a function that applies a method to each frame of a video; see `Marks.fills`."""

    def apply_to_all(video: Any, params: Any, **info: Any) -> Any:
        result = row = None
        for number, frame in enumerate(video):
            one = apply(frame, params, row) if fills and row is not None else apply(frame, params, **info)
            if not isinstance(one, ndarray):
                return one
            if result is None:
                result = np.empty((len(video), *one.shape), one.dtype)
            row = result[number]
            if (one.shape, one.dtype) != (row.shape, row.dtype):
                raise ValueError(
                    f"the results for all frames of a video must have one shape and dtype, got {row.shape}, {row.dtype} and "
                    f"{one.shape}, {one.dtype}: let both depend on the parameters alone in apply_image"
                )
            if one is not row:
                row[...] = one
            row = result[number + 1] if number + 1 < len(result) else None
        return result

    return apply_to_all


def release(result: Any) -> Any:
    """Return an array to which nothing else refers: itself, or a copy if something else refers to it or to its memory."""
    if not isinstance(result, np.ndarray):
        return result
    base = result.base
    if sys.getrefcount(result) > _REFERENCES or not (
        base is None
        or (type(base) is np.ndarray and base.base is None and sys.getrefcount(base) <= _BASE_REFERENCES)
    ):
        return result.copy()
    return result


def _references() -> tuple[int, int]:
    """Return the number of references that `release` sees to an array that nothing else keeps, and to its base."""

    def release(result: Any) -> tuple[int, int]:
        base = result.base
        return sys.getrefcount(result), sys.getrefcount(base)

    return release(np.empty(2)[:1])


_REFERENCES, _BASE_REFERENCES = _references()


@cache
def _has_opencv() -> bool:
    """Return whether OpenCV is installed, without importing it."""
    return sys.modules.get("cv2") is not None or find_spec("cv2") is not None


class Leaf:
    """One transform, bound to its stream; `draw` is None if it has no parameters."""

    __slots__ = (
        "_alone",
        "_appliers",
        "_apply_alone",
        "_by_frame",
        "_draw",
        "_draw_alone",
        "_fills",
        "_fresh",
        "_has_stream",
        "_pooled",
        "_primary",
        "_settle",
        "_simple",
        "_streams",
        "_upper",
        "_without_videos",
        "limit",
        "name",
        "ops",
        "transform",
    )

    def __init__(
        self, transform: Any, name: str, ops: tuple[int, ...], draw: Callable[[Draws, Info], Any] | None
    ) -> None:
        self.transform = transform
        self.name = name
        self._draw = draw
        self._streams = ops
        self._upper = ops[0] << 32 if len(ops) == 1 else None  # the upper half of the stream word
        p = probability("p", getattr(transform, "p", 1.0))
        self.limit = limit_of(p)
        """The limit of the stream's first word: the transform fires if the word is below it."""
        marks = marks_of(type(transform))
        if marks.opencv and not _has_opencv():
            raise ImportError(f'{type(transform).__name__} needs OpenCV: pip install "seedsafe[image]"')
        # Without p and words it needs no stream, which saves a good part of a small call: benchmarks/keys.py.
        self._has_stream = p < 1.0 or self._upper is None or (draw is not None and marks.random)
        self.ops = ops if self._has_stream else ()
        # A user's transform may keep its generator, so only the library's own share the pooled one.
        self._fresh = not marks.own
        self._pooled = self._has_stream and marks.own and self._upper is not None
        self._draw_alone = None if marks.blind else draw
        self._settle: Callable[..., Any] | None = getattr(transform, "settle", None)
        self._set_appliers(appliers(transform, marks))
        self._primary: tuple[str, ...] = transform.primary
        # A transform of images takes a video instead of an image, and gets the info of one frame.
        self._by_frame = "image" in self._primary and "video" not in self._primary
        alone = next(one for target in self._primary for one in self._appliers if one.target == target)
        self._alone = alone.target
        self._apply_alone = alone.apply
        self._simple = not alone.takes_info and self._settle is None
        if self._by_frame:
            after = self._primary.index("image") + 1
            self._primary = (*self._primary[:after], "video", *self._primary[after:])
        self._fills = marks.fills and self._simple and not self._has_stream and draw is None

    def _set_appliers(self, found: tuple[Applier, ...]) -> None:
        self._appliers = found
        self._without_videos = tuple(one for one in found if one.target not in ("video", "video_mask"))

    def run(self, sample: Any, draws: State) -> Any:
        """Transform the sample; a dict is changed in place."""
        chosen = None if type(sample) is ndarray else self._choose(sample)
        rng = self._enter(draws) if self._has_stream else draws
        if rng is None:
            return sample
        if chosen is None:
            return self.fire(sample, rng)
        array = sample[chosen]
        shape = array.shape[1:] if chosen == "video" and self._by_frame else array.shape
        info = Info(shape, array.dtype, sample.get("boxes"))  # pyright: ignore  # it is a dict
        params = self._draw_params(rng, info)
        if self._settle is not None or type(sample) is not dict:
            return self.apply_parts(sample, params, info, chosen)  # pyright: ignore  # a RuledSample
        self.change(sample, params, info, chosen)
        return sample

    def step(self) -> Step:
        """Return the step of this transform, for arrays; see `State.through`."""
        if self._pooled:
            return self._upper, self.limit, self.fire
        return None, 0, self.run if self._has_stream else self.fire

    def fire(self, array: Any, rng: Draws) -> Any:
        """Transform an array with parameters from `rng`, which is past the word that decides."""
        if self._draw_alone is None:
            params: Any = ()
        else:
            params = self._draw_alone(rng, Info(array.shape, array.dtype))
            if params is None:
                raise self._no_params()
        if not self._simple:
            return self.apply(array, params)
        result = self._apply_alone(array, params)
        return result if type(result) is ndarray else self._check_result(result)

    def run_into(self, sample: Any, draws: State, row: Array) -> Any:
        """Do the same as `run`. If possible, write an image into the row and return the row."""
        if not self._fills or type(sample) is not ndarray:
            return self.run(sample, draws)
        return self._apply_alone(sample, (), row)

    def apply(self, sample: Any, params: Any, info: Info | None = None) -> Any:
        """Apply drawn parameters to the sample; a dict is changed in place.

        Args:
            sample: an array, or a dict of targets.
            params: the result of ``draw``.
            info: the info of the primary target, for a dict that lacks it.
        """
        if type(sample) is ndarray:
            return self.apply({self._alone: sample}, params)[self._alone]
        if info is not None and not any(target in sample for target in self._primary):
            return self.apply_parts(sample, params, info, None)
        chosen = self._choose(sample, "replay the whole sample, or pass info=")
        return self.apply_parts(sample, params, self._info_at(sample, chosen), chosen)

    def apply_parts(self, sample: dict[Any, Any], params: Any, info: Info, chosen: str | None) -> Any:
        """Apply drawn parameters to a dict of targets, in place; `chosen` is the primary target that it has, if any."""
        if self._settle is not None:
            params = self._settle(params, {name: _read_only(part) for name, part in sample.items()}, info)
        if type(sample) is dict:
            self.change(sample, params, info, chosen)
        else:
            self._change_under_rules(sample, params, info, chosen)  # type: ignore[arg-type]  # a RuledSample
        return sample

    def change(self, sample: dict[Any, Any], params: Any, info: Info, chosen: str | None) -> None:
        """Change all targets of a dict in place; see `apply_parts`."""
        found = self._appliers if "video" in sample or "video_mask" in sample else self._without_videos
        for target, is_primary, apply, takes_info in found:
            if target in sample and (target == chosen or not is_primary):
                part = sample[target]
                result = apply(part, params, info=info) if takes_info else apply(part, params)
                sample[target] = result if type(result) is ndarray else self._check_result(result, target)

    def _change_under_rules(self, sample: RuledSample, params: Any, info: Info, chosen: str | None) -> None:
        before = sample.copy()
        self.change(sample, params, info, chosen)
        if self.moves:
            result: Info = (
                self.transform.out_info(info, params) if chosen is None else self._info_at(sample, chosen)
            )
            sample.after_move(self.name, before, result.image_size(), self.mover(info, params))

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
        return any(one.target in ("boxes", "keypoints") for one in self._appliers)

    def trace(self, infos: Infos, draws: State, record: Trace) -> Infos:
        """Append the drawn parameters to the record, and return the description of the result."""
        info = self.info_of(infos)
        name = stream_name(self.name, draws.counts.get(self.name, 0))
        rng = self._enter(draws) if self._has_stream else draws
        params = None if rng is None else self._draw_params(rng, info)
        if self._fresh:  # the parameters of a user's transform, for replay
            params = _freeze(params, self.name)
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
        for one, _, apply, takes_info in self._appliers:
            if one == target:
                result = apply(points, params, info=info) if takes_info else apply(points, params)
                points = self._check_result(result)
        return points

    def join(self, following: Leaf) -> Leaf | None:
        """Return one leaf for this one and the following, or None. Neither may have a stream."""
        if self._has_stream or following._has_stream:
            return None
        both = self.transform.joined(following.transform)
        return None if both is None else Leaf(both, self.name, self._streams, None)

    def leaves(self) -> Iterator[Leaf]:
        """Yield itself."""
        yield self

    def format_of(self, target: str) -> str | None:
        """Return the format in which it takes boxes or keypoints, or None if it ignores them or the format is unknown."""
        takes = any(one.target == target for one in self._appliers)
        return FORMATS[target] if takes else None

    def watch(self, check: Callable[[Callable[[], Any]], None]) -> None:
        """From now on, pass each call of a user's `draw` and `apply` to `check`, as a function that repeats the call.

        The library's own transforms are not watched.
        """
        if not self._fresh:
            return

        def draw_again(rng: Draws, info: Info) -> Any:
            fresh = Draws(rng.address)
            fresh.word()
            return draw(fresh, info)  # type: ignore[misc]

        def check_draw(rng: Draws, info: Info) -> Any:
            check(lambda: draw_again(rng, info))
            return draw(rng, info)  # type: ignore[misc]

        def checker(apply: Callable[..., Any]) -> Callable[..., Any]:
            def check_apply(part: Any, params: Any, **info: Any) -> Any:
                check(lambda: apply(part, deepcopy(params), **info))
                return apply(part, params, **info)

            return check_apply

        draw = self._draw
        self._draw = self._draw_alone = None if draw is None else check_draw
        self._set_appliers(tuple(one._replace(apply=checker(one.apply)) for one in self._appliers))
        self._apply_alone = checker(self._apply_alone)

    def _check_result(self, result: Any, target: str = "") -> Any:
        if isinstance(result, ndarray):
            return result
        if target == "masks" and all(isinstance(mask, ndarray) for mask in result):
            return result
        raise TypeError(f"apply of {self.name} returned {type(result).__name__}: return a NumPy array")

    def _choose(
        self, sample: Mapping[str, Any], way_out: str = "name the sample's parts with targets="
    ) -> str:
        for target in self._primary:
            if target in sample:
                return target
        raise ValueError(
            f"{self.name} needs {' or '.join(map(repr, self.transform.primary))} in the sample, got {list(sample)}: {way_out}"
        )

    def _enter(self, draws: State) -> Draws | None:
        """Return the stream after its first word, or None if the transform does not fire."""
        upper = turn(draws, self.name, self._streams) << 32 if self._upper is None else self._upper
        if not draws.begin(upper, self.limit):
            return None
        if not self._fresh:
            return draws
        rng = Draws(draws.address)
        rng.word()
        return rng

    def _draw_params(self, rng: Draws, info: Info) -> Any:
        if self._draw is None:
            return ()
        params = self._draw(rng, info)
        if params is None:
            raise self._no_params()
        return params

    def _no_params(self) -> TypeError:
        return TypeError(f"draw of {self.name} returned None: return its parameters, () if there are none")


def _freeze(params: Any, name: str) -> Any:
    """Return a user's parameters with read-only copies of their arrays, so no replay can change them.

    Raises:
        TypeError: a generator is among them.
    """
    if isinstance(params, Generator | RandomState | Random | Draws):
        raise TypeError(
            f"draw of {name} returned a {type(params).__name__}, which gives different numbers at each replay: draw the numbers "
            "first, and return them"
        )
    if isinstance(params, ndarray):
        params = params.copy()
        params.flags.writeable = False
    elif type(params) in (list, tuple):
        params = type(params)([_freeze(one, name) for one in params])
    elif isinstance(params, tuple):
        params = type(params)(*(_freeze(one, name) for one in params))
    elif type(params) is dict:
        params = {key: _freeze(one, name) for key, one in params.items()}
    return params


def _read_only(part: Any) -> Any:
    """Return a read-only view of an array, or of each of a list."""
    if isinstance(part, list | tuple):
        return tuple(_read_only(one) for one in part)
    if not isinstance(part, ndarray):
        return part
    view = part.view()
    view.flags.writeable = False
    return view
