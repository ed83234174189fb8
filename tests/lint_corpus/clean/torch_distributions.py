import torch
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self):
        self.normal = torch.distributions.Normal(0.0, 1.0)

    def __getitem__(self, index):
        return self.normal.sample()
