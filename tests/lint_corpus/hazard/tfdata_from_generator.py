import numpy as np
import tensorflow as tf


def samples():
    for i in range(10):
        yield i + np.random.rand()  # expect: SSF001


dataset = tf.data.Dataset.from_generator(samples, output_types=tf.float32)
