"""Generators, functions and maps of tf.data in which NumPy or Python draws."""
import random
from functools import partial

import numpy as np
import tensorflow as tf

RNG = np.random.default_rng(0)


def plain():
    for i in range(10):
        yield i + np.random.rand()  # expect: SSF001


def counted(n):
    for i in range(n):
        yield np.random.randint(9)  # expect: SSF001


class Loader:
    def __init__(self, n):
        self.n = n

    def first(self):
        for _ in range(self.n):
            yield np.random.rand()  # expect: SSF001

    def second(self):
        for _ in range(self.n):
            yield self.sample()

    def sample(self):
        return np.random.rand()  # expect: SSF001

    def third(self, scale):
        yield np.random.rand() * scale  # expect: SSF001

    def __call__(self):
        yield np.random.rand()  # expect: SSF001

    def make(self, generator):
        return tf.data.Dataset.from_generator(generator, tf.float32)

    def datasets(self):
        later = self.second
        return (
            self.make(self.first),
            self.make(lambda: later()),
            tf.data.Dataset.from_generator(plain, output_types=tf.float32),
            tf.data.Dataset.from_generator(lambda: counted(5), tf.int64),
            tf.data.Dataset.from_generator(generator=partial(self.third, 3), output_types=tf.float32),
            tf.data.Dataset.from_generator(self, tf.float32),
        )


def jittered(image):
    return image + np.random.normal(0, 0.1, image.shape)  # expect: SSF001


def cropped(image):
    top = np.random.randint(0, 8)  # expect: SSF001
    return image[top : top + 24]


def by_lambda(image):
    return image + np.random.normal()  # expect: SSF001


def load(path):
    image = tf.io.decode_png(tf.io.read_file(path))
    image = tf.numpy_function(jittered, [image], tf.float32)
    return tf.py_function(func=cropped, inp=[image], Tout=tf.float32)


def flipped(image, label):
    if np.random.rand() > 0.5:  # expect: SSF004
        image = tf.image.flip_left_right(image)
    return tf.image.adjust_brightness(image, random.uniform(0, 0.2)), label  # expect: SSF004


def moved(image, label):
    return image + np.random.normal(), label  # expect: SSF004


class Pipeline:
    def rotated(self, image, label):
        return tf.image.rot90(image, k=RNG.integers(4)), label  # expect: SSF004

    def shifted(self, image):
        start = np.random.randint(0, 4)  # expect: SSF004
        return image[start : start + 8]

    def build(self, paths, images, labels):
        read = tf.data.Dataset.from_tensor_slices(paths).map(load).map(self.shifted, tf.data.AUTOTUNE)
        data = tf.data.Dataset.from_tensor_slices((images, labels))
        data = data.map(flipped, num_parallel_calls=tf.data.AUTOTUNE).map(map_func=moved, num_parallel_calls=4)
        data = data.map(lambda x, y: tf.numpy_function(func=by_lambda, inp=[x], Tout=[tf.float32]))
        return read, data.map(self.rotated).map(lambda x, y: (x + np.random.normal(), y)).batch(8)  # expect: SSF004
