import numpy as np
from torch.utils.data import Dataset


class Texts(Dataset):
    def __getitem__(self, index):
        return index

    def collate_fn(self, batch):
        return np.random.permutation(batch)  # expect: SSF001
