import numpy as np
import torch
from torch.utils.data import Dataset


class DatasetDenoise(Dataset):
    def __init__(self, options):
        super().__init__()
        self.paths = options["paths"]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        np.random.seed(0)  # expect: SSF004
        image = torch.load(self.paths[index])
        return image + torch.from_numpy(np.random.normal(0, 25, image.shape))


class DatasetOld(Dataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001 (note)
