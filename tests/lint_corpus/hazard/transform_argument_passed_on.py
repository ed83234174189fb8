import numpy as np
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, images, steps):
        self.images = images
        self.steps = steps

    def __getitem__(self, index):
        return self.steps.work(self.images[index])


class Shake:
    def work(self, image):
        return image + np.random.rand()  # expect: SSF001


class Data:
    def __init__(self, steps):
        self.steps = steps

    def loader(self):
        return DataLoader(Images([], self.steps))


def make(steps):
    return Data(steps).loader()


make(Shake())
