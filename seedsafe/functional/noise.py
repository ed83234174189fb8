"""Gaussian noise from integer words and a table: the same on every machine."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from seedsafe.draws import normal_quantiles, sixteenths
from seedsafe.functional.carrier import opencv
from seedsafe.info import Array
from seedsafe.key import Address

if TYPE_CHECKING:
    import numpy.typing as npt  # costs a tenth of NumPy's own import

__all__ = ["add_gaussian_noise", "gaussian_noise"]

_SMALL = 8192
"""Below so many values, computing each is cheaper than a table of all 65536 steps."""


def gaussian_noise(noise: Address, n: int) -> npt.NDArray[np.float64]:
    """Return n values of standard normal noise from the words at an address, float64, shape (n,).

    Value k is the quantile of the k-th 16-bit piece of the words, so it lies within ±4.325 and is one of 65536.

    Example:
        >>> from seedsafe.key import SampleKey, address
        >>> gaussian_noise(address(SampleKey(0, 0, 0)), 2).round(3).tolist()
        [1.02, -1.815]
    """
    return normal_quantiles()[sixteenths(noise, n)]


def add_gaussian_noise(array: Array, std: float, noise: Address, *, per_channel: bool = True) -> Array:
    """Return an array with Gaussian noise added, value k in C order with the k-th noise. Exact on every machine.

    Args:
        array: uint8 or float32, any shape.
        std: standard deviation in the array's own units (0 to 255 in uint8).
        noise: the address of the noise, from ``Draws.noise``.
        per_channel: False adds the k-th noise to all channels of pixel k, of an image (H, W, C).

    Returns:
        uint8: ``clip(x + rint(std * z), 0, 255)``. float32: ``x + float32(std) * float32(z)``, not clipped.

    Raises:
        TypeError: the dtype is another.

    Example:
        >>> from seedsafe.key import SampleKey, address
        >>> add_gaussian_noise(np.full(3, 128, np.uint8), 10.0, address(SampleKey(0, 0, 0))).tolist()
        [138, 110, 134]
    """
    if not per_channel and array.ndim == 3 and array.shape[2] > 1:
        return _add_to_pixels(array, std, noise)
    if array.dtype == np.uint8:
        return _add_uint8(array, std, noise)
    if array.dtype == np.float32:
        z: Array = np.take(_float_table(), sixteenths(noise, array.size)).reshape(array.shape)
        z *= np.float32(std)
        z += array
        return z
    raise _refused(array)


def _refused(array: Array) -> TypeError:
    return TypeError(f"noise needs uint8 or float32, got dtype {array.dtype}: convert the array with astype")


def _add_to_pixels(image: Array, std: float, noise: Address) -> Array:
    z = gaussian_noise(noise, image.shape[0] * image.shape[1]).reshape(*image.shape[:2], 1)
    if image.dtype == np.uint8:
        stepped: Array = np.rint(std * z).astype(np.int32) + image
        return np.minimum(np.maximum(stepped, 0, out=stepped), 255, out=stepped).astype(np.uint8)
    if image.dtype == np.float32:
        noisy: Array = np.add(image, np.float32(std) * z.astype(np.float32), order="C")
        return noisy
    raise _refused(image)


def _add_uint8(array: Array, std: float, noise: Address) -> Array:
    pieces = sixteenths(noise, array.size)
    if np.rint(std * normal_quantiles()[-1]) > 127:
        stepped: Array = np.rint(std * normal_quantiles()[pieces]).reshape(array.shape)
        stepped += array
        return np.minimum(np.maximum(stepped, 0, out=stepped), 255, out=stepped).astype(np.uint8)
    cv2 = opencv()
    flat = (array.shape[0], -1)
    if array.size < _SMALL:
        steps = normal_quantiles().take(pieces)
        steps *= std
        steps8 = np.rint(steps, out=steps).astype(np.int8).reshape(flat)
    else:
        steps8 = cv2.LUT(pieces.reshape(flat), _step_table(std))
    signed = np.bitwise_xor(array, 128).reshape(flat).view(np.int8)
    noisy = np.empty(array.shape, np.uint8)
    made = noisy.reshape(flat)
    cv2.add(signed, steps8, dst=made.view(np.int8))  # saturates at -128 and 127, which are 0 and 255
    np.bitwise_xor(made, 128, out=made)
    return noisy


_float_tables: list[npt.NDArray[np.float32]] = []


def _float_table() -> npt.NDArray[np.float32]:
    if not _float_tables:
        _float_tables.append(normal_quantiles().astype(np.float32))
    return _float_tables[0]


class _Steps(threading.local):
    std = float("nan")
    table = np.empty(65536, np.int8)


_steps = _Steps()


def _step_table(std: float) -> npt.NDArray[np.int8]:
    if _steps.std != std:
        upper = np.rint(std * normal_quantiles()[32768:]).astype(np.int8)
        _steps.table = np.concatenate([-upper[::-1], upper])
        _steps.std = std
    return _steps.table
