"""Read one image file with OpenCV."""

import os
import re
import struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from seedsafe import opencv
from seedsafe.functional import carrier
from seedsafe.functional.jpeg import Place, Windows
from seedsafe.ground.checks import checked_int

__all__ = ["MAX_PIXELS", "read_image", "read_image_as_stored", "read_image_window"]

MAX_PIXELS: Final = 178_956_970
"""The default limit, as in Pillow: a small file can claim any size."""


def read_image(path: str | os.PathLike[str], *, max_pixels: int | None = MAX_PIXELS) -> NDArray[np.uint8]:
    """Read an image as RGB.

    It converts grey, palette, CMYK and 16-bit images to 8-bit RGB, drops alpha, applies the EXIF orientation, and reads
    the first frame of an animation. The content decides the format, not the extension.

    A file that ends too early is an error in every format. Damage within the data is an error in PNG, which has
    checksums; other formats often do not show it.

    Args:
        path: any path of the file system.
        max_pixels: the largest number of pixels that an image may have, or None for no limit. The header is checked before
            memory is taken in JPEG, PNG, WebP, TIFF, BMP, GIF, PGM and PPM; in other formats, the decoded image.

    Returns:
        uint8 (H, W, 3).

    Raises:
        FileNotFoundError, PermissionError: as in `open`.
        ValueError: the file is empty or damaged, OpenCV cannot read it, or it has more than `max_pixels` pixels.
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
    image: NDArray[np.uint8] = _decode(cv2, path, cv2.IMREAD_COLOR_RGB, max_pixels)
    return image


def read_image_window(path: str | os.PathLike[str], place: Place) -> NDArray[np.uint8]:
    """Return the image that `read_image` returns; a window of it is enough, and the pixels around may hold anything.

    A baseline JPEG is decoded as far as the end of the window, so damage below it is not seen.

    Args:
        path: any path of the file system.
        place: returns the window (top, left, height, width) of an image of a size, or None for all of it.

    Raises:
        Exception: as in `read_image`.
    """
    cv2 = _opencv()
    image: NDArray[np.uint8] = _decode(cv2, path, cv2.IMREAD_COLOR_RGB, MAX_PIXELS, place)
    return image


def read_image_as_stored(
    path: str | os.PathLike[str], *, max_pixels: int | None = MAX_PIXELS
) -> NDArray[Any]:
    """Read an image with its own channels and depth.

    It does not apply the EXIF orientation. Palette and CMYK images are converted.

    Args:
        path: any path of the file system.
        max_pixels: the largest number of pixels that an image may have, or None; see `read_image`.

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
    image: NDArray[Any] = _decode(cv2, path, cv2.IMREAD_UNCHANGED, max_pixels)
    if image.ndim == 2:
        return image
    swap = cv2.COLOR_BGRA2RGBA if image.shape[2] == 4 else cv2.COLOR_BGR2RGB
    result: NDArray[Any] = cv2.cvtColor(image, swap)
    return result


def _opencv() -> Any:
    cv2 = carrier.opencv()
    opencv.guard()
    return cv2


def _decode(
    cv2: Any, path: str | os.PathLike[str], flags: int, max_pixels: int | None, place: Place | None = None
) -> Any:
    # `cv2.imread` fills the rest of a truncated JPEG with grey, and fails for paths that are not valid Unicode.
    with open(path, "rb", buffering=0) as file:
        data = file.read()
    if not data:
        raise ValueError(f"cannot read the image {os.fspath(path)!r}: the file is empty")
    if max_pixels is not None:
        checked_int("max_pixels", max_pixels, 1, 2**63, "pass the largest number of pixels, or None")
        size = _size_of(data)
        _check_size(path, size, max_pixels)
        image = _windows.decode(data, size, place) if place and size else None
        if image is not None:
            return image
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error as error:
        raise ValueError(f"cannot read the image {os.fspath(path)!r}: {error}") from error
    if image is None:
        raise ValueError(
            f"cannot read the image {os.fspath(path)!r} ({len(data)} bytes): it is truncated, damaged, or not an image "
            "that OpenCV can read"
        )
    if max_pixels is not None:
        _check_size(path, image.shape[:2], max_pixels)
    return image


def _whole(data: bytes) -> Any:
    cv2 = _opencv()
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)


_windows: Final = Windows("OpenCV", _whole, turns=True)


def _check_size(path: str | os.PathLike[str], size: tuple[int, int] | None, max_pixels: int) -> None:
    if size is not None and size[0] * size[1] > max_pixels:
        raise ValueError(
            f"the image {os.fspath(path)!r} has {size[0]} × {size[1]} pixels, more than max_pixels={max_pixels}: leave it out, or "
            "pass a higher max_pixels (to ImageFolder: loader=functools.partial(read_image, max_pixels=…))"
        )


_PNM: Final = re.compile(rb"P[1-6](?:\s+|#[^\n]*\n)+(\d+)(?:\s+|#[^\n]*\n)+(\d+)")


def _size_of(data: bytes) -> tuple[int, int] | None:
    """Return the two sides in an image's header, or None for an unknown format or a damaged header."""
    try:
        if data.startswith(b"\x89PNG"):
            return _sides(">II", data, 16)
        if data.startswith(b"\xff\xd8"):
            return _size_of_jpeg(data)
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _size_of_webp(data)
        if data.startswith(b"GIF8"):
            return _sides("<HH", data, 6)
        if data.startswith(b"BM"):
            width, height = _sides("<HH" if data[14] == 12 else "<ii", data, 18)
            return abs(width), abs(height)
        if data[:4] in (b"II*\0", b"MM\0*"):
            return _size_of_tiff(data)
        sides = _PNM.match(data)
        return None if sides is None else (int(sides[1]), int(sides[2]))
    except (struct.error, ValueError, IndexError, KeyError):  # damaged: the decoder raises
        return None


def _sides(form: str, data: bytes, start: int) -> tuple[int, int]:
    first, second = struct.unpack_from(form, data, start)
    return first, second


def _size_of_jpeg(data: bytes) -> tuple[int, int]:
    offset = 2
    while True:
        offset = data.index(b"\xff", offset) + 1
        marker = data[offset]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # the header of a frame
            return _sides(">HH", data, offset + 4)
        if 0xC0 <= marker <= 0xFE and not 0xD0 <= marker <= 0xD9:  # a segment with a length
            offset += 1 + int(struct.unpack_from(">H", data, offset + 1)[0])


def _size_of_webp(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = int(struct.unpack_from("<I", data, 21)[0])
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = _sides("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _size_of_tiff(data: bytes) -> tuple[int, int]:
    """Return the sides in the first directory: its tags 256 and 257, of 16 or 32 bits."""
    order = "<" if data[:1] == b"I" else ">"
    start = int(struct.unpack_from(f"{order}I", data, 4)[0])
    sides: dict[int, int] = {}
    for entry in range(int(struct.unpack_from(f"{order}H", data, start)[0])):
        tag, kind = struct.unpack_from(f"{order}HH", data, start + 2 + 12 * entry)
        if tag in (256, 257):
            sides[tag] = struct.unpack_from(order + "HI"[kind == 4], data, start + 10 + 12 * entry)[0]
    return sides[256], sides[257]
