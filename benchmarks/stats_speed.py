"""Channel statistics against the usual ways.

``python -m benchmarks.stats_speed`` measures one image and whole datasets. Times of one image are minima in microseconds, all ways
interleaved in one process with one thread.
"""

import argparse
import gzip
import os
import resource
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import skimage.data
import torch

import seedsafe as ss
from benchmarks.timing import minima
from seedsafe.data.folder import read_image
from seedsafe.data.stats.sums import Accumulator

FASHION = "/usr/share/datasets/fashion-mnist"


def numpy_float64(image):
    values = image.astype(np.float64)
    return values.mean((0, 1)), values.std((0, 1))


def numpy_two_sums(image):
    values = image.astype(np.float64)
    return values.sum((0, 1)), (values**2).sum((0, 1))


def torch_float32(image):
    values = torch.from_numpy(image).permute(2, 0, 1).float().div(255)
    return values.mean((1, 2)), values.std((1, 2))


def opencv_mean_std(image):  # not exact, and no sums to merge
    return cv2.meanStdDev(image)


def ours():
    sums = Accumulator()
    return lambda image: sums.add(image, channels_first=False)


def one_image():
    photo = skimage.data.astronaut()[:256, :256].copy()
    images = {
        "uint8 256x256x3": photo,
        "uint8 32x32x3": photo[:32, :32].copy(),
        "uint16 256x256x3": photo.astype(np.uint16) * 257,
        "float32 256x256x3": (photo / 255).astype(np.float32),
    }
    print(
        f"{'':20}{'seedsafe':>10}{'float64 mean, std':>20}{'float64 sums':>14}{'torch':>9}{'meanStdDev':>12}"
    )
    for name, image in images.items():
        calls = {
            "seedsafe": ours(),
            "naive": numpy_float64,
            "sums": numpy_two_sums,
            "torch": torch_float32,
            "opencv": opencv_mean_std,
        }
        if image.dtype == np.uint16:
            del calls["torch"]  # torch has no sums of uint16
        t = minima({name: partial(call, image) for name, call in calls.items()}, 25)
        widths = {"seedsafe": 10, "naive": 20, "sums": 14, "torch": 9, "opencv": 12}
        cells = (f"{t[key]:>{width}.1f}" if key in t else f"{'-':>{width}}" for key, width in widths.items())
        print(f"{name:20}{''.join(cells)}")
        faster = ", ".join(
            f"{t[key] / t['seedsafe']:.1f}x {label}"
            for key, label in [("naive", "mean, std"), ("sums", "sums"), ("torch", "torch")]
            if key in t
        )
        print(f"{'':20}  {faster}")


class Photos:
    """JPEG files of photographs, read from disk each time."""

    def __init__(self, folder, count):
        self.paths = []
        names = ("astronaut", "coffee", "chelsea", "rocket")
        for number in range(count):
            path = os.path.join(folder, f"{number}.jpg")
            photo = getattr(skimage.data, names[number % 4])()
            cv2.imwrite(path, np.roll(photo[..., ::-1], number, axis=1))
            self.paths.append(path)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return read_image(self.paths[index])


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def whole_sets(fashion):
    with tempfile.TemporaryDirectory() as folder:
        photos = Photos(folder, 400)
        results = []
        for workers in (0, 1, 2):
            start = time.perf_counter()
            results.append(ss.channel_stats(photos, num_workers=workers))
            seconds = time.perf_counter() - start
            print(f"400 JPEG photographs, {workers} workers: {len(photos) / seconds:.0f} images/s")
        assert results[0] == results[1] == results[2]
        start = time.perf_counter()
        for index in range(len(photos)):
            photos[index]
        print(f"reading them alone: {len(photos) / (time.perf_counter() - start):.0f} images/s")
    files = [Path(fashion, f"{part}-images-idx3-ubyte.gz") for part in ("train", "t10k")]
    if not files[0].exists():
        print("Fashion-MNIST: not there (Debian's dataset-fashion-mnist; --fashion FOLDER)")
        return
    data = [np.frombuffer(gzip.decompress(file.read_bytes()), np.uint8, offset=16) for file in files]
    images = np.concatenate(data).reshape(-1, 28, 28)
    start = time.perf_counter()
    stats = ss.channel_stats(images)
    seconds = time.perf_counter() - start
    wide = images.astype(np.int64)
    assert (stats.total, stats.squares) == ((int(wide.sum()),), (int((wide * wide).sum()),))
    print(
        f"Fashion-MNIST, {len(images)} images: {seconds:.2f} s; mean {stats.mean[0] / 255:.6f}, "
        f"std {stats.std[0] / 255:.6f}, mean of the images' stds {stats.image_std[0] / 255:.6f}"
    )


def memory():
    """Print the growth of this process's peak memory over a batch of 64 images and an image of 12 million pixels."""
    batch = np.random.default_rng(0).integers(0, 256, (64, 224, 224, 3), dtype=np.uint8)
    large = np.zeros((3000, 4000, 3), np.float32)
    large += 0.5
    ss.channel_stats([batch[:1, :8, :8]])
    before = peak()
    ss.channel_stats([batch])
    ss.channel_stats([large[:, ::-1]])
    print(f"peak memory above the images: {peak() - before:.1f} MB")


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fashion", default=FASHION, help="folder of Fashion-MNIST (default: %(default)s)")
    fashion = parser.parse_args(argv).fashion
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    memory()
    one_image()
    whole_sets(fashion)


if __name__ == "__main__":
    main(sys.argv[1:])
