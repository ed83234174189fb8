import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
        path = self.paths[index]
        path += ".png"
        return path
