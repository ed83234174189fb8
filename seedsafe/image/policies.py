"""Policies: Pillow's operations, each with a strength."""

from __future__ import annotations

import math
import re
from dataclasses import field
from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.functional import histogram, pillow, tones
from seedsafe.functional.affine import Matrix, inverse, warp_boxes, warp_points
from seedsafe.functional.kinds import in_uint8
from seedsafe.ground.checks import checked_int, choice, flag, numbers, probability, real
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.policy_tables import TABLES
from seedsafe.keys.decisions import cos_sin_degrees, dirichlet, normal
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.containers import OneOf, SomeOf
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Node
from seedsafe.pipeline.option import Option, option, store
from seedsafe.pipeline.primitive import check_options, primitive
from seedsafe.pipeline.transform import SpatialTransform, require_fill, require_unit

__all__ = [
    "AugMix",
    "AutoAugment",
    "Mixture",
    "Operation",
    "PolicyOp",
    "RandAugment",
    "TrivialAugmentWide",
    "policy",
]


class Operation(NamedTuple):
    """One step of a policy: the operation, its signed amount, and the matrix if it moves pixels."""

    op: str
    amount: float
    data: Matrix | None = None
    """The matrix from the result to the image; see `seedsafe.functional.transform_affine`."""
    interpolation: str = "nearest"


class Mixture(NamedTuple):
    """The branches of AugMix, the weight of each in the result, and the weight of the image itself."""

    branches: tuple[tuple[Operation, ...], ...]
    weights: tuple[float, ...]
    kept: float


_ENHANCED: Final = ("Brightness", "Color", "Contrast", "Sharpness")
_MOVES: Final = ("ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate")
_SIGNED: Final = (*_MOVES, *_ENHANCED)
OPS: Final = (
    "Identity",
    *_SIGNED,
    "Posterize",
    "Solarize",
    "SolarizeAdd",
    "AutoContrast",
    "Equalize",
    "Invert",
)
"""The operations of policies."""

_WHOLE: Final = {"Posterize": 8, "Solarize": 256, "SolarizeAdd": 128}
"""The operations with integer amounts, and the greatest amount of each."""

_Span = tuple[float, float]
# The paper's largest shift, 150 of 331 pixels, as a share of the side.
_SIDE: Final = 150.0 / 331.0


def _spans(
    slope: float, shift: float, degrees: float, factor: float, bits: float, most: float = 8.0
) -> dict[str, _Span]:
    """Return the amounts at the least and the greatest strength of every operation with a strength."""
    return {
        **dict.fromkeys(("ShearX", "ShearY"), (0.0, slope)),
        **dict.fromkeys(("TranslateX", "TranslateY"), (0.0, shift)),
        "Rotate": (0.0, degrees),
        **dict.fromkeys(_ENHANCED, (0.0, factor)),
        "Posterize": (most, bits),
        "Solarize": (255.0, 0.0),
        "SolarizeAdd": (0.0, 110.0),
    }


# Those of torchvision: of RandAugment and AutoAugment, of TrivialAugmentWide, and of AugMix.
_USUAL: Final = _spans(0.3, _SIDE, 30.0, 0.9, 4.0)
_WIDE: Final = _spans(0.99, 32.0, 135.0, 0.99, 2.0)
_MIXED: Final = _spans(0.3, 1.0 / 3.0, 30.0, 0.9, 0.0, 4.0)
_NONE: Final = (0.0, 0.0)


