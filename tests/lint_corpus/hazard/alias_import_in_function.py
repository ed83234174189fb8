from torch.utils.data import Dataset


class Noise(Dataset):
    def __getitem__(self, index):
        import numpy as np

        return np.random.rand()  # expect: SSF001
