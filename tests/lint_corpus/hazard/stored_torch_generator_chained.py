import torch
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, seed):
        self.g = torch.Generator().manual_seed(seed)

    def __getitem__(self, index):
        return torch.randint(10, (3,), generator=self.g)  # expect: SSF002