def _amount(op: str, span: _Span, share: _Span, info: Info, sign: int) -> float:
    """Return an operation's amount at a bin, computed in float32 as in torchvision.

    Args:
        op: the operation.
        span: the amounts at the first and the last bin; for a translation up to 1, in shares of the side.
        share: the bin and the number of bins.
        info: the info of the image.
        sign: 1 to negate the amount, if the operation has a sign.
    """
    at, bins = int(share[0]), int(share[1])
    low, high = (np.float32(end) for end in span)
    if op == "Posterize":
        steps = np.float32((bins - 1) / (span[0] - span[1])) if bins > 1 else np.float32(1)
        return float(span[0] - np.rint(np.float32(at) / steps))
    if op.startswith("Translate") and span[1] <= 1.0:
        high = np.float32(span[1] * info.image_size()[op == "TranslateX"])
    step = float((high - low) / np.float32(max(bins - 1, 1)))
    # Count each half from its end, and round once, as torch.linspace does on most machines.
    exact = float(low) + step * at if at < bins // 2 or bins == 1 else float(high) - step * (bins - 1 - at)
    number = float(np.float32(exact))
    if op.startswith("Translate"):
        number = float(int(number))
    return -number if sign and op in _SIGNED else number


def _operation(op: str, amount: float, info: Info, interpolation: str = "nearest") -> Operation:
    """Return an operation with its matrix, which is exact on every machine."""
    height, width = info.image_size()
    data: Matrix | None = None
    if op == "ShearX":
        data = (1.0, amount, 0.0, 0.0, 1.0, 0.0)
    elif op == "ShearY":
        data = (1.0, 0.0, 0.0, amount, 1.0, 0.0)
    elif op == "TranslateX":
        data = (1.0, 0.0, 0.0 - amount, 0.0, 1.0, 0.0)
    elif op == "TranslateY":
        data = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0 - amount)
    elif op == "Rotate":
        # Pillow rounds to 15 digits, so that 90 degrees are exact.
        cos, sin = (round(one, 15) for one in cos_sin_degrees(0.0 - amount))
        x, y = width / 2.0, height / 2.0
        across, down = cos * (0.0 - x) + sin * (0.0 - y), (0.0 - sin) * (0.0 - x) + cos * (0.0 - y)
        data = (cos, sin, across + x, 0.0 - sin, cos, down + y)
    return Operation(op, amount, data, interpolation)


def _centre_matrix(data: Matrix) -> Matrix:
    """Return the matrix from pixel centres of the image to those of the result."""
    a, b, c, d, e, f = data
    return inverse((a, b, c - 0.5 * (1.0 - a - b), d, e, f - 0.5 * (1.0 - d - e)))


def _apply_step(image: Array, step: Operation, fill: Any) -> Array:
    """Return a new image after one operation."""
    op, amount, data, interpolation = step
    if data is not None:
        return pillow.transform_affine(image, data, resample=interpolation, fill=fill)
    if op in _ENHANCED:
        enhance = getattr(pillow, f"enhance_{op.lower()}")
        return np.asarray(enhance(image, 1.0 + amount))
    if op == "Posterize":
        return tones.posterize(image, min(int(amount), 8))
    if op == "Solarize":
        return pillow.invert_from(image, amount)
    if op == "SolarizeAdd":
        return pillow.add_below(image, int(amount))
    if op == "AutoContrast":
        return histogram.autocontrast(image)
    if op == "Equalize":
        return histogram.equalize(image)
    return tones.invert(image) if op == "Invert" else image.copy(order="C")


_STEPS: Final = "pass the number of steps of the strength"
_FILL: Final = "the value outside the image, one number or one for each channel."


def _filters(name: str, value: Any) -> Any:
    if isinstance(value, tuple | list) and value:
        return tuple(choice(name, one, pillow.FILTERS) for one in value)
    return choice(name, value, pillow.FILTERS)


def _fill(name: str, value: Any) -> Any:
    check = numbers if isinstance(value, tuple | list) else real
    return check(name, value, -math.inf, math.inf, "pass one number, or one for each channel")


