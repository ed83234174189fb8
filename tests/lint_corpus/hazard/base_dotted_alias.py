import numpy as np
import torch.utils.data as tud


class Noise(tud.Dataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001
