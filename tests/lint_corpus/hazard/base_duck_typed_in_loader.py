import numpy as np
import torch


class Numbers:
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001


loader = torch.utils.data.DataLoader(Numbers(), num_workers=2)
