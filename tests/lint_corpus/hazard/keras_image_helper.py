import numpy as np
from keras.preprocessing.image import random_rotation
from keras.utils import Sequence


class Batches(Sequence):
    def __getitem__(self, index):
        return random_rotation(np.zeros((8, 8, 3)), 20)  # expect: SSF001
