import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.sums = np.zeros(3)

    def __getitem__(self, index):
        image = np.ones((3, 8, 8))
        self._track(image)
        return image

    def _track(self, image):
        self.sums += image.mean((1, 2))  # expect: SSF013
