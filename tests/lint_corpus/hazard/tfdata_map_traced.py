import random

import numpy as np
import tensorflow as tf

RNG = np.random.default_rng(0)


def flipped(image, label):
    if np.random.rand() > 0.5:  # expect: SSF004
        image = tf.image.flip_left_right(image)
    return tf.image.adjust_brightness(image, random.uniform(0, 0.2)), label  # expect: SSF004


class Pipeline:
    def rotated(self, image, label):
        return tf.image.rot90(image, k=RNG.integers(4)), label  # expect: SSF004

    def build(self, images, labels):
        data = tf.data.Dataset.from_tensor_slices((images, labels))
        data = data.map(flipped, num_parallel_calls=tf.data.AUTOTUNE)
        return data.map(self.rotated).map(lambda x, y: (x + np.random.normal(), y)).batch(8)  # expect: SSF004
