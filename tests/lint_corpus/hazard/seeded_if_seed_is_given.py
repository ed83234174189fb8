import numpy as np
from torch.utils.data import Dataset


def crop(image, seed):
    if seed is not None:
        np.random.seed(seed)
    return image[np.random.randint(8) :]  # expect: SSF001


class Images(Dataset):
    def __getitem__(self, index):
        image, seed = self.samples[index]
        return crop(image, seed)
