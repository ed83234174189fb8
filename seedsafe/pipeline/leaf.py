"""One transform at work, bound to its stream, and its ``apply_<target>`` methods, found and guarded when it is bound."""

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
from seedsafe.pipeline.rules import Move, Ruled, Rules, with_boxes
from seedsafe.pipeline.state import Applied, State, Step, Traced, turn

__all__ = ["FORMATS", "Applier", "Leaf", "appliers", "released"]


FORMATS: Final = {"boxes": "pascal_voc", "keypoints": "xy"}
"""How members of a pipeline get boxes and keypoints, whatever its Boxes and Keypoints say: pixel edges, and x before y."""


_OF_ONE: Final = {"masks": "mask", "video": "image", "video_mask": "mask"}
"""What a target is several of: a transform does to each what it does to one, unless it has a method for all of them."""


class Applier(NamedTuple):
    """What changes one target of a sample."""

    target: str
    is_primary: bool
    apply: Callable[..., Any]
    asks: bool
    """Whether it takes the info of the primary target."""


def appliers(transform: Any, marks: Marks) -> tuple[Applier, ...]:
    """Return a transform's methods, in the order of TARGETS.

    Raises:
        TypeError: it has none for its primary target, or one takes other arguments.
    """
    found = []
    for target in TARGETS:
        method = None if target == "masks" else getattr(transform, f"apply_{target}", None)
        of_one = None if method is not None else _OF_ONE.get(target)
        name = of_one or target
        if of_one is not None:
            method = getattr(transform, f"apply_{of_one}", None)
        if method is not None:
            asks = _asks(method, type(transform).__name__, name)
            apply = _guarded(method, marks, asks)
            if of_one is not None:
                apply = (
                    _of_each(apply)
                    if target == "masks"
                    else _of_frames(apply, marks.fills and name == "image")
                )
            found.append(Applier(target, target in transform.primary, apply, asks))
    if not any(one.is_primary for one in found):
        wanted = " or ".join(f"apply_{target}(self, {target}, params)" for target in transform.primary)
        raise TypeError(f"{type(transform).__name__} changes nothing: define {wanted}")
    return tuple(found)


def _asks(method: Any, kind: str, target: str) -> bool:
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        return False  # written in C
    asks = "info" in signature.parameters
    try:
        signature.bind(None, None, **({"info": None} if asks else {}))
    except TypeError:
        raise TypeError(
            f"{kind}.apply_{target} must take ({target}, params) or ({target}, params, info), got {signature}: "
            "let draw return whatever else it needs"
        ) from None
    return asks


def _guarded(method: Callable[..., Any], marks: Marks, asks: bool) -> Callable[..., Any]:
    """Return a method that neither changes the caller's memory nor keeps what it has returned."""
    if marks.own and marks.fresh:
        return method
    if marks.own:
        return lambda array, params, **info: released(method(array, params, **info))
    if asks:
        return lambda array, params, info: released(method(array.copy(), params, info=info))
    return lambda array, params: released(method(array.copy(), params))


