import numpy as np
from torch.utils.data import Dataset


from torch.utils.data import DataLoader


class Curriculum(Dataset):
    def __init__(self):
        self.current_epoch = 0

    def set_epoch(self, epoch):
        self.current_epoch = epoch

    def __getitem__(self, index):
        return index * self.current_epoch


data = Curriculum()
loader = DataLoader(data, num_workers=2, persistent_workers=True)  # expect: SSF011
