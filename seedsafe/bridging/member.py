"""Any library's callable as a transform.

`Calling` knows how a callable is to be called, `Bridged` is the transform.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from seedsafe.bridging.again import as_array
from seedsafe.bridging.options import Bridge, NotReproducible, checked_options, library_of, takes_seed
from seedsafe.bridging.runner import KEYS, Runner
from seedsafe.bridging.words import Words
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

__all__ = [
    "CALLS",
    "WRAPPER",
    "Bridged",
    "Calling",
    "bridge",
    "copy",
    "name_of",
]


_CONVERSIONS: Final = ("ToImage", "ToTensor", "ToPILImage", "Lambda")
"""Transforms of torchvision that convert an array themselves."""


def _takes_tensors(function: Any) -> bool:
    """Return whether a callable is from torchvision and begins with a transform that needs a tensor."""
    parts = [function]
    while parts:
        function = parts[0]
        members = getattr(function, "transforms", function)
        composed = type(function).__name__ in ("Compose", "Sequential") and hasattr(members, "__iter__")
        parts = list(members) if composed else []
    module = getattr(function, "__module__", None) or type(function).__module__
    return module.startswith("torchvision.transforms") and type(function).__name__ not in _CONVERSIONS


def _tensor_of(image: Array) -> Any:
    """Copy an image (H, W) or (H, W, C) to a tensor (1, H, W) or (C, H, W).

    Raises:
        RuntimeError: torch has not been imported.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        raise RuntimeError(
            'call="tensor" needs torch, which this process has not imported: import it before the first sample'
        )
    planes = image[None] if image.ndim == 2 else np.moveaxis(image, -1, 0)
    return torch.from_numpy(np.array(planes, order="C"))


def _channels_last(result: Any, dimensions: int) -> Any:
    """Return a tensor (C, H, W) as an array (H, W, C); as (H, W) if C is 1 and the image had 2 dimensions."""
    if not hasattr(result, "detach"):
        return result
    array = as_array(result)
    if array.ndim != 3:
        return array
    return (
        array[0].copy() if dimensions == 2 and len(array) == 1 else np.moveaxis(array, 0, -1).copy(order="C")
    )


CALLS: Final = ("array", "tensor", "named", "dict")
_ALONE: Final = ("array", "tensor")
_NAMED: Final = {"boxes": "bboxes"}
"""Targets with another name in libraries that take named arguments."""

_FORMATS: Final = {
    "boxes": "bbox_params=albumentations.BboxParams('pascal_voc')",
    "keypoints": "keypoint_params=albumentations.KeypointParams('xy', remove_invisible=False)",
}
"""Arguments of albumentations' Compose for targets that its transforms expect in a format of their own."""

WRAPPER: Final = """If it needs another call, wrap it:

    def wrapped(image):
        result = transform(...)  # as its library calls it: with a picture, a tensor, a dict, a sample rate
        return ...  # an array or tensor from the result

    seedsafe.bridge(wrapped)"""
"""The way out in errors about a callable that needs another call."""

_set = object.__setattr__


@dataclass(frozen=True, slots=True)
class Calling:
    """Calls a callable in the way that it expects.

    Args:
        function: the callable.
        style: one of CALLS; the default depends on its signature and class, else "array".

    Raises:
        TypeError: it needs arguments that a sample does not have.

    Example:
        >>> Calling(lambda **parts: parts).style
        'named'
    """

    function: Callable[..., Any]
    style: str | None = None
    _seeded: bool = field(init=False)
    _lost: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        _set(self, "style", self.style or _style(self.function))
        _set(self, "_seeded", takes_seed(self.function))
        lost = [target for target in _FORMATS if _loses(self.function, _NAMED.get(target, target))]
        _set(self, "_lost", tuple(lost))
        if self.alone:
            _check_arguments(self.function)

    @property
    def alone(self) -> bool:
        """Return whether it gets an image or audio alone."""
        return self.style in _ALONE

    def format_of(self, target: str) -> str | None:
        """Return the format of boxes or keypoints of a Compose of albumentations, or None. All "xy…" become "xy"."""
        processors = getattr(self.function, "processors", None)
        processor = processors.get(_NAMED.get(target, target)) if isinstance(processors, dict) else None
        result = getattr(getattr(processor, "params", None), "format", None)
        if not isinstance(result, str):
            return None
        return "xy" if target == "keypoints" and result.startswith("xy") else result

    def with_array(self, array: Array, params: Address) -> Any:
        """Call it with a copy of an image or of audio."""
        if self.style == "array":
            return self._call(params, copy(array))
        if self.style == "tensor":
            return _channels_last(self._call(params, _tensor_of(array)), array.ndim)
        return self.with_dict({"image": array}, params)["image"]

    def with_dict(self, sample: dict[Any, Any], params: Address) -> dict[Any, Any]:
        """Call it with a copy of a dict of targets.

        Raises:
            ValueError: it would lose boxes or keypoints.
        """
        if self.alone:
            return {"image": self.with_array(sample["image"], params)}
        lost = [target for target in self._lost if target in sample]
        if lost:
            options = ", ".join(_FORMATS[target] for target in lost)
            raise ValueError(
                f"{name_of(self.function)} of albumentations would lose the sample's {' and '.join(lost)}, since only a Compose of "
                f"albumentations converts them for its transforms: bridge albumentations.Compose([...], {options}), or use a "
                "transform of seedsafe or of its drop-in for albumentations"
            )
        own = copy(sample)
        if self.style == "dict":
            return self._check_dict(self._call(params, own))
        named = {_NAMED.get(name, name): part for name, part in own.items() if name in TARGETS}
        result = self._call(params, **named)
        if set(named) == {"image"} and as_array(result) is not None:
            return {"image": result}
        result = self._check_dict(result)
        return {name: result[_NAMED.get(name, name)] for name in own if name in TARGETS}

    def _call(self, params: Address, *arguments: Any, **named: Any) -> Any:
        seed = {"invocation_seed": Words(params).integer(3) % 2**32} if self._seeded else {}
        try:
            return self.function(*arguments, **named, **seed)
        except Exception as error:
            kinds = ", ".join(map(_kind, arguments)) or ", ".join(
                f"{name}={_kind(part)}" for name, part in named.items()
            )
            error.add_note(
                f"{name_of(self.function)} was called as call={self.style!r}, with {kinds}. {WRAPPER}"
            )
            raise

    def _check_dict(self, result: Any) -> dict[Any, Any]:
        if not isinstance(result, dict):
            raise TypeError(
                f"{name_of(self.function)} was called as call={self.style!r} and must return a dict, got "
                f'{type(result).__name__}: pass call="array" if it returns the image alone. {WRAPPER}'
            )
        return result


