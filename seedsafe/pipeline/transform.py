"""Transform: all randomness in ``draw``, none in ``apply``.

A transform draws its parameters from words and a description of the sample, and applies them to each of its targets in
the sample. It is immutable, and keeps nothing from one sample to the next.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Literal

from seedsafe.ground.info import Array, Info, named_parts
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import SampleKey, check_name
from seedsafe.pipeline.bound import Bound
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Node, run
from seedsafe.pipeline.primitive import check_options, clips, marks_of

__all__ = [
    "AudioTransform",
    "ImageTransform",
    "SpatialTransform",
    "Transform",
    "VideoTransform",
    "is_described",
    "options",
    "require_fill",
    "require_unit",
]


def _name(name: str, value: Any) -> Any:
    if value is not None:
        check_name(value)
    return value


@dataclass(frozen=True, eq=False, repr=False)
class Transform:
    """One step of a pipeline. Derive from ImageTransform, SpatialTransform, VideoTransform or AudioTransform.

    A subclass defines ``draw``, if it is random, and ``apply_<target>(array, params)`` for every target that it
    changes. A method with a third argument ``info`` gets the Info of the primary target before this
    transform: coordinates need the image's size, for instance. A subclass may be a frozen dataclass, like the library's
    own, or a plain class; one with its own ``__init__`` has no JSON and equals only itself. An attribute ``p`` is
    the probability that it fires.

    Parameters that depend on pixels, of another target for instance, take two steps. ``draw`` returns numbers. Then
    ``settle(params, sample, info)``, if a subclass has it, computes the parameters from these numbers and the
    sample, a read-only dict of targets. ``params`` lists the drawn numbers, and ``replay`` settles them again.

    Args:
        name: the name of the transform's stream, instead of its class. Transforms with a name, and those whose class
            occurs once, keep their draws when other transforms are added, removed or moved.

    Example:
        >>> import numpy as np
        >>> class Darken(ImageTransform):
        ...     def draw(self, rng, info):
        ...         return rng.integer(64)
        ...
        ...     def apply_image(self, image, amount):
        ...         return image - np.minimum(image, np.uint8(amount))
        >>> Darken()(np.full((1, 2), 100, np.uint8), key=SampleKey(42, 0, 0))
        array([[52, 52]], dtype=uint8)
    """

    name: str | None = field(default=None, kw_only=True, metadata={"check": _name, "ours": True})

    primary: ClassVar[tuple[str, ...]] = ("image",)
    """The target whose info ``draw`` gets; of several, the first that the sample has."""

    channels: ClassVar[Literal["any", "last", "to first"]] = "any"
    """The layout of the images that it takes; "to first" takes channels last and puts them first."""

    _checks_values: ClassVar[bool] = False  # whether it has a `_check_values`

    _bound: ClassVar[Bound] = Bound()  # an instance gets its own at its first call; not a field

    def __post_init__(self) -> None:
        check_options(self)

    def draw(self, rng: Draws, info: Info) -> Any:
        """Return the parameters for one sample: plain data, anything but None.

        Args:
            rng: the transform's stream, a Draws: ``uniform``, ``integer``, ``chance`` … ``rng.epoch`` is the epoch, and
                ``rng.generator`` a NumPy Generator that you may keep.
            info: the shape and dtype of the sample's primary target, and the sample's boxes.
        """
        return ()

    def out_info(self, info: Info, params: Any) -> Info:
        """Return the description of the result for an array described by `info`: the same, unless a subclass overrides this.

        Its boxes are ignored, because the boxes of the result come from ``apply_boxes``.
        """
        return info

    def out_span(
        self, span: tuple[float, float] | None, source: str | None = None
    ) -> tuple[float, float] | None:
        """Return the smallest and largest value of float images after this transform, or None if they are unknown.

        Args:
            span: the smallest and largest value before this transform, or None.
            source: where these values were seen; None if they follow from the transforms before this one.

        Raises:
            ValueError: it cannot be applied to such images.
        """
        if clips(type(self)):
            require_unit(self.name or type(self).__name__, span, source)
        require_fill(self, span, source)
        return span if marks_of(type(self)).own else None

    def _check_values(self, image: Array, source: str) -> None:
        """Raise a ValueError if this transform would misread float images such as this one.

        Args:
            image: an image, a float array.
            source: where these values were seen.
        """

    def joined(self, following: Transform) -> Transform | None:
        """Return one transform that does the work of this one and then the following, to the same bytes, or None.

        It is called only if both always fire and neither has parameters.
        """
        return None

    window: ClassVar[Any] = None
    """The function that returns, from the parameters, the window of the image outside which no pixel matters: (top, left, height, width)."""
    ends_pass: ClassVar[bool] = False
    """Whether it is the last one of a pass."""

    @property
    def place_in_pass(self) -> Literal["first", "later"] | None:
        """Whether one pass over an image can do its work and that of the transforms after it, or before and after it; see `OnePass`."""
        return None

    def takes_pass(self, channels: int) -> bool:
        """Return whether it can be part of a pass over an image with so many channels, without an error."""
        return True

    def begin_pass(self, info: Info) -> Any:
        """Return the work of a pass that leaves an image as it is."""
        raise NotImplementedError

    def add_to_pass(self, work: Any, params: Any) -> Any:
        """Return the work of a pass with this transform's after it."""
        raise NotImplementedError

    def bind(self, namer: Namer) -> Node:
        """Bind this transform to its stream in a pipeline."""
        name, ops = namer.claim(self.name, type(self).__name__)
        return Leaf(self, name, ops, None if type(self).draw is Transform.draw else self.draw)

    def __call__(self, sample: Any = None, *, key: SampleKey | None = None, **parts: Any) -> Any:
        """Return the augmented sample, like ``Compose([self])(sample, key=key)``."""
        if parts:
            sample = named_parts(sample, parts)
        bound = self._bound
        if bound.owner is not self or bound.p is not getattr(self, "p", None):
            bound = Bound(self)
            object.__setattr__(self, "_bound", bound)
        return run(bound.root, sample, key, bound.rules)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        alike = type(other) is type(self) and is_described(self)
        return alike and options(self) == options(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        arguments = ", ".join(f"{k}={v!r}" for k, v in options(self).items()) if is_described(self) else "..."
        return f"{type(self).__name__}({arguments})"


def require_fill(transform: Any, span: tuple[float, float] | None, source: str | None) -> None:
    """Raise an error for a fill meant for values from 0 to 255 in images from 0 to 1; see `Transform.out_span`."""
    fill: Any = getattr(transform, "fill", None)
    values: tuple[Any, ...] = fill if isinstance(fill, tuple) else (fill,)
    are_numbers = all(isinstance(value, int | float) for value in values)
    if getattr(transform, "mode", "constant") != "constant" or not are_numbers:
        return
    if span is not None and -0.01 <= span[0] <= span[1] <= 1.01 and max(values) >= 2:
        shares = tuple(float(f"{value / 255:.3g}") for value in values)
        raise ValueError(
            f"fill={fill!r} of {(transform.name or type(transform).__name__).partition('.')[0]} is on the scale of bytes, but "
            f"{source or 'the transforms before it return'} {span[0]:.4g} to {span[1]:.4g}: pass "
            f"fill={shares if isinstance(fill, tuple) else shares[0]!r}, or return uint8"
        )


def require_unit(name: str, span: tuple[float, float] | None, source: str | None) -> None:
    """Raise an error for a transform that takes floats in [0, 1] and gets others; see `Transform.out_span`."""
    if span is None or -0.01 <= span[0] <= span[1] <= 1.01:
        return
    low, high = span
    needs = f"{name} needs floats in [0, 1], but"
    if source is None:
        raise ValueError(
            f"{needs} the transforms before it return {low:.4g} to {high:.4g}: put it before Normalize"
        )
    if low < -0.01:
        half = "(image + 1) / 2" if low >= -1.01 and high <= 1.01 else "images in [0, 1]"
        way_out = f"use {half} there, and put Normalize after {name}"
    elif high <= 255.5:
        way_out = "use image / 255 there, or image.astype(numpy.uint8) and put ToFloat() where floats begin"
    else:
        way_out = "use image / 65535 there" if high <= 65535.5 else "use images in [0, 1] there"
    raise ValueError(
        f"{needs} {source} {low:.4g} to {high:.4g}, and it would cut off or bend the rest: {way_out}. If the values are right as they "
        f"are, leave {name} out"
    )


def is_described(transform: Transform) -> bool:
    """Return whether the transform's dataclass fields describe it completely."""
    for base in type(transform).__mro__:
        if "__dataclass_fields__" in vars(base):
            return True
        if "__init__" in vars(base):
            return False
    return False


def options(transform: Any) -> dict[str, Any]:
    """Return the constructor arguments of a dataclass that differ from their defaults, for repr and JSON."""
    chosen = {}
    for argument in fields(transform):
        value = getattr(transform, argument.name, None)
        if argument.init and (argument.default is MISSING or value != argument.default):
            chosen[argument.name] = value
    return chosen


@dataclass(frozen=True, eq=False, repr=False)
class ImageTransform(Transform):
    """A transform of pixel values: masks, keypoints and boxes stay unchanged.

    A subclass defines ``apply_image(image, params)``. It is applied to each frame of a video, with the same parameters.

    Args:
        name: see Transform.

    Example:
        >>> import numpy as np
        >>> class Invert(ImageTransform):
        ...     def apply_image(self, image, params):
        ...         return np.invert(image)
        >>> Invert()(np.array([[1, 2]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[254, 253]]
    """


@dataclass(frozen=True, eq=False, repr=False)
class SpatialTransform(Transform):
    """A transform that moves pixels, and with them the mask, keypoints and boxes.

    A subclass without ``apply_mask``, ``apply_keypoints`` or ``apply_boxes`` refuses samples that have them.

    Args:
        name: see Transform.

    Example:
        >>> import numpy as np
        >>> class Transpose(SpatialTransform):
        ...     def apply_image(self, image, params):
        ...         return image.swapaxes(0, 1)
        >>> Transpose()(np.array([[1, 2]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[1], [2]]
    """

    channels: ClassVar[Literal["any", "last", "to first"]] = "last"

    def bind(self, namer: Namer) -> Node:
        """Bind this transform to its stream in a pipeline, and note that the pipeline moves pixels."""
        namer.rules.look(spatial=True)
        return Transform.bind(self, namer)

    def apply_image(self, image: Array, params: Any, *args: Any, **kwargs: Any) -> Array:
        """Return the moved image. (H, W) or (H, W, C)."""
        raise NotImplementedError(f"{type(self).__name__} has no apply_image(self, image, params): define it")

    def apply_mask(self, mask: Array, params: Any, *args: Any, **kwargs: Any) -> Array:
        """Return the mask, moved like the image, without new values. (H, W) or (H, W, C)."""
        raise _refusal(self, "mask")

    def apply_keypoints(self, keypoints: Array, params: Any, *args: Any, **kwargs: Any) -> Array:
        """Return the keypoints, moved like the image. (N, 2 or more), x and y of pixel centres first."""
        raise _refusal(self, "keypoints")

    def apply_boxes(self, boxes: Array, params: Any, *args: Any, **kwargs: Any) -> Array:
        """Return the boxes, moved like the image. (N, 4 or more), x0, y0, x1, y1 of pixel edges first."""
        raise _refusal(self, "boxes")


def _refusal(transform: Transform, target: str, does: str = "moves pixels") -> NotImplementedError:
    return NotImplementedError(
        f"{type(transform).__name__} {does} and has no apply_{target}: define it, or take {target!r} out of the sample"
    )


@dataclass(frozen=True, eq=False, repr=False)
class VideoTransform(Transform):
    """A transform of a whole video, (T, H, W) or (T, H, W, C): of its frames, their number or their order.

    A subclass defines ``apply_video(video, params)``, and ``apply_video_mask`` for the masks of the frames. Without the latter it
    refuses samples that have such masks. Transforms of images take each frame of a video on its own. In a pipeline with a
    VideoTransform, a sample that is an array is a video.

    Args:
        name: see Transform.

    Example:
        >>> import numpy as np
        >>> class Reverse(VideoTransform):
        ...     def apply_video(self, video, params):
        ...         return video[::-1]
        >>> Reverse()(np.array([[[1]], [[2]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[2]], [[1]]]
    """

    primary: ClassVar[tuple[str, ...]] = ("video",)

    def bind(self, namer: Namer) -> Node:
        """Bind this transform to its stream in a pipeline, and note that a sample that is an array is a video."""
        namer.rules.video = True
        return Transform.bind(self, namer)

    def apply_video_mask(self, video_mask: Array, params: Any, *args: Any, **kwargs: Any) -> Array:
        """Return the masks of the result's frames, in their order. (T, H, W)."""
        raise _refusal(self, "video_mask", "changes a video's frames")


@dataclass(frozen=True, eq=False, repr=False)
class AudioTransform(Transform):
    """A transform of audio, float32, (samples,) or (channels, samples).

    A subclass defines ``apply_audio(audio, params)``.

    Args:
        name: see Transform.

    Example:
        >>> import numpy as np
        >>> class Double(AudioTransform):
        ...     def apply_audio(self, audio, params):
        ...         return audio * np.float32(2)
        >>> Double()(np.ones(2, np.float32), key=SampleKey(42, 0, 0)).tolist()
        [2.0, 2.0]
    """

    primary: ClassVar[tuple[str, ...]] = ("audio",)
    shifts: ClassVar[bool] = False
    """Whether it moves audio in time."""

    def bind(self, namer: Namer) -> Node:
        """Bind this transform to its stream in a pipeline, and note that the pipeline takes audio."""
        namer.rules.hears = True
        if self.shifts and not namer.rules.shifts:
            namer.rules.shifts = type(self).__name__
        return Transform.bind(self, namer)
