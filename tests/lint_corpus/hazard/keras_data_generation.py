import keras
import numpy as np


class DataGenerator(keras.utils.Sequence):
    def __init__(self, ids):
        self.ids = ids
        self.on_epoch_end()

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return self.__data_generation(self.ids[index])

    def on_epoch_end(self):
        np.random.shuffle(self.ids)

    def __data_generation(self, ids):
        return ids + np.random.randn()  # expect: SSF001
