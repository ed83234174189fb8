import numpy as np
from torch.utils.data import Dataset


from torch.utils.data import DataLoader


class Images(Dataset):
    def __init__(self):
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __getitem__(self, index):
        return index + self.epoch


loader = DataLoader(Images(), num_workers=2, persistent_workers=False)
