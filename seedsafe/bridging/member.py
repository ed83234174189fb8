"""Any library's callable as a transform."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from seedsafe.bridging.calling import CALLS, WRAPPER, Calling, copy, name_of
from seedsafe.bridging.hooks import library_of
from seedsafe.bridging.options import Bridge, NotReproducible
from seedsafe.bridging.runner import KEYS, Runner
from seedsafe.bridging.same import as_array
from seedsafe.ground.checks import flag
from seedsafe.ground.info import TARGETS, Array, Info, Infos
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address, SampleKey, address, checked_int
from seedsafe.pipeline.appliers import release
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Node
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import check_options, primitive
from seedsafe.pipeline.rules import Rules, with_boxes
from seedsafe.pipeline.transform import Transform

__all__ = ["Bridged", "bridge"]


class BridgedLeaf(Leaf):
    """A bridged callable with its stream. It gets all parts of a dict in one call, and its errors name the transform."""

    __slots__ = ()

    def fire(self, sample: Any, draws: Any) -> Any:
        try:
            return super().fire(sample, draws)
        except NotReproducible as error:
            raise NotReproducible(f"in the transform {self.name!r} of the pipeline: {error}") from None

    @property
    def moves(self) -> bool:
        return bool(self.transform.moves)

    def format_of(self, target: str) -> str | None:
        result: str | None = self.transform.format_of(target)
        return result

    def mover(self, info: Info, params: Any) -> None:
        """Return None: the callable itself moves the boxes and keypoints."""
        return

    def out_infos(self, infos: Infos, params: Any, rules: Rules | None) -> Infos:
        """Return the infos of its results. The boxes are unknown if it may move them."""
        result = super().out_infos(infos, params, None)
        return with_boxes(result, None) if self.moves else result

    def change(
        self, sample: dict[Any, Any], params: Any, info: Info, chosen: str | None, done: str | None = None
    ) -> None:
        """Put the results for a sample into that sample."""
        if chosen is None:
            raise ValueError(
                f"{self.name} is a bridge and needs {' or '.join(map(repr, self.transform.primary))} in the sample, got "
                f"{list(sample)}: replay the whole sample"
            )
        result = self.transform.apply_sample(sample, chosen, params)
        for name in list(result):  # a name for the part would be one more reference to it
            is_new = name in TARGETS and result[name] is not sample.get(name)
            sample[name] = release(result.pop(name)) if is_new else result[name]


class UnknownInfo(Info):
    """The info of a bridged callable's result, unknown before the call."""

    __slots__ = ("_callable",)

    def __init__(self, callable_name: str) -> None:
        self._callable = callable_name
        self._dtype = self._length = self.position = None
        self.given_boxes = None

    def frame(self) -> Info:
        return self

    def frames_of(self, video: Info) -> Info:
        return self

    def with_boxes(self, boxes: Array | None) -> Info:
        return self

    def __getattr__(self, name: str) -> Any:  # `shape` is never set
        raise ValueError(
            f"the {name} of the result of {self._callable} is not known before the call: put transforms whose draws depend on "
            'it before the bridge, pass returns="same" or returns=(height, width, channels) to the bridge, or run the pipeline '
            "instead of asking for params"
        )


_set = object.__setattr__


def bridge(
    function: Callable[..., Any],
    *,
    call: str | None = None,
    values_only: bool = False,
    returns: str | tuple[int, ...] | None = None,
    name: str | None = None,
    options: Bridge = Bridge(),  # noqa: B008  # it is immutable
) -> Bridged:
    """Return a transform that calls a function, object or transform of any library, with all its randomness keyed.

    Before each call, its stream in the pipeline sets the generators of the process and those stored in the object. The
    first calls are checked; see `Bridged.verify`. The callable gets a copy, and its result becomes a NumPy array.

    Args:
        function: any callable that takes a sample.
        call: how to call it. "array": with the image (or audio) alone. "tensor": with the image as a torch tensor,
            channels first; a tensor that it returns gets its channels last again. "named": ``function(image=…, mask=…)``,
            which returns a dict, as in albumentations. "dict": with the whole sample as a dict, as in MONAI's dictionary
            transforms. The default depends on its signature and class, and is "array" if they say nothing; transforms of
            torchvision get tensors unless they begin with a conversion of their own.
        values_only: for "array" and "tensor": it moves no pixels, so mask, keypoints and boxes need no change.
            Without it, a sample that has these is refused.
        returns: the shape of its result for an image (or audio): "same", or (H, W) or (H, W, C). With it, `params`
            also covers the transforms after it, and a result of another shape is refused.
        name: the name of its stream; by default ``bridge/`` and the name of its class or function.
        options: see Bridge.

    Raises:
        TypeError: it cannot be called, or needs arguments that a sample does not have.
        ValueError: call is unknown.
        NotReproducible: in a call: one key gave two results, or two keys gave the same draws.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> def noisy(image):
        ...     return image + np.random.randint(0, 9, image.shape, np.uint8)
        >>> augment = ss.Compose([ss.RandomCrop(2), ss.bridge(noisy)])
        >>> image = np.zeros((4, 4), np.uint8)
        >>> once, again = (augment(image, key=ss.SampleKey(42, 3, 1234)) for _ in range(2))
        >>> bool((once == again).all())
        True
    """
    return Bridged(function, call=call, values_only=values_only, returns=returns, name=name, options=options)


