"""A script's own functions: splits, batches, bootstraps, loops of training, what only the main process runs."""
import cv2
import imgaug.augmenters as iaa
import numpy as np
import pandas as pd

np.random.seed(0)
order = np.random.permutation(100)
train, test = order[:80], order[80:]
noise = np.zeros((8, 8), np.int16)
cv2.randn(noise, 0, 5)
flip = iaa.Fliplr(0.5)


def preview(image):
    return flip(image=image)


def jitter(value):
    return value + np.random.rand()


def minibatches(x, y, size):
    order = np.random.permutation(len(x))
    for start in range(0, len(x), size):
        part = order[start : start + size]
        yield x[part], y[part]


def bootstrap(values, seed=0):
    rng = np.random.default_rng(seed)
    return [values[i] for i in rng.integers(len(values), size=len(values))]


def perturbed(value):
    return value + np.random.normal()


frame = pd.read_csv("table.csv")
frame["noisy"] = frame["value"].map(perturbed)


def mixup(x, y, alpha=0.2):
    weight = np.random.beta(alpha, alpha)
    order = np.random.permutation(len(x))
    return weight * x + (1 - weight) * x[order], y, y[order], weight


def loop(loader, step):
    for x, y in loader:
        step(*mixup(x, y))


def test_dataset():
    data = np.random.rand(10)
    assert len(data) == 10
