import torch
from torch.utils.data import Dataset


class DatasetPlain(Dataset):
    def __init__(self, options):
        super().__init__()
        self.paths = options["paths"]

    def __getitem__(self, index):
        return torch.load(self.paths[index])