@primitive(fresh=False, opencv=False)
class Bridged(Transform):
    """The transform that `bridge` returns. Its parameters are the address of its seeds.

    Args:
        function: see bridge.
        call: see bridge.
        values_only: see bridge.
        returns: see bridge.
        options: see bridge.
        name: see bridge.

    Example:
        >>> import numpy as np
        >>> bridge(np.negative, name="minus")
        bridge(<ufunc 'negative'>, name='minus')
    """

    function: Callable[..., Any]
    call: str | None = field(default=None, kw_only=True)
    values_only: bool = option(flag, default=False, kw_only=True)
    returns: str | tuple[int, ...] | None = field(default=None, kw_only=True)
    options: Bridge = field(default=Bridge(), kw_only=True)
    _runner: Runner = field(init=False, compare=False)
    _calling: Calling = field(init=False, compare=False)

    primary = ("image", "audio")

    def __post_init__(self) -> None:
        check_options(self)
        if not callable(self.function):
            raise TypeError(
                f"a bridge needs something to call, got {self.function!r}: pass a function or a transform"
            )
        if self.call is not None and self.call not in CALLS:
            raise ValueError(f"call must be one of {', '.join(map(repr, CALLS))}, got {self.call!r}")
        _set(self, "returns", _shape(self.returns))
        if not isinstance(self.options, Bridge):
            raise TypeError(
                f"options must be a Bridge, got {self.options!r}: pass Bridge(opencv=True), for instance"
            )
        label = f"bridge({name_of(self.function)}), of {library_of(self.function)},"
        _set(self, "_calling", Calling(self.function, self.call))
        _set(self, "_runner", Runner(self.function, self.options, label))

    @property
    def moves(self) -> bool:
        """Return whether it gets boxes and keypoints, and may move them."""
        return not self._calling.alone

    def format_of(self, target: str) -> str | None:
        """Return the format of boxes or keypoints of a Compose of albumentations, or None for any other callable."""
        return None if self._calling.alone else self._calling.format_of(target)

    @property
    def verdict(self) -> str:
        """Return "verified" if it was seen to draw, here or in workers, from keyed generators only, else "unverified"."""
        return self._runner.verdict

    def verify(self, sample: Any, *, keys: int = KEYS) -> str:
        """Run it on a sample with several keys, several times each, and return the verdict.

        Returns:
            "verified", or "unverified" if it drew from no keyed generator, or if a result cannot be compared.

        Raises:
            NotReproducible: one key gave two results, or two keys gave the same draws.

        Example:
            >>> import numpy as np
            >>> import seedsafe as ss
            >>> ss.bridge(np.copy).verify(np.zeros(3))
            'unverified'
        """
        addresses = [address(SampleKey(0, 0, index), 1) for index in range(keys)]
        call: Any = self._calling.with_dict if isinstance(sample, dict) else self._calling.with_array
        return self._runner.verify(addresses, lambda params: call(sample, params))

    def draw(self, rng: Draws, info: Info) -> Address:
        """Return the address of the seeds, without consuming words."""
        return rng.noise()

    def out_info(self, info: Info, params: Address) -> Info:
        """Return the info that `returns` describes, or an info without a shape: only a call can show it."""
        if self.returns is not None:
            return Info(info.shape if self.returns == "same" else self.returns)  # type: ignore[arg-type]
        return UnknownInfo(name_of(self.function))

    def out_span(self, span: tuple[float, float] | None, source: str | None = None) -> None:
        """Return None: what the callable returns is unknown."""

    def apply_image(self, image: Array, params: Address) -> Array:
        """Call it with an image."""
        return self._to_array(self._run(self._calling.with_array, image, params), image)

    def apply_audio(self, audio: Array, params: Address) -> Array:
        """Call it with audio."""
        if self._calling.style == "tensor":
            raise TypeError(
                f'{name_of(self.function)} is called as call="tensor", which is for images: pass call="array" for audio'
            )
        return self._to_array(self._run(self._calling.with_array, audio, params), audio)

    def apply_sample(self, sample: dict[Any, Any], target: str, params: Address) -> dict[Any, Any]:
        """Call it with a dict of targets. A video goes through frame by frame, with the same seeds."""
        if "video" in sample:
            return self._apply_frames(sample, params)
        if self._calling.alone:
            ignored = [part for part in TARGETS if part in sample and part != target]
            if ignored and not self.values_only:
                raise ValueError(
                    f"{name_of(self.function)} gets the {target} alone, but the sample also has {ignored}: pass "
                    'call="named" or call="dict" if it takes them together, or values_only=True if it moves no pixels'
                )
            apply = self.apply_audio if target == "audio" else self.apply_image
            return sample | {target: apply(sample[target], params)}
        result = self._run(self._calling.with_dict, sample, params)
        if self.returns is not None:
            self._to_array(result[target], sample[target])
        return sample | {name: self._part(name, v) if name in TARGETS else v for name, v in result.items()}

    def _apply_frames(self, sample: dict[Any, Any], params: Address) -> dict[Any, Any]:
        if "image" in sample or "mask" in sample:
            raise ValueError(
                f"{name_of(self.function)} is a bridge, and gets each frame of a video as image and mask, but the sample has "
                f"{list(sample)}: name the masks of the frames 'video_mask', and run a separate call for an image"
            )
        video, masks = sample["video"], sample.get("video_mask")
        rest = {name: part for name, part in sample.items() if name not in ("video", "video_mask")}
        result = []
        for number, frame in enumerate(video):
            parts = (
                {**rest, "image": frame} if masks is None else {**rest, "image": frame, "mask": masks[number]}
            )
            result.append(self.apply_sample(parts, "image", params))
        stacked = {"video": np.stack([frame.pop("image") for frame in result])}
        if masks is not None:
            stacked["video_mask"] = np.stack([frame.pop("mask") for frame in result])
        return {**sample, **result[0], **stacked}

    def bind(self, namer: Namer) -> Node:
        """Return this transform with its stream in a pipeline, and note whether it may move pixels."""
        namer.rules.may_move |= not self.values_only
        name, ops = namer.claim(self.name, f"bridge/{name_of(self.function)}")
        return BridgedLeaf(self, name, ops, self.draw)

    def _run(self, call: Callable[[Any, Address], Any], value: Any, params: Address) -> Any:
        def later() -> Callable[[Address], Any]:
            own = copy(value)  # the transforms after this one may write to the value
            return lambda params: call(own, params)

        return self._runner.run(params, lambda params: call(value, params), later)

    def _part(self, name: str, result: Any) -> Any:
        return [self._to_array(mask) for mask in result] if name == "masks" else self._to_array(result)

    def _to_array(self, result: Any, value: Any = None) -> Array:
        array: Array | None = as_array(result)
        if array is None or array.dtype.hasobject:
            raise TypeError(
                f"{name_of(self.function)} must return an array, a tensor or a PIL image, got {type(result).__name__}: "
                f"wrap it in a function that returns one. {WRAPPER}"
            )
        if self.returns is not None and value is not None:
            expected = value.shape if self.returns == "same" else self.returns
            if array.shape != expected:
                raise ValueError(
                    f"{name_of(self.function)} was bridged with returns={self.returns!r} and returned the shape {array.shape} for "
                    f"{value.shape}: correct returns, or leave it out"
                )
        return array

    def __repr__(self) -> str:
        options = "".join(
            f", {n}={getattr(self, n)!r}" for n in ("call", "name") if getattr(self, n) is not None
        )
        return f"bridge({self.function!r}{options})"


def _shape(returns: Any) -> Any:
    if returns is None or returns == "same":
        return returns
    if not isinstance(returns, tuple | list):
        raise TypeError(
            f'returns must be "same", a shape or None, got {returns!r}: pass (height, width, channels)'
        )
    return tuple(
        checked_int("a side in returns", side, 1, 2**31, "pass the shape of the result") for side in returns
    )
