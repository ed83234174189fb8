import numpy as np
from torch.utils.data import Dataset


class Base(Dataset):
    def __getitem__(self, index):
        return None
