import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, labels):
        self.labels = labels

    def __getitem__(self, index):
        label = self.labels[index]
        label -= 1
        return label
