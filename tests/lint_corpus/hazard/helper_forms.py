"""A draw that a read reaches by a call of any kind: functions, methods, objects, closures, tables and callbacks."""
import functools
from functools import partial

import numpy as np
from torch.utils.data import Dataset


def jitter(value):
    return value * np.random.uniform(0.9, 1.1)  # expect: SSF001


def blur(value):
    return value * np.random.uniform(0, 1)  # expect: SSF001


def keep(value):
    return value


def listed(value):
    return value + np.random.rand()  # expect: SSF001


def shift(value, most):
    return value + np.random.randint(most)  # expect: SSF001


gain = partial(np.random.uniform, 0.5, 2.0)


def make_augment(most):
    def augment(value):
        return value + np.random.randint(most)  # expect: SSF001

    return augment


def twice(function):
    def wrapper(value):
        return function(function(value))

    return wrapper


@twice
def doubled(value):
    return value + np.random.rand()  # expect: SSF001


def noisy(function):
    @functools.wraps(function)
    def wrapper(self, index):
        return function(self, index) + np.random.rand()  # expect: SSF001

    return wrapper


def retry(function, value):
    for _ in range(3):
        try:
            return function(value)
        except OSError:
            continue


def none_to_global(value, rng=None):
    if rng is None:
        rng = np.random
    return value + rng.uniform()  # expect: SSF001


def or_global(value, rng=None):
    rng = rng or np.random
    return value + rng.uniform()  # expect: SSF001


class Augmenter:
    def __init__(self, scale):
        self.scale = scale

    def apply(self, value):
        return value + self.scale * np.random.randn()  # expect: SSF001


class Cutter:
    def __init__(self):
        self.corner = np.random.randint(8)  # expect: SSF001


class Images(Dataset):
    def __init__(self):
        self.operations = {"flip": self.flip, "shift": self.shift}
        self.augmenter = Augmenter(0.1)
        self.augment = make_augment(4)
        self.step = partial(shift, most=4)

    @noisy
    def __getitem__(self, index):
        def offset():
            return np.random.randint(4)  # expect: SSF001

        index = jitter(index) + offset() + Images.drawn() + self.crop(index) + self.angle
        index = np.random.choice([blur, keep])(index)  # expect: SSF001
        for step in [self.add_noise, self.keep]:
            index = step(index)
        for name in ("flip", "shift"):
            index = self.operations[name](index)
        index = getattr(self, "aug_" + str(index % 2))(index)
        index = [step(index) for step in (listed, abs)]
        index = self.augmenter.apply(self._augment(self.__noise(index))) + Cutter().corner
        index = self.augment(self.step(doubled(index))) * gain()  # expect: SSF001
        index = none_to_global(or_global(self.pick(index, 3)))
        index = list(map(self.gained, range(index))) + retry(self.load, index)
        index = np.apply_along_axis(np.random.permutation, 0, np.eye(3))  # expect: SSF001
        return sorted(range(index), key=lambda i: np.random.rand())  # expect: SSF001

    @classmethod
    def drawn(cls):
        return np.random.randint(3)  # expect: SSF001

    @staticmethod
    def crop(value):
        return value - np.random.randint(3)  # expect: SSF001

    @property
    def angle(self):
        return np.random.uniform(-10, 10)  # expect: SSF001

    def keep(self, value):
        return value

    def add_noise(self, value):
        return value + np.random.rand()  # expect: SSF001

    def flip(self, value):
        return -value

    def shift(self, value):
        return value + np.random.randint(3)  # expect: SSF001

    def aug_0(self, value):
        return value

    def aug_1(self, value):
        return value + np.random.rand()  # expect: SSF001

    def _augment(self, value):
        return self._shift(value)

    def _shift(self, value):
        return value + np.random.randint(3)  # expect: SSF001

    def __noise(self, value):
        return value + np.random.rand()  # expect: SSF001

    def pick(self, index, tries):
        if tries == 0:
            return index
        return self.pick(np.random.randint(9), tries - 1)  # expect: SSF001

    def gained(self, value):
        return value * np.random.rand()  # expect: SSF001

    def load(self, index):
        return index + np.random.rand()  # expect: SSF001
