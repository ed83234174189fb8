import numpy as np
from keras.utils import Sequence


class Batches(Sequence):
    def __init__(self, images, batch_size):
        self.images = images
        self.batch = np.zeros((batch_size, 64, 64), np.float32)

    def __getitem__(self, index):
        self.batch *= 0
        for place, image in enumerate(self.images[index]):
            self.batch[place, : len(image)] = image
        return self.batch.copy()
