"""BatchMix: MixUp and CutMix of ready batches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from seedsafe.ground.info import arithmetic
from seedsafe.keys.decisions import beta
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import SampleKey, address, op_of

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["BatchMix", "Mixed", "beta", "blended", "cut_box", "image_axes", "mix_arrays", "mix_labels"]

_BLOCK: Final = 2**14  # values blended at a time: they fit the nearest cache, see benchmarks/partners.py
_OP: Final = op_of("seedsafe/mix")
_CHANNELS: Final = (1, 3, 4)


class Mixed(NamedTuple):
    """The numbers drawn for a batch: sample i is mixed with sample i - shift.

    Args:
        kind: "mixup", "cutmix", or "" for no mixing.
        shift: how many positions before the sample its partner is, 0 < shift < n.
        share: the share of the sample itself in its label and, for mixup, in its values, in [0, 1].
        box: top, bottom, left and right of the partner's rectangle for cutmix.
    """

    kind: str
    shift: int
    share: float
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class BatchMix:
    """Mix each sample of a batch with another sample of the batch, and their labels too, as a function of a key.

    Follows H. Zhang et al., "mixup: beyond empirical risk minimization" (2018), and S. Yun et al., "CutMix" (2019),
    like torchvision's training recipe: with one share and one box for the whole batch. The partner of a sample is a
    drawn number of positions before it; a batch of one sample is not mixed. `seedsafe_torch.mix` makes a collate
    function of it, and AugmentedSequence takes it as ``mix=``.

    Args:
        classes: the number of classes: labels become float vectors of that length.
        mixup: the alpha of MixUp's Beta(alpha, alpha) distribution, or 0 for no MixUp.
        cutmix: the same for CutMix. With both, each batch gets one of them, with equal probability.
        p: the probability that a batch is mixed.
        channels_first: True for images of shape (n, c, h, w), False for (n, h, w, c); None takes the only axis of
            length 1, 3 or 4 as the channels.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range, or mixup and cutmix are both 0.

    Example:
        >>> images = np.stack([np.full((2, 2, 3), i, np.float32) for i in range(4)])
        >>> mix = BatchMix(classes=4, mixup=1.0, cutmix=0)
        >>> mixed, labels = mix(images, np.arange(4), key=SampleKey(42, 0, 0))
        >>> mix.params(SampleKey(42, 0, 0), images.shape).shift, mixed.shape, labels.shape
        (2, (4, 2, 2, 3), (4, 4))
    """

    classes: int
    mixup: float = 1.0
    cutmix: float = 1.0
    p: float = 1.0
    channels_first: bool | None = None

    def __post_init__(self) -> None:
        if isinstance(self.classes, bool) or not isinstance(self.classes, int | np.integer):
            raise TypeError(f"classes must be an integer, got {self.classes!r}: pass the number of classes")
        if self.classes < 1:
            raise ValueError(f"classes must be at least 1, got {self.classes}: pass the number of classes")
        for name, value in (("mixup", self.mixup), ("cutmix", self.cutmix), ("p", self.p)):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(f"{name} must be a number, got {value!r}: pass a float such as 1.0")
            if name == "p" and not 0 <= value <= 1:
                raise ValueError(
                    f"p must be a probability in [0, 1], got {value!r}: pass the share of batches to mix"
                )
            if name != "p" and value != 0 and not 1e-3 <= value <= 1e6:
                raise ValueError(
                    f"{name} must be 0, or at least 0.001 and at most 1e+06, got {value!r}: pass an alpha such as 1.0"
                )
        if not isinstance(self.channels_first, bool | None):
            raise TypeError(
                f"channels_first must be True, False or None, got {self.channels_first!r}: pass True for (n, c, h, w)"
            )
        if not (self.mixup or self.cutmix):
            raise ValueError(
                "mixup and cutmix are both 0, so that nothing is mixed: pass an alpha such as 1.0 for one of them"
            )

    def params(self, key: SampleKey, shape: tuple[int, ...]) -> Mixed:
        """Return the numbers drawn for a batch.

        Args:
            key: the key of the first sample requested for the batch.
            shape: the shape of the batch's images.
        """
        height, width = (shape[axis] for axis in image_axes(shape, self.channels_first))
        # Everything is drawn before anything is decided, so that each number has its own word.
        draws = Draws(address(key, _OP))
        fires = draws.chance(self.p)
        second = draws.unit() >= 0.5
        cuts = second if self.mixup and self.cutmix else bool(self.cutmix)
        shift = 1 + draws.integer(max(shape[0] - 1, 1))
        alpha = float(self.cutmix if cuts else self.mixup)
        share = beta(draws, alpha, alpha)
        row, column = draws.integer(max(height, 1)), draws.integer(max(width, 1))
        if not fires or shape[0] < 2:
            return Mixed("", 0, 1.0, (0, 0, 0, 0))
        if not cuts:
            return Mixed("mixup", shift, share, (0, 0, 0, 0))
        box = cut_box(share, row, column, height, width)
        area = (box[1] - box[0]) * (box[3] - box[2])
        return Mixed("cutmix", shift, 1.0 - area / (height * width), box)

    def __call__(
        self, images: npt.NDArray[Any], labels: npt.NDArray[Any], *, key: SampleKey
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float32]]:
        """Return the mixed images, of the same shape and dtype, and the labels as vectors; new arrays.

        Args:
            images: uint8 or floats, shape (n, h, w, c), (n, c, h, w) or (n, h, w).
            labels: integers, shape (n,), or vectors, shape (n, classes).
            key: the key of the first sample requested for the batch.

        Raises:
            TypeError: images or labels have the wrong dtype.
            ValueError: their shapes do not fit, or a label is not a class.
        """
        vectors = self.vectors(labels)
        if len(images) != len(vectors):
            raise ValueError(
                f"images and labels must have the same length, got {len(images)} and {len(vectors)}: pass one label per image"
            )
        drawn = self.params(key, images.shape)
        axes = image_axes(images.shape, self.channels_first)
        return mix_arrays(images, drawn, axes), mix_labels(vectors, drawn)

    def vectors(self, labels: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return labels as float32 vectors, shape (n, classes).

        Raises:
            TypeError: they are neither integers nor floats.
            ValueError: a label is not a class, or vectors have the wrong length.
        """
        labels = np.asarray(labels)
        if labels.ndim == 2 and labels.shape[1] == self.classes and labels.dtype.kind == "f":
            return labels.astype(np.float32)
        if labels.ndim != 1 or labels.dtype.kind not in "iu":
            raise TypeError(
                f"labels must be integers of shape (n,) or float vectors of shape (n, {self.classes}), got {labels.dtype} of "
                f"shape {labels.shape}: convert them"
            )
        if len(labels) and not 0 <= labels.min() <= labels.max() < self.classes:
            wrong = labels.min() if labels.min() < 0 else labels.max()
            raise ValueError(
                f"a label must be at least 0 and below classes={self.classes}, got {wrong}: check the labels, or pass more classes"
            )
        vectors = np.zeros((len(labels), self.classes), np.float32)
        vectors[np.arange(len(labels)), labels] = 1
        return vectors


