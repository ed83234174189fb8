"""Datasets with samples that fail, for both adapters. At the top of a module, so that spawned workers find them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import skimage.data
from contract import AUGMENT, IMAGES, LENGTH, SEED
from PIL import Image

import seedsafe as ss

BROKEN = {3: "exception", 8: "None", 9: "vanished", 15: "shape", 20: "NaN"}
"""What is wrong with which sample."""

PHOTO = skimage.data.astronaut()[:96, 100:196]


class Faulty:
    """The photographs of the contract, some of them broken; each can tell its path."""

    def __init__(self, kind: str = "uint8", broken: dict[int, str] = BROKEN) -> None:
        self.kind = kind
        self.broken = broken

    def __len__(self) -> int:
        return LENGTH

    def path(self, index: int) -> str:
        return f"photographs/{index}.png"

    def __getitem__(self, index: int) -> Any:
        fault = self.broken.get(index)
        image = IMAGES[index].astype(self.kind)
        if fault == "exception":
            raise RuntimeError("a fault in the user's code")
        if fault == "None":
            return None
        if fault == "vanished":
            raise FileNotFoundError(2, "No such file or directory", self.path(index))
        if fault == "shape":
            return image[:5], index
        if fault == "NaN":
            image = image.astype(np.float32)
            image[1, 2] = np.nan
        return image, index


def replaced(
    index: int, epoch: int, failing: Any, *, key_index: int | None = None, **place: int
) -> tuple[int, np.ndarray]:
    """Return the label and the image that come instead of a sample, by the definition."""
    key = ss.SampleKey(SEED, epoch, index if key_index is None else key_index, **place)
    words = _words(key)
    others = [i for i in range(LENGTH) if i != index]
    other = next(
        found for found in (others[word * len(others) >> 64] for word in words) if found not in failing
    )
    return other, AUGMENT(IMAGES[other], key=key)


def _words(key: ss.SampleKey) -> list[int]:
    from seedsafe.keys.key import address, philox

    op = ss.op_of("seedsafe/replace")
    return philox(address(key, op)).random_raw(16).tolist()


def encoded(form: str, mode: str = "RGB", **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(PHOTO).convert(mode).save(file, form, **options)
    return file.getvalue()


def damaged(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(200) + data[middle + 200 :]


FILES: dict[str, bytes] = {
    "animated gif.png": encoded(
        "GIF", "P", save_all=True, append_images=[Image.fromarray(255 - PHOTO).convert("P")]
    ),
    "cmyk.jpg": encoded("JPEG", "CMYK"),
    "deep.png": cv2.imencode(".png", np.arange(96 * 96, dtype=np.uint16).reshape(96, 96))[1].tobytes(),
    "grey.jpg": encoded("JPEG", "L"),
    "palette.png": encoded("PNG", "P"),
    "photo.tif": encoded("TIFF", compression="tiff_lzw"),
    "png named.jpg": encoded("PNG"),
    "x corrupt.png": damaged(encoded("PNG")),
    "x corrupt.jpg": bytes(8) + encoded("JPEG")[8:],
    "x corrupt.tif": bytes(8) + encoded("TIFF")[8:],
    "x cut.jpg": encoded("JPEG")[:1500],
    "x cut.png": encoded("PNG")[:1500],
    "x cut.tif": encoded("TIFF")[:1500],
    "x cut deep.png": cv2.imencode(".png", np.arange(96 * 96, dtype=np.uint16).reshape(96, 96))[1].tobytes()[
        :200
    ],
    "x empty.jpg": b"",
    "x text.png": b"Dear diary, " * 20,
}
"""Files by name; what begins with an x cannot be read."""


def write_files(root: Path) -> Path:
    folder = root / "photographs" / "one"
    folder.mkdir(parents=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return root / "photographs"
