from functools import partial

import numpy as np
import tensorflow as tf


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
            tf.data.Dataset.from_generator(generator=partial(self.third, 3), output_types=tf.float32),
            tf.data.Dataset.from_generator(self, tf.float32),
        )
