"""FolderIndex against the tuples of torchvision's ImageFolder.

``python -m benchmarks.folder_index`` creates folders of empty files, and measures the time to list them, the memory of the list, and the
private memory that a DataLoader's worker gains: the larger of two workers, each of which reads half of the samples.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import torch.utils.data

from seedsafe import FolderIndex
from seedsafe.data.folder import IMAGE_EXTENSIONS


def make(root, files, classes):
    """Create empty files with names like ImageNet's, in folders with old dates, so that a cache trusts them."""
    each = files // classes
    for number in range(classes):
        name = f"n{1440764 + number * 37:08}"
        folder = os.path.join(root, name)
        os.makedirs(folder)
        for file in range(each):
            os.close(os.open(f"{folder}/{name}_{file * 7919 % 100003}.JPEG", os.O_CREAT | os.O_WRONLY))
        os.utime(folder, (1_600_000_000, 1_600_000_000))
    os.utime(root, (1_600_000_000, 1_600_000_000))


def list_of_tuples(root):
    """List samples as torchvision.datasets.folder.make_dataset does."""
    classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
    samples = []
    for number, name in enumerate(classes):
        for folder, _, files in sorted(os.walk(os.path.join(root, name), followlinks=True)):
            for file in sorted(files):
                path = os.path.join(folder, file)
                if path.lower().endswith(IMAGE_EXTENSIONS):
                    samples.append((path, number))
    return samples


def memory(kind="private"):
    with open("/proc/self/smaps_rollup") as file:
        sizes = {
            name: int(value.split()[0])
            for name, _, value in (line.partition(":") for line in file)
            if "kB" in value
        }
    return sizes["Rss"] if kind == "rss" else sizes["Private_Clean"] + sizes["Private_Dirty"]


class Tuples:
    def __init__(self, root):
        self.samples = list_of_tuples(root)

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, position):
        path, target = self.samples[position]
        return len(path) + target


class Indexed:
    def __init__(self, root, cache=None):
        self.index = FolderIndex(root, cache=cache)

    def __len__(self):
        return len(self.index)

    def __getitem__(self, position):
        return len(self.index.path(position)) + self.index.target(position)


def private(_):
    return os.getpid(), memory()


def measure(kind, root, cache):
    """Print the memory of the list, and the growth of two workers over an epoch; runs in its own process."""
    before = memory("rss")
    data = {
        "tuples": lambda: Tuples(root),
        "index": lambda: Indexed(root),
        "cached": lambda: Indexed(root, cache),
    }[kind]()
    growth_here = memory("rss") - before
    first, last = {}, {}
    for pid, kilobytes in torch.utils.data.DataLoader(
        data, batch_size=500, num_workers=2, collate_fn=private
    ):
        first.setdefault(pid, kilobytes)
        last[pid] = kilobytes
    growth = max(last[pid] - first[pid] for pid in first)
    each = 1024 / len(data)
    print(f"{kind:8} process +{growth_here / 1024:6.1f} MB ({growth_here * each:5.1f} B a file); a worker "
          f"+{growth / 1024:6.1f} MB over an epoch ({growth * each:5.1f} B a file)", flush=True)  # fmt: skip


def fastest(call, turns):
    best = float("inf")
    for _ in range(turns):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def compare(root, cache, files, turns):
    walk = build = float("inf")
    for _ in range(turns):
        walk = min(walk, fastest(lambda: list_of_tuples(root), 1))
        build = min(build, fastest(lambda: FolderIndex(root), 1))
    first = fastest(lambda: FolderIndex(root, cache=cache), 1)
    again = fastest(lambda: FolderIndex(root, cache=cache), 5)
    index = FolderIndex(root, cache=cache)
    turns = range(0, files, max(1, files // 100_000))
    look = fastest(lambda: [index.path(i) for i in turns], 3) / len(turns)
    names = sum(len(name) for name in (os.path.basename(index.path(i)) for i in turns)) / len(turns)
    print(f"{files} files, names of {names:.1f} bytes")
    print(f"list of tuples {walk * 1e3:8.1f} ms")
    print(f"index          {build * 1e3:8.1f} ms: {walk / build:.2f}x as fast")
    print(f"with a cache   {first * 1e3:8.1f} ms the first time")
    print(
        f"opened again   {again * 1e3:8.2f} ms: {walk / again:.0f}x as fast as the list, {build / again:.0f}x as the index"
    )
    print(f"one path       {look * 1e6:8.2f} µs")
    with_labels = index.nbytes + index.targets.nbytes
    print(
        f"index {index.nbytes / 1e6:.1f} MB, {index.nbytes / files:.1f} B a file; with targets {with_labels / 1e6:.1f} MB, {with_labels / files:.1f} B a file"
    )
    for kind in ("tuples", "index", "cached"):
        command = [sys.executable, "-m", "benchmarks.folder_index", "--measure", kind, root, cache]
        subprocess.run(command, check=True)


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, nargs="+", default=[200_000, 1_000_000])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.measure:
        measure(*options.measure)
        return
    for files in options.files:
        folder = tempfile.mkdtemp()
        try:
            root = os.path.join(folder, "root")
            make(root, files, 100 if files < 1_000_000 else 1000)
            compare(root, os.path.join(folder, "cache"), files, options.turns)
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
