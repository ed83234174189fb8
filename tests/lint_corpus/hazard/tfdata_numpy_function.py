import numpy as np
import tensorflow as tf


def jittered(image):
    return image + np.random.normal(0, 0.1, image.shape)  # expect: SSF001


def cropped(image):
    top = np.random.randint(0, 8)  # expect: SSF001
    return image[top : top + 24]


def load(path):
    image = tf.io.decode_png(tf.io.read_file(path))
    image = tf.numpy_function(jittered, [image], tf.float32)
    return tf.py_function(func=cropped, inp=[image], Tout=tf.float32)


def build(paths):
    return tf.data.Dataset.from_tensor_slices(paths).map(load).batch(8)
