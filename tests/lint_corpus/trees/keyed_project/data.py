import torch
from augment import STEPS
from keys import generator


class Images(torch.utils.data.Dataset):
    def __init__(self, images, seed):
        self.images = images
        self.seed = seed

    def __len__(self):
        return len(self.images)

    def __getitem__(self, key):
        epoch, index = key
        rng = generator(self.seed, epoch, index)
        image = self.images[index]
        for step in STEPS:
            image = step(image, rng)
        return image
