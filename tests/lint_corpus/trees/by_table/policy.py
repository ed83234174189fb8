import random

import functional as F
from torch.utils.data import Dataset

LEVELS = [("rotate", 1, 4), ("brighten", 1, 2)]


class RandAugment:
    def __init__(self, n):
        self.n = n

    def __call__(self, image):
        for name, low, high in random.sample(LEVELS, self.n):
            image = getattr(F, name)(image, random.randint(low, high))
        return image


class Images(Dataset):
    def __init__(self, images):
        self.images = images
        self.augment = RandAugment(2)

    def __getitem__(self, index):
        return self.augment(self.images[index])
