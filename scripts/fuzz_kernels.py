"""Call the kernels, compiled with sanitizers, with random arguments and memory of exactly the size they ask for. COUNT SEED"""

from __future__ import annotations

import ctypes
import mmap
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from seedsafe import kernels

LIMITS = (1, 2, 3, 15, 16, 17, 31, 40, 130)
BAD = (0, -1, -(2**31), 2**31 - 1)


def memory(size: int) -> tuple[ctypes.CDLL, int]:
    """Return the allocator and `size` bytes at an address that 64 divides, with a sanitizer's fence on both sides."""
    c = ctypes.CDLL(None)
    c.aligned_alloc.restype, c.aligned_alloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_size_t]
    c.free.argtypes = [ctypes.c_void_p]
    return c, c.aligned_alloc(64, size)


def warp(library: ctypes.CDLL, rng: np.random.Generator) -> None:
    """Move an image by a random map, now and then by one that is refused."""
    rows, columns, pixel = int(rng.integers(1, 40)), int(rng.integers(1, 40)), int(rng.integers(1, 7))
    image = rng.integers(0, 256, (rows, columns * pixel)).astype(np.uint8)
    if rng.random() < 0.3:
        image = image[::-1]
    matrix = rng.normal(0, rng.choice([0.01, 1, 100, 1e10]), 6) + rng.choice([0.0, 0.5, 20.0], 6)
    if bad := rng.random() < 0.1:
        matrix[rng.integers(6)] = rng.choice([np.nan, np.inf, -np.inf, 1e13])
    fill, target = rng.integers(0, 256, pixel).astype(np.uint8), np.zeros(rows * columns * pixel, np.uint8)
    results = []
    for plain in (0, 1):
        job = kernels.Warping(
            image.ctypes.data,
            image.strides[0],
            rows,
            columns,
            pixel,
            int(rng.integers(3)) if plain == 0 else job.filter,  # noqa: F821
            plain,
            tuple(matrix),
            fill.ctypes.data,
            target.ctypes.data,
        )
        assert library.seedsafe_warp(job) == (-1 if bad else 0)
        results.append(target.copy())
    assert np.array_equal(*results)


PAGE = mmap.PAGESIZE


