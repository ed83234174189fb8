import random

from keras.utils import Sequence


class Batches(Sequence):
    def __getitem__(self, index):
        return random.sample(range(100), 8)