def _of_each(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Return what does to a list or a stack of masks what a method does to one."""

    def apply_to_all(masks: Any, params: Any, **info: Any) -> Any:
        if not isinstance(masks, np.ndarray):
            return type(masks)([apply(mask, params, **info) for mask in masks])
        if not len(masks):  # the shape is that of one
            return np.zeros(
                (0, *apply(np.zeros_like(masks, shape=masks.shape[1:]), params, **info).shape), masks.dtype
            )
        return np.stack([apply(mask, params, **info) for mask in masks])

    return apply_to_all


def _of_frames(apply: Callable[..., Any], fills: bool) -> Callable[..., Any]:
    """Return what does to all frames of a video what a method does to an image; `fills` says that it may be given memory."""

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
                    f"all frames of a video must become of one shape and dtype, got {row.shape}, {row.dtype} and {one.shape}, "
                    f"{one.dtype}: let apply_image return the same ones for the same parameters"
                )
            if one is not row:
                row[...] = one
            row = result[number + 1] if number + 1 < len(result) else None
        return result

    return apply_to_all


def released(made: Any) -> Any:
    """Return an array that its maker has let go of: the very one, or a copy where something else refers to its memory."""
    if not isinstance(made, np.ndarray):
        return made
    base = made.base
    if sys.getrefcount(made) > _HELD or not (
        base is None
        or (type(base) is np.ndarray and base.base is None and sys.getrefcount(base) <= _BASE_HELD)
    ):
        return made.copy()
    return made


def _references() -> tuple[int, int]:
    """Return how many references `released` sees of an array that nobody keeps, and of its base."""

    def released(made: Any) -> tuple[int, int]:
        base = made.base
        return sys.getrefcount(made), sys.getrefcount(base)

    return released(np.empty(2)[:1])


_HELD, _BASE_HELD = _references()


@cache
def _has_opencv() -> bool:
    """Return whether OpenCV is there, without importing it."""
    return sys.modules.get("cv2") is not None or find_spec("cv2") is not None


class Leaf:
    """One transform, bound to its stream; `draw` is None if it has no parameters."""

    __slots__ = (
        "_alone",
        "_appliers",
        "_apply_alone",
        "_draw",
        "_draw_alone",
        "_fills",
        "_framed",
        "_fresh",
        "_keyed",
        "_limit",
        "_pooled",
        "_primary",
        "_settle",
        "_simple",
        "_streams",
        "_upper",
        "_usual",
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
        self._upper = ops[0] << 32 if len(ops) == 1 else None  # of the stream's word
        p = probability("p", getattr(transform, "p", 1.0))
        self._limit = limit_of(p)
        marks = marks_of(type(transform))
        if marks.opencv and not _has_opencv():
            raise ImportError(f'{type(transform).__name__} needs OpenCV: pip install "seedsafe[image]"')
        # What always fires and draws no word needs no stream, and going there is a good part of a small call.
        self._keyed = p < 1.0 or self._upper is None or (draw is not None and marks.random)
        self.ops = ops if self._keyed else ()
        # What a user's transform keeps of its generator must stay valid, so only ours share the pooled one.
        self._fresh = not marks.own
        self._pooled = self._keyed and marks.own and self._upper is not None
        self._draw_alone = None if marks.blind else draw
        self._settle: Callable[..., Any] | None = getattr(transform, "settle", None)
        self._take(appliers(transform, marks))
        self._primary: tuple[str, ...] = transform.primary
        # A transform of images takes a video in place of one, and knows the info of its frames.
        self._framed = "image" in self._primary and "video" not in self._primary
        alone = next(one for target in self._primary for one in self._appliers if one.target == target)
        self._alone = alone.target
        self._apply_alone = alone.apply
        self._simple = not alone.asks and self._settle is None
        if self._framed:
            place = (
                self._primary.index("image") + 1
            )  # what comes after images, audio for instance, comes after videos too
            self._primary = (*self._primary[:place], "video", *self._primary[place:])
        self._fills = marks.fills and self._simple and not self._keyed and draw is None

    def _take(self, found: tuple[Applier, ...]) -> None:
        """Keep what changes each target; without those of videos for samples that have none, in less time."""
        self._appliers = found
        self._usual = tuple(one for one in found if one.target not in ("video", "video_mask"))

    def run(self, sample: Any, draws: State) -> Any:
        """Return the sample, transformed; a dict is changed in place."""
        chosen = None if type(sample) is ndarray else self._choose(sample)
        rng = self._enter(draws) if self._keyed else draws
        if rng is None:
            return sample
        if chosen is None:
            return self.fired(sample, rng)
        array = sample[chosen]
        shape = array.shape[1:] if chosen == "video" and self._framed else array.shape
        info = Info(shape, array.dtype, sample.get("boxes"))  # pyright: ignore  # it is a dict
        params = self._drawn(rng, info)
        if self._settle is not None or type(sample) is not dict:
            return self.apply_parts(sample, params, info, chosen)  # pyright: ignore  # it is Ruled
        self.change(sample, params, info, chosen)
        return sample

    def step(self) -> Step:
        """Return the step of this transform, for arrays; see `State.through`."""
        if self._pooled:
            return self._upper, self._limit, self.fired
        return None, 0, self.run if self._keyed else self.fired

    def fired(self, array: Any, rng: Draws) -> Any:
        """Return an array, transformed, where the transform fires; its stream has been entered."""
        if self._draw_alone is None:
            params: Any = ()
        else:
            params = self._draw_alone(rng, Info(array.shape, array.dtype))
            if params is None:
                raise self._no_params()
        if not self._simple:
            return self.apply(array, params)
        result = self._apply_alone(array, params)
        return result if type(result) is ndarray else self._checked(result)

    def run_into(self, sample: Any, draws: State, row: Array) -> Any:
        """Return what `run` does; an image by itself is written into the row, and the row returned, where that can be."""
        if not self._fills or type(sample) is not ndarray:
            return self.run(sample, draws)
        return self._apply_alone(sample, (), row)

    def apply(self, sample: Any, params: Any, info: Info | None = None) -> Any:
        """Return the sample with drawn parameters applied; a dict is changed in place.

        Args:
            sample: an array, or a dict of targets.
            params: what ``draw`` returned.
            info: of the primary target as it is before, for a dict that lacks it.
        """
        if type(sample) is ndarray:
            return self.apply({self._alone: sample}, params)[self._alone]
        if info is not None and not any(target in sample for target in self._primary):
            return self.apply_parts(sample, params, info, None)
        chosen = self._choose(sample, "replay the whole sample, or pass info=")
        return self.apply_parts(sample, params, self._info_at(sample, chosen), chosen)

    def apply_parts(self, sample: dict[Any, Any], params: Any, info: Info, chosen: str | None) -> Any:
        """Return a dict of targets with drawn parameters applied; `chosen` is the primary target that it has."""
        if self._settle is not None:
            params = self._settle(params, {name: _shown(part) for name, part in sample.items()}, info)
        if type(sample) is dict:
            self.change(sample, params, info, chosen)
        else:
            self._under_rules(sample, params, info, chosen)  # type: ignore[arg-type]  # it is Ruled
        return sample

    def change(self, sample: dict[Any, Any], params: Any, info: Info, chosen: str | None) -> None:
        """Change all targets of a dict as `apply_parts` says."""
        found = self._appliers if "video" in sample or "video_mask" in sample else self._usual
        for target, is_primary, apply, asks in found:
            if target in sample and (target == chosen or not is_primary):
                part = sample[target]
                result = apply(part, params, info=info) if asks else apply(part, params)
                sample[target] = result if type(result) is ndarray else self._checked(result, target)

    def _under_rules(self, sample: Ruled, params: Any, info: Info, chosen: str | None) -> None:
        before = sample.copy()
        self.change(sample, params, info, chosen)
        if self.moves:
            result: Info = (
                self.transform.out_info(info, params) if chosen is None else self._info_at(sample, chosen)
            )
            sample.moved(self.name, before, result.image_size(), self.mover(info, params))

    def _info_at(self, sample: Mapping[str, Any], chosen: str) -> Info:
        array = sample[chosen]
        info = Info(array.shape, array.dtype, sample.get("boxes"))
        return info.frame() if chosen == "video" and self._framed else info

    def mover(self, info: Info, params: Any) -> Move | None:
        """Return how this transform moves points with these parameters; None if it cannot tell."""

        def move(points: Array) -> Array:
            try:
                return self._moved("keypoints", points, info, params)
            except NotImplementedError:
                raise NotImplementedError(
                    f"{self.name} moves pixels and has no apply_keypoints, which Boxes(min_visibility=) and "
                    "Keypoints(pairs=) need: define it"
                ) from None

        return move

    @property
    def limit(self) -> int:
        """The number that the stream's first word is below where the transform fires."""
        return self._limit

    @property
    def draws(self) -> bool:
        """Whether its parameters take words."""
        return self._draw is not None and marks_of(type(self.transform)).random

    @property
    def is_plain(self) -> bool:
        """Whether it makes an image of an image and its key alone."""
        return self._alone == "image" and self._settle is None

    @property
    def moves(self) -> bool:
        """Whether it may move boxes and keypoints."""
        return any(one.target in ("boxes", "keypoints") for one in self._appliers)

    def trace(self, infos: Infos, draws: State, record: Traced) -> Infos:
        """Append what is drawn to the record, and return the description of the result."""
        info = self.info_of(infos)
        name = stream_name(self.name, draws.counts.get(self.name, 0))
        rng = self._enter(draws) if self._keyed else draws
        params = None if rng is None else self._drawn(rng, info)
        if self._fresh:  # a user's: it is replayed with what is kept here
            params = _kept(params, self.name)
        record.append(Applied(name, params))
        return infos if params is None else self.out_infos(infos, params, draws.rules)

    def info_of(self, infos: Infos) -> Info:
        """Return the info of this transform's primary target; of a video in place of an image, that of each frame."""
        if isinstance(infos, Info):
            return infos
        chosen = self._choose(infos)
        return infos[chosen].frame() if chosen == "video" and self._framed else infos[chosen]

    def out_infos(self, infos: Infos, params: Any, rules: Rules | None) -> Infos:
        """Return the description of what is made of a sample with these parameters under these rules."""
        info = self.info_of(infos)
        result: Info = self.transform.out_info(info, params)
        if isinstance(infos, Info):
            infos = result
        else:
            chosen = self._choose(infos)
            whole = result.frames_of(infos[chosen]) if chosen == "video" and self._framed else result
            infos = {**infos, chosen: whole}
        boxes = info.given_boxes
        if boxes is None or not self.moves:
            return infos
        if self._settle is not None:  # on pixels, which a description lacks
            return with_boxes(infos, None)
        moved = self._moved("boxes", boxes, info, params)
        if rules is not None and rules.boxes is not None:
            moved, keep = rules.boxes_moved(boxes, moved, result.image_size(), self.mover(info, params))
            moved = moved[keep]
        return with_boxes(infos, moved)

    def _moved(self, target: str, rows: Array, info: Info, params: Any) -> Array:
        for one, _, apply, asks in self._appliers:
            if one == target:
                rows = self._checked(apply(rows, params, info=info) if asks else apply(rows, params))
        return rows

    def joined(self, following: Leaf) -> Leaf | None:
        """Return one leaf for this one and the following, or None; only of such as need no stream."""
        if self._keyed or following._keyed:
            return None
        both = self.transform.joined(following.transform)
        return None if both is None else Leaf(both, self.name, self._streams, None)

    def leaves(self) -> Iterator[Leaf]:
        """Yield itself."""
        yield self

    def format_of(self, target: str) -> str | None:
        """Return how it takes boxes or keypoints to be written; None if it leaves them alone, or where that is not known."""
        takes = any(one.target == target for one in self._appliers)
        return FORMATS[target] if takes else None

    def watch(self, check: Callable[[Callable[[], Any]], None]) -> None:
        """Hand what a transform of somebody's draws and applies to `check` from now on, as a call that can be made again.

        The library's own transforms are left alone.
        """
        if not self._fresh:
            return

        def again(rng: Draws, info: Info) -> Any:
            fresh = Draws(rng.address)
            fresh.word()
            return draw(fresh, info)  # type: ignore[misc]

        def drawn(rng: Draws, info: Info) -> Any:
            check(lambda: again(rng, info))
            return draw(rng, info)  # type: ignore[misc]

        def watched(apply: Callable[..., Any]) -> Callable[..., Any]:
            def applied(part: Any, params: Any, **info: Any) -> Any:
                check(lambda: apply(part, deepcopy(params), **info))
                return apply(part, params, **info)

            return applied

        draw = self._draw
        self._draw = self._draw_alone = None if draw is None else drawn
        self._take(tuple(one._replace(apply=watched(one.apply)) for one in self._appliers))
        self._apply_alone = watched(self._apply_alone)

    def _checked(self, made: Any, target: str = "") -> Any:
        if isinstance(made, ndarray):
            return made
        if target == "masks" and all(isinstance(mask, ndarray) for mask in made):
            return made
        raise TypeError(f"apply of {self.name} returned {type(made).__name__}: return a NumPy array")

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
        """Return the stream, after its chance word; None if the transform does not fire."""
        upper = turn(draws, self.name, self._streams) << 32 if self._upper is None else self._upper
        if not draws.begin(upper, self._limit):
            return None
        if not self._fresh:
            return draws
        rng = Draws(draws.address)
        rng.word()
        return rng

    def _drawn(self, rng: Draws, info: Info) -> Any:
        if self._draw is None:
            return ()
        params = self._draw(rng, info)
        if params is None:
            raise self._no_params()
        return params

    def _no_params(self) -> TypeError:
        return TypeError(f"draw of {self.name} returned None: return its parameters, () if there are none")


def _kept(params: Any, name: str) -> Any:
    """Return a user's parameters so that no replay can change them: their arrays are read-only.

    Raises:
        TypeError: a generator is among them.
    """
    if isinstance(params, Generator | RandomState | Random | Draws):
        raise TypeError(
            f"draw of {name} returned a {type(params).__name__}, which gives other numbers each time it is applied: return the "
            "numbers that it is to give"
        )
    if isinstance(params, ndarray):
        params = params.copy()
        params.flags.writeable = False
    elif type(params) in (list, tuple):
        params = type(params)([_kept(one, name) for one in params])
    elif isinstance(params, tuple):
        params = type(params)(*(_kept(one, name) for one in params))
    elif type(params) is dict:
        params = {key: _kept(one, name) for key, one in params.items()}
    return params


def _shown(part: Any) -> Any:
    """Return what can be looked at and not be changed."""
    if isinstance(part, list | tuple):
        return tuple(_shown(one) for one in part)
    if not isinstance(part, ndarray):
        return part
    view = part.view()
    view.flags.writeable = False
    return view
