import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return getattr(self, "aug_" + str(index % 2))(index)

    def aug_0(self, value):
        return value

    def aug_1(self, value):
        return value + np.random.rand()  # expect: SSF001
