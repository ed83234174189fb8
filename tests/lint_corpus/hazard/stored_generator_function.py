import numpy as np
from keras.utils import Sequence


class Masked(Sequence):
    def __init__(self, images, size):
        self.images = images
        self.offsets = self.__offsets__(size)

    @staticmethod
    def __offsets__(size):
        while True:
            yield np.random.rand() * size, np.random.rand() * size  # expect: SSF001 SSF001

    def __getitem__(self, index):
        y, x = self.next_place(self.offsets)
        return self.images[index][int(y), int(x)]

    @staticmethod
    def next_place(offsets):
        return next(offsets)
