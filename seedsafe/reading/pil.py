"""Images of PIL, as arrays.

PIL is not imported. An image becomes an array, because the result of a pipeline may not fit into an image of PIL. Every mode keeps
its values:

=======================  ======================================================================================
mode                     array
=======================  ======================================================================================
RGB, L, RGBA, LA         its channels, uint8, (H, W) or (H, W, C)
CMYK                     an error: its channels are inks, which colour transforms would take for colours
P, PA                    as a mask its indices, (H, W); else its colours: RGB, or RGBA if it has transparency
1                        as a mask its bits, bool; else 0 and 255, uint8
I;16, I, F               uint16, int32, float32, (H, W)
=======================  ======================================================================================
"""

from __future__ import annotations

import sys
from typing import Any, Final

from seedsafe.functional.pictures import pixels
from seedsafe.ground.info import Array

__all__ = ["copy_image", "image_array", "open_image", "pixels"]

_INDEXED: Final = {"P": "RGB", "PA": "RGBA"}


def open_image(image: Any, target: str, channels_first: bool) -> tuple[Array, None]:
    """Return an image as an array; the result of a pipeline stays one."""
    return image_array(image, target), None


def image_array(image: Any, target: str) -> Array:
    """Return an image as a new array: its indices or bits if the target is a mask, else its colours.

    Raises:
        ValueError: it has inks instead of colours.
    """
    mode = image.mode
    is_mask = target in ("mask", "masks")
    if mode == "CMYK":
        raise ValueError(
            f'{target} is an image of PIL in the mode CMYK, whose 4 channels are inks: pass {target}.convert("RGB"), or '
            f"numpy.asarray({target}) for the inks"
        )
    if not is_mask and mode in _INDEXED:
        image = image.convert("RGBA" if "transparency" in image.info else _INDEXED[mode])
    elif not is_mask and mode == "1":
        image = image.convert("L")
    array = pixels(image)
    if is_mask and mode == "PA":
        array = array[..., 0].copy()
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def copy_image(image: Any) -> Any:
    """Return a copy of an image; one that is an open file stays the same."""
    return image.copy() if type(image) is sys.modules["PIL.Image"].Image else image
