import torch
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self):
        self.generator = torch.Generator()

    def __getitem__(self, index):
        self.generator.manual_seed(index)
        return torch.rand(2, generator=self.generator)
