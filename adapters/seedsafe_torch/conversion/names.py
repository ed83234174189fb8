"""Stand-ins for global names of traced code."""

from __future__ import annotations

import builtins
import random
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import ModuleType
from typing import Any, Final

import numpy as np
import torch

from seedsafe_torch.conversion.traced import Known

__all__ = ["PLAIN", "Drawn", "Image", "Names", "Opaque", "UnknownError", "stand_ins"]

PLAIN: Final = (bool, int, float, str, type(None))

_BUILTINS: Final = ("dict", "enumerate", "float", "int", "len", "list", "map", "range", "tuple", "zip")
"""The builtins that traced code may use: none of them draws, or looks at an image."""


class UnknownError(Exception):
    """The code does something else."""


class Opaque:
    """Something that cannot be looked at."""

    __slots__ = ()

    def _refuse(self, *args: Any) -> Any:
        raise UnknownError

    __bool__ = __format__ = __repr__ = _refuse
    __class__ = property(_refuse)
    __eq__ = None  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class Image(Opaque):
    """Stands for an image that has gone through some transforms. It can be passed on and copied, but not looked at."""

    __slots__ = ("_through", "chain")

    def __init__(self, through: Callable[[Image, Any], Image], chain: tuple[Any, ...] = ()) -> None:
        self._through, self.chain = through, chain

    def through(self, known: Known) -> Image:
        """Return the image after one transform more."""
        return self._through(self, known)

    def copy(self) -> Image:
        """Return the same: what stands for an image cannot be changed."""
        return self

    def convert(self, mode: str) -> Image:
        """Return the image in other colours: RGB is the only mode that is known."""
        if mode != "RGB":
            raise UnknownError
        return self.through(Known("RGB", _in_rgb))

    def filter(self, kernel: Any) -> Image:
        """Return the image after one of Pillow's filters."""
        if not isinstance(kernel, Known):
            raise UnknownError
        return self.through(kernel)


def _in_rgb(picture: Any) -> Any:
    return picture.convert("RGB")


class Drawn(Opaque):
    """Stands for a number drawn between two others. It can be used once: compared with a number, or as the radius of a blur."""

    __slots__ = ("_decide", "_span")

    def __init__(self, decide: Callable[[float], bool], low: float = 0.0, high: float = 1.0) -> None:
        if not (type(low) in (int, float) and type(high) in (int, float) and low < high):
            raise UnknownError
        self._decide = decide
        self._span: tuple[float, float] | None = (float(low), float(high))

    def span(self) -> tuple[float, float]:
        """Return the two numbers, once."""
        if self._span is None:
            raise UnknownError
        span, self._span = self._span, None
        return span

    def item(self) -> Drawn:
        """Return the number of a tensor with one."""
        return self

    def _is_below(self, limit: Any) -> bool:
        if not isinstance(limit, int | float):
            raise UnknownError
        low, high = self.span()
        return self._decide(min(max((limit - low) / (high - low), 0.0), 1.0))

    __lt__ = __le__ = _is_below

    def _is_above(self, limit: Any) -> bool:
        return not self._is_below(limit)

    __gt__ = __ge__ = _is_above


class Names:
    """Stands for a module: it has the names that are known, and no others."""

    def __init__(self, **names: Any) -> None:
        self._names = names

    def __getattr__(self, name: str) -> Any:
        try:
            return self._names[name]
        except KeyError:
            raise UnknownError from None


def _operation(kind: str, real: Callable[..., Any], *names: str, **options: Any) -> Callable[..., Any]:
    """Return what stands for a function of an image: its other arguments, by their names, are plain values."""

    def call(image: Any, *values: Any, **named: Any) -> Any:
        arguments = options | dict(zip(names, values, strict=False)) | named
        if (
            type(image) is not Image
            or len(values) > len(names)
            or set(arguments) - {*names, *options}
            or not all(isinstance(value, PLAIN) for value in arguments.values())
        ):
            raise UnknownError
        passed = {name: arguments[name] for name in names if name in arguments}
        return image.through(Known(kind, partial(real, **passed), **arguments))

    return call


_ALWAYS: Final = {"p": 1.0}


def _of_pillow(module: Any) -> Names:
    """Return what stands for PIL.ImageOps."""
    return Names(
        solarize=_operation("RandomSolarize", module.solarize, "threshold", threshold=128, **_ALWAYS),
        posterize=_operation("RandomPosterize", module.posterize, "bits", **_ALWAYS),
        invert=_operation("RandomInvert", module.invert, **_ALWAYS),
        equalize=_operation("RandomEqualize", module.equalize, **_ALWAYS),
        autocontrast=_operation("RandomAutocontrast", module.autocontrast, **_ALWAYS),
        mirror=_operation("RandomHorizontalFlip", module.mirror, **_ALWAYS),
        flip=_operation("RandomVerticalFlip", module.flip, **_ALWAYS),
    )


def _blur(module: Any) -> Callable[..., Any]:
    """Return what stands for PIL.ImageFilter.GaussianBlur."""

    def make(radius: Any = 2) -> Known:
        low, high = radius.span() if isinstance(radius, Drawn) else (radius, radius)
        if type(low) not in (int, float) or low < 0:
            raise UnknownError
        return Known(
            "PIL.GaussianBlur",
            partial(_blurred, module.GaussianBlur, low, high),
            radius=(float(low), float(high)),
        )

    return make