def image_axes(shape: tuple[int, ...], channels_first: bool | None) -> tuple[int, int]:
    """Return the axes of height and width of a batch of images.

    Args:
        shape: (n, h, w, c), (n, c, h, w) or (n, h, w).
        channels_first: True for (n, c, h, w), False for (n, h, w, c); None takes the only axis of length 1, 3 or 4 as the channels.

    Raises:
        ValueError: the shape is another one, or it does not say which axis holds the channels.

    Example:
        >>> image_axes((8, 3, 32, 32), None)
        (2, 3)
    """
    if len(shape) == 3:
        return 1, 2
    if len(shape) != 4:
        raise ValueError(
            f"images must have the shape (n, h, w, c), (n, c, h, w) or (n, h, w), got {shape}: pass a batch of images"
        )
    first, last = shape[1] in _CHANNELS, shape[3] in _CHANNELS
    if channels_first is None and first == last:
        raise ValueError(
            f"the shape {shape} does not say which axis holds the channels: pass channels_first=True or False"
        )
    return (2, 3) if (first if channels_first is None else channels_first) else (1, 2)


def cut_box(share: float, row: int, column: int, height: int, width: int) -> tuple[int, int, int, int]:
    """Return top, bottom, left and right of a rectangle around a pixel, which leaves a share of the image and is clipped to it.

    Example:
        >>> cut_box(0.75, 0, 4, 8, 8)
        (0, 2, 2, 6)
    """
    half = 0.5 * math.sqrt(1.0 - share)
    down, across = int(half * height), int(half * width)
    return max(row - down, 0), min(row + down, height), max(column - across, 0), min(column + across, width)


