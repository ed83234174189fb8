import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, file):
        self.images = np.load(file)

    def __getitem__(self, index):
        image = self.images[index].copy()
        image -= image.mean()
        return image
