import numpy as np
from torch.utils.data import Dataset


class Base(Dataset):
    def __getitem__(self, index):
        return self.transform(index)

    def transform(self, value):
        raise NotImplementedError


class Noisy(Base):
    def transform(self, value):
        return value + np.random.rand()  # expect: SSF001
