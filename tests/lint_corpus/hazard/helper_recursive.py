import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return self.pick(index, 3)

    def pick(self, index, tries):
        if tries == 0:
            return index
        return self.pick(np.random.randint(9), tries - 1)  # expect: SSF001
