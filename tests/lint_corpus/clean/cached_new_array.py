import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, file):
        self.images = np.load(file)

    def __getitem__(self, index):
        image = self.images[index]
        image = image - image.mean()
        image += 1
        return image
