import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __getitem__(self, index):
        self.rng = np.random.default_rng(index)
        return self._draw()

    def _draw(self):
        return self.rng.random()