def _blurred(kernel: Any, low: float, high: float, picture: Any) -> Any:
    return picture.filter(kernel(low if low == high else random.uniform(low, high)))


def _turned(module: Any) -> Callable[..., Any]:
    """Return what stands for torchvision's rotate."""

    def call(image: Any, angle: Any) -> Any:
        if type(image) is not Image or type(angle) not in (int, float):
            raise UnknownError
        degrees = (float(angle), float(angle))
        return image.through(Known("RandomRotation", partial(module.rotate, angle=angle), degrees=degrees))

    return call


def _of_torchvision(module: Any) -> Names:
    """Return what stands for torchvision.transforms.functional, or for that of v2."""
    return Names(
        hflip=_operation("RandomHorizontalFlip", module.hflip, **_ALWAYS),
        vflip=_operation("RandomVerticalFlip", module.vflip, **_ALWAYS),
        invert=_operation("RandomInvert", module.invert, **_ALWAYS),
        equalize=_operation("RandomEqualize", module.equalize, **_ALWAYS),
        autocontrast=_operation("RandomAutocontrast", module.autocontrast, **_ALWAYS),
        solarize=_operation("RandomSolarize", module.solarize, "threshold", **_ALWAYS),
        posterize=_operation("RandomPosterize", module.posterize, "bits", **_ALWAYS),
        to_tensor=_operation("ToTensor", module.to_tensor),
        pil_to_tensor=_operation("PILToTensor", module.pil_to_tensor),
        rotate=_turned(module),
    )


def _is_picture_class(value: Any) -> bool:
    return isinstance(value, type) and value.__module__ == "PIL.Image" and value.__name__ == "Image"


class _Meanings:
    """The meanings of names in one run.

    Args:
        decide: says whether something happens that has a probability.
        assume: is called when the code asks whether its image is a PIL image, which then is true.
    """

    def __init__(self, decide: Callable[[float], bool], assume: Callable[[], None]) -> None:
        self._decide, self._assume = decide, assume

    def _drawn(self, *size: Any) -> Drawn:
        """Return what stands for a number drawn between 0 and 1, of an array of one at most."""
        if size not in ((), (1,), ((1,),)):
            raise UnknownError
        return Drawn(self._decide)

    def _uniform(self, low: Any = 0.0, high: Any = 1.0) -> Drawn:
        return Drawn(self._decide, low, high)

    def _isinstance(self, value: Any, kinds: Any) -> bool:
        if type(value) is not Image:
            raise UnknownError
        listed = kinds if isinstance(kinds, tuple) else (kinds,)
        pictures = [_is_picture_class(kind) for kind in listed]
        if not all(
            is_it or kind in (torch.Tensor, np.ndarray) for is_it, kind in zip(pictures, listed, strict=True)
        ):
            raise UnknownError
        self._assume()
        return any(pictures)

    def of(self, value: Any) -> Any:
        """Return what stands for the value of a global name."""
        if isinstance(value, ModuleType):
            return self._of_module(value)
        if isinstance(value, PLAIN) or value in (torch.Tensor, np.ndarray) or _is_picture_class(value):
            return value
        if value is isinstance:
            return self._isinstance
        if value in (random.random, np.random.rand, np.random.random, np.random.random_sample, torch.rand):
            return self._drawn
        if value in (random.uniform, np.random.uniform):
            return self._uniform
        if any(value is getattr(builtins, name, None) for name in _BUILTINS):
            return value
        raise UnknownError

    def _of_module(self, module: Any) -> Names:
        name = module.__name__
        if module is random:
            return Names(random=self._drawn, uniform=self._uniform)
        if module is np:
            drawn = dict.fromkeys(("rand", "random", "random_sample"), self._drawn)
            return Names(ndarray=np.ndarray, random=Names(uniform=self._uniform, **drawn))
        if module is torch:
            return Names(Tensor=torch.Tensor, rand=self._drawn)
        if name == "PIL.ImageOps":
            return _of_pillow(module)
        if name == "PIL.ImageFilter":
            return Names(GaussianBlur=_blur(module))
        if name == "PIL.Image":
            return Names(Image=module.Image)
        if name in ("torchvision.transforms.functional", "torchvision.transforms.v2.functional"):
            return _of_torchvision(module)
        raise UnknownError


def stand_ins(
    names: Iterable[str],
    meanings: Mapping[str, Any],
    decide: Callable[[float], bool],
    assume: Callable[[], None],
    otherwise: Callable[[str, Any], Any],
) -> dict[str, Any]:
    """Return a stand-in for each of the names that code uses, from their values.

    Args:
        names: the names; those without a value are builtins.
        meanings: their values.
        decide: see `_Meanings`.
        assume: see `_Meanings`.
        otherwise: returns what stands for a value that is not known here, from its name and the value.

    Raises:
        UnknownError: one of them is unknown.
    """
    known = _Meanings(decide, assume)
    found: dict[str, Any] = {}
    for name in names:
        try:
            value = meanings[name] if name in meanings else getattr(builtins, name)
        except AttributeError:
            raise UnknownError from None
        try:
            found[name] = known.of(value)
        except UnknownError:
            found[name] = otherwise(name, value)
    return found