@primitive()
class _Policy(SpatialTransform):
    """A transform that applies operations one after another to all targets of the sample."""

    fill: Option[float | tuple[float, ...], Any] = option(_fill, default=0.0, kw_only=True, doc=_FILL)
    mask_fill: float = option(
        real, -math.inf, math.inf, "pass the label of pixels outside the image", default=0.0, kw_only=True
    )
    p: float = option(probability, default=1.0, kw_only=True)

    def steps(self, params: Any) -> tuple[Operation, ...]:
        """Return the operations in the parameters."""
        return tuple(params)

    def apply_image(self, image: Array, params: Any) -> Array:
        result = image
        for step in self.steps(params):
            result = _apply_step(result, step, self.fill)
        return image.copy(order="C") if result is image else result

    def apply_mask(self, mask: Array, params: Any) -> Array:
        for step in self.steps(params):
            if step.data is not None:
                mask = pillow.transform_affine(mask, step.data, fill=self.mask_fill)
        return mask

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the moved keypoints; those outside the image are kept."""
        for step in self.steps(params):
            if step.data is not None:
                keypoints = warp_points(keypoints, _centre_matrix(step.data))
        return keypoints

    def apply_boxes(self, boxes: Array, params: Any, info: Info) -> Array:
        """Return boxes around the moved boxes, clipped at the image's edges."""
        for step in self.steps(params):
            if step.data is not None:
                boxes = warp_boxes(boxes, _centre_matrix(step.data), *info.image_size())
        return boxes


def _deviation(name: str, value: Any) -> float:
    uniform = isinstance(value, float) and value == math.inf
    return value if uniform else real(name, value, 0.0, 1e3, "pass the standard deviation of the strength")


def _bins(name: str, value: Any, bins: int) -> tuple[int, int]:
    """Return the first and the last bin that may be drawn."""
    way_out = f"pass bins from 0 to {bins - 1}"
    ends = (0, bins - 1) if value is None else value if isinstance(value, tuple | list) else (value, value)
    if len(ends) != 2:
        raise ValueError(f"{name} must be one bin, or the first and the last one, got {value!r}: {way_out}")
    first, last = (checked_int(name, end, 0, bins, way_out) for end in ends)
    if first > last:
        raise ValueError(f"{name} must be (first, last) with first at most last, got {value!r}: swap them")
    return first, last


