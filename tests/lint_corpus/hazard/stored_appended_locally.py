import numpy as np
from torch.utils.data import Dataset


class Crop:
    def __init__(self, path):
        self.path = path
        self.rng = np.random.default_rng()

    def corner(self):
        return self.rng.integers(10)  # expect: SSF002


class Crops(Dataset):
    def __init__(self, folders):
        self.groups = []
        for folder in folders:
            group = []
            for path in folder:
                group.append(Crop(path))
            self.groups.append(group)

    def __getitem__(self, index):
        return self.groups[index][0].corner()
