import numpy as np
import tensorflow as tf


def samples(n):
    for i in range(n):
        yield np.random.randint(9)  # expect: SSF001


dataset = tf.data.Dataset.from_generator(lambda: samples(5), tf.int64)
