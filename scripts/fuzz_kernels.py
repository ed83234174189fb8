"""Call the kernels, compiled with sanitizers, with random arguments and memory of exactly the size they ask for. COUNT SEED"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

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


def main(path: str, count: int, seed: int) -> None:
    """Make `count` calls, and compare plain C with vectors."""
    library = ctypes.CDLL(path)
    for call in (library.seedsafe_resize_bytes, library.seedsafe_resize_floats):
        call.restype, call.argtypes = ctypes.c_int64, [ctypes.POINTER(kernels.Resizing)]
    library.seedsafe_warp.restype, library.seedsafe_warp.argtypes = (
        ctypes.c_int64,
        [ctypes.POINTER(kernels.Warping)],
    )
    rng = np.random.default_rng(seed)
    done = refused = 0
    for number in range(count):
        if number % 4 == 0:
            warp(library, rng)
            continue
        rows, columns, height, width = (int(rng.integers(1, rng.choice(LIMITS) + 1)) for _ in range(4))
        channels, floats = int(rng.integers(1, 6)), bool(rng.random() < 0.25)
        values = rng.integers(0, 256, (rows, columns * channels))
        image = values.astype(np.float32 if floats else np.uint8)
        if rng.random() < 0.3:
            image = image[::-1]
        as_floats, planar = bool(rng.random() < 0.5) and not floats, bool(rng.random() < 0.5) and not floats
        factors = rng.random((2, channels)).astype(np.float32)
        target = np.zeros(height * width * channels, np.float32 if floats or as_floats else np.uint8)
        job = kernels.Resizing(
            image.ctypes.data,
            image.strides[0],
            channels,
            rows,
            columns,
            channels,
            height + (top := int(rng.integers(0, 3))) + int(rng.integers(0, 3)),
            width + (left := int(rng.integers(0, 3))) + int(rng.integers(0, 3)),
            top,
            left,
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
        for job.plain in (0, 1):
            needed = call(job)
            assert needed > 0
            allocator, address = memory(needed)
            job.scratch, job.scratch_size = address, needed
            assert call(job) == 0
            allocator.free(address)
            job.scratch, job.scratch_size = None, 0
            results.append(target.copy())
        assert np.array_equal(*results), number
        done += 1
    print(f"{done} calls had the same bits in plain C, {refused} were refused")


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), int(sys.argv[2]), int(sys.argv[3]))
