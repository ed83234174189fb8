"""Reading one image file with OpenCV, so that what cannot be read is an error and not half an image."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedsafe import opencv
from seedsafe.functional import carrier

__all__ = ["read_image", "read_image_as_stored"]


def read_image(path: str | os.PathLike[str]) -> NDArray[np.uint8]:
    """Read an image as RGB.

    Grey, palette, CMYK and 16-bit images are converted to 8-bit RGB, alpha is dropped, the orientation that EXIF
    states is applied, and of an animation the first frame is taken. The content decides the format, not the ending.

    A file that ends too early is an error in every format. Damage within the data is one in PNG, which has checksums;
    in other formats it often cannot be told from an image.

    Args:
        path: any name that the file system has.

    Returns:
        uint8 (H, W, 3).

    Raises:
        FileNotFoundError, PermissionError: as `open` does.
        ValueError: the file is empty, damaged, or no image that OpenCV reads.
        ImportError: OpenCV is missing: `pip install "seedsafe[image]"`.

    Example:
        >>> import cv2, numpy as np, pathlib, tempfile
        >>> from seedsafe.data.folder import read_image
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "blue.png"
        >>> cv2.imwrite(str(path), np.array([[[255, 0, 0]]], np.uint8))
        True
        >>> read_image(path).tolist()
        [[[0, 0, 255]]]
    """
    cv2 = _opencv()
    pixels: NDArray[np.uint8] = _decoded(cv2, path, cv2.IMREAD_COLOR_RGB)
    return pixels


def read_image_as_stored(path: str | os.PathLike[str]) -> NDArray[Any]:
    """Read an image with the channels and the depth that it has.

    The orientation of EXIF is not applied. A palette is looked up, CMYK converted.

    Args:
        path: any name that the file system has.

    Returns:
        (H, W), or (H, W, 3) in RGB, or (H, W, 4) in RGBA; uint8, uint16 or float32 as in the file.

    Raises:
        FileNotFoundError, PermissionError, ValueError, ImportError: as in `read_image`.

    Example:
        >>> import cv2, numpy as np, pathlib, tempfile
        >>> from seedsafe.data.folder import read_image_as_stored
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "deep.png"
        >>> cv2.imwrite(str(path), np.array([[0, 65535]], np.uint16))
        True
        >>> read_image_as_stored(path)
        array([[    0, 65535]], dtype=uint16)
    """
    cv2 = _opencv()
    image: NDArray[Any] = _decoded(cv2, path, cv2.IMREAD_UNCHANGED)
    if image.ndim == 2:
        return image
    swap = cv2.COLOR_BGRA2RGBA if image.shape[2] == 4 else cv2.COLOR_BGR2RGB
    swapped: NDArray[Any] = cv2.cvtColor(image, swap)
    return swapped


def _opencv() -> Any:
    cv2 = carrier.opencv()
    opencv.guard()
    return cv2


def _decoded(cv2: Any, path: str | os.PathLike[str], flags: int) -> Any:
    # `cv2.imread` would give a truncated JPEG with a grey rest, and knows no path that is not valid Unicode.
    with open(path, "rb", buffering=0) as file:
        data = file.read()
    if not data:
        raise ValueError(f"cannot read the image {os.fspath(path)!r}: the file is empty")
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error as error:
        raise ValueError(f"cannot read the image {os.fspath(path)!r}: {error}") from error
    if image is None:
        raise ValueError(
            f"cannot read the image {os.fspath(path)!r} ({len(data)} bytes): it is truncated, damaged, or not an image "
            "that OpenCV can read"
        )
    return image
