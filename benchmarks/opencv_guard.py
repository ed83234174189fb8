"""DataLoader workers with and without OpenCV's guard.

``python -m benchmarks.opencv_guard`` prints throughput and context switches, and then the cost of a call of the guard. Each case runs in
its own processes, the cases take turns, and the median over the rounds counts.
"""

import argparse
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import time
import timeit

import cv2
import skimage.data
import torch.utils.data

from seedsafe import opencv


class Work:
    """A dataset that resizes, blurs and rotates a photograph, which OpenCV does in threads."""

    def __init__(self, guarded, count):
        self.guarded, self.count = guarded, count
        self.photo = skimage.data.astronaut()

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.guarded:
            opencv.guard()
        large = cv2.resize(self.photo, (1024, 1024), interpolation=cv2.INTER_CUBIC)
        blurred = cv2.GaussianBlur(large, (0, 0), 2 + index % 3)
        result = cv2.warpAffine(blurred, cv2.getRotationMatrix2D((512, 512), index, 1), (1024, 1024))
        return int(result[512, 512, 0])


def measure(guarded, workers, count):
    data = torch.utils.data.DataLoader(Work(guarded, count), batch_size=8, num_workers=workers)
    start = time.perf_counter()
    total = sum(int(batch.sum()) for batch in data)
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(count / seconds, (used.ru_nvcsw + used.ru_nivcsw) / count, total)


def cost_of_a_call():
    def each():
        return min(timeit.repeat(opencv.guard, number=200_000, repeat=7)) / 200_000 * 1e6

    def in_worker(queue):
        opencv.guard()
        queue.put(each())

    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    worker = context.Process(target=in_worker, args=(queue,), daemon=True)
    worker.start()
    inside = queue.get()
    worker.join()
    print(
        f"a call of the guard: {inside:.3f} µs in a worker once it has acted, {each():.3f} µs in the parent"
    )


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--count", type=int, default=320)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--measure", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.measure:
        measure(bool(options.measure[0]), options.measure[1], options.count)
        return
    print(f"{os.cpu_count()} cores, OpenCV {cv2.__version__} with {cv2.getNumThreads()} threads")
    for workers in options.workers:
        rates, switches, totals = {0: [], 1: []}, {0: [], 1: []}, set()
        for _ in range(options.rounds):
            for guarded in (0, 1):
                command = [sys.executable, "-m", "benchmarks.opencv_guard"]
                command += ["--measure", str(guarded), str(workers), "--count", str(options.count)]
                rate, switched, total = subprocess.run(
                    command, check=True, capture_output=True, text=True
                ).stdout.split()
                rates[guarded].append(float(rate))
                switches[guarded].append(float(switched))
                totals.add(total)
        assert len(totals) == 1, "the guard changed a result"
        for guarded, label in ((0, "without"), (1, "with")):
            print(f"{workers} workers {label:>7}: {statistics.median(rates[guarded]):6.1f} images/s, "
                  f"{statistics.median(switches[guarded]):7.1f} context switches an image")  # fmt: skip
    cost_of_a_call()


if __name__ == "__main__":
    main(sys.argv[1:])
