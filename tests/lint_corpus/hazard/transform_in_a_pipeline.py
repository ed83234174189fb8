"""Transforms that a pipeline or a dataset of the file gets."""
import numpy as np
import torch
from torch.utils.data import Dataset
from torchvision import transforms


def add_noise(x):
    return x + np.random.randn()  # expect: SSF001


def noise(seed):
    rng = np.random.default_rng(seed)

    def add(x):
        return x + rng.normal()  # expect: SSF002

    return add


class Mask(torch.nn.Module):
    def forward(self, x):
        return x * (np.random.rand() > 0.5)  # expect: SSF001


train = transforms.Compose([transforms.ToTensor(), transforms.Lambda(add_noise), noise(3), Mask()])
other = transforms.Compose([transforms.Lambda(lambda x: x * np.random.rand())])  # expect: SSF001


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value


def scale(value):
    return value * np.random.uniform(0.5, 2)  # expect: SSF001


class Images(Dataset):
    def __init__(self):
        self.transform = Compose([scale])

    def __getitem__(self, index):
        return self.transform(index)


class Blur:
    def __call__(self, a):
        return a * np.random.rand()  # expect: SSF001


class Given(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(index)


blurred = Given(transform=Blur())
