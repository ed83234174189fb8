# -*- coding: utf8mb4 -*-
import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001
