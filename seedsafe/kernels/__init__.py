"""Compiled kernels, where there are any."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from seedsafe.ground.process import importing

__all__ = ["FILTERS", "Resizing", "Warping", "Windowing", "library", "other_bytes", "why_not"]

FOLDER: Final = Path(__file__).parent
NAME: Final = "kernels.library"
"""The library's file, in FOLDER. With the system's usual ending it would look like a module."""

_VERSION: Final = 3
"""SEEDSAFE_KERNELS of kernels.h."""

FILTERS: Final = {"area": 0, "bilinear": 1, "bilinear exact": 1, "bicubic": 2, "lanczos": 3}
"""The numbers of the filters in kernels.h."""

_NOT_COMPILED: Final = -2

_WHOLE: Final = "JPEGs are decoded whole where a window would do, which is slower: "


_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32


def _all(kind: type[Any], *names: str) -> Iterator[tuple[str, type[Any]]]:
    return ((name, kind) for name in names)


class Resizing(ctypes.Structure):
    """A call, as kernels.h declares it."""

    _fields_ = (
        ("source", _POINTER),
        *_all(_LONG, "frames", "frame_step", "row_step", "pixel_step"),
        *_all(_INT, "rows", "columns", "channels", "whole_rows", "whole_columns", "top", "left"),
        *_all(_INT, "new_rows", "new_columns", "filter", "mirror_rows", "mirror_columns", "layout"),
        *_all(_INT, "plain", "times"),
        ("unit", ctypes.c_float),
        *_all(ctypes.c_char_p, "factors", "offsets"),
        *_all(_POINTER, "target", "scratch"),
        ("scratch_size", _LONG),
    )


class Warping(ctypes.Structure):
    """A call, as kernels.h declares it."""

    _fields_ = (
        ("source", _POINTER),
        ("row_step", _LONG),
        *_all(_INT, "rows", "columns", "pixel", "filter", "plain"),
        ("matrix", ctypes.c_double * 6),
        *_all(_POINTER, "fill", "target"),
    )


class Windowing(ctypes.Structure):
    """A call, as kernels.h declares it."""

    _fields_ = (
        ("source", ctypes.c_char_p),
        ("size", _LONG),
        *_all(_INT, "rows", "columns", "top", "left", "height", "width", "turns"),
        ("target", _POINTER),
    )


other_bytes: Final[list[str]] = []
"""The decoders of JPEGs whose pixels are not those of the kernels."""


def address(array: Any) -> int:
    """Return where an array's first value is."""
    if array.flags.carray and array.size:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # in a fifth of the time
    return int(array.__array_interface__["data"][0])


def library() -> ctypes.CDLL | None:
    """Return the library, or None where the usual way is taken; `why_not` has the reason.

    The first call opens it.
    """
    with importing:  # a child that was forked meanwhile would get the lock of the system's loader
        return _opened()[0]


def has_jpeg() -> bool:
    """Return whether windows of JPEGs can be decoded."""
    return bool((opened := library()) and opened.seedsafe_jpeg(Windowing()) != _NOT_COMPILED)


def why_not() -> str | None:
    """Return why resizing with antialias, the policies and reading JPEGs are not as fast as they can be here, or None.

    The bytes are the same either way.

    Example:
        >>> why_not() is None or "slower" in why_not()
        True
    """
    library()
    if other_bytes:
        return f"{_WHOLE}{' and '.join(other_bytes)} and the kernels have versions of libjpeg-turbo with different pixels"
    return _opened()[1]


@cache
def _opened() -> tuple[ctypes.CDLL | None, str | None]:
    path = FOLDER / NAME
    slow = "antialias=True and the policies take the slower way, with the same bytes: "
    if os.environ.get("SEEDSAFE_KERNELS") == "0":
        return None, slow + "SEEDSAFE_KERNELS is 0"
    if not path.exists():
        return None, f"{slow}{path} is missing, since no C compiler was found when seedsafe was installed"
    try:
        if blake2b(path.read_bytes()).digest() != path.with_suffix(".digest").read_bytes():
            raise OSError("it is not whole; install seedsafe again")  # opening it could end the process
        opened = ctypes.CDLL(str(path))
        version = opened.seedsafe_kernels()
        for call, job in (
            (opened.seedsafe_resize_bytes, Resizing),
            (opened.seedsafe_resize_floats, Resizing),
            (opened.seedsafe_warp, Warping),
            (opened.seedsafe_jpeg, Windowing),
        ):
            call.restype, call.argtypes = ctypes.c_int64, [ctypes.POINTER(job)]
        opened.seedsafe_vectors.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        return None, f"{slow}{path} cannot be used: {error}"
    if version != _VERSION:
        return None, f"{slow}{path} is version {version}, not {_VERSION}: install seedsafe again"
    if opened.seedsafe_vectors() == b"none":
        return opened, f"antialias=True is slower than it can be: {platform.machine()} without AVX2 or NEON"
    if opened.seedsafe_jpeg(Windowing()) == _NOT_COMPILED:
        return opened, f"{_WHOLE}the headers of libjpeg-turbo were missing when the kernels were compiled"
    return opened, None
