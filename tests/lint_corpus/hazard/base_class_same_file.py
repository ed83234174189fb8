import numpy as np
from torch.utils.data import Dataset


class Base(Dataset):
    def augment(self, value):
        return value + np.random.rand()  # expect: SSF001


class Images(Base):
    def __getitem__(self, index):
        return self.augment(index)
