import keras
import numpy as np
from augment import AUGMENTATIONS


class Batches(keras.utils.Sequence):
    def __init__(self, images, names):
        super().__init__()
        self.images = images
        self.names = names
        self.epoch = 0

    def __len__(self):
        return len(self.images) // 8

    def __getitem__(self, index):
        batch = self.images[index * 8 : index * 8 + 8]
        for name in self.names:
            batch = [AUGMENTATIONS[name](image) for image in batch]
        return np.stack(batch)

    def on_epoch_end(self):
        self.epoch += 1
