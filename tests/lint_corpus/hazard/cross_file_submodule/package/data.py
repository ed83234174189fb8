import numpy as np
from torch.utils.data import Dataset

from . import tools


class Images(Dataset):
    def __init__(self, images):
        self.images = images
        self.rng = np.random.RandomState(0)

    def __getitem__(self, index):
        return tools.color.distort(self.images[index], self.rng)
