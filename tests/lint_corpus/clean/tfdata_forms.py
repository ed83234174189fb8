"""Generators of tf.data that are keyed or draw nothing, and stateless maps."""
import numpy as np
import tensorflow as tf


def keyed():
    for i in range(10):
        yield np.random.default_rng((1, i)).random()


def plain():
    for i in range(10):
        yield i


def augment(index, image):
    return tf.image.stateless_random_flip_left_right(image, seed=(1, index))


first = tf.data.Dataset.from_generator(keyed, output_types=tf.float32)
second = tf.data.Dataset.from_generator(plain, output_types=tf.int64)


def pipeline(images):
    return tf.data.Dataset.from_tensor_slices(images).enumerate().map(augment)
