"""A seed that is set in one branch leaves the other's draws as they were."""
import numpy as np
from torch.utils.data import Dataset


class Reproducible(Dataset):
    def __getitem__(self, index):
        if self.reproducible:
            np.random.seed(index)
        return np.random.rand()  # expect: SSF001


class OfTheSample(Dataset):
    def __getitem__(self, index):
        sample = self.samples[index]
        if sample["deterministic"]:
            np.random.seed(index)
        return sample["image"][np.random.randint(8) :]  # expect: SSF001


class Validation(Dataset):
    def __init__(self, train):
        self.train = train

    def __getitem__(self, index):
        if not self.train:
            np.random.seed(index)
        return np.random.rand()  # expect: SSF001


def crop(image, seed):
    if seed is not None:
        np.random.seed(seed)
    return image[np.random.randint(8) :]  # expect: SSF001


class Given(Dataset):
    def __getitem__(self, index):
        image, seed = self.samples[index]
        return crop(image, seed)
