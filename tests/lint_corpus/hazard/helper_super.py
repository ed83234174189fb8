import numpy as np
from torch.utils.data import Dataset


class Base(Dataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001


class Derived(Base):
    def __getitem__(self, index):
        return super().__getitem__(index) + 1
