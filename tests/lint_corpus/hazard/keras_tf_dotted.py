import numpy as np
import tensorflow as tf


class Batches(tf.keras.utils.Sequence):
    def __getitem__(self, index):
        return np.random.choice(10, 4)  # expect: SSF001
