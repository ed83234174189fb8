import numpy as np
import torch

if torch.cuda.is_available():

    class Noise(torch.utils.data.Dataset):
        def __getitem__(self, index):
            return np.random.rand()  # expect: SSF001
