import numpy as np
from torch.utils.data import Dataset


class Files(Dataset):
    def __getitem__(self, index):
        with open(str(index)) as file:
            return file.read()[np.random.randint(10) :]  # expect: SSF001
