import numpy as np
from torch.utils.data import Dataset


class Shaker:
    def run(self, image):
        return image + np.random.rand()  # expect: SSF001


class Images(Dataset):
    def __init__(self, images, shaker: "Shaker | None" = None):
        self.images = images
        self.shaker = shaker

    def __getitem__(self, index):
        image = self.images[index]
        return self.shaker.run(image) if self.shaker else image
