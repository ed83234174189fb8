"""Compiled kernels, where there are any."""

from __future__ import annotations

import ctypes
import os
import platform
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["FILTERS", "INTERLEAVED", "NAME", "PLANAR", "Resizing", "Warping", "library", "why_not"]

FOLDER: Final = Path(__file__).parent
NAME: Final = "kernels.library"
"""The library's file, in FOLDER. With the system's usual ending it would look like a module."""

_VERSION: Final = 1
"""SEEDSAFE_KERNELS of kernels.h."""

FILTERS: Final = {"area": 0, "bilinear": 1, "bilinear exact": 1, "bicubic": 2, "lanczos": 3}
"""The numbers of the filters in kernels.h."""

INTERLEAVED, PLANAR = 0, 1


class Resizing(ctypes.Structure):
    """A call, as kernels.h declares it."""

    _fields_ = (
        ("source", ctypes.c_void_p),
        ("row_step", ctypes.c_int64),
        ("pixel_step", ctypes.c_int64),
        ("rows", ctypes.c_int32),
        ("columns", ctypes.c_int32),
        ("channels", ctypes.c_int32),
        ("whole_rows", ctypes.c_int32),
        ("whole_columns", ctypes.c_int32),
        ("top", ctypes.c_int32),
        ("left", ctypes.c_int32),
        ("new_rows", ctypes.c_int32),
        ("new_columns", ctypes.c_int32),
        ("filter", ctypes.c_int32),
        ("mirror_rows", ctypes.c_int32),
        ("mirror_columns", ctypes.c_int32),
        ("layout", ctypes.c_int32),
        ("plain", ctypes.c_int32),
        ("times", ctypes.c_int32),
        ("unit", ctypes.c_float),
        ("factors", ctypes.c_void_p),
        ("offsets", ctypes.c_void_p),
        ("target", ctypes.c_void_p),
        ("scratch", ctypes.c_void_p),
        ("scratch_size", ctypes.c_int64),
    )


class Warping(ctypes.Structure):
    """A call, as kernels.h declares it."""

    _fields_ = (
        ("source", ctypes.c_void_p),
        ("row_step", ctypes.c_int64),
        ("rows", ctypes.c_int32),
        ("columns", ctypes.c_int32),
        ("pixel", ctypes.c_int32),
        ("filter", ctypes.c_int32),
        ("plain", ctypes.c_int32),
        ("matrix", ctypes.c_double * 6),
        ("fill", ctypes.c_void_p),
        ("target", ctypes.c_void_p),
    )


def library() -> ctypes.CDLL | None:
    """Return the library, or None where the usual way is taken; `why_not` has the reason.

    The first call opens it. No process should be forked meanwhile: the child would get the lock of the system's loader.
    """
    return _opened()[0]


def why_not() -> str | None:
    """Return why resizing with antialias and the policies are not as fast as they can be here, or None.

    Its bytes are the same either way.

    Example:
        >>> why_not() is None or "slower" in why_not()
        True
    """
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
        opened = ctypes.CDLL(str(path))
        version = opened.seedsafe_kernels()
        for call in (opened.seedsafe_resize_bytes, opened.seedsafe_resize_floats):
            call.restype, call.argtypes = ctypes.c_int64, [ctypes.POINTER(Resizing)]
        opened.seedsafe_warp.restype, opened.seedsafe_warp.argtypes = (
            ctypes.c_int64,
            [ctypes.POINTER(Warping)],
        )
        opened.seedsafe_vectors.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        return None, f"{slow}{path} cannot be used: {error}"
    if version != _VERSION:
        return (
            None,
            f"{slow}{path} is version {version}, this seedsafe needs {_VERSION}: install seedsafe again",
        )
    if opened.seedsafe_vectors() == b"none":
        return opened, f"antialias=True is slower than it can be: {platform.machine()} without AVX2 or NEON"
    return opened, None
