import numpy as np
from torch.utils.data import Dataset


class Fallback(Dataset):
    def __getitem__(self, index):
        try:
            return self.read(index)
        except OSError:
            return self[np.random.randint(len(self))]  # expect: SSF001

    def read(self, index):
        with open(str(index)) as file:
            return file.read()

    def __len__(self):
        return 10
