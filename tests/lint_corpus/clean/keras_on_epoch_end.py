import numpy as np
from tensorflow.keras.utils import Sequence


class Batches(Sequence):
    def __init__(self, x):
        self.x = x
        self.order = np.arange(len(x))
        self.on_epoch_end()

    def __getitem__(self, index):
        return self.x[self.order[index]]

    def on_epoch_end(self):
        np.random.shuffle(self.order)