def blended(images: npt.NDArray[Any], partners: npt.NDArray[Any], share: float) -> npt.NDArray[Any]:
    """Return share times images plus (1 - share) times partners: a new array of the same shape and dtype.

    Raises:
        TypeError: the dtype is neither uint8 nor a float.

    Example:
        >>> blended(np.array([0, 8], np.uint8), np.array([8, 0], np.uint8), 0.75).tolist()
        [2, 6]
    """
    _check_dtype(images)
    of = np.result_type(images.dtype, np.float32).type
    result: npt.NDArray[Any] = np.empty(images.shape, images.dtype)
    whole = result.reshape(-1)
    one, other = (np.ascontiguousarray(array).reshape(-1) for array in (images, partners))
    for first in range(0, whole.size, _BLOCK):
        part = slice(first, first + _BLOCK)
        total = one[part].astype(of)
        total *= of(share)
        rest = other[part].astype(of)
        rest *= of(1.0 - share)
        total += rest
        whole[part] = np.rint(total, out=total) if images.dtype == np.uint8 else total
    return result


def _check_dtype(images: npt.NDArray[Any]) -> None:
    if images.dtype != np.uint8 and images.dtype.kind != "f":
        raise TypeError(
            f"images must be uint8 or floats to be mixed, got {images.dtype}: {arithmetic('images', images.dtype)}"
        )


def mix_arrays(images: npt.NDArray[Any], drawn: Mixed, axes: tuple[int, int]) -> npt.NDArray[Any]:
    """Return a batch mixed as the drawn numbers say: a new array of the same shape and dtype.

    MixUp of uint8 is computed in float32 and rounded to even; CutMix copies.

    Raises:
        TypeError: the dtype is neither uint8 nor a float.

    Example:
        >>> mix_arrays(np.array([[[0]], [[8]]], np.uint8), Mixed("mixup", 1, 0.75, (0, 0, 0, 0)), (1, 2)).ravel().tolist()
        [2, 6]
    """
    _check_dtype(images)
    partners = np.roll(images, drawn.shift, axis=0)
    if drawn.kind == "mixup":
        return blended(images, partners, drawn.share)
    result: npt.NDArray[Any] = images.copy(order="C")
    if drawn.kind == "cutmix":
        top, bottom, left, right = drawn.box
        region: list[Any] = [slice(None)] * images.ndim
        region[axes[0]], region[axes[1]] = slice(top, bottom), slice(left, right)
        result[tuple(region)] = partners[tuple(region)]
    return result


def mix_labels(vectors: npt.NDArray[np.float32], drawn: Mixed) -> npt.NDArray[np.float32]:
    """Return label vectors, each mixed with its partner's in the drawn share.

    Example:
        >>> mix_labels(np.eye(2, dtype=np.float32), Mixed("mixup", 1, 0.75, (0, 0, 0, 0))).tolist()
        [[0.75, 0.25], [0.25, 0.75]]
    """
    if not drawn.kind:
        return vectors.copy()
    result: npt.NDArray[np.float32] = vectors * np.float32(drawn.share)
    result += np.roll(vectors, drawn.shift, axis=0) * np.float32(1.0 - drawn.share)
    return result
