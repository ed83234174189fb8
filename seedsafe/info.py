"""What transforms work on: arrays under the names of targets, and descriptions of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt  # costs a tenth of NumPy's own import

__all__ = ["TARGETS", "Array", "Info"]

Array = np.ndarray[Any, np.dtype[Any]]

TARGETS: Final = ("image", "mask", "keypoints", "boxes", "audio")
"""The parts of a sample that transforms know; every other entry of a dict passes through as it is."""


class Info:
    """What ``draw`` may know of the array that it draws for: its shape and dtype, never its values.

    Args:
        shape: of an image (H, W) or (H, W, C), of audio (samples,) or (channels, samples).
        dtype: may be left out where no transform asks for it.

    Example:
        >>> Info((480, 640, 3), "uint8").dtype
        dtype('uint8')
    """

    __slots__ = ("_dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: npt.DTypeLike | None = None) -> None:
        self.shape = shape
        self._dtype = dtype

    @property
    def dtype(self) -> np.dtype[Any]:
        """The array's dtype.

        Raises:
            ValueError: it was not given.
        """
        if self._dtype is None:
            raise ValueError(
                "a transform asks for the sample's dtype: pass Info(shape, dtype) instead of a shape"
            )
        return np.dtype(self._dtype)

    def image_size(self) -> tuple[int, int]:
        """Return the height and width of an image.

        Raises:
            ValueError: the shape is not (H, W) or (H, W, C).
        """
        shape = self.shape
        if len(shape) != 3 and len(shape) != 2:
            raise ValueError(f"an image must have the shape (H, W) or (H, W, C), got {shape}: reshape it")
        return shape[0], shape[1]

    def audio_length(self) -> int:
        """Return the number of samples of audio.

        Raises:
            ValueError: the shape is not (samples,) or (channels, samples).
        """
        shape = self.shape
        if len(shape) != 1 and len(shape) != 2:
            raise ValueError(
                f"audio must have the shape (samples,) or (channels, samples), got {shape}: reshape it"
            )
        return shape[-1]

    def reshaped(self, *shape: int) -> Info:
        """Return the info of an array of the same dtype and another shape."""
        return Info(shape, self._dtype)

    def resized(self, height: int, width: int) -> Info:
        """Return the info of an image of another height and width."""
        return Info((height, width, *self.shape[2:]), self._dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Info) and (self.shape, self._dtype) == (other.shape, other._dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self._dtype))

    def __repr__(self) -> str:
        return f"Info({self.shape})" if self._dtype is None else f"Info({self.shape}, {str(self.dtype)!r})"
