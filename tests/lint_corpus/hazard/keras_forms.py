"""Sequences of Keras, by what they inherit from and what they draw from."""
import keras
import numpy as np
import tensorflow as tf
from keras.preprocessing.image import random_rotation
from tensorflow.keras.utils import Sequence


class Batches(Sequence):
    def __init__(self):
        self.rng = np.random.RandomState(0)

    def __getitem__(self, index):
        image = random_rotation(np.zeros((8, 8, 3)), 20)  # expect: SSF001
        return image, np.random.rand(8), self.rng.rand(8)  # expect: SSF001 SSF002


class Dotted(tf.keras.utils.Sequence):
    def __getitem__(self, index):
        return np.random.choice(10, 4)  # expect: SSF001


class Py(keras.utils.PyDataset):
    def __getitem__(self, index):
        return self.augment(np.zeros((4, 8, 8)))

    def augment(self, batch):
        for i in range(len(batch)):
            batch[i] = np.rot90(batch[i], np.random.randint(4))  # expect: SSF001
        return batch


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
