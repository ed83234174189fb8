import numpy as np
from torch.utils.data import Dataset


class Augmenter:
    def __init__(self, scale):
        self.scale = scale

    def apply(self, value):
        return value + self.scale * np.random.randn()  # expect: SSF001


class Images(Dataset):
    def __init__(self):
        self.augmenter = Augmenter(0.1)

    def __getitem__(self, index):
        return self.augmenter.apply(index)
