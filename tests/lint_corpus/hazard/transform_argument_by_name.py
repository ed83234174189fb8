import numpy as np
from torch.utils.data import Dataset


class ImageAugmentor:
    def enlarge(self, image):
        return image * np.random.uniform(1, 2)  # expect: SSF001


class Images(Dataset):
    def __init__(self, images, augmentor=None):
        self.images = images
        self.augmentor = augmentor

    def __getitem__(self, index):
        return self.augmentor.enlarge(self.images[index])
