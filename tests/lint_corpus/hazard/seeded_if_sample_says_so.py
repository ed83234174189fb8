import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        sample = self.samples[index]
        if sample["deterministic"]:
            np.random.seed(index)
        return sample["image"][np.random.randint(8) :]  # expect: SSF001
