"""Transforms with Pillow's pixels, and bridged callables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
import torch

import seedsafe as ss
from seedsafe.reading import declared, kind_of, pixels, transform_affine

__all__ = [
    "EITHER",
    "PICTURE",
    "TENSOR",
    "MiddleCrop",
    "PillowAffine",
    "PillowPerspective",
    "PillowRotate",
    "PillowSharpness",
    "Theirs",
    "ThreeChannels",
    "ToGreyscale",
    "ToPicture",
    "Unscaled",
    "array_of",
    "bridge_of",
    "name_of",
    "picture_of",
]

_RESAMPLE: Final = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3}
_GREYS: Final = ("1", "I", "F", "I;16", "I;16B", "I;16L")
_MODES: Final = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def picture_of(image: Any) -> Any:
    """Return an image (H, W) or (H, W, C) as a PIL image: L, LA, RGB or RGBA of uint8; 1, I;16, I or F of other dtypes.

    Raises:
        TypeError: PIL has no mode for such an image.
    """
    from PIL import Image

    if image.ndim == 3 and image.shape[2] == 1:
        image = image[..., 0]
    channels = image.shape[2] if image.ndim == 3 else 1
    grey = image.ndim == 2 and image.dtype in (np.bool_, np.uint16, np.int32, np.float32)
    if not grey and (image.dtype != np.uint8 or channels not in _MODES):
        raise TypeError(
            f"an image of shape {image.shape} and dtype {image.dtype} cannot be a PIL image, which the torchvision transform takes: "
            "put the transform that changes its shape or dtype after it"
        )
    return Image.fromarray(np.ascontiguousarray(image))


def array_of(picture: Any) -> Any:
    """Return a PIL image as a new array. An image with a palette, or in colours other than RGB, becomes RGB."""
    if picture.mode not in _MODES.values() and picture.mode not in _GREYS:
        picture = picture.convert("RGB")
    array = pixels(picture)
    if picture.mode == "1":
        return array.astype(np.uint8) * np.uint8(255)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _is_pictured(image: Any) -> bool:
    """Return whether PIL's warps take an image and treat its channels alike."""
    return image.dtype == np.uint8 and (image.ndim == 2 or image.shape[2] in (1, 3))


def _fill_of(fill: Any, image: Any) -> Any:
    """Return a fill as torchvision passes it to PIL: whole numbers, one for each channel."""
    channels = image.shape[2] if image.ndim == 3 else 1
    values = [int(one) for one in (fill if isinstance(fill, tuple) else (fill,))]
    values = values * channels if len(values) == 1 else values
    return values[0] if channels == 1 else tuple(values)


def _warped(image: Any, warp: Any) -> Any:
    result = pixels(warp(picture_of(image)))
    return result[..., None] if image.ndim == 3 and result.ndim == 2 else result


def _moved(image: Any, matrix: Any, interpolation: str, fill: Any) -> Any:
    """Return what Pillow's ``Image.transform`` makes of an image with an affine map."""
    (rows, columns), (a, b, c, d, e, f) = image.shape[:2], map(abs, matrix)
    # Where no row or column leans, and from 2**15 pixels on, Pillow adds up its steps in other ways.
    if (b or d) and max(a * columns + b * rows + c, d * columns + e * rows + f) < 2**15:
        return transform_affine(image, matrix, resample=interpolation, fill=fill)
    resample = _RESAMPLE[interpolation]
    return _warped(image, lambda one: one.transform(one.size, 0, matrix, resample, fillcolor=fill))


def _around(a: float, b: float, d: float, e: float, x: float, y: float, translate: Any = (0, 0)) -> Any:
    """Return Pillow's matrix of a map around the point (x, y) that then translates."""
    across, down = -x - translate[0], -y - translate[1]
    return a, b, a * across + b * down + x, d, e, d * across + e * down + y


