import numpy as np
from torch.utils.data import Dataset


class Views(Dataset):
    def __init__(self, kind, images):
        self.kind, self.images = kind, images

    def weak_augment(self, image):
        return image + np.random.normal()  # expect: SSF001

    def strong_augment(self, image):
        return image * np.random.normal()  # expect: SSF001

    def inspect(self, image):
        return np.random.rand() + image

    def __getitem__(self, index):
        return getattr(self, self.kind + "_augment")(self.images[index])