class Fenced:
    """Memory of a size that ends where a page begins that nobody may touch: libjpeg is not compiled with the sanitizers."""

    def __init__(self, most: int) -> None:
        self._pages = -(-most // PAGE) * PAGE
        self._memory = mmap.mmap(-1, self._pages + PAGE)
        self._first = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        assert protect(self._first + self._pages, PAGE, 0) == 0

    def place(self, size: int) -> int:
        """Return the address of `size` bytes."""
        return self._first + self._pages - size

    def fill(self, data: bytes) -> int:
        """Return the address of a copy of the data."""
        self._memory[self._pages - len(data) : self._pages] = data
        return self.place(len(data))

    def content(self, size: int) -> np.ndarray[Any, Any]:
        """Return the last `size` bytes."""
        return np.frombuffer(self._memory, np.uint8, size, self._pages - size)


SOURCE, TARGET = Fenced(2**17), Fenced(2**18)


def some_jpeg(rng: np.random.Generator) -> bytes:
    """Return a JPEG of any kind."""
    kinds = ("411", "420", "422", "440", "444", "")
    rows, columns, kind = int(rng.integers(1, 200)), int(rng.integers(1, 200)), str(rng.choice(kinds))
    image = cv2.resize(rng.integers(0, 256, (9, 9, 3)).astype(np.uint8), (columns, rows))
    options = [
        cv2.IMWRITE_JPEG_QUALITY,
        int(rng.integers(1, 101)),
        cv2.IMWRITE_JPEG_RST_INTERVAL,
        int(rng.integers(0, 4)),
    ]
    options += [cv2.IMWRITE_JPEG_PROGRESSIVE, int(rng.random() < 0.1)]
    if kind:
        options += [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, getattr(cv2, f"IMWRITE_JPEG_SAMPLING_FACTOR_{kind}")]
    return cv2.imencode(".jpg", image if kind else image[..., 0], options)[1].tobytes()


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Return a JPEG with a few bytes changed, left out, doubled, or with Exif data of any kind."""
    content = bytearray(data)
    for _ in range(int(rng.integers(1, 9))):
        at, length = int(rng.integers(len(content))), int(rng.integers(1, 30))
        # most of what may go wrong is said in the first bytes
        at = at % 700 if rng.random() < 0.6 else at
        match int(rng.integers(5)):
            case 0:
                content[at : at + 1] = bytes([int(rng.integers(256))])
            case 1:
                del content[at : at + length]
            case 2:
                content[at:at] = content[at : at + length]
            case 3:
                content[at : at + length] = rng.bytes(length)
            case _:
                exif = (
                    b"Exif\0\0"
                    + bytes(rng.choice([b"II*\0", b"MM\0*"]))
                    + rng.bytes(int(rng.integers(0, 40)))
                )
                content[2:2] = b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif
    return bytes(content[: 2**17])


def window(library: ctypes.CDLL, rng: np.random.Generator) -> bool:
    """Decode a window of a JPEG, whole or damaged, and return whether it was done."""
    data = some_jpeg(rng)
    rows, columns = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB).shape[:2]
    is_whole = bool(rng.random() < 0.2)
    data = data if is_whole else damaged(data, rng)
    height, width = int(rng.integers(1, rows + 1)), int(rng.integers(1, columns + 1))
    top, left = int(rng.integers(rows - height + 1)), int(rng.integers(columns - width + 1))
    size = rows * columns * 3
    job = kernels.Windowing(
        None, len(data), rows, columns, top, left, height, width, int(rng.integers(2)), TARGET.place(size)
    )
    # the field takes bytes, of which ctypes would pass on its own copy
    ctypes.c_void_p.from_buffer(job, kernels.Windowing.source.offset).value = SOURCE.fill(data)
    bad = not is_whole and rng.random() < 0.1
    if bad:
        setattr(
            job,
            str(rng.choice(["rows", "columns", "top", "left", "height", "width"])),
            int(rng.choice([-1, 2**31 - 1, -(2**31)])),
        )
    done = library.seedsafe_jpeg(job)
    assert done == -1 if bad else done in (0, -1)
    if done == 0 and job.turns:
        # nothing was wrong up to the window's end, so the decoder of the whole has the same there, if it has anything
        expected = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
        image = TARGET.content(size).reshape(rows, columns, 3)
        place = slice(top, top + height), slice(left, left + width)
        assert expected is None or np.array_equal(image[place], expected[place]), data.hex()
    return done == 0


def main(path: str, count: int, seed: int) -> None:
    """Make `count` calls, and compare plain C with vectors."""
    library = ctypes.CDLL(path)
    for call in (library.seedsafe_resize_bytes, library.seedsafe_resize_floats):
        call.restype, call.argtypes = ctypes.c_int64, [ctypes.POINTER(kernels.Resizing)]
    library.seedsafe_warp.restype, library.seedsafe_warp.argtypes = (
        ctypes.c_int64,
        [ctypes.POINTER(kernels.Warping)],
    )
    library.seedsafe_jpeg.restype, library.seedsafe_jpeg.argtypes = (
        ctypes.c_int64,
        [ctypes.POINTER(kernels.Windowing)],
    )
    rng = np.random.default_rng(seed)
    decoded = sum(window(library, rng) for _ in range(count // 4))
    print(
        f"{decoded} windows of {count // 4} JPEGs, most of them damaged, were decoded, and the others refused"
    )
    done = refused = 0
    for number in range(count):
        if number % 4 == 0:
            warp(library, rng)
            continue
        rows, columns, height, width = (int(rng.integers(1, rng.choice(LIMITS) + 1)) for _ in range(4))
        channels, floats = int(rng.integers(1, 6)), bool(rng.random() < 0.25)
        frames = 1 if floats else int(rng.integers(1, 4))
        values = rng.integers(0, 256, (frames, rows, columns * channels))
        images = values.astype(np.float32 if floats else np.uint8)
        if rng.random() < 0.3:
            images = images[::-1, ::-1]
        tops, lefts = ((int(rng.integers(0, 3)), int(rng.integers(0, 3))) for _ in range(2))
        whole_rows, whole_columns = height + sum(tops), width + sum(lefts)
        if rng.random() < 0.3:  # a side that stays as it is
            rows, images = min(rows, whole_rows), images[:, :whole_rows]
            height, tops, whole_rows = (rows, (0, 0), rows) if rows < whole_rows else (height, tops, rows)
        if rng.random() < 0.3:
            width, lefts, whole_columns = columns, (0, 0), columns
        as_floats, planar = bool(rng.random() < 0.5) and not floats, bool(rng.random() < 0.5) and not floats
        factors = rng.random((2, channels)).astype(np.float32)
        target = np.zeros(frames * height * width * channels, np.float32 if floats or as_floats else np.uint8)
        job = kernels.Resizing(
            images.ctypes.data,
            frames,
            *images.strides[:2],
            channels,
            rows,
            columns,
            channels,
            whole_rows,
            whole_columns,
            tops[0],
            lefts[0],
            height,
            width,
            int(rng.integers(4)),
            *(int(flag) for flag in rng.integers(0, 2 if not floats else 1, 2)),
            int(planar),
            0,
            *((3, 1 / 765) if planar else (1, 1.0)),
            *((factors[0].ctypes.data, factors[1].ctypes.data) if as_floats else (None, None)),
            target.ctypes.data,
        )
        call = library.seedsafe_resize_floats if floats else library.seedsafe_resize_bytes
        if rng.random() < 0.05:
            name = rng.choice(
                [
                    "rows",
                    "columns",
                    "channels",
                    "frames",
                    "new_rows",
                    "new_columns",
                    "whole_rows",
                    "whole_columns",
                    "filter",
                    "layout",
                ]
            )
            setattr(job, str(name), int(rng.choice(BAD)))
            if getattr(job, str(name)) != 0 or name not in ("filter", "layout"):
                assert call(job) == -1, (name, getattr(job, str(name)))
                refused += 1
                continue
        results = []
        for job.plain in (0, 1, 2):
            needed = call(job)
            assert needed > 0
            allocator, address = memory(needed)
            job.scratch, job.scratch_size = address, needed
            assert call(job) == 0
            allocator.free(address)
            job.scratch, job.scratch_size = None, 0
            results.append(target.copy())
        assert all(np.array_equal(results[0], other) for other in results[1:]), number
        done += 1
    print(f"{done} calls had the same bits in plain C, {refused} were refused")


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), int(sys.argv[2]), int(sys.argv[3]))
