import numpy as np
import torch

DEFAULT = np.random


class Noise(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return DEFAULT.rand(2)  # expect: SSF001