def _loses(function: Any, part: str) -> bool:
    """Return whether a callable from albumentations moves a part that no Compose of albumentations converts for it.

    Its transforms expect boxes as fractions of the image's sides, and keypoints with five columns.
    """
    return part not in getattr(function, "processors", ()) and _takes(function, part)


def _takes(function: Any, part: str) -> bool:
    roots = ("BasicTransform", "BaseCompose")
    if not any(
        cls.__name__ in roots and cls.__module__.startswith("albumentations.")
        for cls in type(function).__mro__
    ):
        return False
    transforms = getattr(function, "transforms", None)
    if transforms is None:
        return part in getattr(function, "targets", ())
    return any(_takes(transform, part) for transform in transforms)  # an inner Compose converts nothing


def copy(value: Any) -> Any:
    """Copy the arrays in a dict, list or tuple, or an array."""
    if isinstance(value, dict):
        return {name: copy(part) for name, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)([copy(part) for part in value])
    return value.copy() if isinstance(value, np.ndarray) else value


def name_of(function: Any) -> str:
    """Return the name of a callable's function or class, for errors and streams."""
    while isinstance(function, functools.partial):
        function = function.func
    named = getattr(function, "__name__", None)
    return named if isinstance(named, str) else type(function).__name__


def _parameters(function: Any) -> list[inspect.Parameter] | None:
    """Return the parameters of a callable, or None if they are unknown.

    For a torch module they are those of ``forward``, for a layer of Keras those of ``call``.
    """
    is_layer = any(
        cls.__name__ == "Layer" and "keras" in cls.__module__.partition(".")[0]
        for cls in type(function).__mro__
    )
    method = getattr(function, "call" if is_layer else "forward", function)
    try:
        return list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        return None  # written in C


def _style(function: Any) -> str:
    if _takes_tensors(function):
        return "tensor"
    if any(cls.__name__ == "MapTransform" for cls in type(function).__mro__):
        return "dict"
    parameters = _parameters(function)
    if parameters is None:
        return "array"
    kinds = {parameter.kind for parameter in parameters}
    alone = not any(  # apart from switches such as force_apply of volumentations
        parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        and not isinstance(parameter.default, bool)
        for parameter in parameters
    )
    return "named" if alone and inspect.Parameter.VAR_KEYWORD in kinds else "array"


def _kind(part: Any) -> str:
    shape = getattr(part, "shape", None)
    return type(part).__name__ + (f" of shape {tuple(shape)}" if isinstance(shape, tuple) else "")


def _check_arguments(function: Any) -> None:
    parameters = _parameters(function)
    if parameters is None:
        return
    needed = [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    takes = [parameter for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD]
    if len(needed) > 1:
        rest = ", ".join(f"{name}=…" for name in needed[1:])
        raise TypeError(
            f"{name_of(function)} needs the arguments {needed}, but a bridge passes only the sample: "
            f"fix the others with functools.partial({name_of(function)}, {rest})"
        )
    if not takes or (not needed and takes[0].kind is inspect.Parameter.KEYWORD_ONLY):
        raise TypeError(
            f"{name_of(function)} takes no argument, but a bridge passes it the sample: add a parameter, or use "
            "seedsafe.keyed(key) around the call"
        )


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

    def frame(self, *_: Any) -> Info:
        return self

    frames_of = with_boxes = frame  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:  # `shape` is never set
        raise ValueError(
            f"the {name} of the result of {self._callable} is not known before the call: put transforms whose draws depend on "
            'it before the bridge, pass returns="same" or returns=(height, width, channels) to the bridge, or run the pipeline '
            "instead of asking for params"
        )


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
        checked_options(self.options)
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
            parts = {**rest, "image": frame} | ({} if masks is None else {"mask": masks[number]})
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
