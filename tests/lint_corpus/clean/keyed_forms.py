"""Draws that follow from the index of the read, whatever draws them and however the generator is passed."""
import random
import time
import zlib

import cv2
import numpy as np
import torch
from torch.utils.data import Dataset

import seedsafe as ss


def generator(index):
    return np.random.default_rng((11, index))


def fixed_unless_given(value, rng=None):
    if rng is None:
        rng = np.random.default_rng(0)
    return value + rng.normal()


def global_unless_given(value, rng=None):
    rng = rng or np.random
    return value + rng.normal()


def passed_on(value, rng):
    return value + rng.normal()


class Stream:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.next = self.rng.random

    def draw(self):
        return self.next() + self.rng.random()


class Signals(Dataset):
    def __init__(self, names, seed):
        self.names = names
        self.seed = seed
        self.epoch = 0
        self.torch = torch.Generator()
        self.state = np.random.RandomState()
        self.bits = np.random.PCG64(0)
        self.assigned = np.random.Generator(self.bits)
        self.states = [np.random.PCG64(i).state for i in range(10)]

    def _rng(self, index):
        return np.random.default_rng(self.seed + index)

    def _draw(self):
        return self.rng.random()

    def __getitem__(self, index):
        self.rng = np.random.default_rng(index)
        self.torch.manual_seed(index)
        self.state.seed(index)
        self.bits.state = self.states[index]
        rngs = {name: np.random.default_rng((index, i)) for i, name in enumerate("ab")}
        first, second = np.random.default_rng(index).spawn(2)
        sequence = np.random.SeedSequence([3, index])
        two_lines = torch.Generator()
        two_lines.manual_seed(self.seed + index)
        start = time.time()
        return [
            np.random.default_rng([7, index]).integers(10),
            np.random.default_rng((self.seed, self.epoch, index)).normal(),
            np.random.default_rng(zlib.crc32(self.names[index].encode())).random(),
            np.random.default_rng((time.time_ns(), index)).random(),
            np.random.Generator(np.random.Philox(key=index)).random(),
            np.random.Generator(np.random.PCG64(sequence)).random(),
            np.random.RandomState(index).rand(),
            np.random.RandomState(self.seed + index).permutation(4),
            random.Random(index).choice([1, 2, 3]),
            torch.rand(3, generator=torch.Generator().manual_seed(index)),
            torch.randn(3, generator=two_lines),
            torch.rand(2, generator=self.torch),
            ss.generator(seed=1, epoch=0, index=index).normal(),
            ss.generator(ss.SampleKey(1, 0, index)).normal(),
            self._draw() + self._rng(index).random() + generator(index).random(),
            fixed_unless_given(index, np.random.default_rng(index)),
            global_unless_given(index, rng=np.random.default_rng(index)),
            passed_on(index, np.random.default_rng(index)),
            rngs["a"].random() + rngs["b"].random() + first.random() + second.random(),
            Stream(index).draw() + self.state.rand() + self.assigned.random(),
            time.time() - start,
        ]


class Noise(Dataset):
    def __getitem__(self, index):
        cv2.setRNGSeed(index)
        noise = np.zeros((8, 8), np.int16)
        cv2.randn(noise, 0, 5)
        return noise


class Pairs(Dataset):
    def __getitem__(self, key):
        epoch, index = key
        return np.random.default_rng((epoch, index)).choice(10)


class CountsEpochs(Dataset):
    def __init__(self):
        self.epoch = 0

    def set_epoch(self):
        self.epoch += 1

    def __getitem__(self, index):
        rng = np.random.default_rng((self.epoch, index))
        return rng.random()
