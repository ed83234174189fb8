import numpy as np
from torch.utils.data import Dataset


class Cubes(Dataset):
    def __init__(self, paths, uses):
        self.paths = paths
        self.cache = [np.load(path) for path in paths]
        self.cache_uses_left = [uses] * len(paths)

    def __getitem__(self, index):
        cube = self.cache[index]
        self.cache_uses_left[index] -= 1
        if self.cache_uses_left[index] == 0:
            self.cache[index] = np.load(self.paths[index])
        return cube.copy()
