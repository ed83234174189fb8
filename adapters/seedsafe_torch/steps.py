"""Transforms on a batch of images as tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

import seedsafe as ss
from seedsafe.functional.jitter import GREY
from seedsafe.functional.kinds import fit_fill, is_rgb
from seedsafe.functional.values import affine, check_channels
from seedsafe.functional.window import check_fill, sources
from seedsafe.pipeline.batch import Decision
from seedsafe_torch.tensor_draws import TensorDraws

__all__ = ["Array", "Drawn", "Given", "Step", "steps_of"]

Array = np.ndarray[Any, Any]


class Given(NamedTuple):
    """The input from which a step makes its numbers.

    Args:
        keys: the samples' keys, int64 (N, 4), on the images' device.
        decision: what the transform decides.
        image: an array of the shape and dtype of one image, as the CPU has it.
        mask: the same of a mask, if there are masks.
        channels_first: whether the image is (C, H, W).
    """

    keys: Tensor
    decision: Decision
    image: Array
    mask: Array | None
    channels_first: bool


class Drawn(NamedTuple):
    """What a step needs for one batch, on the images' device.

    Args:
        fires: for which samples it fires, bool (N, 1, 1, 1); None if it always fires.
        numbers: the step's own numbers.
    """

    fires: Tensor | None
    numbers: tuple[Tensor, ...]

    def where_it_fires(self, changed: Tensor, images: Tensor) -> Tensor:
        """Return the changed images where the transform fires, and the others as they are."""
        return changed if self.fires is None else torch.where(self.fires, changed, images)


class Step:
    """A transform of the library on images (N, C, H, W), uint8 or float32, and on masks of the same form.

    `numbers` turns the transform's decisions into arrays, or tensors on the device. `apply` changes tensors without looking at their
    values; only that is compiled.

    Args:
        transform: the transform.

    Raises:
        ValueError: one of its options has no counterpart.
    """

    moves: ClassVar[bool] = False
    """Whether it moves or hides pixels, and so boxes and keypoints."""

    def __init__(self, transform: Any) -> None:
        self.transform = transform

    def numbers(self, given: Given) -> tuple[Any, ...]:
        """Return the arrays that `apply` needs."""
        return ()

    def apply(self, images: Tensor, drawn: Drawn, part: int = 0) -> Tensor:
        """Return the changed images: a new tensor, or the images themselves. Part 1 is their masks, if the transform moves pixels."""
        return images


class _Flip(Step):
    moves: ClassVar[bool] = True

    def apply(self, images: Tensor, drawn: Drawn, part: int = 0) -> Tensor:
        return drawn.where_it_fires(images.flip(2 + self.transform.mirror.axis), images)


class _Crop(Step):
    moves: ClassVar[bool] = True

    def numbers(self, given: Given) -> tuple[Any, ...]:
        (tops, lefts), (height, width) = given.decision.params, self.transform.size
        rows, columns = given.decision.info.image_size()
        mode = self.transform.mode
        shown = _shown(mode, tops, height, rows), _shown(mode, lefts, width, columns)
        if any((one < 0).any() for one in shown):
            check_fill(self.transform.fill, given.image)
            if given.mask is not None:
                check_fill(self.transform.mask_fill, given.mask)
        fills = (np.asarray(fill).reshape(-1) for fill in (self.transform.fill, self.transform.mask_fill))
        return (*shown, *fills)

    def apply(self, images: Tensor, drawn: Drawn, part: int = 0) -> Tensor:
        rows, columns, *fills = drawn.numbers
        count, channels, _, width = images.shape
        places = rows.clamp(min=0)[:, :, None] * width + columns.clamp(min=0)[:, None]
        flat = images.flatten(2).gather(2, places.flatten(1)[:, None].expand(-1, channels, -1))
        outside = (rows < 0)[:, :, None] | (columns < 0)[:, None]
        windows = flat.reshape(count, channels, rows.shape[1], columns.shape[1])
        return _filled(windows, outside, fills[part])


def _shown(mode: str, starts: Array, length: int, size: int) -> Array:
    """Return the pixels in [0, size) that windows of a side show, -1 for the fill: int64, (N, length)."""
    before, after = max(-int(starts.min()), 0), max(int(starts.max()) + length - size, 0)
    if mode == "constant":
        table = np.arange(-before, size + after)
        table[table >= size] = -1
        table[:before] = -1
    else:
        table = sources(mode, -before, before + size + after, size)
    return table[(starts + before)[:, None] + np.arange(length)]


def _filled(images: Tensor, where: Tensor, fill: Tensor) -> Tensor:
    """Return images with a fill where some pixels of each are: bool, (N, height, width)."""
    return torch.where(where[:, None], fill.to(images.dtype).reshape(1, -1, 1, 1), images)


class _Holes(Step):
    moves: ClassVar[bool] = True

    def __init__(self, transform: Any) -> None:
        if isinstance(transform.fill, str):
            raise ValueError(
                f"fill={transform.fill!r} of {_name(transform)} has no counterpart on the device: pass a number, or leave it to the CPU"
            )
        super().__init__(transform)

    def numbers(self, given: Given) -> tuple[Any, ...]:
        _, _, fires, params = given.decision
        holes = _listed([one.holes for one in params]) if isinstance(params, list) else params[0]
        if fires is not None:
            holes = holes * fires[:, None, None]
        fills = [fit_fill(self.transform.fill, given.image)]
        if given.mask is not None and self.transform.mask_fill is not None:
            fills.append(fit_fill(self.transform.mask_fill, given.mask))
        return (holes, *(np.asarray(fill).reshape(-1) for fill in fills))

    def apply(self, images: Tensor, drawn: Drawn, part: int = 0) -> Tensor:
        holes, *fills = drawn.numbers
        if part >= len(fills):
            return images
        rows = torch.arange(images.shape[2], device=images.device)[None, :, None]
        columns = torch.arange(images.shape[3], device=images.device)[None, None]
        inside = torch.zeros((len(images), *images.shape[2:]), dtype=torch.bool, device=images.device)
        for hole in holes.unbind(1):
            x0, y0, x1, y1 = (edge[:, None, None] for edge in hole.unbind(1))
            inside = inside | ((rows >= y0) & (rows < y1) & (columns >= x0) & (columns < x1))
        return _filled(images, inside, fills[part])


def _listed(each: list[Any]) -> Array:
    """Return lists of holes as one array, filled up with empty holes: int64, (N, most, 4)."""
    holes = np.zeros((len(each), max(map(len, each), default=0), 4), np.int64)
    for row, some in zip(holes, each, strict=True):
        row[: len(some)] = np.array(some, np.int64).reshape(-1, 4)
    return holes


class _ToFloat(Step):
    def apply(self, images: Tensor, drawn: Drawn, part: int = 0) -> Tensor:
        if images.dtype is torch.float32:
            return images
        return images.to(torch.float32) / torch.full((), 255.0, device=images.device)


class _Normalize(Step):
    def numbers(self, given: Given) -> tuple[Any, ...]:
        mean, std = self.transform.mean, self.transform.std
        check_channels(given.image, mean, std)
        return affine(mean, std, 255.0 if given.image.dtype == np.uint8 else 1.0)

    def apply(self, images: Tensor, drawn: Drawn, part: int = 0) -> Tensor:
        scale, offset = (number.reshape(1, -1, 1, 1) for number in drawn.numbers)
        return images.to(torch.float32) * scale + offset


class _Noise(Step):
    def numbers(self, given: Given) -> tuple[Any, ...]:
        std = np.array(given.decision.params[0], np.float64)
        if given.image.dtype != np.uint8:
            std = (std / 255.0 if self.transform.variance is not None else std).astype(np.float32)
        deviation = torch.from_numpy(std).to(given.keys.device).reshape(-1, 1, 1, 1)
        draws = TensorDraws(given.keys, given.decision.op)
        draws.words(2)  # whether it fires, and the deviation
        shape = given.image.shape if self.transform.per_channel else (*given.image.shape[:2], 1)
        noise = draws.normal(shape, dtype=deviation.dtype)
        return ((noise if given.channels_first else noise.permute(0, 3, 1, 2)).contiguous() * deviation,)

    def apply(self, images: Tensor, drawn: Drawn, part: int = 0) -> Tensor:
        (noise,) = drawn.numbers
        if images.dtype is torch.float32:
            return drawn.where_it_fires(images + noise, images)
        return drawn.where_it_fires((images + noise.round()).clamp(0, 255).to(images.dtype), images)


class _Jitter(Step):
    def __init__(self, transform: Any) -> None:
        if any(transform.hue):
            raise ValueError(
                f"hue={transform.hue} of {_name(transform)} has no counterpart on the device: give it a ColorJitter(hue=…) of its own, "
                "which the CPU applies"
            )
        super().__init__(transform)

    def numbers(self, given: Given) -> tuple[Any, ...]:
        if given.image.dtype == np.uint8:
            raise TypeError(
                f"{_name(self.transform)} needs float32 images on the device, got uint8: put ToFloat() before it"
            )
        colours = is_rgb(given.image, _name(self.transform))
        _, _, fires, params = given.decision
        each = np.stack([params.brightness, params.contrast, params.saturation], 1)
        each = np.where([True, True, colours], each, 1.0)
        if fires is not None:
            each[~fires] = 1.0
        kinds = [k for k in range(3) if self._ranges[k] != (1.0, 1.0)]
        order = params.order[np.isin(params.order, kinds)].reshape(len(each), len(kinds))
        factors = np.take_along_axis(each, order, 1)
        rests = 1.0 - factors
        of_mean, of_grey = (np.where(order == kind, rests, 0.0) for kind in (1, 2))
        return factors.astype(np.float32), of_grey.astype(np.float32), of_mean, factors != 1.0

    @property
    def _ranges(self) -> tuple[Any, ...]:
        return self.transform.brightness, self.transform.contrast, self.transform.saturation

    def apply(self, images: Tensor, drawn: Drawn, part: int = 0) -> Tensor:
        _, contrast, saturation = (span != (1.0, 1.0) for span in self._ranges)
        colours = images.shape[1] == 3
        for one in zip(*(number.unbind(1) for number in drawn.numbers), strict=True):
            factor, of_grey, of_mean, changes = (number.reshape(-1, 1, 1, 1) for number in one)
            result = images * factor
            if saturation and colours:
                grey = images[:, 0:1] * GREY[0] + images[:, 1:2] * GREY[1] + images[:, 2:3] * GREY[2]
                result = result + grey * of_grey
            if contrast:
                result = result + (_mean_greys(images) * of_mean).to(torch.float32)
            images = torch.where(changes, result.clamp(0.0, 1.0), images)
        return images


def _mean_greys(images: Tensor) -> Tensor:
    """Return the mean grey of each image: float64, (N, 1, 1, 1)."""
    sums = images.sum((2, 3), dtype=torch.float64)
    pixels = images.shape[2] * images.shape[3]
    if images.shape[1] == 3:
        red, green, blue = sums.unbind(1)
        greys = (GREY[0] * red + GREY[1] * green + GREY[2] * blue) / pixels
    else:
        greys = sums.sum(1) / (pixels * images.shape[1])
    return greys.reshape(-1, 1, 1, 1)


STEPS: Final[dict[type, type[Step]]] = {
    ss.HorizontalFlip: _Flip,
    ss.VerticalFlip: _Flip,
    ss.RandomCrop: _Crop,
    ss.RandomErasing: _Holes,
    ss.CoarseDropout: _Holes,
    ss.ColorJitter: _Jitter,
    ss.GaussianNoise: _Noise,
    ss.Normalize: _Normalize,
    ss.ToFloat: _ToFloat,
    ss.ToCHW: Step,  # images are (N, C, H, W) all along
}
"""The counterparts on the device."""


def steps_of(pipeline: ss.Compose) -> list[Step]:
    """Return the steps of a pipeline.

    Raises:
        ValueError: a transform, or one of its options, has no counterpart, or boxes and keypoints would not follow.
    """
    transforms = list(_flat(pipeline))
    without = [one for one in transforms if type(one) not in STEPS]
    if without:
        raise ValueError(
            f"{', '.join(dict.fromkeys(map(_name, without)))} of the pipeline has no counterpart on the device, which has "
            f"{', '.join(kind.__name__ for kind in STEPS)}: leave it to the CPU, in the head of augment.split()"
        )
    steps = [STEPS[type(one)](one) for one in transforms]
    moving = [_name(step.transform) for step in steps if step.moves]
    if moving and _names_points(pipeline):
        raise ValueError(
            f"{moving[0]} moves or hides boxes and keypoints, which the pipeline names, and the device changes images and masks alone: "
            "leave it to the CPU, in the head of augment.split()"
        )
    return steps


def _flat(pipeline: ss.Compose) -> Iterator[Any]:
    for one in pipeline.transforms:
        if isinstance(one, ss.Compose):
            yield from _flat(one)
        else:
            yield one


def _names_points(pipeline: ss.Compose) -> bool:
    """Return whether a pipeline, or one inside it, has boxes or keypoints."""
    inside = [one for one in pipeline.transforms if isinstance(one, ss.Compose)]
    return not (pipeline.boxes is None and pipeline.keypoints is None) or any(map(_names_points, inside))


def _name(transform: Any) -> str:
    name: str = transform.name or type(transform).__name__
    return name
