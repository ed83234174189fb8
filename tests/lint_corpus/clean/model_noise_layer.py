import keras
import numpy as np


class Noise(keras.layers.Layer):
    def call(self, x):
        return x + np.random.normal(size=3)
