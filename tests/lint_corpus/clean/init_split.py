import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, files, train):
        np.random.seed(0)
        np.random.shuffle(files)
        cut = len(files) // 5
        self.files = files[cut:] if train else files[:cut]

    def __getitem__(self, index):
        return self.files[index]
