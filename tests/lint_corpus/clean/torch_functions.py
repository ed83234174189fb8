import torch
from torch.utils.data import Dataset


class Signals(Dataset):
    def __getitem__(self, index):
        return torch.rand(3) + torch.randint(10, (1,)) + torch.randperm(3)[0]