@partial(declared, random=False)
@dataclass(frozen=True, repr=False)
class MiddleCrop(ss.CenterCrop):
    """seedsafe.CenterCrop with torchvision's middle: half of an odd margin is rounded to even, and a smaller image is padded."""

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the window's corner."""
        margins = (whole - side for whole, side in zip(info.image_size(), self.size, strict=True))  # type: ignore[arg-type]
        top, left = (round(one / 2) if one > 0 else -(-one // 2) for one in margins)
        return ss.CenterCrop.draw(self, rng, info)._replace(top=top, left=left)


@declared
@dataclass(frozen=True, repr=False)
class ToGreyscale(ss.ImageTransform):
    """Make an image grey as Pillow does: ``(19595 r + 38470 g + 7471 b + 32768) >> 16``.

    Args:
        channels_made: the channels of the result, 1 or 3, or None for those of the image.
        p: the probability that it fires.
    """

    channels_made: int | None = None
    p: float = 1.0

    channels: ClassVar[Any] = "last"

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        """Return the info of the grey image."""
        shape = info.shape[:2] if self._channels_of(info.shape) == 1 else (*info.shape[:2], 3)
        return ss.Info(shape, info.dtype)

    def _channels_of(self, shape: Any) -> int:
        return self.channels_made or (shape[2] if len(shape) == 3 else 1)

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image in greys."""
        if image.ndim == 3 and image.shape[2] not in (1, 3):
            raise ValueError(
                f"an image must have 1 or 3 channels to become grey, got shape {image.shape}: convert it to RGB in the dataset"
            )
        if image.ndim == 2 or image.shape[2] == 1:
            grey = image.reshape(image.shape[:2])
        elif image.dtype == np.uint8:
            grey = np.array(picture_of(image).convert("L"))
        else:  # torchvision's weights for tensors
            grey = (image @ np.array([0.2989, 0.587, 0.114], image.dtype)).astype(image.dtype)
        return grey if self._channels_of(image.shape) == 1 else np.repeat(grey[..., None], 3, axis=2)


@declared
@dataclass(frozen=True, repr=False)
class ThreeChannels(ss.ImageTransform):
    """Make an image RGB, as ``picture.convert("RGB")`` does."""

    channels: ClassVar[Any] = "last"

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        """Return the info of the RGB image."""
        return ss.Info((*info.shape[:2], 3), np.uint8)

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image in three channels."""
        if image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3:
            return image
        return pixels(picture_of(image).convert("RGB"))


@declared
@dataclass(frozen=True, repr=False)
class ToPicture(ss.ImageTransform):
    """Convert values as torchvision's ToPILImage does: floats become uint8, truncated."""

    channels: ClassVar[Any] = "last"

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        """Return the info of the picture."""
        return info.with_dtype(np.uint8 if np.dtype(info.dtype).kind == "f" else info.dtype)

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image with a picture's values."""
        if image.dtype.kind == "f":
            return (image * image.dtype.type(255)).astype(np.int64).astype(np.uint8)
        return image


@declared
@dataclass(frozen=True, repr=False)
class Unscaled(ss.ImageTransform):
    """Make an image float32 without a change of values."""

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        """Return the info of a float32 image."""
        return info.with_dtype(np.float32)

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image as float32."""
        return image.astype(np.float32)


@declared
@dataclass(frozen=True, repr=False)
class PillowRotate(ss.Rotate):
    """seedsafe.Rotate, with Pillow's bytes for uint8."""

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the matrix and its parameters. With expand, the size is Pillow's."""
        from PIL import Image

        result = ss.Rotate.draw(self, rng, info)
        if not self.expand:
            return result
        rows, columns = info.image_size()
        width, height = Image.new("1", (columns, rows)).rotate(result.degrees, expand=True).size
        a, b, _, d, e, _ = result.matrix
        x, y = (columns - 1) * 0.5, (rows - 1) * 0.5
        matrix = a, b, (width - 1) * 0.5 - a * x - b * y, d, e, (height - 1) * 0.5 - d * x - e * y
        return result._replace(matrix=matrix, size=(height, width))

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the turned image."""
        if self.mode != "constant" or not _is_pictured(image):
            return ss.Rotate.apply_image(self, image, params)
        fill, resample = _fill_of(self.fill, image), _RESAMPLE[self.interpolation]
        if self.expand or params[2] % 90.0 == 0.0:
            return _warped(image, lambda one: one.rotate(params[2], resample, self.expand, fillcolor=fill))
        return _moved(image, _turned(params[2], *image.shape[:2]), self.interpolation, fill)


def _turned(degrees: float, rows: int, columns: int) -> Any:
    """Return the matrix of Pillow's ``Image.rotate``."""
    angle = -math.radians(degrees % 360.0)
    cos, sin = round(math.cos(angle), 15), round(math.sin(angle), 15)
    return _around(cos, sin, -sin, cos, columns / 2, rows / 2)


@declared
@dataclass(frozen=True, repr=False)
class PillowAffine(ss.Affine):
    """seedsafe.Affine by whole pixels, with Pillow's bytes for uint8."""

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the matrix and its parameters."""
        result = ss.Affine.draw(self, rng, info)
        x, y = (float(round(one)) for one in result.translate)
        return self.moved(info, result.degrees, (x, y), result.scale, result.shear)

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the moved image."""
        if self.mode != "constant" or not _is_pictured(image):
            return ss.Affine.apply_image(self, image, params)
        _, _, degrees, translate, scale, shear = params
        matrix = _way_back(image.shape[1] * 0.5, image.shape[0] * 0.5, -degrees, translate, scale[0], shear)
        return _moved(image, matrix, self.interpolation, _fill_of(self.fill, image))


def _way_back(x: float, y: float, degrees: float, translate: Any, scale: float, shear: Any) -> Any:
    """Return the matrix that torchvision passes to Pillow, term by term."""
    turn, lean_x, lean_y = (math.radians(one) for one in (degrees, *shear))
    a = math.cos(turn - lean_y) / math.cos(lean_y)
    b = -math.cos(turn - lean_y) * math.tan(lean_x) / math.cos(lean_y) - math.sin(turn)
    c = math.sin(turn - lean_y) / math.cos(lean_y)
    d = -math.sin(turn - lean_y) * math.tan(lean_x) / math.cos(lean_y) + math.cos(turn)
    return _around(d / scale, -b / scale, -c / scale, a / scale, x, y, translate)


@declared
@dataclass(frozen=True, repr=False)
class PillowPerspective(ss.Perspective):
    """seedsafe.Perspective with a distortion_scale, with Pillow's bytes for uint8."""

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image in perspective."""
        if self.mode != "constant" or not _is_pictured(image):
            return ss.Perspective.apply_image(self, image, params)
        rows, columns = image.shape[:2]
        right, below = columns - 1, rows - 1
        start = [(0, 0), (right, 0), (right, below), (0, below)]
        end = [(x - (u > 0), y - (v > 0)) for (x, y), (u, v) in zip(params[2], start, strict=True)]
        matrix = _coefficients(end, start)
        fill, resample = _fill_of(self.fill, image), _RESAMPLE[self.interpolation]
        size = columns, rows
        # 2 is PERSPECTIVE
        return _warped(image, lambda one: one.transform(size, 2, matrix, resample, fillcolor=fill))


def _coefficients(end: Any, start: Any) -> list[float]:
    """Return Pillow's eight coefficients of a perspective, rounded to float32 as torchvision does."""
    lines = []
    for (x, y), (u, v) in zip(end, start, strict=True):
        lines.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        lines.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    found = np.linalg.solve(np.array(lines, np.float64), np.array(start, np.float64).ravel())
    coefficients: list[float] = found.astype(np.float32).tolist()
    return coefficients


@declared
@dataclass(frozen=True, repr=False)
class PillowSharpness(ss.ImageTransform):
    """Pillow's sharpness: 0 smooths the image, 1 leaves it, 2 makes it twice as sharp.

    Args:
        factor: the factor, not negative.
        p: the probability that it fires.
    """

    factor: float
    p: float = field(default=0.5, kw_only=True)

    channels: ClassVar[Any] = "last"

    def __post_init__(self) -> None:
        if isinstance(self.factor, bool) or not isinstance(self.factor, int | float) or not self.factor >= 0:
            raise ValueError(
                f"factor must be a number of 0 or more, got {self.factor!r}: pass 1 to leave the image as it is"
            )

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image, sharper or softer."""
        from PIL import ImageEnhance

        return _warped(image, lambda one: ImageEnhance.Sharpness(one).enhance(self.factor))


PICTURE, TENSOR, EITHER = "a PIL image", "a tensor", "a PIL image, a tensor or an array"
"""The forms that a transform takes and returns."""


def name_of(function: Any) -> str:
    """Return the name of a function, of the function in a Lambda, or of a class."""
    function = getattr(function, "lambd", function)
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        return type(function).__name__
    return "Lambda" if name == "<lambda>" else name


@dataclass(frozen=True, repr=False)
class Theirs:
    """One callable, or several in turn, for a bridge.

    Args:
        functions: the callables.
        takes: the form that the first takes, PICTURE or TENSOR.
        returns: the form that the last returns, PICTURE, TENSOR or EITHER, or None if it ends the pipeline and may return any.
    """

    functions: tuple[Callable[[Any], Any], ...]
    takes: str
    returns: str | None

    @property
    def __name__(self) -> str:
        return "_".join(map(name_of, self.functions))[:64]

    def __call__(self, image: Any) -> Any:
        """Call the functions on an array (H, W) or (H, W, C), and return such an array, or any form at the pipeline's end."""
        result: Any = picture_of(image) if self.takes == PICTURE else _tensor_of(image)
        for function in self.functions:
            result = function(result)
        if isinstance(result, tuple | list | dict):
            raise TypeError(
                f"{self.__name__} must return one image, got a {type(result).__name__} of {len(result)}: convert its steps for one "
                "image, and pass views= for several of one sample; or pass bridge=True instead of convert=True, which keeps the dataset as it is"
            )
        tensor = isinstance(result, torch.Tensor)
        if self.returns is None:
            return result if tensor or isinstance(result, np.ndarray) else array_of(result)
        if self.returns != EITHER and tensor != (self.returns == TENSOR):
            raise TypeError(
                f"{self.__name__} must return {self.returns} for the next transform, got {TENSOR if tensor else kind_of(result)}: convert the list up to it, "
                "and put seedsafe.bridge around the rest"
            )
        if tensor:
            return _channels_last(result)
        return result if isinstance(result, np.ndarray) else array_of(result)

    def __repr__(self) -> str:
        return self.__name__


def bridge_of(functions: Sequence[Callable[[Any], Any]], takes: str, returns: str | None) -> ss.Transform:
    """Return callables as one transform whose draws follow the key; see Theirs."""
    return ss.bridge(Theirs(tuple(functions), takes, returns), call="array")


def _tensor_of(image: Any) -> torch.Tensor:
    planes = image[None] if image.ndim == 2 else np.moveaxis(image, -1, 0)
    return torch.from_numpy(np.array(planes, order="C"))


def _channels_last(tensor: torch.Tensor) -> Any:
    array = tensor.detach().cpu().numpy()
    if array.ndim != 3:
        raise TypeError(
            f"the next transform needs an image (C, H, W), got a tensor of shape {tuple(tensor.shape)}: put the transform that "
            "returns it last"
        )
    return array[0].copy() if len(array) == 1 else np.moveaxis(array, 0, -1).copy(order="C")