@primitive(exact=EVERYWHERE)
class PolicyOp(_Policy):
    """Apply one operation of a policy with a random strength and sign.

    Draws the bin of the strength (word 1), or the strength (see `std`), and the sign (word 2); from several
    interpolations, one (word 3). uint8 equals Pillow to the bit, except that one value in ten thousand of an
    interpolated rotation differs by 1; float32 is converted to uint8 and back.

    Args:
        op: "Identity", "ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color", "Contrast",
            "Sharpness", "Posterize", "Solarize", "SolarizeAdd", "AutoContrast", "Equalize" or "Invert".
        span: the amounts at the least and the greatest strength; None for those of torchvision's RandAugment. By the
            operation, these are slopes; shifts in pixels, or up to 1 in shares of the side; angles in degrees,
            counter-clockwise; differences of a factor from 1; bits; thresholds; or the values added below 128.
        level: the bin, or the first and the last bin to draw from; None for all. With `std`, the mean strength.
        bins: the number of steps of the strength, from 1 to 2**16.
        std: None for bins. Otherwise the strength is normal with this standard deviation, clipped to [0, most], and 10
            stands for the greatest amount; infinity draws it uniformly from 0 to `level`.
        most: the greatest strength with `std`.
        signed: whether to negate the amount of an operation with a sign for half of the samples.
        interpolation: the interpolation of moved pixels: "nearest", "bilinear" or "bicubic", or several to draw from;
            masks are always "nearest".

    Example:
        >>> PolicyOp("Invert")(np.array([[0, 200]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[255, 55]]
    """

    op: str = option(choice, OPS)
    span: Any = None
    level: Any = option(default=None, kw_only=True)
    bins: int = option(checked_int, 1, 2**16 + 1, _STEPS, default=31, kw_only=True)
    std: float | None = option(_deviation, default=None, kw_only=True)
    most: float = option(
        real, 0.0, 1e3, "pass the greatest strength; 10 is usual", default=10.0, kw_only=True
    )
    signed: bool = option(flag, default=True, kw_only=True)
    interpolation: str | tuple[str, ...] = option(_filters, default="nearest", kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        way_out = "pass the amounts at the least and the greatest strength"
        span = (
            _USUAL.get(self.op, _NONE)
            if self.span is None
            else numbers("span", self.span, -1e4, 1e4, way_out)
        )
        if len(span) != 2:
            raise ValueError(f"span must be two numbers, got {self.span!r}: {way_out}")
        if self.op == "Posterize" and not (min(span) >= 0 and max(span) <= 8):
            raise ValueError(
                f"span must be bits from 0 to 8 for Posterize, got {self.span!r}: pass a pair such as (8, 4)"
            )
        if self.std is None:
            level: Any = _bins("level", self.level, self.bins)
        else:
            level = real(
                "level", 10.0 if self.level is None else self.level, 0.0, 1e3, "pass the mean strength"
            )
        store(self, span=span, level=level)

    def out_span(
        self, span: tuple[float, float] | None, source: str | None = None
    ) -> tuple[float, float] | None:
        """Return the range of images; only an operation that copies pixels takes any."""
        copies = self.op == "Identity" or (self.op in _MOVES and self.interpolation == "nearest")
        if not copies:
            name = self.name or f"PolicyOp({self.op!r})"
            require_unit(name.removesuffix(f".{self.op}"), span, source)
        if self.op in _MOVES:
            require_fill(self, span, source)
        return span

    def draw(self, rng: Draws, info: Info) -> Operation:
        if self.std is None:
            first, last = self.level
            at = first + rng.integer(last - first + 1)
            amount = _amount(self.op, self.span, (at, self.bins), info, rng.integer(2) and self.signed)
        else:
            amount = self._normal(rng, info)
        several = isinstance(self.interpolation, tuple)
        interpolation = (
            self.interpolation[rng.integer(len(self.interpolation))] if several else self.interpolation
        )
        return _operation(self.op, amount, info, str(interpolation))

    def _normal(self, rng: Draws, info: Info) -> float:
        """Return an amount, computed in binary64 as in timm."""
        low, high = self.span
        if self.std == math.inf:
            strength = rng.unit() * self.level
        else:
            strength = self.level + (self.std or 0.0) * normal(rng)
        share = min(max(strength, 0.0), self.most) / 10.0
        negative = rng.integer(2) and self.signed and self.op in _SIGNED
        if self.op in _WHOLE:
            steps = int(share * abs(high - low))
            return float(min(max(low + (steps if high > low else -steps), 0), _WHOLE[self.op]))
        amount = float(low + share * (high - low))
        if self.op.startswith("Translate") and max(abs(low), abs(high)) <= 1.0:
            amount *= info.image_size()[self.op == "TranslateX"]
        amount = -amount if negative else amount
        return max(amount, -0.9) if self.op in _ENHANCED else amount

    def steps(self, params: Any) -> tuple[Operation, ...]:
        return (params,)


_FOURTEEN: Final = tuple(op for op in OPS if op not in ("SolarizeAdd", "Invert"))


@primitive(exact=EVERYWHERE)
class RandAugment(SomeOf):
    """Apply n random operations out of fourteen, drawn with replacement, all with one strength.

    Follows ``torchvision.transforms.RandAugment`` and E. D. Cubuk et al., "RandAugment: practical automated data
    augmentation with a reduced search space", 2020; `policy` returns timm's. Draws the operations (words 1 to n); each
    has its own stream, see `PolicyOp`. uint8 equals Pillow to the bit, and float32 is converted to uint8 and back.
    Masks, boxes and keypoints follow.

    Args:
        n: the number of operations, from 1 to 16.
        magnitude: the bin of their strength, from 0 to bins - 1.
        bins: the number of steps of the strength.

    Example:
        >>> RandAugment(2, magnitude=9)
        RandAugment()
        >>> RandAugment(p=0)(np.zeros((8, 8, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (8, 8, 3)
    """

    transforms: Any = field(init=False, repr=False, default=())
    n: int = 2
    replace: bool = field(init=False, repr=False, default=True)
    magnitude: int = 9
    bins: int = option(checked_int, 1, 2**16 + 1, _STEPS, default=31, kw_only=True)
    interpolation: str = option(choice, pillow.FILTERS, default="nearest", kw_only=True)
    fill: Option[float | tuple[float, ...], Any] = option(_fill, default=0.0, kw_only=True, doc=_FILL)
    mask_fill: float = option(
        real, -math.inf, math.inf, "pass the label of pixels outside the image", default=0.0, kw_only=True
    )

    def __post_init__(self) -> None:
        checked_int("bins", self.bins, 1, 2**16 + 1, _STEPS)
        level = checked_int("magnitude", self.magnitude, 0, self.bins, "pass one of the bins")
        store(self, magnitude=level, transforms=_operations(self, _USUAL, level=level))
        SomeOf.__post_init__(self)

    def nodes(self, namer: Namer) -> list[Node]:
        """Bind the operations to their streams, one for each application."""
        with namer.numbered(self.name is None):
            return SomeOf.nodes(self, namer)


@primitive(exact=EVERYWHERE)
class TrivialAugmentWide(OneOf):
    """Apply one random operation out of fourteen, with a random strength.

    Follows ``torchvision.transforms.TrivialAugmentWide`` and S. G. Müller and F. Hutter, "TrivialAugment: tuning-free
    yet state-of-the-art data augmentation", 2021. Draws the operation (word 1), which has its own stream, see
    `PolicyOp`. uint8 equals Pillow to the bit, and float32 is converted to uint8 and back. Masks, boxes and keypoints
    follow.

    Args:
        bins: the number of steps of the strength, one of which is drawn.

    Example:
        >>> TrivialAugmentWide(p=0)(np.zeros((8, 8, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (8, 8, 3)
    """

    transforms: Any = field(init=False, repr=False, default=())
    bins: int = option(checked_int, 1, 2**16 + 1, _STEPS, default=31)
    interpolation: str = option(choice, pillow.FILTERS, default="nearest", kw_only=True)
    fill: Option[float | tuple[float, ...], Any] = option(_fill, default=0.0, kw_only=True, doc=_FILL)
    mask_fill: float = option(
        real, -math.inf, math.inf, "pass the label of pixels outside the image", default=0.0, kw_only=True
    )

    def __post_init__(self) -> None:
        store(self, transforms=_operations(self, _WIDE))
        OneOf.__post_init__(self)

    def nodes(self, namer: Namer) -> list[Node]:
        """Bind the operations to their streams."""
        with namer.numbered(self.name is None):
            return OneOf.nodes(self, namer)


def _operations(policy: Any, spans: dict[str, _Span], **options: Any) -> tuple[PolicyOp, ...]:
    """Return the fourteen operations of a policy, with its options and with streams named after it."""
    owner = type(policy).__name__ if policy.name is None else policy.name
    options |= {name: getattr(policy, name) for name in ("interpolation", "fill", "mask_fill", "bins")}
    return tuple(PolicyOp(op, spans.get(op, _NONE), name=f"{owner}.{op}", **options) for op in _FOURTEEN)


@primitive(exact=EVERYWHERE, clips=True)
class AutoAugment(_Policy):
    """Apply a random one of 25 learned pairs of operations, each with its own probability and strength.

    Follows ``torchvision.transforms.AutoAugment`` and E. D. Cubuk et al., "AutoAugment: learning augmentation policies
    from data", 2019. Draws the pair (word 1), whether each fires (words 2 and 3) and the sign of each (words 4 and 5).
    uint8 equals Pillow to the bit, and float32 is converted to uint8 and back. Masks, boxes and keypoints follow.

    Args:
        policy: the data that the pairs were learned on: "imagenet", "cifar10" or "svhn".

    Example:
        >>> AutoAugment("cifar10")(np.zeros((8, 8, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (8, 8, 3)
    """

    policy: str = option(choice, tuple(TABLES), default="imagenet")
    interpolation: str = option(choice, pillow.FILTERS, default="nearest", kw_only=True)

    def draw(self, rng: Draws, info: Info) -> tuple[Operation, ...]:
        """Return the operations that fire."""
        table = TABLES[self.policy]
        pair = table[rng.integer(len(table))]
        shares, signs = (rng.unit(), rng.unit()), (rng.integer(2), rng.integer(2))
        return tuple(
            _operation(
                op, _amount(op, _USUAL.get(op, _NONE), (at, 10), info, 1 - sign), info, self.interpolation
            )
            for (op, p, at), share, sign in zip(pair, shares, signs, strict=True)
            if share <= p
        )


def _depth(name: str, value: Any) -> int:
    random = isinstance(value, int) and value == -1
    return -1 if random else checked_int(name, value, 1, 17, "pass the length of a branch, or -1 to draw it")


_AUGMIX: Final = tuple(op for op in OPS if op not in ("Identity", "SolarizeAdd", "Invert"))


@primitive(exact=EVERYWHERE, clips=True)
class AugMix(SpatialTransform):
    """Blend the image with copies of it, each changed by a branch of operations, in random shares.

    Follows ``torchvision.transforms.AugMix`` and D. Hendrycks et al., "AugMix: a simple data processing method to
    improve robustness and uncertainty", 2020. Draws the length of each branch (a word each); then for each possible
    operation of each branch the operation, its bin and its sign (three words); then the image's own share (34 words)
    and those of the branches (17 words each). A sample with a mask, boxes or keypoints is refused: the result shows the
    image in several positions.

    Args:
        severity: the number of the ten bins of strength to draw from, from 1 to 10.
        mixture_width: the number of branches, from 1 to 16.
        chain_depth: the number of operations in a branch, from 1 to 16; -1 draws it from 1 to 3.
        alpha: the concentration of the Beta and Dirichlet distributions of the shares, in [0.001, 10**6].
        all_ops: whether the operations include brightness, colour, contrast and sharpness.
        interpolation: the interpolation of moved pixels: "nearest", "bilinear" or "bicubic".

    Example:
        >>> AugMix()(np.zeros((8, 8, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (8, 8, 3)
    """

    severity: int = option(checked_int, 1, 11, "pass the number of the ten bins to draw from", default=3)
    mixture_width: int = option(checked_int, 1, 17, "pass the number of branches", default=3, kw_only=True)
    chain_depth: int = option(_depth, default=-1, kw_only=True)
    alpha: float = option(real, 0.001, 1e6, "pass 1 for uniform shares", default=1.0, kw_only=True)
    all_ops: bool = option(flag, default=True, kw_only=True)
    interpolation: str = option(choice, pillow.FILTERS, default="bilinear", kw_only=True)
    fill: Option[float | tuple[float, ...], Any] = option(_fill, default=0.0, kw_only=True, doc=_FILL)
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Mixture:
        names = _AUGMIX if self.all_ops else tuple(op for op in _AUGMIX if op not in _ENHANCED)
        longest = 3 if self.chain_depth == -1 else self.chain_depth
        lengths = [1 + rng.integer(3) for _ in range(self.mixture_width)]
        lengths = lengths if self.chain_depth == -1 else [longest] * self.mixture_width
        branches = []
        for length in lengths:
            steps = [
                (names[rng.integer(len(names))], rng.integer(self.severity), rng.integer(2))
                for _ in range(longest)
            ]
            branches.append(
                tuple(
                    _operation(
                        op, _amount(op, _MIXED.get(op, _NONE), (at, 10), info, sign), info, self.interpolation
                    )
                    for op, at, sign in steps[:length]
                )
            )
        own, rest = dirichlet(rng, self.alpha, 2)
        weights = tuple(rest * share for share in dirichlet(rng, self.alpha, self.mixture_width))
        return Mixture(tuple(branches), weights, own)

    def apply_image(self, image: Array, params: Any) -> Array:
        fill = self.fill
        if image.dtype == np.float32:
            fill = tuple(255.0 * one for one in fill) if isinstance(fill, tuple) else 255.0 * fill
        return in_uint8(image, lambda values: _blend(values, params, fill))


def _blend(image: Array, mixture: Mixture, fill: Any) -> Array:
    result = image.astype(np.float32)
    result *= np.float32(mixture.kept)
    for branch, weight in zip(mixture.branches, mixture.weights, strict=True):
        changed = image
        for step in branch:
            changed = _apply_step(changed, step, fill)
        result += np.float32(weight) * changed.astype(np.float32)
    return np.minimum(result, 255.0, out=result).astype(np.uint8)


_TIMM_OPS: Final = (
    "AutoContrast",
    "Equalize",
    "Invert",
    "Rotate",
    "Posterize",
    "Solarize",
    "SolarizeAdd",
    *_ENHANCED,
    "ShearX",
    "ShearY",
    "TranslateX",
    "TranslateY",
)
# Those of timm: with inc1, in which more strength always means more change, and without.
_INCREASING: Final = _spans(0.3, 0.45, 30.0, 0.9, 0.0, 4.0) | {"Solarize": (256.0, 0.0)}
_PLAIN: Final = (
    _INCREASING | {"Posterize": (0.0, 4.0), "Solarize": (0.0, 256.0)} | dict.fromkeys(_ENHANCED, (-0.9, 0.9))
)


def policy(
    config: str,
    *,
    interpolation: str | tuple[str, ...] = ("bilinear", "bicubic"),
    fill: float | tuple[float, ...] = 128,
    mask_fill: float = 0,
    name: str = "RandAugment",
) -> SomeOf:
    """Return the RandAugment that a string of timm describes, such as ``"rand-m9-mstd0.5-inc1"``.

    Follows ``timm.data.auto_augment.rand_augment_transform``: n of fifteen operations are drawn with
    replacement; each has its own strength, and fires with probability p.

    Args:
        config: "rand", then in any order, with "-" between them: m, the strength (10); n, the number of operations (2);
            p (0.5); mstd, the strength's standard deviation (0), above 100 uniform from 0 to m; mmax, its greatest
            value (10); inc1 for operations that grow with the strength.
        interpolation: one, or several from which each operation draws one.
        fill: the value outside the image, one number or one for each channel.
        mask_fill: the same for masks.
        name: the name of the streams.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the string has the wrong form.

    Example:
        >>> policy("rand-m9-mstd0.5-inc1").n
        2
    """
    if not isinstance(config, str):
        raise TypeError(f'config must be a string such as "rand-m9-mstd0.5-inc1", got {config!r}')
    kind, *parts = config.split("-")
    if kind != "rand":
        raise ValueError(
            f'config must begin with "rand", got {config!r}: for others use AutoAugment(policy) or AugMix(severity)'
        )
    settings: dict[str, float] = {}
    for part in parts:
        match = re.fullmatch(r"(mstd|mmax|inc|m|n|p)(\d+(?:\.\d+)?|inf)", part)
        if match is None:
            raise ValueError(
                f"config's parts must be m, n, p, mstd, mmax or inc with a number, got {part!r} in {config!r}: correct it"
            )
        settings[match[1]] = float(match[2])
    increasing = bool(settings.get("inc", 0.0))
    std = settings.get("mstd", 0.0)
    spans = _INCREASING if increasing else _PLAIN
    operations = tuple(
        PolicyOp(
            op,
            spans.get(op, _NONE),
            name=f"{name}.{op}",
            level=settings.get("m", 10.0),
            std=math.inf if std > 100 else std,
            most=settings.get("mmax", 10.0),
            signed=increasing or op not in _ENHANCED,
            p=settings.get("p", 0.5),
            interpolation=interpolation,
            fill=fill,
            mask_fill=mask_fill,
        )
        for op in _TIMM_OPS
    )
    return SomeOf(operations, n=int(settings.get("n", 2.0)), replace=True, name=name)
