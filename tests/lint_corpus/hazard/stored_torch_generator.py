import torch
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self):
        self.generator = torch.Generator()
        self.generator.manual_seed(0)

    def __getitem__(self, index):
        return torch.rand(3, generator=self.generator)  # expect: SSF002
