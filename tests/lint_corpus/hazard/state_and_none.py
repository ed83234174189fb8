"""State that a read changes, and reads that return None."""
import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.count = 0
        self.sums = np.zeros(3)

    def __getitem__(self, index):
        self.count += 1  # expect: SSF013
        image = np.ones((3, 8, 8))
        self._track(image)
        if index > 5:
            return  # expect: SSF014
        try:
            return np.load(str(index))
        except OSError:
            return None  # expect: SSF014

    def _track(self, image):
        self.sums += image.mean((1, 2))  # expect: SSF013
