"""Draws from Python's and torch's generators, which torch seeds in each worker, and from a generator that is passed."""
import random
import random as rnd

import numpy as np
import torch
from torch.utils.data import Dataset
from torchvision import transforms

import seedsafe as ss


class Images(Dataset):
    def __init__(self):
        self.normal = torch.distributions.Normal(0.0, 1.0)
        self.transform = transforms.Compose([transforms.RandomCrop(8), transforms.RandomHorizontalFlip()])

    def __getitem__(self, index):
        items = [random.random(), random.randint(0, 3), self.normal.sample()]
        rnd.shuffle(items)
        numbers = torch.rand(3) + torch.randint(10, (1,)) + torch.randperm(3)[0]
        return items, numbers, self.transform(index)


class RandomFlip:
    def __call__(self, image):
        return image[::-1] if random.random() < 0.5 else image


class RandomGain(torch.nn.Module):
    def forward(self, x):
        return x * torch.rand(1)


class RandomShift:
    def __call__(self, image, rng):
        return image[rng.integers(4) :]


class Gain(ss.Transform):
    def draw(self, rng, info):
        return rng.uniform(0.5, 2.0)

    def apply_audio(self, audio, gain):
        return audio * gain


def crop(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    top = int(rng.integers(image.shape[0]))
    return image[top:]
