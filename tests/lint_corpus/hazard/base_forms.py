"""A class that reads samples, by everything that it can inherit from."""
import numpy as np
import torch.utils.data as tud
import torch.utils.data
from torch.utils import data
from torch.utils.data import Dataset
from torchvision import datasets
from torchvision.datasets import ImageFolder

from .base import BaseDataset


class Dotted(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001


class OfAModule(data.Dataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001


class Renamed(tud.Dataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001


class Typed(Dataset[int]):
    def __getitem__(self, index: int) -> int:
        return int(np.random.randint(10))  # expect: SSF001


class Files(ImageFolder):
    def __getitem__(self, index):
        return np.random.randint(10)  # expect: SSF001


class Known(datasets.CIFAR10):
    def __getitem__(self, index):
        image, label = super().__getitem__(index)
        return image + np.random.randn(3), label  # expect: SSF001


class Unknown(BaseDataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001


class Base(Dataset):
    def augment(self, value):
        return value + np.random.rand()  # expect: SSF001


class OfThisFile(Base):
    def __getitem__(self, index):
        return self.augment(index)


class NoiseMixin:
    def noise(self):
        return np.random.randn(2)  # expect: SSF001


class Mixed(NoiseMixin, Dataset):
    def __getitem__(self, index):
        return self.noise() + index


class Template(Dataset):
    def __getitem__(self, index):
        return self.transform(index)

    def transform(self, value):
        raise NotImplementedError


class Filled(Template):
    def transform(self, value):
        return value + np.random.rand()  # expect: SSF001


class Drawing(Dataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001


class Derived(Drawing):
    def __getitem__(self, index):
        return super().__getitem__(index) + 1


def make(n):
    class Inner(Dataset):
        def __len__(self):
            return n

        def __getitem__(self, index):
            return np.random.rand()  # expect: SSF001

    return Inner()


if torch.cuda.is_available():

    class Conditional(torch.utils.data.Dataset):
        def __getitem__(self, index):
            return np.random.rand()  # expect: SSF001
