import numpy as np
import torch
from torch.utils.data import Dataset


class Noise(Dataset):
    def __init__(self, seed):
        self.seed = seed

    def __len__(self):
        return 3

    def __getitem__(self, index):
        torch.manual_seed(0)  # expect: SSF004
        np.random.seed(0)  # expect: SSF004
        return torch.rand(3) + np.random.rand(3)
