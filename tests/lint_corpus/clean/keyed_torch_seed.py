import torch
from torch.utils.data import Dataset


class Noise(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        torch.manual_seed(index)
        return torch.rand(3)


class Dither:
    """Features whose dither is meant to be the same for each sample."""

    def __call__(self, samples):
        torch.manual_seed(1)
        return samples + torch.rand(3)
