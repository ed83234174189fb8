"""Find images and masks in samples and batches."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedsafe.ground.info import is_masked

__all__ = ["LAYOUTS", "Selection", "images_of"]

LAYOUTS = ("HW", "HWC", "CHW", "NHW", "NHWC", "NCHW")


class Selection(NamedTuple):
    """The image's and the mask's name or position in a sample, and the order of the axes; see `channel_stats`."""

    image: str | int | None
    mask: str | int | None
    layout: str | None


def images_of(sample: Any, where: Selection) -> Iterator[tuple[NDArray[Any], bool]]:
    """Yield each image of a sample or batch with three axes, and whether its channels come first.

    With a mask, yield the counted pixels as an image of one column.
    """
    value = _entry(sample, where.image, "image")
    layout = where.layout or _layout_of(value)
    images = _array(value)
    if images.ndim != len(layout):
        raise ValueError(
            f"layout {layout!r} does not fit an image of shape {images.shape}: pass one of {', '.join(LAYOUTS)}"
        )
    masks = None if where.mask is None else _array(_entry(sample, where.mask, "mask"))
    if not layout.startswith("N"):
        images, masks = images[None], None if masks is None else masks[None]
    if images.ndim == 3:
        images = images[..., None]
    channels_first = layout.endswith("CHW")
    for image, mask in zip(images, [None] * len(images) if masks is None else masks, strict=True):
        yield image if mask is None else _select(image, mask, channels_first), channels_first


def _entry(sample: Any, key: str | int | None, role: str) -> Any:
    if isinstance(sample, Mapping):
        name = role if key is None else key
        if name not in sample:
            raise ValueError(
                f"{role}={name!r} is not in the sample: pass one of {', '.join(map(repr, sample))} as {role}="
            )
        return sample[name]
    if isinstance(sample, tuple | list):
        position = 0 if key is None else key
        if not isinstance(position, int) or not -len(sample) <= position < len(sample):
            raise ValueError(
                f"{role} must be a position in a sample of {len(sample)} entries, got {position!r}: pass its number"
            )
        return sample[position]
    if key is not None:
        raise ValueError(
            f"{role}={key!r} needs samples that are dicts, tuples or lists, got {type(sample).__name__}: "
            "return such samples from the dataset"
        )
    return sample


def _is_torch(value: Any) -> bool:
    return hasattr(value, "detach")


def _array(value: Any) -> NDArray[Any]:
    if is_masked(value):
        raise TypeError(
            "images must be plain arrays, got a numpy.ma.MaskedArray: return the mask as an entry of the sample "
            "(nonzero where a pixel counts) and name it in mask="
        )
    if isinstance(value, np.ndarray):
        return value
    if _is_torch(value):
        value = value.detach().cpu()
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def _layout_of(value: Any) -> str:
    shape = tuple(np.shape(value))
    if len(shape) == 2:
        return "HW"
    if len(shape) not in (3, 4):
        raise ValueError(
            f"images must have 2 or 3 axes, and batches 4, got the shape {shape} of {type(value).__name__}: select them with "
            "image="
        )
    *_, first, _, last = shape
    batch = "N" if len(shape) == 4 else ""
    torch = _is_torch(value)
    usual, other, channels, outer = ("CHW", "HWC", first, last) if torch else ("HWC", "CHW", last, first)
    if channels > 4 >= outer:
        raise ValueError(
            f"{'a tensor' if torch else 'an array'} of shape {shape} looks like channels {'last' if torch else 'first'}: pass "
            f"layout={batch + other!r}, or layout={batch + usual!r} if it has {channels} channels"
        )
    return batch + usual


def _select(image: NDArray[Any], mask: NDArray[Any], channels_first: bool) -> NDArray[Any]:
    size = image.shape[1:] if channels_first else image.shape[:2]
    if [side for side in mask.shape if side != 1] != [side for side in size if side != 1]:
        raise ValueError(
            f"a mask of shape {mask.shape} does not fit an image of {size[0]} by {size[1]} pixels: give them the same size"
        )
    counts = mask.reshape(size) != 0
    return image[:, counts][:, :, None] if channels_first else image[counts][:, None, :]
