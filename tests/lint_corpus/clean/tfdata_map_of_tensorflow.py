import numpy as np
import pandas as pd
import tensorflow as tf


def flipped(image, seed):
    image = tf.image.stateless_random_flip_left_right(image, seed)
    return tf.image.random_brightness(image, 0.1)


def build(images):
    order = np.random.permutation(len(images))
    seeds = tf.data.experimental.RandomDataset(seed=0).batch(2)
    data = tf.data.Dataset.zip((tf.data.Dataset.from_tensor_slices(images[order]), seeds))
    return data.map(flipped, num_parallel_calls=4)


def table(file):
    frame = pd.read_csv(file)
    frame["noise"] = frame["value"].map(lambda value: value + np.random.normal())
    return list(map(lambda row: row + np.random.rand(), frame["value"]))
